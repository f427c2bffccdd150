"""A rewritten question adds what it finds, costs nothing else, and is named where it did not come.

The model is a real server on loopback, asked by the adapter that asks the real one.
"""

import time
from collections.abc import Iterator
from datetime import timedelta

import pytest

from hindwise.adapters.reasoners.openai import OpenAIReasoner
from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.query import Query
from hindwise.usecases.context import ContextAsk, context
from hindwise.usecases.diagnose import diagnose
from hindwise.usecases.learning import Learning
from hindwise.usecases.rewriting import Rewriting
from hindwise.usecases.search import Found, search
from infra.local.fake_llm import FakeLlm, Said
from tests.contract.blobs_fake import FakeBlobs
from tests.memory_queues import InMemoryBudget, InMemoryQueues
from tests.unit.usecases.desk import Desk, at, residence

TRAIN, QUESTION = "去西安的火车下午三点半发车", "那个几点"


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    OpenAIReasoner("any-model", key="k").warm()
    with FakeLlm() as served:
        yield served


def learning(desk: Desk, llm: FakeLlm | None, *, calls: int = 9, **rules: object) -> Learning:
    reasoner = llm and OpenAIReasoner("any-model", key="k", base_url=llm.url)
    return Learning(
        conversations=desk.store.conversations,
        jobs=desk.store.jobs,
        blobs=FakeBlobs(),
        queues=InMemoryQueues(desk.clock),
        reasoner=reasoner,
        budget=InMemoryBudget(calls, 1_000_000),
        rules=LearningRules.model_validate(rules),
    )


def told(desk: Desk) -> str:
    for number in range(30):
        desk.said(f"那个 {number}，几点都行")
    train = desk.said(TRAIN).id
    desk.project()
    return train


def ask(desk: Desk, model: Learning | None, text: str = QUESTION, **fields: object) -> Found:
    query = Query(text=text, **{"now": desk.clock(), "rewrite": True, **fields})
    return search(query, call=desk.call(), engine=desk.engine, learning=model)


def contents(found: Found) -> list[str]:
    return [hit.memory.content for hit in found.hits]


def test_other_words_add_what_they_find(desk: Desk, llm: FakeLlm) -> None:
    told(desk)
    llm.always("rewrite", {"query": "去西安的火车几点发车"})
    plain = ask(desk, learning(desk, llm), rewrite=False, top_k=5)
    assert TRAIN not in contents(plain) and plain.rewrite is None
    assert llm.asked("rewrite") == []
    found = ask(desk, learning(desk, llm), top_k=5, explain=True)
    assert contents(found)[0] == TRAIN
    assert found.rewrite == Rewriting(query="去西安的火车几点发车")
    assert found.skipped == ()
    assert contents(plain)[0] == contents(found)[1]
    scores = [hit.score or 0.0 for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert [hit.why.rank for hit in found.hits] == [1, 2, 3, 4, 5]
    assert found.hits[0].why.arms == {"sent": 31, "rewritten": 1}
    for hit in found.hits:
        assert sum(one.contribution for one in hit.why.parts or ()) == pytest.approx(hit.score)
    assert "火车" in found.hits[0].why.matched_terms
    (asked,) = llm.asked("rewrite")
    assert QUESTION in asked.user and "2026-03-1" in asked.user
    assert TRAIN not in asked.user + asked.system


def test_what_was_sent_is_never_lost(desk: Desk, llm: FakeLlm) -> None:
    train = told(desk)
    llm.always("rewrite", {"query": "the weather on Mars"})
    found = ask(desk, learning(desk, llm), "去西安的火车")
    assert train in [hit.memory.id for hit in found.hits[:2]]
    same = ask(desk, None, "去西安的火车", rewrite=None)
    assert same.hits[0].memory.id == train
    llm.always("rewrite", {"query": "去西安的火车"})
    again = ask(desk, learning(desk, llm), "去西安的火车")
    assert [(h.memory.id, h.score) for h in again.hits] == [
        (h.memory.id, h.score) for h in same.hits
    ]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (Said(status=429), "rate_limited"),
        (Said(status=503), "unavailable"),
        (Said(status=401), "misconfigured"),
        (Said(refusal="no"), "unusable"),
        (Said(text="I cannot\ndo that"), "unusable"),
        (Said(ends="dropped"), "unavailable"),
    ],
)
def test_whatever_keeps_it_from_coming_is_named_and_costs_no_result(
    desk: Desk, llm: FakeLlm, said: Said, reason: str
) -> None:
    told(desk)
    llm.always("rewrite", said)
    found = ask(desk, learning(desk, llm), "去西安的火车")
    assert found.skipped == ("rewrite",)
    assert found.rewrite == Rewriting(reason=reason)
    assert contents(found) == contents(ask(desk, None, "去西安的火车", rewrite=False))


