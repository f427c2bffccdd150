"""Forgetting what was learnt and what it rests on: nothing teaches it again."""

from contextlib import suppress
from typing import Any

import pytest

from hindwise.domain.drafts import EpisodeDraft, SemanticDraft
from hindwise.domain.memory import Mark, Source, Status, Type
from hindwise.domain.patterns import EVIDENCE_CHANGED
from hindwise.errors import NotFound, Unavailable
from hindwise.usecases.forget import Forgotten, forget
from hindwise.usecases.transcript import Transcript
from hindwise.usecases.write import write
from tests.lab import Killed, die
from tests.pattern_lab import PatternLab, Scripted

FLAT = "My old flat is on Elm Street."


def fact(content: str, turns: list[int], **more: Any) -> dict[str, Any]:
    return {"type": "fact", "content": content, "confidence": 0.9, "turns": turns, **more}


def learnt(*memories: dict[str, Any], turns: tuple[str, ...] = (FLAT,)) -> PatternLab:
    lab = PatternLab(Scripted({"memories": list(memories), "intent": None}))
    lab.say(*turns)
    lab.settle()
    return lab


def gone(lab: PatternLab, memory_id: str, *, fragile: bool = False) -> Forgotten:
    learning = lab.fragile().learning if fragile else lab.learning
    store = lab.fragile().store if fragile else lab.store
    said = Transcript(learning.conversations, learning.blobs)
    ledger = lab.ledger()
    ledger = type(ledger)(call=ledger.call, store=store, tools=ledger.tools)
    return forget(memory_id, ledger=ledger, said=said)


def blobs(lab: PatternLab) -> str:
    return b"".join(lab.blobs.held.values()).decode()


def test_forgetting_a_fact_takes_the_words_that_taught_it() -> None:
    lab = learnt(fact("Mia's old flat is on Elm Street", [1]), turns=(FLAT, "Noted.", "I am Mia."))
    (known,) = lab.learnt()
    (turn, *_) = lab.episodes()
    done = gone(lab, known.id)
    assert (done.along, done.dependants) == ((turn.id,), ())
    assert "Elm" not in blobs(lab)
    assert [one.text for one in lab.turns()] == ["", "Noted.", "I am Mia."]
    assert "Elm" not in "".join(one.content for one in lab.memories())
    assert len(lab.episodes()) == 2


def test_what_was_forgotten_is_not_learnt_again() -> None:
    lab = learnt(fact("Mia's old flat is on Elm Street", [1]))
    (known,) = lab.learnt()
    gone(lab, known.id)
    (job,) = lab.jobs()
    lab.queues.send(next(iter(lab.queues.waiting)), lab.ledger().call.scope, [job.id])
    lab.settle()
    lab.say(FLAT, id="c2")
    lab.settle()
    assert len(lab.learnt()) == 1


def test_what_else_the_turn_taught_stays_and_says_so() -> None:
    lab = learnt(fact("Mia's flat is on Elm Street", [1]), fact("Mia had a flat before", [1]))
    one, other = sorted(lab.learnt(), key=lambda each: "Elm" not in each.content)
    gone(lab, one.id)
    after = lab.known(other.id)
    assert (after.status, after.confidence) == (Status.ACTIVE, other.confidence)
    assert (after.evidence_ids, after.flags) == ((), (EVIDENCE_CHANGED,))


def test_forgetting_a_turn_takes_what_was_learnt_from_it_alone() -> None:
    lab = learnt(fact("Mia used to live near the canal", [1]))
    (known,), (turn,) = lab.learnt(), lab.episodes()
    done = gone(lab, turn.id)
    assert (done.dependants, done.along) == ((), (known.id,))
    assert lab.memories() == [] and "Elm" not in blobs(lab)


def test_forgetting_a_turn_weakens_what_another_one_bears_too() -> None:
    lab = learnt(fact("Mia has a flat", [1, 3]), turns=(FLAT, "Noted.", "My flat is large."))
    (known,), (turn, *_) = lab.learnt(), lab.episodes()
    done = gone(lab, turn.id)
    assert (done.dependants, done.along) == ((known.id,), ())
    after = lab.known(known.id)
    assert after.status is Status.ACTIVE and EVIDENCE_CHANGED in after.flags
    assert after.confidence < known.confidence


