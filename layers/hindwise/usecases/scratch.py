"""Change a task's scratch value: at once, and nothing is kept of what it was before."""

from pydantic import JsonValue

from hindwise.domain.admission.records import let_in
from hindwise.domain.changes import PutWorking
from hindwise.domain.drafts import ENDS_TOO_SOON, Edit, json_bytes
from hindwise.domain.making import merged
from hindwise.domain.memory import METADATA_BYTES, Memory, WorkingMemory
from hindwise.errors import Invalid
from hindwise.usecases.admit import admitted, unheld
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.written import Written

VALIDITY = frozenset({"valid_from", "valid_until"})


def rework(before: WorkingMemory, change: Edit, *, ledger: Ledger) -> Written:
    """Merge a change into a scratch value; one that would be held is refused.

    Raises Invalid, Refused, `changes.Raced`.
    """
    fields = change.model_fields_set - {"reason"}
    if unknown := fields - set(WorkingMemory.model_fields):
        raise Invalid(f"{min(unknown)}: a working memory has no such field", field=min(unknown))
    ledger = ledger.not_before(before.updated_at)
    origin = min(before.origin, ledger.call.principal.ceiling)
    change, decided = admitted(change, origin=origin, ledger=ledger)
    unheld(decided)
    values = {name: getattr(change, name) for name in fields}
    if change.metadata is not None:
        values["metadata"] = fitting(merged(before.metadata, change.metadata))
    values |= {"origin": origin, "version": before.version + 1, "updated_at": ledger.call.now}
    after = in_order(before.model_copy(update=values), change)
    _, seen = let_in(after, origin=origin, rules=ledger.trust.rules)
    unheld(seen)
    flags = tuple(dict.fromkeys((*decided.rules, *seen.rules)))
    after = after.model_copy(update={"flags": flags})
    after, row = ledger.recorded(after, "edited", decided.rules)
    ledger.commit([PutWorking(memory=after, before=before), row], answer=f"updated {after.id}")
    return Written(id=after.id, outcome="updated", memory=after, admission=decided)


def fitting(metadata: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The metadata, if what was there and what is added fit the limit together."""
    if json_bytes(metadata) > METADATA_BYTES:
        message = f"metadata: merged it would be over {METADATA_BYTES} bytes as JSON"
        raise Invalid(message, field="metadata")
    return metadata


def in_order[M: Memory](after: M, change: Edit) -> M:
    """The memory, if its validity does not end before a beginning that somebody gave it.

    Where it began with the event, an end before that says that it is over already.
    """
    start, until = after.valid_from, after.valid_until
    if start is None or until is None or not change.model_fields_set & VALIDITY:
        return after
    if until <= start != after.event_time:
        raise Invalid(f"valid_until: {ENDS_TOO_SOON}", field="valid_until")
    return after
