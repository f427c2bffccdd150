"""What stands beside results: it is whole, in order, seen by the same view, and moves no rank."""

import pytest

from hindwise.domain.memory import Mark, Outcome, Status, Type
from hindwise.domain.query import Expand, View
from hindwise.usecases import expand
from hindwise.usecases.expand import Around
from hindwise.usecases.search import Found
from tests.unit.usecases.desk import Desk, at, only

QUEUE = (
    "要不要自己写排队系统？",
    "自己写要两个人做一个月",
    "买现成的一年八千块",
    "预算批了一万",
    "那就买现成的，不自己写了",
)
ALL = Expand(turns=2, entities=True, chain=True)
DECISION = only("type", "decision")


def decided(desk: Desk, *, noise: int = 200) -> str:
    turns = [desk.said(text, session_id="s-9").id for text in QUEUE]
    for number in range(noise):
        desk.said(f"别的事情 {number}，排了很久", session_id=f"other-{number % 20}")
    made = desk.known("排队系统买现成的", type=Type.DECISION, evidence_ids=tuple(turns[::-1]))
    desk.project()
    return made.id


def around(found: Found, memory_id: str) -> Around:
    beside = next(hit.around for hit in found.hits if hit.memory.id == memory_id)
    assert beside is not None
    return beside


def parts(beside: Around) -> list[tuple[str, str]]:
    return [
        (link.part, link.memory.content if link.memory else link.outcome.result)  # type: ignore[union-attr]
        for link in beside.chain
    ]


def test_a_decision_comes_with_every_turn_it_rests_on_in_order(desk: Desk) -> None:
    decision = decided(desk)
    found = desk.ask("为什么不自己写排队系统", top_k=3, expand=Expand(turns=2, chain=True))
    best = next(hit for hit in found.hits if hit.around and hit.around.chain)
    assert parts(best.around or Around()) == [
        *(("evidence", text) for text in QUEUE), ("decision", "排队系统买现成的"),
    ]  # fmt: skip
    assert {hit.around.chain_of for hit in found.hits if hit is not best and hit.around} <= {
        best.memory.id, None,
    }  # fmt: skip
    chains = [hit.around.chain for hit in found.hits if hit.around and hit.around.chain]
    assert len(chains) == 1
    assert decision in {link.memory.id for link in chains[0] if link.memory}


def test_a_turn_leads_to_the_chain_of_the_decision_that_rests_on_it(desk: Desk) -> None:
    decided(desk, noise=0)
    turn = desk.ask("一年八千块", top_k=1, filter=only("kind", "episodic"), expand=ALL).hits[0]
    assert turn.around is not None and turn.memory.content == QUEUE[2]
    assert parts(turn.around)[-1] == ("decision", "排队系统买现成的")
    assert len(turn.around.chain) == 6


def test_a_chain_has_predecessors_outcome_and_successors_in_order(desk: Desk) -> None:
    slot = {"subject": "queue", "attribute": "choice", "type": Type.DECISION}
    first = desk.known("write it", **slot, event_time=at("2026-01-01T00:00:00Z"))
    desk.known("rent it", **slot, event_time=at("2026-02-01T00:00:00Z"))
    desk.edit(first.id, outcome=Outcome(result="failure", note="too slow"))
    last = desk.known("buy it", **slot, event_time=at("2026-03-01T00:00:00Z"))
    desk.edit(last.id, outcome=Outcome(result="success"))
    desk.project()
    found = desk.ask("buy it", expand=Expand(chain=True))
    assert parts(around(found, last.id)) == [
        ("predecessor", "write it"), ("predecessor", "rent it"),
        ("decision", "buy it"), ("outcome", "success"),
    ]  # fmt: skip
    past = View(as_of=at("2026-01-15T00:00:00Z"))
    then = around(desk.ask("queue", view=past, expand=Expand(chain=True)), first.id)
    assert [part for part, _ in parts(then)] == ["decision", "outcome", "successor", "successor"]


