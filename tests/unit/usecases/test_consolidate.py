"""Consolidation as it is asked for: when it runs, what it takes, and that twice is once."""

from typing import Any

import pytest

from hindwise.domain.drafts import EpisodeDraft
from hindwise.domain.jobs import JobState
from hindwise.domain.memory import Mark, Status
from hindwise.domain.scope import Origin
from hindwise.errors import Unavailable
from hindwise.usecases.consolidating import Outcome
from hindwise.usecases.write import write
from tests.pattern_lab import PatternLab, Scripted, pattern, said


def outcome(lab: PatternLab, **wish: Any) -> Outcome:
    came = lab.consolidate(**wish).outcome
    assert came is not None
    return came


def citing(*contents: str) -> Any:
    """Answers with a pattern a content, resting on all episodes that are shown."""

    def answer(question: Any) -> Any:
        ids = [line[1:27] for line in question.user.splitlines() if line.startswith("[0")]
        return said(*(pattern(content, *ids) for content in contents))

    return answer


def test_too_few_ask_nobody_and_five_are_enough() -> None:
    llm = Scripted(citing("Releases fail."))
    lab = PatternLab(llm)
    lab.releases(4, importance=0.7)
    lab.releases(10, importance=0.6)
    came = outcome(lab)
    assert (came.status, came.source_count, came.llm_calls) == ("skipped", 4, 0)
    assert came.reason.startswith("too few: 4 ") and llm.asked == []
    lab.happened("Release 5 failed", importance=0.7)
    came = outcome(lab)
    assert (came.status, came.source_count, came.llm_calls, came.tokens) == ("created", 5, 1, 110)
    (made,) = lab.patterns()
    assert (made.content, made.confidence, made.domain) == ("Releases fail.", 0.85, "release")
    assert len(made.evidence_ids) == 5


def test_only_the_newest_fifty_that_are_in_no_pattern_are_shown() -> None:
    llm = Scripted(citing("Releases fail."), said())
    lab = PatternLab(llm)
    first = lab.releases(5)
    outcome(lab)
    more = [lab.happened(f"Rollout {number} was late") for number in range(60)]
    outcome(lab)
    shown = llm.asked[1].user
    assert not any(one in shown for one in [*first, *more[:10]])
    assert all(one in shown for one in more[10:])


def test_again_at_once_creates_nothing() -> None:
    llm = Scripted(citing("Releases fail."))
    lab = PatternLab(llm)
    lab.releases()
    outcome(lab)
    assert outcome(lab).status == "skipped"
    assert (len(lab.patterns()), len(llm.asked)) == (1, 1)


def test_what_was_invented_or_has_one_source_is_refused_and_counted() -> None:
    llm = Scripted(said())
    lab = PatternLab(llm)
    e1, e2, e3 = (lab.happened(text, domain="general") for text in ("Fri a", "Fri b", "noodles"))
    llm.answers = [
        said(
            pattern("Friday deploys tend to fail", e1, e2, "mem-does-not-exist"),
            pattern("The team loves Mondays", "mem-x", "mem-y"),
            pattern("User prefers noodles", e3),
        )
    ]
    came = outcome(lab, domain="general", min_episodes=2)
    assert (came.status, came.refused) == ("partial", {"evidence": 2})
    (made,) = lab.patterns()
    assert set(made.evidence_ids) == {e1, e2}
    assert made.confidence == round(0.85 * 2 / 3, 4)


def test_turns_of_one_conversation_are_no_pattern() -> None:
    llm = Scripted(said())
    lab = PatternLab(llm)
    source = {"conversation_id": "c9"}
    for number in range(6):
        draft = {"content": f"Said {number}", "importance": 0.9, "source": source}
        write(EpisodeDraft.model_validate(draft), ledger=lab.ledger())
    came = outcome(lab, domain="general")
    assert (came.status, came.reason.partition(":")[0], llm.asked) == ("skipped", "one source", [])


def test_no_pattern_is_an_answer() -> None:
    lab = PatternLab(Scripted(said()))
    lab.releases()
    came = outcome(lab)
    assert (came.status, came.reason, came.llm_calls) == ("skipped", "nothing recurs", 1)
    assert outcome(lab).llm_calls == 1, "what this call cost, not all that came before"


