"""What a write does to the truth: repeats, slots over time, external ids, sessions, evidence."""

from datetime import timedelta
from itertools import pairwise, permutations

import pytest

from hindwise.domain.changes import Create, Hold
from hindwise.domain.drafts import SemanticDraft
from hindwise.domain.memory import Status
from hindwise.domain.query import View
from hindwise.domain.scope import Origin
from hindwise.errors import Invalid, Unavailable
from tests.fakes import NoPatience
from tests.unit.usecases.desk import Desk, at


def home(content: str, when: str, **more: object) -> SemanticDraft:
    return SemanticDraft.model_validate(
        {
            "content": content,
            "subject": "用户",
            "attribute": "居住地",
            "event_time": at(when),
            **more,
        }
    )


def current(desk: Desk) -> list[str]:
    page = desk.store.page(desk.call().scope, after=None, examine=100)
    return [one.content for one in page.memories if one.status is Status.ACTIVE]


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


def test_a_newer_value_takes_the_slot_and_keeps_the_old_one(desk: Desk) -> None:
    old = desk.write(home("用户住在北京", "2026-01-10T00:00:00Z"))
    new = desk.write(home("用户住在上海", "2026-02-20T00:00:00Z"))
    assert new.superseded == (old.id,)
    before = desk.read(old.id)
    assert (before.status, before.superseded_by) == (Status.SUPERSEDED, new.id)
    assert before.valid_until == at("2026-02-20T00:00:00Z")
    assert before.content == "用户住在北京"
    assert [v.other for v in before.verdicts] == [new.id]
    assert [v.other for v in desk.read(new.id).verdicts] == [old.id]
    assert current(desk) == ["用户住在上海"]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_newest_by_event_time_is_current_whatever_arrives_first(
    desk: Desk, order: tuple[int, ...]
) -> None:
    drafts = [
        home(f"用户住在{city}", f"2026-0{n + 1}-01T00:00:00Z") for n, city in enumerate("甲乙丙")
    ]
    for n in order:
        desk.write(drafts[n])
    assert current(desk) == ["用户住在丙"]


def test_a_value_that_comes_back_is_a_new_record(desk: Desk) -> None:
    for city, month in (("北京", 1), ("上海", 2), ("北京", 3)):
        desk.write(home(f"用户住在{city}", f"2026-0{month}-01T00:00:00Z"))
    assert current(desk) == ["用户住在北京"]
    assert len(desk.store.page(desk.call().scope, after=None, examine=10).memories) == 3


def test_a_much_less_sure_value_is_contested_until_it_is_surer(desk: Desk) -> None:
    old = desk.write(home("用户对青霉素过敏", "2026-01-10T00:00:00Z", confidence=0.95))
    new = desk.write(home("用户对青霉素不过敏", "2026-02-10T00:00:00Z", confidence=0.4))
    assert new.contested and desk.read(new.id).status is Status.CONTESTED
    assert current(desk) == ["用户对青霉素过敏"]
    desk.edit(new.id, confidence=0.95)
    assert current(desk) == ["用户对青霉素不过敏"]
    assert desk.read(old.id).superseded_by == new.id


def test_lower_authority_never_supersedes_higher(desk: Desk) -> None:
    desk.write(home("用户住在北京", "2026-01-10T00:00:00Z"))
    rumour = desk.write(
        home("用户住在火星", "2026-03-10T00:00:00Z", confidence=1.0), ceiling=Origin.AGENT
    )
    assert rumour.contested
    assert current(desk) == ["用户住在北京"]


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


def test_scenes_are_slots_of_their_own(desk: Desk) -> None:
    for scene in ("work", "weekend", None):
        desk.write(home(f"wears {scene}", "2026-01-01T00:00:00Z", scene=scene))
    assert len(current(desk)) == 3


def test_the_same_words_about_something_else_are_no_repeat(desk: Desk) -> None:
    for subject in ("会议室", "工位"):
        desk.known("8 号", subject=subject, attribute="号码")
    assert len(current(desk)) == 2


def test_many_valued_attributes_do_not_supersede(desk: Desk) -> None:
    for city in "甲乙":
        desk.write(home(f"去过{city}", "2026-01-01T00:00:00Z", cardinality="many"))
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
        desk.write(home("用户住在北京", "2026-01-10T00:00:00Z"))
    assert current(desk) == []


