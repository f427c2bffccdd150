"""Change one memory as a new version.

The old one is kept, slot and claimed texts move in the same transaction.
"""

from pydantic import JsonValue

from hindwise.domain.changes import Action, Answered, PutWorking, Raced, Replace
from hindwise.domain.drafts import (
    ENDS_TOO_SOON,
    Edit,
    EpisodeDraft,
    SemanticDraft,
    json_bytes,
)
from hindwise.domain.making import edited, merged
from hindwise.domain.memory import (
    METADATA_BYTES,
    LongTermMemory,
    Mark,
    Memory,
    SemanticMemory,
    Status,
    WorkingMemory,
)
from hindwise.domain.repeats import external_key, text_key
from hindwise.domain.scope import Role
from hindwise.domain.supersession import slot_key
from hindwise.domain.text import normalised
from hindwise.errors import Conflict, Forbidden, Invalid, Unavailable
from hindwise.usecases.evidence import disowned, reowned
from hindwise.usecases.latest import unpointed
from hindwise.usecases.ledger import Ledger, long_term
from hindwise.usecases.placing import (
    claim,
    entrance,
    following,
    leaving,
    replacements,
    stands,
    unclaimed,
)

UNCOMPARED = frozenset({"kind", "external_id", "origin", "policy"})
VALIDITY = frozenset({"valid_from", "valid_until"})
RAISES = frozenset({"confidence", "content", "event_time", "value", "importance"})


def edit(memory_id: str, change: Edit, *, ledger: Ledger, if_match: int | None = None) -> Memory:
    """Merge a change into a memory and return the new version.

    Only a call of the memory's own authority may change it, for its origin stays. A lost race is
    read and merged again; with `if_match` it is a Conflict. Raises NotFound, Forbidden, Invalid for
    a field that the kind does not have, Unavailable when races did not end in time.
    """
    patience = ledger.tools.patience()
    while True:
        before = ledger.need(memory_id)
        if if_match is not None and before.version != if_match:
            raise Conflict(
                f"version is {before.version}, not {if_match}", details={"version": before.version}
            )
        try:
            if isinstance(before, WorkingMemory):
                return _rework(before, change, ledger=ledger)
            return _apply(long_term(before), change, ledger=ledger)
        except Raced as raced:
            if raced.on(Answered):
                raise
            if not patience.again():
                raise Unavailable("too many writers at once on this memory; try again") from raced


def upsert(
    before: LongTermMemory, draft: EpisodeDraft | SemanticDraft, *, ledger: Ledger
) -> LongTermMemory:
    """Bring a memory that a caller knows by its own id to what the draft says.

    Nothing is written if it says so already. Raises Invalid naming a field that no edit can change.
    """
    if before.kind is not draft.kind:
        message = f"external_id already names a memory of kind {before.kind}"
        raise Invalid(message, field="external_id")
    wanted = _news(before, draft)
    if not wanted:
        ledger.commit([], answer=f"updated {before.id}")
        return before
    if fixed := sorted(wanted.keys() - Edit.model_fields.keys()):
        message = f"{fixed[0]}: cannot change under the same external_id; forget that memory first"
        raise Invalid(message, field=fixed[0])
    change = Edit.model_validate({"reason": "written again under its external_id", **wanted})
    return _apply(before, change, ledger=ledger)


def outlived(before: LongTermMemory, draft: EpisodeDraft | SemanticDraft) -> bool:
    """Tell whether a draft says something new under the external id of a superseded memory.

    That is a new value, which has to enter the slot; history is not rewritten.
    """
    return before.status is Status.SUPERSEDED and bool(_news(before, draft))


def _news(before: LongTermMemory, draft: EpisodeDraft | SemanticDraft) -> dict[str, object]:
    """What a draft says that its memory does not."""
    said = {name: getattr(draft, name) for name in draft.model_fields_set - UNCOMPARED}
    return {
        name: value
        for name, value in said.items()
        if value is not None and getattr(before, name) != value
    }


def _rework(before: WorkingMemory, change: Edit, *, ledger: Ledger) -> WorkingMemory:
    fields = change.model_fields_set - {"reason"}
    if unknown := fields - set(WorkingMemory.model_fields):
        raise Invalid(f"{min(unknown)}: a working memory has no such field", field=min(unknown))
    values = {name: getattr(change, name) for name in fields}
    if change.metadata is not None:
        values["metadata"] = _fitting(merged(before.metadata, change.metadata))
    values |= {"version": before.version + 1, "updated_at": ledger.call.now}
    edited_value = _in_order(before.model_copy(update=values), change)
    after, row = ledger.recorded(edited_value, "edited")
    ledger.commit([PutWorking(memory=after, before=before), row], answer=f"updated {after.id}")
    return after