def test_a_dry_run_stores_and_asks_nothing() -> None:
    llm = Scripted(citing("Releases fail."))
    lab = PatternLab(llm)
    lab.releases()
    came = outcome(lab, dry_run=True)
    assert (came.status, came.reason, came.source_count) == ("skipped", "dry run", 5)
    assert (lab.patterns(), llm.asked, lab.jobs()) == ([], [], [])


def test_force_needs_two_episodes_all_the_same() -> None:
    lab = PatternLab(Scripted(citing("Releases fail.")))
    lab.releases(1)
    assert outcome(lab, force=True).status == "skipped"
    lab.releases(2)
    assert outcome(lab, force=True).status == "created"


def test_what_cannot_be_seen_is_no_evidence() -> None:
    lab = PatternLab(llm := Scripted(citing("Releases fail.")))
    kept = lab.releases(5)
    for mark in (Mark.WRONG, Mark.OBSOLETE):
        hidden = lab.happened(f"Release marked {mark} failed")
        lab.edit(hidden, marks={mark})
    outcome(lab)
    assert set(lab.patterns()[0].evidence_ids) == set(kept)
    assert "marked" not in llm.asked[0].user


def test_general_episodes_join_every_domain_and_users_are_apart() -> None:
    lab = PatternLab(llm := Scripted(citing("Releases fail.")))
    lab.releases(4)
    lab.happened("The pipeline is slow", domain="general")
    lab.happened("The neighbour's secret", user="bob", domain="general")
    assert outcome(lab).status == "created"
    assert "secret" not in llm.asked[0].user
    assert lab.patterns("bob") == []


def test_a_pattern_has_no_more_authority_than_its_evidence() -> None:
    lab = PatternLab(Scripted(citing("Releases fail.")))
    lab.releases(4)
    draft = EpisodeDraft(content="A tool saw it fail", importance=0.9, domain="release")
    write(draft, ledger=lab.ledger(ceiling=Origin.TOOL))
    outcome(lab)
    assert lab.patterns()[0].origin is Origin.TOOL


def test_a_slow_model_leaves_a_job_that_the_queue_does() -> None:
    slow = Unavailable("slow", details={"reason": "timeout"})
    lab = PatternLab(Scripted(slow, citing("Releases fail.")))
    lab.releases()
    came = lab.consolidate()
    assert came.outcome is None and came.job is not None and came.job.open
    lab.clock.forward(minutes=1)
    assert lab.deliver_patterns() == 1
    (job,) = lab.jobs()
    assert (job.state, job.result["status"]) == (JobState.SUCCEEDED, "created")
    assert job.result["patterns"] == [one.id for one in lab.patterns()]
    assert lab.learning.jobs.answer(lab.ledger().call.scope, job.id, job.round) is None


def test_an_answer_that_cannot_be_read_is_repaired_once_a_delivery() -> None:
    lab = PatternLab(llm := Scripted("I could not decide.", "Sorry.", citing("Releases fail.")))
    lab.releases()
    assert lab.consolidate().job is not None
    lab.clock.forward(minutes=1)
    lab.deliver_patterns()
    (job,) = lab.jobs()
    assert (job.state, job.counts.llm_calls, len(llm.asked)) == (JobState.SUCCEEDED, 3, 3)


def test_a_model_that_never_makes_sense_ends_among_the_dead_letters() -> None:
    lab = PatternLab(Scripted("What a nice day."))
    ids = lab.releases()
    lab.consolidate()
    for _ in range(6):
        lab.clock.forward(minutes=20)
        lab.deliver_patterns()
    (job,) = lab.jobs()
    assert job.state is JobState.FAILED
    assert [letter.id for letters in lab.queues.dead.values() for _, letter in letters] == [job.id]
    assert lab.patterns() == [] and len(lab.episodes()) == len(ids)