def test_it_has_two_seconds(desk: Desk, llm: FakeLlm) -> None:
    told(desk)
    llm.always("rewrite", Said(text='{"query": "x"}', trickle=6.0))
    began = time.monotonic()
    found = ask(desk, learning(desk, llm), "去西安的火车")
    assert time.monotonic() - began < 3.5
    assert found.rewrite == Rewriting(reason="timeout")
    assert contents(found)[0] == TRAIN


def test_a_used_up_budget_is_named_and_nobody_is_asked(desk: Desk, llm: FakeLlm) -> None:
    told(desk)
    llm.always("rewrite", {"query": "火车"})
    model = learning(desk, llm, calls=1)
    assert ask(desk, model).skipped == ()
    found = ask(desk, model)
    assert (found.skipped, found.rewrite) == (("rewrite",), Rewriting(reason="budget"))
    assert len(llm.asked("rewrite")) == 1
    assert model.budget.spent("acme", now=desk.clock()).calls == 1


def test_without_a_model_it_says_so(desk: Desk) -> None:
    told(desk)
    for model in (None, learning(desk, None)):
        found = ask(desk, model)
        assert (found.skipped, found.rewrite) == (("rewrite",), Rewriting(reason="no_model"))
    assert ask(desk, None, rewrite=None).rewrite is None


def test_the_setting_decides_where_the_call_does_not(desk: Desk, llm: FakeLlm) -> None:
    told(desk)
    llm.always("rewrite", {"query": "去西安的火车"})
    model = learning(desk, llm, rewrite_queries=True)
    assert ask(desk, model, rewrite=None).rewrite == Rewriting(query="去西安的火车")
    assert ask(desk, model, rewrite=False).rewrite is None
    assert ask(desk, learning(desk, llm), rewrite=None).rewrite is None
    assert ask(desk, model, "", rewrite=True).rewrite is None


def test_days_that_only_the_other_words_name_are_asked_for(desk: Desk, llm: FakeLlm) -> None:
    desk.write(residence("住在北京", "2026-01-10T00:00:00Z"))
    desk.clock.now = at("2026-06-15T00:00:00Z")
    desk.write(residence("住在上海", "2026-04-15T00:00:00Z"))
    desk.project()
    llm.always("rewrite", {"query": "2026年3月用户住在哪里"})
    found = ask(desk, learning(desk, llm), "开学的时候我住哪")
    assert contents(found) == ["住在北京", "住在上海"]
    assert found.hits[0].why.time_words[0].word == "2026年3月"


def test_a_context_block_is_built_from_both(desk: Desk, llm: FakeLlm) -> None:
    told(desk)
    llm.always("rewrite", {"query": "去西安的火车几点发车"})
    query = Query(text=QUESTION, now=desk.clock(), rewrite=True)
    wanted = ContextAsk(query=query, background=0, history=3)
    built = context(wanted, call=desk.call(), engine=desk.engine, learning=learning(desk, llm))
    assert TRAIN in built.block.text and built.rewrite is not None
    without = context(wanted, call=desk.call(), engine=desk.engine)
    assert TRAIN not in without.block.text and without.skipped == ("rewrite",)


def test_a_diagnosis_shows_the_other_words_and_the_rank_by_them(desk: Desk, llm: FakeLlm) -> None:
    train = desk.said(TRAIN).id
    desk.project()
    llm.always("rewrite", {"query": "去西安的火车几点发车"})

    def shown(model: Learning | None, **fields: object) -> object:
        query = Query(text=QUESTION, **{"now": desk.clock() + timedelta(hours=1), **fields})
        return diagnose(train, query, call=desk.call(), engine=desk.engine, learning=model)

    found = diagnose(
        train,
        Query(text="那个几点呢", now=desk.clock()),
        call=desk.call(),
        engine=desk.engine,
        learning=learning(desk, llm),
    )
    assert (found.failed, found.rewritten, found.rewritten_rank) == (
        "query", "去西安的火车几点发车", 1,
    )  # fmt: skip
    step = next(one for one in found.steps if one.step == "query")
    assert "which ranks it 1" in step.seen and "rewrite: true" in step.advice
    assert shown(None).rewritten is None  # type: ignore[attr-defined]
    assert shown(learning(desk, llm), rewrite=False).rewritten is None  # type: ignore[attr-defined]
