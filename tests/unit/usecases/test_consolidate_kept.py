"""What a consolidation found and did not store at once, and what becomes of it meanwhile."""

from typing import Any

from hindwise.domain.jobs import JobState
from hindwise.errors import Unavailable
from tests.pattern_lab import PatternLab, Scripted, pattern, said

SLOW = Unavailable("slow", details={"reason": "timeout"})


def test_a_kept_finding_that_cannot_be_read_is_named_and_not_shown() -> None:
    lab = PatternLab(Scripted(SLOW))
    lab.releases()
    (job,) = (came.job for came in [lab.consolidate()] if came.job)
    where = lab.ledger().call.scope
    lab.learning.jobs.keep_answer(where, job.id, job.round, '{"secret": 5}', now=lab.clock())
    lab.clock.forward(minutes=1)
    lab.deliver_patterns()
    (job,) = lab.jobs()
    assert (job.state, job.reason, job.waits) == (JobState.ACCEPTED, "unreadable", 2)


def test_a_pattern_told_of_what_was_forgotten_meanwhile_is_told_anew() -> None:
    """Its words may be those of the episode that nobody is to know of any more."""
    lab = PatternLab(llm := Scripted(said()))
    ids = lab.releases(6)

    def meanwhile(question: Any) -> Any:
        lab.forget(ids[0])
        return said(pattern("Bob's releases fail.", *ids[:4]), pattern("They fail.", *ids[1:]))

    llm.answers = [meanwhile]
    came = lab.consolidate().outcome
    assert came is not None and came.refused == {"forgotten": 1}
    assert [one.content for one in lab.patterns()] == ["They fail."]
