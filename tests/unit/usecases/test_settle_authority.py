"""Comparing closes, ends and weakens nothing that a higher word said, and adds up no weak ones."""

from typing import Any

import pytest

from hindwise.domain.drafts import Edit, SemanticDraft
from hindwise.domain.memory import Status
from hindwise.domain.scope import Origin
from hindwise.errors import Forbidden
from hindwise.usecases.edit import edit
from tests.unit.usecases.desk import residence
from tests.unit.usecases.settling import FULLER, KITCHEN, SettlingDesk, always

LOWER = [one for one in Origin if one < Origin.OWNER]
KEPT = ("content", "status", "confidence", "importance", "valid_until", "done_at", "superseded_by",
        "evidence_ids", "tags", "marks")  # fmt: skip


def kept(desk: SettlingDesk, memory_id: str) -> list[Any]:
    memory = desk.read(memory_id)
    return [getattr(memory, name) for name in KEPT]


@pytest.mark.parametrize("ceiling", LOWER)
@pytest.mark.parametrize("policy", ["supersede", "weaken", "coexist"])
@pytest.mark.parametrize("verdict", ["duplicate", "update", "contradiction", "coexist"])
def test_no_verdict_lets_a_lower_word_close_or_weaken_a_higher_one(
    verdict: str, policy: Any, ceiling: Origin
) -> None:
    desk = SettlingDesk(always(verdict))
    desk.alike(KITCHEN, FULLER, cosine=0.7)
    mine = desk.known(KITCHEN, type="todo")
    before = kept(desk, mine.id)
    desk.clock.forward(days=1)
    desk.write(
        SemanticDraft(content=FULLER, type="todo", confidence=1.0, importance=1.0, policy=policy),
        ceiling=ceiling,
    )
    desk.drain()
    assert desk.judge is not None and desk.judge.asked
    assert kept(desk, mine.id) == before


@pytest.mark.parametrize("verdict", ["update", "contradiction"])
def test_a_lower_word_takes_no_slot_by_a_verdict(verdict: str) -> None:
    desk = SettlingDesk(always(verdict))
    desk.alike("lives in Rome", "lives on Mars", cosine=0.7)
    mine = desk.write(residence("lives in Rome", "2026-01-01T00:00:00Z"))
    before = kept(desk, mine.id)
    theirs = desk.write(
        residence("lives on Mars", "2026-02-01T00:00:00Z", subject="ada", attribute="home"),
        ceiling=Origin.AGENT,
    )
    desk.drain()
    assert kept(desk, mine.id) == before
    assert desk.read(theirs.id).status is Status.CONTESTED


@pytest.mark.parametrize("ceiling", LOWER)
@pytest.mark.parametrize("done", [True, False])
def test_no_lower_caller_closes_a_to_do_or_opens_it_again(ceiling: Origin, done: bool) -> None:
    desk = SettlingDesk()
    mine = desk.known(KITCHEN, type="todo")
    if not done:
        desk.edit(mine.id, done=True)
    before = kept(desk, mine.id)
    with pytest.raises(Forbidden):
        edit(mine.id, Edit(reason="so", done=done), ledger=desk.ledger(ceiling=ceiling))
    assert kept(desk, mine.id) == before


@pytest.mark.parametrize("names", [("bot", "bot"), ("bot", "other")])
@pytest.mark.parametrize("texts", [(KITCHEN, FULLER), (KITCHEN, KITCHEN), (FULLER, KITCHEN)])
def test_two_weak_statements_are_no_strong_one(
    texts: tuple[str, str], names: tuple[str, str]
) -> None:
    desk = SettlingDesk(always("duplicate"))
    desk.alike(KITCHEN, FULLER)
    for text, name in zip(texts, names, strict=True):
        draft = SemanticDraft(content=text, confidence=0.4, importance=0.3)
        desk.write(draft, name=name, ceiling=Origin.AGENT)
        desk.clock.forward(days=1)
    desk.drain()
    (stays,) = [one for one in desk.all() if one.status is Status.ACTIVE]
    assert (stays.confidence, stays.importance, stays.origin) == (0.4, 0.3, Origin.AGENT)
