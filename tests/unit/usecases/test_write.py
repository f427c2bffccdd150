"""What a write does to the truth: repeats, slots over time, external ids, sessions, evidence."""

from datetime import timedelta

import pytest

from hindwise.domain.changes import Create, Hold
from hindwise.domain.drafts import SemanticDraft
from hindwise.domain.memory import Status
from hindwise.domain.scope import Origin
from hindwise.errors import Invalid, Unavailable
from tests.fakes import NoPatience
from tests.unit.usecases.desk import Desk, at, current, residence


def test_defaults_are_those_of_the_contract(desk: Desk) -> None:
    memory = desk.said(
        "执行了数据备份脚本，耗时 4 分钟", task_id="t-42", event_type="tool_call"
    ).memory
    assert memory is not None
    assert (memory.importance, memory.access_count, memory.last_access_at) == (0.5, 0, None)
    assert memory.event_time == memory.created_at == memory.updated_at == desk.clock()
    assert memory.event_time.tzinfo is not None
    known = desk.known("备份窗口是凌晨两点", domain="运维").memory
    assert known is not None and known.confidence == 0.8


def test_an_exact_repeat_is_the_first_memory(desk: Desk) -> None:
    first = desk.known("用户喜欢喝茶", type="preference")
    again = desk.known("  用户喜欢喝茶 ", type="preference")
    assert (again.id, again.outcome) == (first.id, "duplicate")
    assert len(current(desk)) == 1


def test_the_same_event_may_happen_again_but_not_within_the_minute(desk: Desk) -> None:
    first = desk.said("tests failed", task_id="t")
    assert desk.said("tests failed", task_id="t").id == first.id
    assert desk.said("tests failed", task_id="another").id != first.id
    desk.clock.forward(seconds=61)
    assert desk.said("tests failed", task_id="t").outcome == "created"


def test_a_dated_event_is_one_however_often_it_is_imported(desk: Desk) -> None:
    when = at("2024-05-01T10:00:00+08:00")
    first = desk.said("午饭吃了面", event_time=when)
    desk.clock.forward(days=3)
    assert desk.said("午饭吃了面", event_time=when).id == first.id
    assert desk.said("午饭吃了面", event_time=when + timedelta(days=1)).id != first.id


def test_turns_of_a_session_are_never_repeats_of_each_other(desk: Desk) -> None:
    turns = [desk.said("好的", session_id="s", seq=seq) for seq in (1, 3, 5)]
    assert len({turn.id for turn in turns}) == 3


def test_places_in_a_session_are_counted_where_none_is_given(desk: Desk) -> None:
    seqs = [desk.said(f"turn {n}", session_id="s").memory for n in range(3)]
    assert [getattr(turn, "seq", None) for turn in seqs] == [1, 2, 3]


def test_origin_is_capped_by_the_credential_and_by_the_evidence(desk: Desk) -> None:
    from hindwise.domain.drafts import EpisodeDraft

    claimed = desk.write(
        EpisodeDraft(content="I am the owner", origin="owner"), ceiling=Origin.TOOL
    )
    assert claimed.memory is not None and claimed.memory.origin is Origin.TOOL
    derived = desk.known("so it must be true", evidence_ids=(claimed.id,)).memory
    assert derived is not None and derived.origin is Origin.TOOL


def test_unknown_evidence_is_refused_and_leaves_nothing(desk: Desk) -> None:
    with pytest.raises(Invalid, match="evidence_ids"):
        desk.known("invented", evidence_ids=("01ARZ3NDEKTSV4RRFFQ69G5FAV",))
    assert current(desk) == []


def test_the_same_words_about_something_else_are_no_repeat(desk: Desk) -> None:
    for subject in ("会议室", "工位"):
        desk.known("8 号", subject=subject, attribute="号码")
    assert len(current(desk)) == 2


def test_an_external_id_names_one_memory(desk: Desk) -> None:
    first = desk.known("v1", external_id="crm-7", tags=("a",))
    second = desk.known("v2", external_id="crm-7")
    assert (second.id, second.outcome) == (first.id, "updated")
    memory = desk.read(first.id)
    assert (memory.content, memory.version, memory.tags) == ("v2", 2, ("a",))
    third = desk.known("v2", external_id="crm-7")
    assert third.outcome == "updated" and desk.read(first.id).version == 2
    with pytest.raises(Invalid, match="external_id"):
        desk.said("an episode", external_id="crm-7")


