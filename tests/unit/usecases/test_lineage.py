"""From a turn to what was learnt from it, and from a memory to its turns."""

from hindwise.domain.memory import Mark, Source, Status
from hindwise.domain.scope import Role
from hindwise.usecases.lineage import Lesson, Span, lesson, spans_of
from tests.builders import episode, fact
from tests.unit.usecases.desk import Desk, home


def talk(desk: Desk, *texts: str, session: str = "s1") -> list[str]:
    return [desk.said(text, session_id=session).id for text in texts]


def taught(desk: Desk, first: int, last: int, *, session: str = "s1", **who: object) -> Lesson:
    return lesson(session, first=first, last=last, call=desk.call(**who), store=desk.store)


def pairs(found: Lesson) -> list[tuple[str, tuple[int, ...]]]:
    return [(one.memory.content, one.turns) for one in found.learnt]


def test_both_kinds_of_link_lead_from_a_turn_to_what_it_taught(desk: Desk) -> None:
    turns = talk(desk, "我搬到上海了", "好的", "猫叫年糕", "还有一只狗")
    desk.known("用户住在上海", evidence_ids=(turns[0],))
    source = Source(conversation_id="s1", first_turn=3, last_turn=4)
    desk.known("用户有一只猫和一只狗", source=source)
    desk.known("与此无关", source=Source(conversation_id="s2", first_turn=1, last_turn=9))
    whole = taught(desk, 1, 4)
    assert [whole.episodes[turn].content for turn in (1, 2, 3, 4)][2] == "猫叫年糕"
    assert pairs(whole) == [("用户住在上海", (1,)), ("用户有一只猫和一只狗", (3, 4))]
    assert pairs(taught(desk, 2, 3)) == [("用户有一只猫和一只狗", (3,))]
    assert pairs(taught(desk, 2, 2)) == []
    assert taught(desk, 1, 9, session="nowhere") == Lesson(episodes={}, learnt=())


def test_another_user_learnt_nothing_from_it(desk: Desk) -> None:
    turns = talk(desk, "我搬到上海了")
    desk.known("用户住在上海", evidence_ids=(turns[0],))
    assert lesson("s1", first=1, last=9, call=desk.call("bob"), store=desk.store) == Lesson(
        episodes={}, learnt=()
    )


def test_what_is_held_or_withdrawn_is_not_told_to_everybody(desk: Desk) -> None:
    turns = talk(desk, "first")
    held = desk.known("held for a person", evidence_ids=(turns[0],))
    wrong = desk.known("marked wrong", evidence_ids=(turns[0],))
    gone = desk.known("forgotten", evidence_ids=(turns[0],))
    desk.forget(gone.id)
    desk.edit(wrong.id, marks=frozenset({Mark.WRONG}))
    kept = desk.store.world.home(home()).memories
    kept[held.id] = desk.read(held.id).model_copy(update={"status": Status.QUARANTINED})
    assert pairs(taught(desk, 1, 1)) == []
    assert pairs(taught(desk, 1, 1, role=Role.REVIEWER)) == [("held for a person", (1,))]


def test_a_memory_goes_back_to_runs_of_turns() -> None:
    said = [episode(session_id="s1", seq=seq) for seq in (4, 5, 7)]
    said.append(episode(session_id="s2", seq=2))
    known = fact(source=Source(conversation_id="s1", first_turn=5, last_turn=6))
    spans, whole = spans_of(known, [*said, fact(), episode()])
    assert spans == (
        Span(conversation_id="s1", first=4, last=7),
        Span(conversation_id="s2", first=2, last=2),
    )
    assert whole
    assert spans_of(fact(source=Source(document="a.md")), ()) == ((), True)


def test_runs_that_are_too_many_or_too_long_are_said_to_be_cut() -> None:
    vast = fact(source=Source(conversation_id="s", first_turn=1, last_turn=10**11))
    assert spans_of(vast, ()) == ((Span(conversation_id="s", first=1, last=100),), False)
    long = fact(source=Source(conversation_id="s", first_turn=1, last_turn=100))
    assert spans_of(long, ()) == ((Span(conversation_id="s", first=1, last=100),), True)
    apart = [episode(session_id="s", seq=3 * number) for number in range(1, 22)]
    spans, whole = spans_of(fact(), apart)
    assert (len(spans), whole) == (20, False)
    assert spans_of(fact(), apart[:20])[1]
