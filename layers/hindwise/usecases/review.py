"""Decide about a memory that waits for a person: let it stand, reject it, correct it, hold it.

What is let out of quarantine takes its place by the rules that any write goes by; only of a
contested value may a reviewer say that it is the right one. Whatever was decided already is
answered as it stands, so a repeated request decides nothing twice.
"""

from collections.abc import Callable
from enum import StrEnum

from hindwise.domain.base import Model
from hindwise.domain.changes import Action, Answered, Raced, Replace
from hindwise.domain.choosing import chosen, rivals_of
from hindwise.domain.drafts import Edit
from hindwise.domain.making import merged
from hindwise.domain.memory import LongTermMemory, Mark, SemanticMemory, Status, WorkingMemory
from hindwise.domain.reviews import STANDING, WITHDRAWN, judged, kinds_of, told
from hindwise.domain.supersession import CURRENT, hold, slot_key
from hindwise.errors import Conflict, Unavailable
from hindwise.usecases.edit import changed, moved, retexted
from hindwise.usecases.evidence import disowned, reowned
from hindwise.usecases.holding import edges_of, words_held
from hindwise.usecases.latest import unpointed
from hindwise.usecases.ledger import Ledger, long_term
from hindwise.usecases.lessons import learn_lesson, unlearn_lesson
from hindwise.usecases.placing import following, replacements, unclaimed
from hindwise.usecases.write import claimed_anew

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
    state that the action does not go with), Forbidden and Invalid as an edit does, Unavailable when
    races did not end in time.
    """
    act = _ACTS[decision.action]
    patience = ledger.tools.patience()
    while True:
        memory = ledger.need(memory_id)
        if isinstance(memory, WorkingMemory):
            raise Conflict("a scratch value is not reviewed", details={"kind": memory.kind.value})
        if if_match is not None and memory.version != if_match:
            message = f"version is {memory.version}, not {if_match}"
            raise Conflict(message, details={"version": memory.version})
        try:
            after = act(memory, decision, ledger, if_match is not None)
        except Raced as raced:
            if raced.on(Answered):
                raise
            if not patience.again():
                raise Unavailable("too many writers at once on this memory; try again") from raced
            ledger = ledger.after_a_loss()
        else:
            _teach(long_term(after), ledger)
            return long_term(after)


def _teach(after: LongTermMemory, ledger: Ledger) -> None:
    """Have the like of what is turned away held from now on; not of what is let in, or open."""
    if after.status is Status.REJECTED:
        learn_lesson(after, ledger=ledger)
    else:
        unlearn_lesson(after.id, ledger=ledger)


def _approve(
    before: LongTermMemory, said: Decision, ledger: Ledger, knowing: bool
) -> LongTermMemory:
    if before.status is Status.QUARANTINED:
        return _release(before, _allowed(before, said, ledger), "released", ledger)
    seen = before.reviewed_at is not None
    if before.status is Status.CONTESTED:
        again = seen and not knowing
        return _as_it_is(before, ledger) if again else _choose(before, said, ledger)
    if seen and not (before.status in STANDING and kinds_of(before)):
        return _as_it_is(before, ledger)
    _needs(before, STANDING, said)
    return _store(before, _allowed(before, said, ledger), "reviewed", ledger)


def _reject(
    before: LongTermMemory, said: Decision, ledger: Ledger, knowing: bool
) -> LongTermMemory:
    if before.status is Status.REJECTED and before.held:
        return _as_it_is(before, ledger)
    _needs(before, DECIDABLE | {Status.SUPERSEDED, Status.REJECTED}, said)
    disowned(before.id, ledger=ledger)
    marks = judged(before, Mark.WRONG, Mark.REVIEWED)
    gone = {"status": Status.REJECTED, "held": True, "marks": marks, "flags": told(before)}
    return _store(before, _next(before, said, ledger, **gone), "rejected", ledger)


def _edit(before: LongTermMemory, said: Decision, ledger: Ledger, knowing: bool) -> LongTermMemory:
    assert said.change is not None
    if before.status not in HELD and before.reviewed_at is not None and _says(before, said.change):
        return _as_it_is(before, ledger)
    _needs(before, DECIDABLE, said)
    after = changed(before, said.change, ledger=ledger)
    let = _allowed(before, said, ledger).model_dump(include={"marks", "flags", "reviewed_at"})
    after = after.model_copy(update={**let, "held": False, "reviewed_at": ledger.call.now})
    if before.status is Status.QUARANTINED:
        return _release(before, after, "corrected", ledger)
    if before.status is Status.CONTESTED:
        after = after.model_copy(update={"status": Status.ACTIVE, "settled": False})
    return _store(before, after, "corrected", ledger)


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


def withdraw(
    before: LongTermMemory,
    reason: str | None,
    *,
    decision: str,
    ledger: Ledger,
    flags: tuple[str, ...] = (),
) -> LongTermMemory:
    """Take a memory out of use until a reviewer lets it back.

    Its slot and its text are free meanwhile; nobody is revived. Raises `changes.Raced`.
    """
    said = Decision(action=ReviewAction.REOPEN, reason=reason)
    marks = judged(before, off=(Mark.WRONG, Mark.REVIEWED))
    claims, words = words_held(before, ledger=ledger)
    held = {"status": Status.QUARANTINED, "held": True, "claims": claims, "settled": True}
    listed = {"marks": marks, "reviewed_at": None, "flags": (*told(before), *flags)}
    after = _next(before, said, ledger, **held, **listed)
    gone = tuple(one for one in before.claims if one not in claims)
    return _store(before, after, decision, ledger, [*unclaimed(before, gone), *words])


def let_back(before: LongTermMemory, reason: str | None, *, ledger: Ledger) -> LongTermMemory:
    """Put back what was withdrawn with its source, as nobody's judgement of itself.

    Raises `changes.Raced`, Conflict.
    """
    said = Decision(action=ReviewAction.APPROVE, reason=reason)
    after = _next(before, said, ledger, flags=_cleared(before), held=False)
    return _release(before, after, "restored", ledger)


def revive(memory: LongTermMemory, *, ledger: Ledger) -> LongTermMemory | None:
    """Make a memory stand again whose successor was withdrawn; None where it was not superseded.

    It is what it was before, and enters its slot as any value does. Raises `changes.Raced`.
    """
    past = ledger.store.versions(ledger.call.scope, memory.id)
    stood = [one for one in past if one.superseded_by is None and one.status in STANDING]
    if memory.status is not Status.SUPERSEDED or not stood:
        return None
    was = {"status": stood[-1].status, "valid_until": stood[-1].valid_until}
    said = Decision(action=ReviewAction.APPROVE, reason=memory.change_reason)
    after = _next(memory, said, ledger, superseded_by=None, settled=True, **was)
    return _store(memory, after, "revived", ledger)


def _allowed(before: LongTermMemory, said: Decision, ledger: Ledger) -> LongTermMemory:
    """The record as a reviewer lets it stand."""
    marks = judged(before, Mark.REVIEWED, off=(Mark.WRONG,))
    seen = {
        "marks": marks,
        "flags": _cleared(before),
        "reviewed_at": ledger.call.now,
        "held": False,
    }
    return _next(before, said, ledger, **seen)


def _cleared(before: LongTermMemory) -> tuple[str, ...]:
    """Its flags without those of a list or a source that is decided about now."""
    return tuple(flag for flag in told(before) if flag != WITHDRAWN)


def _next(before: LongTermMemory, said: Decision, ledger: Ledger, **to: object) -> LongTermMemory:
    reason = said.reason or before.change_reason
    more = {"version": before.version + 1, "updated_at": ledger.call.now, "change_reason": reason}
    return before.model_copy(update={**to, **more})


def _release(
    before: LongTermMemory, after: LongTermMemory, decision: str, ledger: Ledger
) -> LongTermMemory:
    """Let a memory out of quarantine: it is placed as if it had just been written.

    What had been superseded before it was put aside is history still.
    """
    status = Status.ACTIVE if before.superseded_by is None else Status.SUPERSEDED
    new = status is Status.ACTIVE and isinstance(after, SemanticMemory)
    after = after.model_copy(update={"status": status, "settled": not new})
    after, more = claimed_anew(after, ledger=ledger)
    reowned(before.id, ledger=ledger)
    more += unclaimed(before, tuple(one for one in before.claims if one not in after.claims))
    return _store(before, after, decision, ledger, [*more, *edges_of(after)])


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


def _store(
    before: LongTermMemory,
    after: LongTermMemory,
    decision: str,
    ledger: Ledger,
    more: list[Action] | None = None,
) -> LongTermMemory:
    """Commit the next version with all that moves with it; the audit says why it was listed."""
    after, moves = moved(before, after, ledger=ledger)
    after = after.model_copy(update={"settled": after.settled or after.status not in CURRENT})
    texts: list[Action] = []
    if more is None:
        after, texts = retexted(before, after, ledger=ledger)
    if (before.content, before.status) != (after.content, after.status):
        moves += following(before, ledger=ledger)
        moves += unpointed(before, ledger=ledger)
    after, row = ledger.recorded(after, decision, tuple(kinds_of(before)))
    done = [Replace(before=before, after=after), row, *moves, *texts, *(more or [])]
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
