"""Decide about a memory that waits for a person: let it stand, reject it, correct it, hold it.

What is let out of quarantine takes its place by the rules that any write goes by; only of a
contested value may a reviewer say that it is the right one. Whatever was decided already is
answered as it stands, so a repeated request decides nothing twice.
"""

from collections.abc import Callable
from enum import StrEnum

from hindwise.domain.admission import Decision as Admitted
from hindwise.domain.admission.records import let_in
from hindwise.domain.base import Model
from hindwise.domain.changes import Replace
from hindwise.domain.choosing import chosen, rivals_of
from hindwise.domain.drafts import Edit
from hindwise.domain.making import merged
from hindwise.domain.memory import (
    LongTermMemory,
    Mark,
    Memory,
    SemanticMemory,
    Status,
    WorkingMemory,
)
from hindwise.domain.reviews import STANDING, judged, kinds_of
from hindwise.domain.scope import Origin
from hindwise.domain.supersession import CURRENT, hold, slot_key
from hindwise.domain.visibility import withheld
from hindwise.errors import Conflict
from hindwise.usecases.admit import admitted, refusal
from hindwise.usecases.edit import alarms, changed
from hindwise.usecases.evidence import disowned, reowned
from hindwise.usecases.ledger import Ledger, long_term
from hindwise.usecases.lessons import learn_lesson, unlearn_lesson
from hindwise.usecases.placing import replacements
from hindwise.usecases.standing import cleared, next_version, release, stored, withdraw
from hindwise.usecases.winning import until_won

HELD = frozenset({Status.QUARANTINED, Status.CONTESTED})
DECIDABLE = STANDING | HELD


class ReviewAction(StrEnum):
    """What a reviewer may say."""

    APPROVE = "approve"
    REJECT = "reject"
    EDIT = "edit"
    REOPEN = "reopen"


class Decision(Model):
    """What a reviewer says and why; `change` is what an `edit` makes of the memory."""

    action: ReviewAction
    reason: str | None = None
    change: Edit | None = None


def decide(
    memory_id: str, decision: Decision, *, ledger: Ledger, if_match: int | None = None
) -> LongTermMemory:
    """Carry a reviewer's decision out and return the memory as it then is.

    Approving again what was released and is contested since asks a second question: it is answered
    only with `if_match`. Raises NotFound, also for scratch values, Conflict (another version, or a
    state that the action does not go with), Forbidden, Invalid and Refused as an edit does,
    Unavailable when races did not end in time.
    """
    decision = _let_in(decision, ledger)
    act = _ACTS[decision.action]

    def attempt(ledger: Ledger) -> LongTermMemory:
        memory = ledger.need(memory_id)
        try:
            after = act(_as_asked(memory, if_match), decision, ledger, if_match is not None)
        except Conflict:
            if ledger.lost:
                _counted(long_term(memory), ledger)
            raise
        return long_term(after)

    return until_won(attempt, "this memory", ledger=ledger)


def _let_in(said: Decision, ledger: Ledger) -> Decision:
    """What a reviewer says, as it may be kept: nobody's reason keeps a secret. Raises Refused."""
    clean, decided = let_in(said, origin=Origin.OWNER, rules=ledger.trust.rules)
    if decided.decision is Admitted.REFUSE:
        raise refusal(decided)
    return clean


def _as_asked(memory: Memory, if_match: int | None) -> LongTermMemory:
    if isinstance(memory, WorkingMemory):
        raise Conflict("a scratch value is not reviewed", details={"kind": memory.kind.value})
    if if_match is not None and memory.version != if_match:
        message = f"version is {memory.version}, not {if_match}"
        raise Conflict(message, details={"version": memory.version})
    return memory


def _counted(memory: LongTermMemory, ledger: Ledger) -> None:
    """Have what rests on a memory count it as its state says: what was begun here came to nothing,
    for another reviewer was first.
    """
    if withheld(memory):
        disowned(memory.id, ledger=ledger)
    elif memory.status in STANDING:
        reowned(memory.id, ledger=ledger)


def teach(after: Memory, *, ledger: Ledger) -> None:
    """Have the like of what is turned away held from now on; not of what is let in, or open.

    It goes by what became of the memory, so that whoever asks the decision again, after a crash
    that came in between, has it done.
    """
    if isinstance(after, WorkingMemory):
        return
    if after.status is Status.REJECTED:
        learn_lesson(after, ledger=ledger)
    else:
        unlearn_lesson(after.id, ledger=ledger)


def _approve(
    before: LongTermMemory, said: Decision, ledger: Ledger, knowing: bool
) -> LongTermMemory:
    if before.status is Status.QUARANTINED:
        return release(before, _allowed(before, said, ledger), "released", ledger)
    seen = before.reviewed_at is not None
    if before.status is Status.CONTESTED:
        again = seen and not knowing
        return _as_it_is(before, ledger) if again else _choose(before, said, ledger)
    if seen and not (before.status in STANDING and kinds_of(before)):
        return _as_it_is(before, ledger)
    _needs(before, STANDING, said)
    return stored(before, _allowed(before, said, ledger), "reviewed", ledger)