def test_a_forgotten_external_id_can_be_written_again(desk: Desk) -> None:
    first = desk.known("v1", external_id="crm-7")
    desk.forget(first.id)
    assert desk.known("v2", external_id="crm-7").id != first.id


def test_a_lost_race_is_decided_again(desk: Desk) -> None:
    desk.store.faults.race_next(3, on=Create)
    assert desk.known("kept").outcome == "created"
    assert current(desk) == ["kept"]


def test_a_race_without_end_is_unavailable_and_leaves_nothing(desk: Desk) -> None:
    desk.tools = type(desk.tools)(
        new_id=desk.tools.new_id, seal=desk.tools.seal, patience=NoPatience
    )
    desk.store.faults.race_next(1, on=Hold)
    with pytest.raises(Unavailable):
        desk.write(residence("用户住在北京", "2026-01-10T00:00:00Z"))
    assert current(desk) == []


def test_the_owner_who_repeats_an_agent_is_not_superseded_by_agents(desk: Desk) -> None:
    said = residence("用户住在北京", "2026-01-10T00:00:00Z")
    rumour = desk.write(said, ceiling=Origin.AGENT)
    mine = desk.write(said)
    assert (mine.outcome, mine.superseded) == ("created", (rumour.id,))
    other = desk.write(residence("用户住在火星", "2026-03-10T00:00:00Z"), ceiling=Origin.AGENT)
    assert other.contested and current(desk) == ["用户住在北京"]
    assert desk.write(said, ceiling=Origin.AGENT).id == mine.id


def test_words_repeated_by_a_higher_authority_stand_once_and_with_it(desk: Desk) -> None:
    low = desk.write(SemanticDraft(content="用户吃素"), ceiling=Origin.TOOL)
    high = desk.known("用户吃素")
    assert (high.outcome, high.superseded) == ("created", (low.id,))
    assert current(desk) == ["用户吃素"]
    assert desk.read(low.id).superseded_by == high.id
    assert desk.known("用户吃素").id == high.id


def test_words_that_are_to_hold_for_longer_are_no_repeat(desk: Desk) -> None:
    first = desk.known("值班中", valid_until=at("2026-03-14T00:00:00Z"))
    assert desk.known("值班中", valid_until=at("2026-03-14T00:00:00Z")).id == first.id
    longer = desk.known("值班中", valid_until=at("2026-03-21T00:00:00Z"))
    assert (longer.outcome, longer.superseded) == ("created", (first.id,))
    assert desk.known("值班中", valid_until=at("2026-03-15T00:00:00Z")).id == longer.id
    low = desk.write(SemanticDraft(content="值班中"), ceiling=Origin.AGENT)
    assert (low.outcome, low.superseded) == ("created", ())
    assert desk.read(longer.id).status is Status.ACTIVE


def test_the_same_call_with_another_result_is_no_repeat(desk: Desk) -> None:
    ids = {desk.said("ran the tests", tool_results=({"exit": n},)).id for n in (0, 1)}
    assert len(ids) == 2
    assert desk.said("ran the tests", tool_results=({"exit": 1},)).outcome == "duplicate"


def test_a_repeat_leaves_no_gap_in_its_session(desk: Desk) -> None:
    def turn(content: str) -> int:
        return desk.read(desk.said(content, session_id="s").id).seq

    assert [turn(one) for one in ("hello", "how are you", "hello", "bye")] == [1, 2, 1, 3]
    desk.said("fine", session_id="s", external_id="m-4")
    desk.said("fine!", session_id="s", external_id="m-4")
    assert turn("really bye") == 5


def test_live_turns_follow_the_imported_ones(desk: Desk) -> None:
    for seq in (1, 3, 2):
        desk.said(f"turn {seq}", session_id="s", seq=seq)
    assert desk.read(desk.said("and now?", session_id="s").id).seq == 4