def changed(before: LongTermMemory, change: Edit, *, ledger: Ledger) -> LongTermMemory:
    """The next version of a memory under a change; raises Forbidden and Invalid as `edit` does."""
    if (ceiling := ledger.call.principal.ceiling) < before.origin:
        message = f"the key speaks as {ceiling.label}, this memory is by {before.origin.label}"
        raise Forbidden(f"{message}: write what you know beside it instead")
    try:
        after = edited(before, change, now=ledger.call.now)
    except KeyError as unknown:
        name = str(unknown.args[0])
        message = f"{name}: a memory of kind {before.kind} has no such field"
        raise Invalid(message, field=name) from unknown
    _fitting(after.metadata)
    return _in_order(after, change)


def _apply(before: LongTermMemory, change: Edit, *, ledger: Ledger) -> LongTermMemory:
    after = changed(before, change, ledger=ledger)
    raised = change.model_fields_set & RAISES or slot_key(before) != slot_key(after)
    if before.status is Status.CONTESTED and raised:
        again = {"status": Status.ACTIVE, "settled": False}
        after = after.model_copy(update=again)
    after, moves = moved(before, after, ledger=ledger)
    after, texts = retexted(before, after, ledger=ledger)
    if (before.content, before.status) != (after.content, after.status):
        moves += following(before, ledger=ledger)
        moves += unpointed(before, ledger=ledger)
    if change.marks is not None:
        after = _marked(before, after, change.marks, ledger=ledger)
    after, row = ledger.recorded(after, "edited")
    ledger.commit(
        [Replace(before=before, after=after), row, *moves, *texts], answer=f"updated {after.id}"
    )
    return after


def _marked(
    before: LongTermMemory, after: LongTermMemory, marks: frozenset[Mark], *, ledger: Ledger
) -> LongTermMemory:
    """See to what follows from marks: whether evidence counts, and whether a reviewer has looked.

    Only a reviewer's `reviewed` keeps a memory out of the periodic review: its writer would else
    wave it through.
    """
    if Mark.WRONG in marks:
        disowned(before.id, ledger=ledger)
    elif Mark.WRONG in before.marks and after.status is not Status.QUARANTINED:
        reowned(before.id, ledger=ledger)
    if not ledger.call.principal.role.covers(Role.REVIEWER):
        return after
    at = before.reviewed_at or ledger.call.now
    return after.model_copy(update={"reviewed_at": at if Mark.REVIEWED in marks else None})


def _fitting(metadata: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The metadata, if what was there and what is added fit the limit together."""
    if json_bytes(metadata) > METADATA_BYTES:
        message = f"metadata: merged it would be over {METADATA_BYTES} bytes as JSON"
        raise Invalid(message, field="metadata")
    return metadata


def _in_order[M: Memory](after: M, change: Edit) -> M:
    """The memory, if its validity does not end before a beginning that somebody gave it.

    Where it began with the event, an end before that says that it is over already.
    """
    start, until = after.valid_from, after.valid_until
    if start is None or until is None or not change.model_fields_set & VALIDITY:
        return after
    if until <= start != after.event_time:
        raise Invalid(f"valid_until: {ENDS_TOO_SOON}", field="valid_until")
    return after


def moved(
    before: LongTermMemory, after: LongTermMemory, *, ledger: Ledger
) -> tuple[LongTermMemory, list[Action]]:
    """Leave the old slot and enter the new one, where they differ or the record begins or ceases to
    stand.
    """
    old = slot_key(before) if stands(before) else None
    new = slot_key(after) if stands(after) else None
    moves: list[Action] = []
    if old is not None and old != new:
        moves += leaving(before, ledger=ledger)
    if new is None or not isinstance(after, SemanticMemory):
        return after, moves
    entry = entrance(after, ledger=ledger)
    assert entry is not None
    moves += entry.slot
    moves += replacements(entry.replaced, ledger=ledger)
    return entry.memory, moves


def retexted(
    before: LongTermMemory, after: LongTermMemory, *, ledger: Ledger
) -> tuple[LongTermMemory, list[Action]]:
    """Free the old text and claim the new one.

    An edited text that another memory stands for stays unclaimed.
    """
    if _same_text(before, after):
        return after, []
    kept = (external_key(before.external_id),) if before.external_id else ()
    old = tuple(key for key in before.claims if key not in kept)
    actions = unclaimed(before, old)
    if isinstance(after, SemanticMemory) and not before.external_id:
        key = text_key(after, dated=True)
        if ledger.store.claim(ledger.call.scope, key, now=ledger.call.now) is None:
            actions.append(claim(key, after.id, expected=None, until=None, ledger=ledger))
            kept = (*kept, key)
    return after.model_copy(update={"claims": kept}), actions


def _same_text(before: LongTermMemory, after: LongTermMemory) -> bool:
    """Tell whether an edit leaves a memory under the key of its text: words, and what about."""
    if isinstance(after, SemanticMemory):
        return text_key(before, dated=True) == text_key(after, dated=True)
    return normalised(before.content) == normalised(after.content)