def test_the_owner_who_repeats_an_agent_is_not_superseded_by_agents(desk: Desk) -> None:
    said = home("用户住在北京", "2026-01-10T00:00:00Z")
    rumour = desk.write(said, ceiling=Origin.AGENT)
    mine = desk.write(said)
    assert (mine.outcome, mine.superseded) == ("created", (rumour.id,))
    other = desk.write(home("用户住在火星", "2026-03-10T00:00:00Z"), ceiling=Origin.AGENT)
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


def test_words_that_hold_only_later_are_no_repeat_now(desk: Desk) -> None:
    desk.known("店开着", valid_from=at("2026-06-01T00:00:00Z"))
    desk.known("店开着")
    assert current(desk) == ["店开着"]


def test_the_same_call_with_another_result_is_no_repeat(desk: Desk) -> None:
    ids = {desk.said("ran the tests", tool_results=({"exit": n},)).id for n in (0, 1)}
    assert len(ids) == 2
    assert desk.said("ran the tests", tool_results=({"exit": 1},)).outcome == "duplicate"


def test_a_late_older_value_keeps_the_end_that_it_was_given(desk: Desk) -> None:
    desk.write(home("用户住在北京", "2026-03-01T00:00:00Z"))
    ended = at("2026-01-31T00:00:00Z")
    old = desk.write(home("用户住在上海", "2026-01-01T00:00:00Z", valid_until=ended))
    assert desk.read(old.id).valid_until == ended


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


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_each_value_ends_where_the_next_begins_whatever_arrives_first(
    desk: Desk, order: tuple[int, ...]
) -> None:
    drafts = [
        home(f"用户住在{city}", f"2025-0{n + 1}-01T00:00:00Z") for n, city in enumerate("甲乙丙丁")
    ]
    ids = {n: desk.write(drafts[n]).id for n in order}
    records = [desk.read(ids[n]) for n in range(4)]
    for this, following in pairwise(records):
        assert (this.status, this.superseded_by) == (Status.SUPERSEDED, following.id)
        assert this.valid_until == following.valid_from == following.event_time
        assert this.id in following.supersedes
    assert records[3].status is Status.ACTIVE and records[3].valid_until is None
    desk.project()
    for n in range(4):
        view = View(as_of=at(f"2025-0{n + 1}-15T00:00:00Z"))
        assert desk.contents("住在哪里", view=view) == [drafts[n].content]


def test_an_announced_value_leaves_the_present_one_in_place(desk: Desk) -> None:
    begins = desk.clock() + timedelta(days=90)
    oslo = desk.write(home("lives in Oslo", "2026-01-01T00:00:00Z"))
    bergen = desk.write(home("will live in Bergen", begins.isoformat()))
    assert desk.contents("where do I live") == ["lives in Oslo"]
    moved = desk.write(home("lives in Molde", "2026-02-01T00:00:00Z"))
    for _ in range(2):
        assert desk.contents("where do I live") == ["lives in Molde"]
        desk.project()
    assert desk.read(oslo.id).status is Status.SUPERSEDED
    assert desk.read(moved.id).valid_until == begins
    assert desk.read(moved.id).superseded_by == bergen.id
    desk.clock.forward(days=91)
    assert desk.contents("where do I live") == ["will live in Bergen"]


def test_a_value_that_is_over_retires_nobody(desk: Desk) -> None:
    desk.write(home("lives in Oslo", "2026-01-01T00:00:00Z"))
    rome = home("lived in Rome", "2026-02-01T00:00:00Z", valid_until=at("2026-03-01T00:00:00Z"))
    assert desk.write(rome).superseded == ()
    assert desk.contents("where do I live") == ["lives in Oslo"]
    then = View(as_of=at("2026-02-10T00:00:00Z"))
    assert desk.contents("where do I live", view=then) == ["lived in Rome"]


@pytest.mark.parametrize(("old", "new"), [(0.9, 0.6), (0.4, 0.1), (0.95, 0.65), (0.8, 0.5)])
def test_less_sure_by_just_the_limit_still_supersedes(desk: Desk, old: float, new: float) -> None:
    desk.write(home("住在北京", "2026-01-10T00:00:00Z", confidence=old))
    late = desk.write(home("住在上海", "2026-02-10T00:00:00Z", confidence=new))
    assert not late.contested and current(desk) == ["住在上海"]


def test_asking_for_contested_values_hides_no_current_one(desk: Desk) -> None:
    desk.write(home("住在北京", "2026-01-10T00:00:00Z", confidence=0.95))
    desk.write(home("住在火星", "2026-02-10T00:00:00Z", confidence=0.4))
    view = View(include=frozenset({Status.CONTESTED}))
    assert set(desk.contents("住在哪里", view=view)) == {"住在北京", "住在火星"}
