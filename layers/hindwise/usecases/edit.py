"""Change one memory as a new version.

The old one is kept, slot and claimed texts move in the same transaction.
"""

from hindwise.domain.admission import Decision
from hindwise.domain.admission.records import let_in
from hindwise.domain.changes import Action, Replace
from hindwise.domain.drafts import Edit, EpisodeDraft, SemanticDraft
from hindwise.domain.making import edited
from hindwise.domain.memory import LongTermMemory, Mark, SemanticMemory, Status, WorkingMemory
from hindwise.domain.repeats import external_key, text_key
from hindwise.domain.scope import Origin, Role
from hindwise.domain.supersession import CURRENT, slot_key
from hindwise.domain.text import normalised
from hindwise.errors import Conflict, Forbidden, Invalid
from hindwise.usecases.admit import admitted, open_to_edits, opened
from hindwise.usecases.evidence import disowned, reowned
from hindwise.usecases.holding import keep_edit_held
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
from hindwise.usecases.scratch import fitting, in_order, rework
from hindwise.usecases.winning import until_won
from hindwise.usecases.withheld import shown_to
from hindwise.usecases.written import Written

UNCOMPARED = frozenset({"kind", "external_id", "origin", "policy"})
ALARMS = ("instruction.", "danger.")
WORDS = ("content", "subject", "attribute", "value")
"""What a reviewer has read of a memory."""
RAISES = frozenset({"confidence", "content", "event_time", "value", "importance"})


def edit(memory_id: str, change: Edit, *, ledger: Ledger, if_match: int | None = None) -> Written:
    """Merge a change into a memory, as its new version.

    Only a call of the memory's own authority may change it, for its origin stays. What must not be
    trusted is held beside it, and changes nothing. A lost race is read and merged again; with
    `if_match` it is a Conflict. Raises NotFound, Forbidden, Refused, Invalid for a field that the
    kind does not have, Unavailable when races did not end in time.
    """

    def attempt(ledger: Ledger) -> Written:
        before = opened(memory_id, change, ledger=ledger)
        shown_to(before, ledger.call.principal)
        if before.status is Status.ARCHIVED:
            raise Conflict("it is archived; restore it first", details={"status": "archived"})
        if if_match is not None and before.version != if_match:
            raise Conflict(
                f"version is {before.version}, not {if_match}", details={"version": before.version}
            )
        if isinstance(before, WorkingMemory):
            return rework(before, change, ledger=ledger)
        return _edited(long_term(before), change, ledger=ledger)

    return until_won(attempt, "this memory", ledger=ledger)


def _edited(before: LongTermMemory, change: Edit, *, ledger: Ledger) -> Written:
    open_to_edits(before, change.model_fields_set)
    _may_change(before, ledger.call.principal.ceiling)
    change, decided = admitted(change, origin=before.origin, ledger=ledger)
    if decided.decision is Decision.QUARANTINE:
        after = changed(before, change, ledger=ledger)
        written = keep_edit_held(before, after, decided.rules, ledger=ledger)
    else:
        after = _apply(before, change, decided.rules, ledger=ledger)
        written = Written(id=after.id, outcome="updated", memory=after)
    return written.model_copy(update={"admission": decided})


def upsert(
    before: LongTermMemory,
    draft: EpisodeDraft | SemanticDraft,
    *,
    origin: Origin,
    flags: tuple[str, ...],
    ledger: Ledger,
) -> Written:
    """Bring a memory that a caller knows by its own id to what an admitted draft says.

    Nothing is written if it says so already. Raises Forbidden where what is said is of less
    authority than the memory, Invalid naming a field that no edit can change.
    """
    if before.kind is not draft.kind:
        message = f"external_id already names a memory of kind {before.kind}"
        raise Invalid(message, field="external_id")
    wanted = _news(before, draft)
    if not wanted:
        ledger.commit([], answer=f"updated {before.id}")
        return Written(id=before.id, outcome="updated", memory=before)
    open_to_edits(before, wanted.keys())
    _may_change(before, origin)
    if fixed := sorted(wanted.keys() - Edit.model_fields.keys()):
        message = f"{fixed[0]}: cannot change under the same external_id; forget that memory first"
        raise Invalid(message, field=fixed[0])
    change = Edit.model_validate({"reason": "written again under its external_id", **wanted})
    after = _apply(before, change, flags, ledger=ledger)
    return Written(id=after.id, outcome="updated", memory=after)