def test_the_same_in_other_words_goes_with_the_fact_that_it_retells() -> None:
    told = fact("Mia's old flat is on Elm Street", [1])
    lab = learnt(told, fact("Mia had a flat, Elm Street it was", [1]), fact("Mia moved", [1]))
    one, other, apart = (
        next(each for each in lab.learnt() if word in each.content)
        for word in ("old", "it was", "moved")
    )
    done = gone(lab, one.id)
    assert other.id in done.along and apart.id not in done.along
    assert [each.id for each in lab.learnt()] == [apart.id]


def test_a_place_that_a_caller_only_claims_redacts_nothing() -> None:
    lab = learnt(turns=(FLAT, "Noted."))
    source = Source(conversation_id="c1", first_turn=1, last_turn=1)
    forged = write(
        EpisodeDraft(content="Not said there", session_id="c1", seq=1, source=source),
        ledger=lab.ledger(),
    )
    decision = write(
        SemanticDraft(content="We buy it", source=source, evidence_ids=(forged.id,)),
        ledger=lab.ledger(),
    )
    assert gone(lab, decision.id).along == ()
    gone(lab, forged.id)
    assert "Elm" in blobs(lab) and len(lab.episodes()) == 2


def test_where_the_words_cannot_be_reached_nothing_is_forgotten() -> None:
    lab = learnt(fact("Mia's old flat is on Elm Street", [1]))
    (known,) = lab.learnt()
    lab.blobs.down = True
    with pytest.raises(Unavailable):
        gone(lab, known.id)
    assert lab.known(known.id) == known
    lab.blobs.down = False
    gone(lab, known.id)
    with pytest.raises(NotFound):
        gone(lab, known.id)


def test_words_that_are_lost_already_are_no_reason_to_keep_the_memory() -> None:
    lab = learnt(fact("Mia's old flat is on Elm Street", [1]))
    lab.blobs.held.clear()
    (known,) = lab.learnt()
    gone(lab, known.id)
    assert lab.learnt() == []


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("kind", ["fact", "turn"])
def test_killed_anywhere_it_is_done_again_and_ends_the_same(kind: str, after: bool) -> None:
    for call in range(1, 60):
        lab = learnt(
            fact("Mia's flat is on Elm Street", [1]),
            fact("Mia lives somewhere", [1]),
            turns=(FLAT, "Noted."),
        )
        target = next(one for one in lab.learnt() if "Elm" in one.content)
        wanted = target.id if kind == "fact" else lab.episodes()[0].id
        lab.wire.arm(call, die, after=after)
        try:
            gone(lab, wanted, fragile=True)
        except Killed:
            lab.wire.disarm()
            with suppress(NotFound):  # where only its last look was missing
                gone(lab, wanted)
        else:
            break
        assert "Elm" not in blobs(lab), lab.wire.names[-1]
        assert wanted not in {one.id for one in lab.memories()}
        words = [one.text for one in lab.turns()]
        assert words == ["", "Noted."], lab.wire.names[-1]
        if kind == "turn":
            assert lab.learnt() == [], lab.wire.names[-1]
            continue
        other = next(one for one in lab.learnt() if "somewhere" in one.content)
        assert other.evidence_ids == () and EVIDENCE_CHANGED in other.flags
    else:
        raise AssertionError("there are more calls than were tried")


def consolidated() -> tuple[PatternLab, list[str]]:
    lab = PatternLab()
    ids = [lab.happened(f"周五下午第 {number} 次发布失败") for number in range(3)]
    lab.consolidate(min_episodes=3)
    assert len(lab.patterns()) == 1
    return lab, ids


@pytest.mark.parametrize("how", ["forgotten", "wrong"])
def test_a_pattern_loses_what_its_evidence_loses(how: str) -> None:
    lab, ids = consolidated()
    (made,) = lab.patterns()

    def lose(memory_id: str) -> None:
        if how == "wrong":
            lab.edit(memory_id, marks={Mark.WRONG})
        else:
            assert gone(lab, memory_id).dependants == (made.id,)

    ids.sort(key=lambda one: lab.said(one) == made.content)
    lose(ids[0])
    after = lab.known(made.id)
    assert after.status is Status.ACTIVE and EVIDENCE_CHANGED in after.flags
    assert after.confidence == round(made.confidence * 2 / 3, 4)
    lose(ids[1])
    after = lab.known(made.id)
    assert (after.status, after.type) == (Status.OBSOLETE, Type.PATTERN)
    again = [lab.happened(f"周五下午又一次发布失败 {number}") for number in range(2)]
    lab.consolidate(min_episodes=3)
    (found,) = (one for one in lab.patterns() if one.status is Status.ACTIVE)
    assert set(found.evidence_ids) == {ids[2], *again}