def test_a_chain_holds_back_what_was_withdrawn(desk: Desk) -> None:
    kept, wrong, gone = (desk.said(text).id for text in ("kept", "wrong", "gone"))
    made = desk.known("decided", type=Type.DECISION, evidence_ids=(kept, wrong, gone))
    desk.edit(wrong, marks=frozenset({Mark.WRONG}))
    desk.forget(gone)
    desk.project()
    found = desk.ask("decided", filter=DECISION, expand=ALL)
    assert parts(around(found, made.id)) == [("evidence", "kept"), ("decision", "decided")]
    lone = desk.known("alone", type=Type.DECISION)
    assert around(desk.ask("alone", filter=DECISION, expand=ALL), lone.id).chain == ()


def test_names_lead_to_other_memories_that_have_them(desk: Desk) -> None:
    met = desk.said("met a friend", entities=("ANN", "Bob"))
    city = desk.known("home", subject="ann", attribute="city", value="Oslo")
    hidden = desk.known("a slip", subject="Ann", attribute="pet", value="dog")
    desk.edit(hidden.id, marks=frozenset({Mark.WRONG}))
    desk.project()
    found = desk.ask("met a friend", top_k=1, expand=Expand(entities=True))
    mentions = around(found, met.id).entities
    assert [(one.name, one.count) for one in mentions] == [("ANN", 1), ("Bob", 0)]
    assert [one.id for one in mentions[0].memories] == [city.id]
    assert found.turns == () and around(found, met.id).turns == ()


def test_turns_are_those_the_view_shows_and_stand_in_order(desk: Desk) -> None:
    ids = [desk.said(f"turn {number}", session_id="s").id for number in range(6)]
    desk.edit(ids[1], marks=frozenset({Mark.WRONG}))
    desk.forget(ids[4])
    desk.project()
    found = desk.ask("turn 3", top_k=1, expand=Expand(turns=2))
    best = found.hits[0].memory.id
    assert list(around(found, best).turns) == [
        one for one in ids[ids.index(best) - 2 : ids.index(best) + 3] if one not in (ids[1], ids[4])
    ]
    assert [turn.id for turn in found.turns] == [
        one for one in around(found, best).turns if one != best
    ]


def test_what_rests_on_turns_comes_with_them_and_those_beside(desk: Desk) -> None:
    ids = [desk.said(f"turn {number}", session_id="s").id for number in range(12)]
    apart = desk.said("of another day", session_id="t").id
    resting = (ids[7], ids[1], ids[2], apart)
    made = desk.known("decided", type=Type.DECISION, evidence_ids=resting)
    desk.edit(ids[7], marks=frozenset({Mark.WRONG}))
    desk.project()
    found = desk.ask("decided", filter=DECISION, expand=Expand(turns=1))
    assert around(found, made.id).turns == (*ids[0:4], apart)
    assert [turn.id for turn in found.turns] == [*ids[0:4], apart]


@pytest.mark.parametrize("wanted", [ALL, Expand(entities=True)])
def test_no_rank_is_changed(desk: Desk, wanted: Expand) -> None:
    decided(desk, noise=30)
    plain = desk.ask("为什么不自己写排队系统", top_k=10)
    more = desk.ask("为什么不自己写排队系统", top_k=10, expand=wanted)
    assert [(h.memory.id, h.score) for h in plain.hits] == [
        (h.memory.id, h.score) for h in more.hits
    ]
    assert all(hit.around is None for hit in plain.hits)


def test_limits_are_named(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expand, "EXPANDED", 2)
    monkeypatch.setattr(expand, "LISTED", 3)
    for number in range(4):
        desk.said(f"note {number}", entities=("Ann",))
    desk.project()
    found = desk.ask("note", top_k=4, expand=ALL)
    assert [hit.around.cut for hit in found.hits if hit.around] == [
        ("entities",), ("entities",), ("chain", "entities"), ("chain", "entities"),
    ]  # fmt: skip


def test_a_list_by_filter_is_expanded_as_well(desk: Desk) -> None:
    decision = decided(desk, noise=0)
    found = desk.ask(filter=DECISION, expand=ALL)
    assert len(around(found, decision).chain) == 6
    hidden = desk.ask(filter=DECISION, view=View(include=frozenset({Status.EXPIRED})), expand=ALL)
    assert len(around(hidden, decision).chain) == 6
