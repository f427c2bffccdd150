"""Put a memory aside until a person has looked at it, or back among the others.

What comes back takes its place by the rules that any write goes by. Whoever decides that it goes or
comes, and why, is told by the callers.
"""

from hindwise.domain.changes import Action, Replace
from hindwise.domain.memory import LongTermMemory, Mark, SemanticMemory, Status
from hindwise.domain.reviews import STANDING, WITHDRAWN, judged, kinds_of, told
from hindwise.domain.supersession import CURRENT
from hindwise.usecases.edit import moved, retexted
from hindwise.usecases.evidence import reowned
from hindwise.usecases.holding import edges_of, words_held
from hindwise.usecases.latest import unpointed
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.placing import following, unclaimed
from hindwise.usecases.write import claimed_anew


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
    marks = judged(before, off=(Mark.WRONG, Mark.REVIEWED))
    claims, words = words_held(before, ledger=ledger)
    held = {"status": Status.QUARANTINED, "held": True, "claims": claims, "settled": True}
    listed = {"marks": marks, "reviewed_at": None, "flags": (*told(before), *flags)}
    after = next_version(before, reason, ledger, **held, **listed)
    gone = tuple(one for one in before.claims if one not in claims)
    return stored(before, after, decision, ledger, [*unclaimed(before, gone), *words])


def let_back(before: LongTermMemory, reason: str | None, *, ledger: Ledger) -> LongTermMemory:
    """Put back what was withdrawn with its source, as nobody's judgement of itself.

    Raises `changes.Raced`, Conflict.
    """
    after = next_version(before, reason, ledger, flags=cleared(before), held=False)
    return release(before, after, "restored", ledger)


def revive(memory: LongTermMemory, *, ledger: Ledger) -> LongTermMemory | None:
    """Make a memory stand again whose successor was withdrawn; None where it was not superseded.

    It is what it was before, and enters its slot as any value does. Raises `changes.Raced`.
    """
    past = ledger.store.versions(ledger.call.scope, memory.id)
    stood = [one for one in past if one.superseded_by is None and one.status in STANDING]
    if memory.status is not Status.SUPERSEDED or not stood:
        return None
    was = {"status": stood[-1].status, "valid_until": stood[-1].valid_until}
    more = {"superseded_by": None, "settled": True, **was}
    after = next_version(memory, None, ledger, **more)
    return stored(memory, after, "revived", ledger)


def cleared(before: LongTermMemory) -> tuple[str, ...]:
    """Its flags without those of a list or a source that is decided about now."""
    return tuple(flag for flag in told(before) if flag != WITHDRAWN)


def next_version(
    before: LongTermMemory, reason: str | None, ledger: Ledger, **to: object
) -> LongTermMemory:
    """The next version, for a reason of its own or for the one that there was."""
    why = reason or before.change_reason
    more = {"version": before.version + 1, "updated_at": ledger.call.now, "change_reason": why}
    return before.model_copy(update={**to, **more})


def release(
    before: LongTermMemory, after: LongTermMemory, decision: str, ledger: Ledger
) -> LongTermMemory:
    """Let a memory out of quarantine: it is placed as if it had just been written.

    What had been superseded, or marked as obsolete, before it was put aside is so still.
    """
    status = Status.OBSOLETE if Mark.OBSOLETE in after.marks else Status.ACTIVE
    status = status if before.superseded_by is None else Status.SUPERSEDED
    new = status is Status.ACTIVE and isinstance(after, SemanticMemory)
    after = after.model_copy(update={"status": status, "settled": not new})
    after, more = claimed_anew(after, ledger=ledger)
    reowned(before.id, ledger=ledger)
    more += unclaimed(before, tuple(one for one in before.claims if one not in after.claims))
    return stored(before, after, decision, ledger, [*more, *edges_of(after)])


def stored(
    before: LongTermMemory,
    after: LongTermMemory,
    decision: str,
    ledger: Ledger,
    more: list[Action] | None = None,
) -> LongTermMemory:
    """Commit the next version with all that moves with it; the audit says why it was listed.

    It says as well which rules have spoken up since.
    """
    after, moves = moved(before, after, ledger=ledger)
    after = after.model_copy(update={"settled": after.settled or after.status not in CURRENT})
    texts: list[Action] = []
    if more is None:
        after, texts = retexted(before, after, ledger=ledger)
    if (before.content, before.status) != (after.content, after.status):
        moves += following(before, ledger=ledger)
        moves += unpointed(before, ledger=ledger)
    new = (flag for flag in after.flags if flag not in before.flags)
    after, row = ledger.recorded(after, decision, (*kinds_of(before), *new))
    done = [Replace(before=before, after=after), row, *moves, *texts, *(more or [])]
    ledger.commit(done, answer=f"updated {after.id}")
    return after