def test_a_pattern_in_the_words_of_an_episode_goes_with_it() -> None:
    lab, ids = consolidated()
    (made,) = lab.patterns()
    speaking = next(one.id for one in lab.episodes() if one.content == made.content)
    done = gone(lab, speaking)
    assert (done.along, done.dependants) == ((made.id,), ())
    assert lab.patterns() == []
    assert made.content not in repr(lab.store.world.homes)
    again = lab.happened("周五下午第 9 次发布失败")
    lab.consolidate(min_episodes=3)
    (found,) = lab.patterns()
    assert {*found.evidence_ids} == {*ids, again} - {speaking}


def test_a_fact_that_only_repeats_the_turn_goes_with_it() -> None:
    lab = learnt(fact(FLAT, [1]), fact("Mia moved", [1]))
    (turn,) = lab.episodes()
    copied = next(one for one in lab.learnt() if one.content == FLAT)
    done = gone(lab, turn.id)
    assert copied.id in done.along and len(done.along) == 2 and done.dependants == ()
    assert "Elm" not in repr(lab.store.world.homes) + blobs(lab)


def test_a_pattern_in_the_words_of_what_is_wrong_is_obsolete_and_found_anew() -> None:
    lab, ids = consolidated()
    (made,) = lab.patterns()
    speaking = next(one.id for one in lab.episodes() if one.content == made.content)
    lab.edit(speaking, marks={Mark.WRONG})
    assert lab.known(made.id).status is Status.OBSOLETE
    lab.consolidate(min_episodes=2)
    (found,) = (one for one in lab.patterns() if one.status is Status.ACTIVE)
    assert {*found.evidence_ids} == {*ids} - {speaking}
    assert found.content != made.content


def test_what_comes_to_rest_on_a_memory_while_it_goes_is_told_too() -> None:
    lab = PatternLab()
    ids = lab.releases(2)
    draft = SemanticDraft(content="Releases fail", type=Type.PATTERN, evidence_ids=tuple(ids))
    late: list[str] = []
    commit = lab.store.commit

    def slow(scope: Any, actions: Any) -> None:
        commit(scope, actions)
        if not late:
            late.append("")
            home = lab.store.world.home(scope)
            late[0] = write(
                draft.model_copy(update={"evidence_ids": (ids[1],)}), ledger=lab.ledger()
            ).id
            home.edges[ids[0]].add(late[0])
            known = home.memories[late[0]]
            home.memories[late[0]] = known.model_copy(update={"evidence_ids": tuple(ids)})

    lab.store.commit = slow  # type: ignore[method-assign]
    assert gone(lab, ids[0]).dependants == (late[0],)
    assert EVIDENCE_CHANGED in lab.known(late[0]).flags


def interrupted(lab: PatternLab, before_commit: int, act: Any) -> None:
    """Do something right before the n-th commit from now on."""
    commit, left = lab.store.commit, [before_commit]

    def late(scope: Any, actions: Any) -> None:
        left[0] -= 1
        if left[0] == 0:
            act()
        commit(scope, actions)

    lab.store.commit = late  # type: ignore[method-assign]


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("first", ["gone", "found"])
def test_no_pattern_keeps_words_that_go_while_it_is_stored(number: int, first: str) -> None:
    lab = PatternLab()
    ids = [lab.happened(f"周五下午第 {one} 次发布失败") for one in range(3)]
    steps = [lambda: gone(lab, ids[number]), lambda: lab.consolidate(min_episodes=3)]
    inner, outer = steps if first == "gone" else steps[::-1]
    interrupted(lab, 1, inner)
    outer()
    assert f"第 {number} 次" not in repr(lab.store.world.homes)