def test_a_conflict_weakens_the_older_pattern_once() -> None:
    lab = PatternLab(llm := Scripted(citing("Releases fail on Fridays.")))
    lab.releases()
    outcome(lab)
    (old,) = lab.patterns()
    fresh = lab.releases(5)
    llm.answers = [said(pattern("Releases succeed on Fridays.", *fresh, conflicts=[old.id]))]
    came = outcome(lab)
    assert came.weakened == (old.id,)
    weak = lab.known(old.id)
    assert (weak.status, weak.confidence) == (Status.ACTIVE, round(0.85 * 0.7, 4))
    (new,) = (one for one in lab.patterns() if one.id != old.id)
    assert (weak.verdicts[0].other, new.verdicts[0].other) == (new.id, old.id)
    assert lab.learning.jobs.verdict(lab.ledger().call.scope, old.id, new.id) is not None


@pytest.mark.parametrize("offers", [0, 1])
def test_what_episodes_speak_against_as_a_whole_is_weakened_once(offers: int) -> None:
    lab = PatternLab(llm := Scripted(citing("Releases fail on Fridays.")))
    lab.releases()
    outcome(lab)
    (old,) = lab.patterns()
    fresh = lab.releases(5)
    found = [pattern("Releases succeed on Fridays.", *fresh)][:offers]
    llm.answers = [said(*found, conflicts=(old.id,))]
    for _ in range(2):
        outcome(lab)
    weak = lab.known(old.id)
    assert (weak.status, weak.confidence) == (Status.ACTIVE, round(0.85 * 0.7, 4))
    (verdict,) = weak.verdicts
    new = [one.id for one in lab.patterns() if one.id != old.id]
    assert verdict.other == (new[0] if offers else fresh[-1])


def test_episodes_of_less_authority_speak_against_nothing() -> None:
    lab = PatternLab(llm := Scripted(citing("Releases fail on Fridays.")))
    lab.releases()
    outcome(lab)
    (old,) = lab.patterns()
    for number in range(5):
        draft = EpisodeDraft(content=f"Tool {number} ok", importance=0.9, domain="release")
        write(draft, ledger=lab.ledger(ceiling=Origin.TOOL))
    llm.answers = [said(conflicts=(old.id,))]
    outcome(lab)
    assert lab.known(old.id) == old


def test_the_same_words_on_new_evidence_are_the_same_pattern() -> None:
    lab = PatternLab(Scripted(citing("Releases fail.")))
    first = lab.releases()
    outcome(lab)
    more = lab.releases()
    assert outcome(lab).status == "created"
    (one,) = lab.patterns()
    assert set(one.evidence_ids) == {*first, *more}


def test_a_forgotten_pattern_does_not_come_back() -> None:
    lab = PatternLab(Scripted(citing("Releases fail.")))
    lab.releases()
    outcome(lab)
    (made,) = lab.patterns()
    lab.forget(made.id)
    came = outcome(lab)
    assert (came.status, came.refused) == ("skipped", {"forgotten": 1})
    assert lab.patterns() == []


def test_without_a_model_the_one_in_the_middle_speaks() -> None:
    lab = PatternLab()
    for number in range(5):
        lab.happened(f"周五下午第 {number} 次发布失败")
    lab.happened("The cat slept")
    came = outcome(lab)
    assert (came.status, came.method, came.llm_calls) == ("created", "extractive", 0)
    (made,) = lab.patterns()
    assert made.metadata == {"method": "extractive"}
    assert made.content in {one.content for one in lab.episodes()}
    assert outcome(lab).status == "skipped"


@pytest.mark.parametrize("marks", [frozenset({Mark.WRONG})], ids=str)
def test_evidence_that_goes_while_a_pattern_is_stored_is_taken_out(marks: frozenset[Mark]) -> None:
    lab = PatternLab(llm := Scripted(said()))
    ids = lab.releases()

    def meanwhile(question: Any) -> Any:
        lab.edit(ids[0], marks=marks)
        return said(pattern("Releases fail.", *ids))

    llm.answers = [meanwhile]
    outcome(lab)
    (made,) = lab.patterns()
    assert ids[0] not in made.evidence_ids
    assert made.confidence < 0.85