def _reject(
    before: LongTermMemory, said: Decision, ledger: Ledger, knowing: bool
) -> LongTermMemory:
    if before.status is Status.REJECTED and before.held:
        return _as_it_is(before, ledger)
    _needs(before, DECIDABLE | {Status.SUPERSEDED, Status.REJECTED}, said)
    disowned(before.id, ledger=ledger)
    marks = judged(before, Mark.WRONG, Mark.REVIEWED)
    gone = {"status": Status.REJECTED, "held": True, "marks": marks, "flags": cleared(before)}
    return stored(before, next_version(before, said.reason, ledger, **gone), "rejected", ledger)


def _edit(before: LongTermMemory, said: Decision, ledger: Ledger, knowing: bool) -> LongTermMemory:
    assert said.change is not None
    if before.status not in HELD and before.reviewed_at is not None and _says(before, said.change):
        return _as_it_is(before, ledger)
    _needs(before, DECIDABLE, said)
    change, decided = admitted(said.change, origin=Origin.OWNER, ledger=ledger)
    after = changed(before, change, ledger=ledger)
    let = _allowed(before, said, ledger)
    after = after.model_copy(
        update={name: getattr(let, name) for name in ("marks", "flags", "reviewed_at", "held")}
    )
    after = after.model_copy(update={"flags": alarms(after, decided.rules, ledger=ledger)})
    if before.status is Status.QUARANTINED:
        return release(before, after, "corrected", ledger)
    if before.status is Status.CONTESTED:
        after = after.model_copy(update={"status": Status.ACTIVE, "settled": False})
    return stored(before, after, "corrected", ledger)


def _reopen(
    before: LongTermMemory, said: Decision, ledger: Ledger, knowing: bool
) -> LongTermMemory:
    if before.status is Status.QUARANTINED:
        return _as_it_is(before, ledger)
    _needs(before, STANDING | {Status.CONTESTED, Status.REJECTED}, said)
    disowned(before.id, ledger=ledger)
    return withdraw(before, said.reason, decision="reopened", ledger=ledger)


_ACTS: dict[ReviewAction, Callable[[LongTermMemory, Decision, Ledger, bool], LongTermMemory]] = {
    ReviewAction.APPROVE: _approve,
    ReviewAction.REJECT: _reject,
    ReviewAction.EDIT: _edit,
    ReviewAction.REOPEN: _reopen,
}


def _allowed(before: LongTermMemory, said: Decision, ledger: Ledger) -> LongTermMemory:
    """The record as a reviewer lets it stand."""
    marks = judged(before, Mark.REVIEWED, off=(Mark.WRONG,))
    seen = {
        "marks": marks,
        "flags": cleared(before),
        "reviewed_at": ledger.call.now,
        "held": False,
    }
    return next_version(before, said.reason, ledger, **seen)


def _choose(before: LongTermMemory, said: Decision, ledger: Ledger) -> LongTermMemory:
    """Make a contested value current in the place of what kept it from that."""
    after = _allowed(before, said, ledger)
    assert isinstance(after, SemanticMemory)
    key, scope = slot_key(after), ledger.call.scope
    slot = ledger.store.slot(scope, key) if key is not None else None
    ids = dict.fromkeys([*([slot.holder] if slot and slot.holder else []), *rivals_of(after)])
    found = ledger.store.get(scope, [one for one in ids if one != after.id])
    rivals = [
        one
        for one in found.values()
        if isinstance(one, SemanticMemory) and one.status in CURRENT and one.id != after.id
    ]
    after, pairs = chosen(after, rivals, now=ledger.call.now)
    actions = replacements(pairs, ledger=ledger)
    if key is not None:
        actions.append(hold(key, after, slot))
    after, row = ledger.recorded(after, "chosen", ("contested",))
    done = [Replace(before=before, after=after), row, *actions]
    ledger.commit(done, answer=f"updated {after.id}")
    return after


def _as_it_is(before: LongTermMemory, ledger: Ledger) -> LongTermMemory:
    ledger.commit([], answer=f"updated {before.id}")
    return before


def _says(memory: LongTermMemory, change: Edit) -> bool:
    """Tell whether a memory is already as a change wants it."""
    wanted = change.model_fields_set - {"reason", "marks", "metadata"}
    if merged(memory.metadata, change.metadata or {}) != memory.metadata:
        return False
    return all(getattr(memory, name, None) == getattr(change, name) for name in wanted)


def _needs(memory: LongTermMemory, states: frozenset[Status], said: Decision) -> None:
    if memory.status not in states:
        message = f"it is {memory.status.value}: there is nothing to {said.action.value}"
        hint = "; reopen it first" if memory.status is Status.REJECTED else ""
        raise Conflict(message + hint, details={"status": memory.status.value})
