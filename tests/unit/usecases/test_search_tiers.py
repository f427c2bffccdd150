"""What is warm is found by what it says: not for being new, nor as background."""

from dataclasses import replace
from datetime import timedelta

import pytest

from hindwise.domain.changes import Touch
from hindwise.domain.query import Query
from hindwise.domain.retention import Retention
from hindwise.errors import Unavailable
from hindwise.usecases.context import ContextAsk, context
from hindwise.usecases.diagnose import diagnose
from hindwise.usecases.gather import FEW_RECENT
from tests.unit.usecases.desk import Desk, home

SOON = Retention(hot_for=timedelta(days=2))


class Deaf:
    """An embedder that does not answer, so that meaning nominates nothing."""

    id, dimensions = "hashed", 64

    def query(self, text: str) -> None:
        raise Unavailable("down")

    documents = query


def two(desk: Desk, days: int = 40) -> tuple[str, str]:
    """An old memory and a new one that say nothing of what is asked."""
    old = desk.known("the ferry leaves at noon", importance=0.9).id
    desk.clock.forward(days=days)
    new = desk.known("the harbour is closed", importance=0.9).id
    desk.project()
    desk.engine = replace(desk.engine, embedder=Deaf())
    return old, new


@pytest.mark.parametrize("fallback", [False, True])
def test_what_was_announced_long_ago_takes_no_place_of_what_is_new(
    desk: Desk, fallback: bool
) -> None:
    ahead = desk.clock() + timedelta(days=300)
    for number in range(FEW_RECENT):
        desk.known(f"ferry {number} leaves at noon", importance=1.0, event_time=ahead)
    _, new = two(desk)
    if fallback:
        desk.engine = replace(desk.engine, index=Broken(), fallback=desk.index)
    assert [one.memory.id for one in desk.ask("passport").hits] == [new]


def hit(desk: Desk, memory_id: str) -> None:
    desk.store.touch(home(), [Touch(memory_id=memory_id, times=1, at=desk.clock())])


@pytest.mark.parametrize("fallback", [False, True])
def test_only_what_is_hot_is_found_for_being_new(desk: Desk, fallback: bool) -> None:
    old, new = two(desk)
    if fallback:
        desk.engine = replace(desk.engine, index=Broken(), fallback=desk.index)
    found = desk.ask("passport", explain=True)
    assert [one.memory.id for one in found.hits] == [new]
    assert (found.dropped, found.hits[0].why.tier) == ({"warm": 1}, "hot")
    hit(desk, old)
    assert {one.memory.id for one in desk.ask("passport").hits} == {old, new}


class Broken:
    """An index that is down."""

    def nominate(self, *_: object) -> None:
        raise Unavailable("down")

    beside = listing = nominate


@pytest.mark.parametrize("mode", ["context", "weighted", "rrf", "score"])
def test_what_is_warm_is_found_by_its_words(desk: Desk, mode: str) -> None:
    old, new = two(desk)
    hits = {one.memory.id: one for one in desk.ask("ferry", mode=mode, explain=True).hits}
    why = hits[old].why
    assert (why.tier, "recent" in (why.arms or {})) == ("warm", False)
    if mode == "weighted":
        assert "recent" in (hits[new].why.arms or {})
        assert "time" not in {part.name for part in why.parts or ()}


def test_a_stage_says_itself_what_is_hot(desk: Desk) -> None:
    _, new = two(desk)
    desk.clock.forward(days=3)
    assert [one.memory.id for one in desk.ask("passport").hits] == [new]
    assert desk.ask("passport", fading=SOON).hits == ()
    assert desk.ask("harbour", fading=SOON).hits[0].why.tier == "warm"


def test_the_background_goes_by_the_stages_rules(desk: Desk) -> None:
    old, new = two(desk)
    for rules, shown in ((Retention(), {new}), (SOON, set())):
        desk.clock.forward(days=2)
        query = Query(text="passport", now=desk.clock(), fading=rules)
        got = context(ContextAsk(query=query), call=desk.call(), engine=desk.engine)
        assert set(got.block.included) == shown
    hit(desk, old)
    query = Query(text="passport", now=desk.clock(), fading=SOON)
    got = context(ContextAsk(query=query), call=desk.call(), engine=desk.engine)
    assert set(got.block.included) == {old}


def test_diagnosis_says_that_a_memory_is_not_new(desk: Desk) -> None:
    old, _ = two(desk)
    query = Query(text="passport", now=desk.clock())
    told = diagnose(old, query, call=desk.call(), engine=desk.engine)
    step = next(one for one in told.steps if one.step == "filtered")
    assert not step.ok and "its tier is not hot" in step.seen


@pytest.mark.parametrize("mode", ["context", "score"])
def test_what_is_believed_fades_as_fast_as_the_stage_says(desk: Desk, mode: str) -> None:
    desk.known("the ferry leaves at noon", confidence=0.8)
    desk.clock.forward(days=60)
    desk.project()
    half = Retention(fade_factor=0.5)
    usual, fast = (desk.ask("ferry", mode=mode, fading=one).hits[0] for one in (Retention(), half))
    assert usual.why.effective_confidence == pytest.approx(0.648)
    assert fast.why.effective_confidence == pytest.approx(0.2)
    assert usual.score is not None and fast.score is not None and usual.score > fast.score
    assert len(desk.ask("ferry", min_confidence=0.5).hits) == 1
    assert desk.ask("ferry", min_confidence=0.5, fading=half).hits == ()
    query = Query(text="ferry", now=desk.clock(), fading=half, min_confidence=0.5)
    told = diagnose(usual.memory.id, query, call=desk.call(), engine=desk.engine)
    assert "is above its 0.200" in next(o.seen for o in told.steps if o.step == "filtered")


def test_who_is_surer_goes_by_the_stages_rules(desk: Desk) -> None:
    def home_is(content: str, confidence: float, rules: Retention) -> bool:
        from hindwise.usecases.write import write
        from tests.unit.usecases.desk import residence

        ledger = desk.ledger("eve" if rules == Retention() else "bob")
        ledger = replace(ledger, trust=replace(ledger.trust, fading=rules))
        when = desk.clock().isoformat()
        draft = residence(content, when, confidence=confidence)
        return write(draft, ledger=ledger).contested

    never, quick = Retention(), Retention(fade_factor=0.5)
    for rules in (never, quick):
        assert home_is("用户住在北京", 0.9, rules) is False
    desk.clock.forward(days=31)
    assert home_is("用户住在上海", 0.4, never) is True
    assert home_is("用户住在上海", 0.4, quick) is False
