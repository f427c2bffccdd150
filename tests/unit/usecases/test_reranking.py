"""The hook that orders the best once more: off by default, two seconds, and never the last word."""

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.query import Query
from hindwise.errors import Unavailable
from hindwise.usecases.learning import Learning
from hindwise.usecases.search import Found, search
from tests.unit.usecases.desk import Desk, at, residence


class ByLength:
    """Puts the longest text first."""

    id = "by-length"

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def scores(self, query: str, texts: Sequence[str], *, seconds: float) -> Sequence[float]:
        self.asked.append((query, tuple(texts)))
        return [float(len(text)) for text in texts]


class Broken:
    id = "broken"

    def __init__(self, scores: object) -> None:
        self._scores = scores

    def scores(self, query: str, texts: Sequence[str], *, seconds: float) -> Sequence[float]:
        if isinstance(self._scores, Exception):
            raise self._scores
        if self._scores == "late":
            time.sleep(seconds + 0.5)
        return self._scores  # type: ignore[return-value]


def told(desk: Desk) -> None:
    for number in range(1, 41):
        desk.said(f"tea {'and tea ' * number}")
    desk.project()


def ask(desk: Desk, reranker: object, text: str = "tea", **fields: object) -> Found:
    engine = replace(desk.engine, reranker=reranker)
    learning = fields.pop("learning", None)
    query = Query(text=text, **{"now": desk.clock(), "rerank": True, **fields})
    return search(query, call=desk.call(), engine=engine, learning=learning)


def test_the_best_are_ordered_by_what_they_say(desk: Desk) -> None:
    told(desk)
    reranker = ByLength()
    plain = ask(desk, reranker, rerank=None, top_k=3)
    assert reranker.asked == [] and plain.skipped == ()
    found = ask(desk, reranker, top_k=3, explain=True)
    lengths = [len(hit.memory.content) for hit in found.hits]
    assert lengths == sorted(lengths, reverse=True) and len(lengths) == 3
    ((query, texts),) = reranker.asked
    assert query == "tea" and len(texts) == 30 and texts[0].startswith("[13 March 2026] tea")
    assert [hit.why.rank for hit in found.hits] == [1, 2, 3]
    for hit in found.hits:
        assert hit.why.parts is not None and hit.why.parts[-1].name == "rerank"
        assert sum(one.contribution for one in hit.why.parts) == pytest.approx(hit.score)
    assert found.skipped == ()


@pytest.mark.parametrize(
    "reranker",
    [
        None,
        Broken(Unavailable("down")),
        Broken([1.0]),
        Broken([math.nan] * 30),
        Broken("late"),
    ],
    ids=["none", "down", "few", "nan", "late"],
)
def test_what_does_not_come_is_named_and_changes_nothing(desk: Desk, reranker: object) -> None:
    told(desk)
    began = time.monotonic()
    found = ask(desk, reranker, top_k=5)
    assert time.monotonic() - began < 3.5
    plain = ask(desk, reranker, rerank=False, top_k=5)
    assert [(h.memory.id, h.score) for h in found.hits] == [
        (h.memory.id, h.score) for h in plain.hits
    ]
    assert (found.skipped, plain.skipped) == (("rerank",), ())


def test_a_weakened_value_stays_behind_however_long(desk: Desk) -> None:
    desk.write(residence("用户住在北京的一条很长很长的胡同里", "2026-01-10T00:00:00Z"))
    desk.write(residence("用户住在上海", "2026-02-10T00:00:00Z", policy="weaken"))
    desk.project()
    found = ask(desk, ByLength(), "用户住在哪里")
    assert [hit.memory.event_time for hit in found.hits] == [
        at("2026-02-10T00:00:00Z"), at("2026-01-10T00:00:00Z"),
    ]  # fmt: skip
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)  # type: ignore[type-var]


def test_the_setting_decides_where_the_call_does_not(desk: Desk) -> None:
    told(desk)
    parts = dict.fromkeys(("conversations", "jobs", "blobs", "queues", "reasoner", "budget"))
    learning = Learning(**parts, rules=LearningRules(rerank_results=True))  # type: ignore[arg-type]
    reranker = ByLength()
    ask(desk, reranker, rerank=None, learning=learning)
    assert len(reranker.asked) == 1
    ask(desk, reranker, rerank=False, learning=learning)
    ask(desk, reranker, "nothing like it", rerank=None)
    assert len(reranker.asked) == 1


def test_nothing_is_reranked_where_nothing_is_found(desk: Desk) -> None:
    reranker = ByLength()
    assert ask(desk, reranker).hits == () and reranker.asked == []