def outlived(
    before: LongTermMemory, draft: EpisodeDraft | SemanticDraft, *, origin: Origin
) -> bool:
    """Tell whether a draft says something new under the external id of a superseded memory.

    That is a new value, which has to enter the slot; history is not rewritten. It takes the id with
    it: raises Forbidden where it is of less authority than the memory.
    """
    if before.status is not Status.SUPERSEDED or not _news(before, draft):
        return False
    _may_change(before, origin)
    return True


def _news(before: LongTermMemory, draft: EpisodeDraft | SemanticDraft) -> dict[str, object]:
    """What a draft says that its memory does not."""
    said = {name: getattr(draft, name) for name in draft.model_fields_set - UNCOMPARED}
    return {
        name: value
        for name, value in said.items()
        if value is not None and getattr(before, name) != value
    }


def _may_change(before: LongTermMemory, origin: Origin) -> None:
    """Raise Forbidden where a memory of more authority would be made to say another's words."""
    if origin < before.origin:
        message = f"the key speaks as {origin.label}, this memory is by {before.origin.label}"
        raise Forbidden(f"{message}: write what you know beside it instead")


def changed(before: LongTermMemory, change: Edit, *, ledger: Ledger) -> LongTermMemory:
    """The next version of a memory under a change; raises Forbidden and Invalid as `edit` does."""
    _may_change(before, ledger.call.principal.ceiling)
    try:
        after = edited(before, change, now=ledger.call.now)
    except KeyError as unknown:
        name = str(unknown.args[0])
        message = f"{name}: a memory of kind {before.kind} has no such field"
        raise Invalid(message, field=name) from unknown
    fitting(after.metadata)
    return in_order(after, change)


def _apply(
    before: LongTermMemory, change: Edit, rules: tuple[str, ...], *, ledger: Ledger
) -> LongTermMemory:
    """Commit the next version under an edit in which these rules found something to admit."""
    after = _lost_still(before, changed(before, change, ledger=ledger), ledger=ledger)
    after = after.model_copy(update={"flags": alarms(after, rules, ledger=ledger)})
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
    after = _unread(before, after, ledger=ledger)
    after, row = ledger.recorded(after, "edited", rules)
    ledger.commit(
        [Replace(before=before, after=after), row, *moves, *texts], answer=f"updated {after.id}"
    )
    return after


def _lost_still(before: LongTermMemory, after: LongTermMemory, *, ledger: Ledger) -> LongTermMemory:
    """The next version, contested if that is what it was when it was marked as wrong.

    To take the mark off again wins nothing against what it had lost to.
    """
    if before.status is not Status.REJECTED or after.status not in CURRENT:
        return after
    past = ledger.store.versions(ledger.call.scope, before.id)
    was = [one.status for one in past if one.status is not Status.REJECTED]
    if was[-1:] != [Status.CONTESTED]:
        return after
    return after.model_copy(update={"status": Status.CONTESTED, "settled": True})


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


def _unread(before: LongTermMemory, after: LongTermMemory, *, ledger: Ledger) -> LongTermMemory:
    """Take off what a reviewer said of other words: these are not what was read."""
    reviewed = before.reviewed_at is not None or Mark.REVIEWED in before.marks
    if (
        not reviewed
        or ledger.call.principal.role.covers(Role.REVIEWER)
        or _same_words(before, after)
    ):
        return after
    marks = tuple(one for one in after.marks if one is not Mark.REVIEWED)
    return after.model_copy(update={"marks": marks, "reviewed_at": None})


def _same_words(before: LongTermMemory, after: LongTermMemory) -> bool:
    return all(getattr(before, name, None) == getattr(after, name, None) for name in WORDS)


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


def alarms(after: LongTermMemory, rules: tuple[str, ...], *, ledger: Ledger) -> tuple[str, ...]:
    """What is noted of the new version: no alarm at words that it no longer has."""
    kept = after.flags
    if any(one.startswith(ALARMS) for one in kept):
        _, seen = let_in(after, origin=after.origin, rules=ledger.trust.rules)
        kept = tuple(one for one in kept if not one.startswith(ALARMS) or one in seen.rules)
    return tuple(dict.fromkeys((*kept, *rules)))


def _same_text(before: LongTermMemory, after: LongTermMemory) -> bool:
    """Tell whether an edit leaves a memory under the key of its text: words, and what about."""
    if isinstance(after, SemanticMemory):
        return text_key(before, dated=True) == text_key(after, dated=True)
    return normalised(before.content) == normalised(after.content)
