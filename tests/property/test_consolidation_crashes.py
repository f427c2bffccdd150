"""Consolidation is killed at any call of any port, before or after it, and ends the same."""

from datetime import timedelta
from typing import Any

import pytest

from hindwise.domain.memory import Mark, SemanticMemory
from hindwise.usecases.consolidate import Wish, consolidate
from hindwise.usecases.consolidate_job import work
from tests.lab import Killed, die
from tests.pattern_lab import PatternLab, Scripted, pattern, said

CALLS = 60
"""More than a consolidation makes; the test says so where it is not."""


def planted(*, extractive: bool) -> tuple[PatternLab, Scripted | None]:
    """Ten releases, five of them in an old pattern that the new one contradicts."""
    llm = None if extractive else Scripted(said())
    lab = PatternLab(llm)
    old = lab.releases(5)
    if llm is not None:
        llm.answers = [said(pattern("Releases fail on Fridays.", *old))]
        lab.consolidate()
        ids = lab.releases(5)
        conflicts = [lab.patterns()[0].id]
        llm.answers = [
            said(
                pattern("Releases succeed on Fridays.", *ids[:3], conflicts=conflicts),
                pattern("Rollbacks are quick.", *ids[3:]),
            )
        ]
        llm.asked.clear()
    return lab, llm


def result(lab: PatternLab) -> list[dict[str, Any]]:
    """What is stored, but for when it was."""
    aside = {"created_at", "updated_at", "audit_head", "verdicts"}

    def told(one: SemanticMemory) -> dict[str, Any]:
        others = sorted(verdict.other for verdict in one.verdicts)
        return {**one.model_dump(exclude=aside), "others": others}

    return sorted((told(one) for one in lab.patterns()), key=lambda one: str(one["content"]))


def finish(lab: PatternLab) -> None:
    """What a sweep and the queue do afterwards."""
    for _ in range(3):
        lab.clock.forward(minutes=10)
        lab.sweep()
        lab.deliver_patterns()
    assert not [
        (job.state, job.reason, job.broken, job.waits, job.lost) for job in lab.jobs() if job.open
    ]


def without_ids(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each run has ids of its own: what is compared is how many, and how sure."""
    aside = {"id", "evidence_ids", "event_time", "others", "claims"}
    return [
        {name: value for name, value in one.items() if name not in aside}
        | {"evidence": len(one["evidence_ids"]), "others": len(one["others"])}
        for one in found
    ]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("extractive", [False, True], ids=["llm", "extractive"])
def test_killed_anywhere_a_call_ends_the_same(extractive: bool, after: bool) -> None:
    lab, _ = planted(extractive=extractive)
    lab.consolidate()
    whole = without_ids(result(lab))
    assert whole
    for call in range(1, CALLS):
        lab, llm = planted(extractive=extractive)
        lab.wire.arm(call, die, after=after)
        parts = lab.parts(worker=lab.fragile())
        try:
            consolidate(Wish(domain="release"), parts=parts)
        except Killed:
            pass
        else:
            assert without_ids(result(lab)) == whole
            break
        lab.wire.disarm()
        finish(lab)
        lab.consolidate()
        assert without_ids(result(lab)) == whole, f"killed at {lab.wire.names[-1]}"
        assert llm is None or len(llm.asked) <= 2
    else:
        raise AssertionError("there are more calls than were tried")


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_killed_anywhere_a_job_ends_the_same(after: bool) -> None:
    lab, _ = planted(extractive=False)
    lab.consolidate()
    whole = without_ids(result(lab))
    for call in range(1, CALLS):
        lab, llm = planted(extractive=False)
        assert llm is not None
        good = llm.answers
        llm.answers = ["no answer at all"]
        job = lab.consolidate().job
        assert job is not None
        llm.answers = good
        llm.asked.clear()
        lab.clock.forward(minutes=1)
        lab.wire.arm(call, die, after=after)
        try:
            work(job, parts=lab.parts(worker=lab.fragile()))
        except Killed:
            lab.wire.disarm()
            finish(lab)
            assert without_ids(result(lab)) == whole, f"killed at {lab.wire.names[-1]}"
            assert len(llm.asked) <= 2
        else:
            break
    else:
        raise AssertionError("there are more calls than were tried")


def test_twice_at_once_is_once() -> None:
    lab, llm = planted(extractive=False)
    assert llm is not None
    lab.wire.arm(6, lambda: lab.consolidate() and None)
    consolidate(Wish(domain="release"), parts=lab.parts(worker=lab.fragile()))
    lab.clock.forward(minutes=10)
    finish(lab)
    contents = sorted(one.content for one in lab.patterns())
    assert contents == [
        "Releases fail on Fridays.",
        "Releases succeed on Fridays.",
        "Rollbacks are quick.",
    ]
    old = next(one for one in lab.patterns() if "fail" in one.content)
    assert old.confidence == round(0.85 * 0.7, 4)
    assert timedelta() < lab.clock() - old.created_at


def test_a_waiting_job_whose_message_was_lost_is_done_after_the_sweep() -> None:
    lab, llm = planted(extractive=False)
    assert llm is not None
    good, llm.answers = llm.answers, ["no answer at all"]
    lab.queues.down = True
    assert lab.consolidate().job is not None
    lab.queues.down, llm.answers = False, good
    finish(lab)
    assert len(lab.patterns()) == 3


@pytest.mark.parametrize("how", ["forgotten", "wrong"])
def test_evidence_that_goes_at_any_call_is_in_no_pattern(how: str) -> None:
    for call in range(1, CALLS):
        lab, llm = planted(extractive=False)
        assert llm is not None
        offered = llm.answers[0]["patterns"]
        going = offered[0]["evidence_ids"][0]

        def go(lab: PatternLab = lab, going: str = going) -> None:
            if how == "wrong":
                lab.edit(going, marks={Mark.WRONG})
            else:
                lab.forget(going)

        lab.wire.arm(call, go)
        consolidate(Wish(domain="release"), parts=lab.parts(worker=lab.fragile()))
        if lab.wire.armed is not None:
            return
        finish(lab)
        cited = {one for found in lab.patterns() for one in found.evidence_ids}
        assert going not in cited, lab.wire.names[-1]
    raise AssertionError("there are more calls than were tried")
