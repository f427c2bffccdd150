"""A turn that tells what no longer holds comes after what took the place of its lesson."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import pytest

from hindwise.domain.memory import Status
from hindwise.domain.query import Query, View
from hindwise.domain.succession import KEPT_OUTDATED
from hindwise.usecases.context import ContextAsk, context
from hindwise.usecases.search import search
from tests.unit.usecases.desk import Desk, at, residence

NOW = at("2026-06-15T09:00:00+08:00")
TALK = {
    "zh": (
        ("我住在北京，住在五道口。", "用户住在北京"),
        ("我五月三号搬家了，现在住在上海。", "用户现在住在上海的浦东"),
        "我住在哪里？", "3月我住在哪里？",
    ),
    "en": (
        ("I live in Beijing, I live near Wudaokou.", "The user lives in Beijing"),
        ("I moved on May 3, I live in Shanghai now.", "The user lives in Shanghai, in a flat"),
        "Where do I live?", "Where did I live in March?",
    ),
}  # fmt: skip


def told(desk: Desk, said: str, learnt: str, day: str, **more: object) -> tuple[str, str]:
    """A turn and what was learnt from it."""
    when = f"2026-{day}T09:00:00+08:00"
    turn = desk.said(said, event_time=at(when), session_id=day, speaker="user").id
    return turn, desk.write(residence(learnt, when, evidence_ids=(turn,), **more)).id


def moved(desk: Desk, language: str) -> tuple[str, str, str, str]:
    """The first turn, its lesson, the second turn and its lesson."""
    first, second, _, _ = TALK[language]
    desk.clock.now = NOW
    return *told(desk, *first, "01-10"), *told(desk, *second, "05-05")


def order(desk: Desk, text: str, **fields: object) -> list[str]:
    return [hit.memory.id for hit in desk.ask(text, now=NOW, **fields).hits]


@pytest.mark.parametrize("projected", [True, False])
@pytest.mark.parametrize("mode", ["context", "weighted", "rrf", "score"])
@pytest.mark.parametrize("language", TALK)
def test_the_current_value_comes_before_the_turn_that_taught_the_former(
    desk: Desk, language: str, mode: str, projected: bool
) -> None:
    then, _, _, value = moved(desk, language)
    if projected:
        desk.project()
    found = desk.ask(TALK[language][2], now=NOW, mode=mode, explain=True).hits
    ids = [hit.memory.id for hit in found]
    assert ids.index(value) < ids.index(then)
    by_id = {hit.memory.id: hit for hit in found}
    assert by_id[then].why.outdated_by == (value,)
    assert [hit.memory.id for hit in found if hit.why.outdated_by] == [then]
    scores = [hit.score for hit in found]
    assert scores == sorted(scores, reverse=True)  # type: ignore[type-var]
    for hit in found:
        total = sum(part.contribution for part in hit.why.parts or ())
        assert total == pytest.approx(hit.score)


@pytest.mark.parametrize("language", TALK)
def test_it_is_lifted_though_it_would_not_have_been_among_the_best(
    desk: Desk, language: str
) -> None:
    then, _, _, value = moved(desk, language)
    desk.project()
    assert order(desk, TALK[language][0][0], top_k=1) == [value]
    assert order(desk, TALK[language][0][0], top_k=2) == [value, then]


@pytest.mark.parametrize("language", TALK)
def test_days_of_the_past_put_what_held_then_before_the_turn_that_came_later(
    desk: Desk, language: str
) -> None:
    then, was, later, value = moved(desk, language)
    desk.project()
    for question in (TALK[language][3], f"{TALK[language][3]} {TALK[language][1][0]}"):
        found = order(desk, question)
        assert found.index(was) < min(found.index(later), found.index(value))
        assert then in found
        hits = desk.ask(question, now=NOW).hits
        assert not any(hit.why.outdated_by for hit in hits)


@pytest.mark.parametrize(
    "view",
    [View(as_of=at("2026-03-15T00:00:00Z")), View(as_of=at("2026-06-01T00:00:00Z"))],
)
def test_a_view_of_another_moment_leaves_the_ranking_alone(desk: Desk, view: View) -> None:
    then, was, _, value = moved(desk, "en")
    desk.project()
    found = order(desk, "I live in Beijing, I live near Wudaokou.", view=view)
    assert found[0] == then
    assert (was in found) != (value in found)


def test_a_turn_that_still_teaches_something_stays_where_it_is(desk: Desk) -> None:
    then, _, _, value = moved(desk, "zh")
    tea = desk.known("用户爱喝龙井茶，住处也有茶", evidence_ids=(then,)).id
    desk.project()
    question = "我住在北京，住在五道口。爱喝什么茶"
    assert order(desk, question).index(then) < order(desk, question).index(value)
    assert not any(hit.why.outdated_by for hit in desk.ask(question, now=NOW).hits)
    desk.forget(tea)
    desk.project()
    assert order(desk, question).index(value) < order(desk, question).index(then)


def test_a_pattern_that_rests_on_it_is_no_lesson_of_its_own(desk: Desk) -> None:
    then, _, _, value = moved(desk, "zh")
    other = desk.said("北京今天又堵车了", event_time=at("2026-01-11T09:00:00+08:00")).id
    desk.known("用户常说起住在北京", type="pattern", evidence_ids=(then, other))
    desk.project()
    found = order(desk, TALK["zh"][2])
    assert found.index(value) < found.index(then)


def test_a_value_that_does_not_answer_is_not_lifted_but_named(desk: Desk) -> None:
    said = ("I live in Beijing and my sister Ann visits on Tuesday", "The user lives in Beijing")
    desk.clock.now = NOW
    then, _ = told(desk, *said, "01-10")
    _, value = told(desk, "moved to Shanghai", "Home is Shanghai", "05-05")
    desk.project()
    hits = desk.ask("when does sister Ann visit on Tuesday", now=NOW).hits
    assert [hits[0].memory.id, hits[0].why.outdated_by] == [then, (value,)]


def test_the_whole_chain_is_known_whoever_arrives_late(desk: Desk) -> None:
    desk.clock.now = NOW
    first, _ = told(desk, "住在北京", "用户住在北京", "01-10")
    third, _ = told(desk, "住在广州", "用户住在广州", "03-10")
    _, value = told(desk, "住在上海", "用户住在上海", "05-05")
    second, late = told(desk, "住在天津", "用户住在天津", "02-10")
    assert desk.read(late).status is Status.SUPERSEDED
    assert set(desk.read(value).outdates) == {first, second, third}
    desk.project()
    found = order(desk, "住在哪里")
    assert found.index(value) < min(map(found.index, (first, second, third)))


def test_what_holds_until_an_announced_day_outdates_what_was_before_it(desk: Desk) -> None:
    desk.clock.now = NOW
    first, _ = told(desk, "住在北京", "用户住在北京", "01-10")
    _, announced = told(desk, "住在广州", "用户住在广州", "09-01")
    _, present = told(desk, "住在上海", "用户住在上海", "05-05")
    assert desk.read(present).outdates == (first,)
    desk.project()
    hits = {hit.memory.id: hit.why.outdated_by for hit in desk.ask("住在哪里", now=NOW).hits}
    assert (hits[first], announced in hits) == ((present,), False)


def test_the_same_value_in_other_words_outdates_nothing(desk: Desk) -> None:
    desk.clock.now = NOW
    first, _ = told(desk, "住在北京", "用户住在北京", "01-10", value="北京")
    again, value = told(desk, "还住在北京", "用户仍然住在北京", "02-10", value="北京")
    assert desk.read(value).outdates == ()
    assert set(desk.read(value).evidence_ids) == {first, again}
    _, new = told(desk, "住在上海", "用户住在上海", "05-05", value="上海")
    assert set(desk.read(new).outdates) == {first, again}


def test_only_the_newest_of_a_long_chain_are_kept(desk: Desk) -> None:
    desk.clock.now = NOW
    turns = []
    for number in range(KEPT_OUTDATED + 3):
        day = datetime.fromordinal(at("2025-01-01T00:00:00Z").toordinal() + number)
        turn, value = told(desk, f"住处{number}", f"用户住在{number}号", f"{day:%m-%d}")
        turns.append(turn)
    assert desk.read(value).outdates == tuple(reversed(turns[2:-1]))


def test_a_forgotten_turn_stays_forgotten_and_a_forgotten_value_outdates_nothing(
    desk: Desk,
) -> None:
    then, _, later, value = moved(desk, "zh")
    desk.forget(value)
    desk.project()
    hits = desk.ask(TALK["zh"][2], now=NOW).hits
    assert {hit.memory.id for hit in hits} == {then, later}
    assert not any(hit.why.outdated_by for hit in hits)
    desk.forget(then)
    desk.project()
    assert order(desk, TALK["zh"][2]) == [later]


@pytest.mark.parametrize("language", TALK)
def test_the_context_block_says_so(desk: Desk, language: str) -> None:
    then, _, _, value = moved(desk, language)
    desk.project()
    query = Query(text=TALK[language][2], now=NOW)
    ask = ContextAsk(query=query, background=0)
    block = context(ask, call=desk.call(), engine=desk.engine).block
    assert block.included.index(value) < block.included.index(then)
    labels = [line.split()[1] for line in block.text.splitlines()[1:-1]]
    assert labels.count("imp(outdated)") == 1


class LongestFirst:
    """A reranker that knows nothing of time."""

    id = "longest-first"

    def scores(self, query: str, texts: Sequence[str], *, seconds: float) -> Sequence[float]:
        return [float(len(text)) for text in texts]


@pytest.mark.parametrize("language", TALK)
def test_who_orders_the_best_once_more_does_not_turn_it_round(desk: Desk, language: str) -> None:
    then, was, later, value = moved(desk, language)
    desk.project()
    engine = replace(desk.engine, reranker=LongestFirst())
    for question, first, second in (
        (TALK[language][2], value, then), (TALK[language][3], was, later),
    ):  # fmt: skip
        query = Query(text=question, now=NOW, rerank=True)
        hits = search(query, call=desk.call(), engine=engine).hits
        ids = [hit.memory.id for hit in hits]
        assert ids.index(first) < ids.index(second)
        assert [hit.why.rank for hit in hits] == [*range(1, len(hits) + 1)]
