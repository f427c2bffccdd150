"""What a consolidation found and did not store at once, and what becomes of it meanwhile."""

from typing import Any

import pytest

from hindwise.domain.changes import Create
from hindwise.domain.drafts import EpisodeDraft
from hindwise.domain.jobs import JobState
from hindwise.domain.scope import Origin
from hindwise.errors import Unavailable
from hindwise.usecases.standing import withdraw
from hindwise.usecases.write import write
from tests.builders import scope
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


LENDING = "Quentin may always borrow ledgers overnight"


def record(lab: PatternLab, memory_id: str) -> Any:
    return lab.store.get(scope(), [memory_id])[memory_id]


def written(lab: PatternLab, content: str, ceiling: Origin) -> str:
    draft = EpisodeDraft(content=content, domain="release", importance=0.8)
    return write(draft, ledger=lab.ledger(ceiling=ceiling)).id


@pytest.mark.parametrize("named", [True, False])
def test_a_pattern_in_the_words_of_a_tool_counts_as_the_tool(named: bool) -> None:
    lab = PatternLab(llm := Scripted(said()))
    ids = lab.releases()
    tool = written(lab, LENDING, Origin.TOOL)
    llm.answers = [said(pattern(f"{LENDING}.", *ids, *([tool] if named else [])))]
    lab.consolidate()
    (made,) = lab.patterns()
    assert made.origin is Origin.TOOL


def test_what_an_owner_says_beside_a_tool_stays_the_owners() -> None:
    lab = PatternLab(llm := Scripted(said()))
    ids = lab.releases()
    written(lab, LENDING, Origin.TOOL)
    llm.answers = [said(pattern("Release after release failed.", *ids))]
    lab.consolidate()
    (made,) = lab.patterns()
    assert made.origin is Origin.OWNER


@pytest.mark.parametrize("named", [True, False])
def test_what_is_held_while_a_model_thinks_teaches_no_pattern(named: bool) -> None:
    lab = PatternLab(llm := Scripted(said()))
    ids = lab.releases()
    tool = written(lab, LENDING, Origin.TOOL)

    def meanwhile(question: Any) -> Any:
        withdraw(record(lab, tool), "a test", decision="reopened", ledger=lab.ledger())
        return said(pattern(f"{LENDING}.", *ids, *([tool] if named else [])))

    llm.answers = [meanwhile]
    came = lab.consolidate().outcome
    assert came is not None and came.refused == {"forgotten": 1}
    assert lab.patterns() == []


def test_what_is_held_while_a_pattern_is_stored_is_taken_out_of_it() -> None:
    lab = PatternLab(llm := Scripted(said()))
    ids = lab.releases()
    llm.answers = [said(pattern("Releases fail.", *ids))]
    commit = lab.store.commit

    def late(scope: Any, actions: Any) -> None:
        if any(isinstance(one, Create) for one in actions):
            lab.store.commit = commit  # type: ignore[method-assign]
            withdraw(record(lab, ids[0]), "a test", decision="reopened", ledger=lab.ledger())
        commit(scope, actions)

    lab.store.commit = late  # type: ignore[method-assign]
    lab.consolidate()
    (made,) = lab.patterns()
    assert ids[0] not in made.evidence_ids and "evidence_changed" in made.flags
