"""Remember one thing: decide in one transaction only what the table alone can tell, exact repeats
and slots.

Nothing here waits for an index, an embedder or a model. Whatever was read before the commit is part
of its condition; a lost race is decided again by the same pure functions.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from hindwise.domain.admission import Admission, Decision
from hindwise.domain.admission.records import joined, noted
from hindwise.domain.changes import Action, Claim, Create, PutWorking
from hindwise.domain.drafts import AnyDraft, EpisodeDraft, SemanticDraft, WorkingDraft
from hindwise.domain.fence import Guarded
from hindwise.domain.making import made, made_working, origin_of
from hindwise.domain.memory import LongTermMemory, SemanticMemory
from hindwise.domain.repeats import covered, external_key, outdone, repeats, text_key
from hindwise.domain.reviews import WITHDRAWN
from hindwise.domain.scope import Origin
from hindwise.domain.supersession import CURRENT, Standing, slot_key
from hindwise.domain.visibility import withheld
from hindwise.errors import Conflict, Invalid
from hindwise.usecases.admit import LINEAGE, admitted, flagged, unheld
from hindwise.usecases.edit import outlived, upsert
from hindwise.usecases.holding import edges_of, keep_held, stored
from hindwise.usecases.latest import refresh_latest
from hindwise.usecases.ledger import Ledger, long_term
from hindwise.usecases.placing import claim, entrance, merged_into, placed, replacements
from hindwise.usecases.written import Written

SAME_MOMENT = timedelta(seconds=60)


def write(draft: AnyDraft, *, ledger: Ledger, memory_id: str | None = None) -> Written:
    """Store a draft once; a given `memory_id` is what a retry converges on.

    What must not be trusted is held for a person: the memory is quarantined. Raises Refused,
    Invalid (unknown evidence, an external id of another kind), Forbidden (an external id of more
    authority), Unavailable when races did not end in time, and `changes.Raced` on the request row
    and on what the ledger is `under`.
    """
    try:
        return _write(draft, ledger=ledger, memory_id=memory_id)
    except Guarded as found:
        return _write(draft, ledger=replace(ledger, held=found.held), memory_id=memory_id)


def _write(draft: AnyDraft, *, ledger: Ledger, memory_id: str | None) -> Written:
    new_id = memory_id or ledger.tools.new_id(ledger.call.now)
    if isinstance(draft, WorkingDraft):
        return _keep(draft, ledger=ledger)
    draft, memory, decided = _prepared(draft, new_id, ledger=ledger)
    if decided.decision is Decision.QUARANTINE:
        given = memory_id is not None
        written = keep_held(memory, decided.rules, ledger=ledger, given=given)
    else:
        written = _written(draft, memory, ledger=ledger, given=memory_id is not None)
    return written.model_copy(update={"admission": joined(decided, written.admission)})


def _written(
    draft: EpisodeDraft | SemanticDraft, memory: LongTermMemory, *, ledger: Ledger, given: bool
) -> Written:
    def attempt(ledger: Ledger) -> Written:
        return _attempt(draft, memory, ledger=ledger)

    written, ours = stored(attempt, memory, "the same slot", ledger=ledger, given=given)
    if ours and written.outcome != "duplicate":
        refresh_latest(written.memory, ledger=ledger)
    return written


def hold(
    draft: EpisodeDraft | SemanticDraft,
    reasons: tuple[str, ...],
    *,
    ledger: Ledger,
    memory_id: str,
) -> Written:
    """Store a draft once for a person to look at: quarantined, so that it holds no slot or text.

    Raises like `write`.
    """
    _, memory, decided = _prepared(draft, memory_id, ledger=ledger)
    own = tuple(one for one in decided.rules if one != WITHDRAWN)
    rules = tuple(dict.fromkeys((*reasons, *own)))
    written = keep_held(memory, rules, ledger=ledger, given=True)
    return written.model_copy(update={"admission": decided})


def _keep(draft: WorkingDraft, *, ledger: Ledger) -> Written:
    """A scratch value; one that would be held is refused, and what was there stays."""
    origin = origin_of(draft, ledger.call)
    draft, decided = admitted(draft, origin=origin, ledger=ledger)
    unheld(decided)
    value = flagged(made_working(draft, call=ledger.call), decided)
    value, row = ledger.recorded(value, "kept", decided.rules)
    answer = f"created {value.id}"
    ledger.commit_unforgotten([PutWorking(memory=value), row], answer=answer, known=ledger.held)
    return Written(id=value.id, memory=value, admission=decided)


def _prepared[D: EpisodeDraft | SemanticDraft](
    draft: D, new_id: str, *, ledger: Ledger
) -> tuple[D, LongTermMemory, Admission]:
    """The draft as it may be stored, the record with its lineage checked, and what was decided."""
    call = ledger.call
    evidence = ledger.store.get(call.scope, draft.evidence_ids) if draft.evidence_ids else {}
    if missing := [one for one in draft.evidence_ids if one not in evidence]:
        message = f"evidence_ids: there is no memory {missing[0]}"
        raise Invalid(message, field="evidence_ids")
    lineage = tuple(evidence.values())
    origin = origin_of(draft, call, lineage)
    draft, decided = admitted(draft, origin=origin, ledger=ledger, lineage=lineage)
    memory = made(draft, new_id, call=call, lineage=lineage)
    return draft, flagged(memory, decided), decided


def _attempt(
    draft: EpisodeDraft | SemanticDraft, memory: LongTermMemory, *, ledger: Ledger
) -> Written:
    key, until = _key(draft, memory, ledger.call.now)
    scope, now = ledger.call.scope, ledger.call.now
    standing_id = ledger.store.claim(scope, key, now=now, known=ledger.held)
    standing = ledger.read(standing_id) if standing_id else None
    claimed = claim(key, memory.id, expected=standing_id, until=until, ledger=ledger)
    if standing is None:
        return _create(placed(memory, ledger=ledger), claimed, ledger=ledger)
    said = long_term(standing)
    if withheld(said) and memory.origin < Origin.OWNER:
        held = keep_held(memory, (LINEAGE,), ledger=ledger)
        return held.model_copy(update={"admission": noted(Admission(), LINEAGE, "content")})
    if draft.external_id is not None:
        if not outlived(said, draft, origin=memory.origin):
            return upsert(said, draft, origin=memory.origin, flags=memory.flags, ledger=ledger)
    elif (same := _same(memory, said, ledger=ledger)) is not None:
        ledger.commit([], answer=f"duplicate {same.id}")
        outcome = "created" if same.id == memory.id else "duplicate"
        return Written(id=same.id, outcome=outcome, memory=same)
    elif more := outdone(memory, said, now=ledger.call.now):
        return _create(more[0], claimed, ledger=ledger, retired=(more[1],))
    return _create(placed(memory, ledger=ledger), claimed, ledger=ledger)


def _same(memory: LongTermMemory, said: LongTermMemory, *, ledger: Ledger) -> LongTermMemory | None:
    """What says already all that a record of the same text says: that one, or what it became."""
    if repeats(memory, said, now=ledger.call.now):
        return said
    stays = merged_into(said, ledger=ledger)
    if stays is None or slot_key(memory) not in (None, slot_key(stays)):
        return None
    return stays if covered(memory, stays, now=ledger.call.now) else None


def _key(
    draft: EpisodeDraft | SemanticDraft, memory: LongTermMemory, now: datetime
) -> tuple[str, datetime | None]:
    """The key that stands for a record, and until when.

    An undated episode's text does so for a minute only: the same thing may well happen again.
    """
    if draft.external_id is not None:
        return external_key(draft.external_id), None
    dated = draft.event_time is not None
    lasting = dated or isinstance(draft, SemanticDraft)
    return text_key(memory, dated=dated), None if lasting else now + SAME_MOMENT


def claimed_anew(memory: LongTermMemory, *, ledger: Ledger) -> tuple[LongTermMemory, list[Action]]:
    """A memory that is let out of quarantine, with its place and the key that stands for it.

    A text that another memory stands for by now stays with that one: they are compared later.
    Raises Conflict where another has its external id by now.
    """
    memory = placed(memory, ledger=ledger)
    scope, now = ledger.call.scope, ledger.call.now
    if memory.external_id is not None:
        key = external_key(memory.external_id)
    elif isinstance(memory, SemanticMemory):
        key = text_key(memory, dated=True)
    else:
        return memory, []
    standing = ledger.store.claim(scope, key, now=now)
    if standing not in (None, memory.id):
        if memory.external_id is None:
            return memory, []
        message = "another memory has its external_id by now: edit that one, or reject this"
        raise Conflict(message, details={"id": standing})
    kept = memory.model_copy(update={"claims": (key,)})
    return kept, [claim(key, memory.id, expected=standing, until=None, ledger=ledger)]


def _create(
    memory: LongTermMemory,
    claimed: Claim,
    *,
    ledger: Ledger,
    retired: tuple[tuple[SemanticMemory, SemanticMemory], ...] = (),
) -> Written:
    entry = entrance(memory, ledger=ledger)
    new: LongTermMemory = entry.memory if entry else memory
    settled = new.settled or new.status not in CURRENT
    new = new.model_copy(update={"claims": (claimed.key,), "settled": settled})
    new, row = ledger.recorded(new, entry.standing.value if entry else "created", new.flags)
    actions: list[Action] = [Create(memory=new), row, claimed]
    actions += edges_of(new)
    if entry is not None:
        actions += entry.slot
        retired = entry.replaced
    actions += replacements(retired, ledger=ledger)
    ledger.commit(actions, answer=f"created {new.id}")
    contested = entry is not None and entry.standing is Standing.CONTESTED
    history = entry is not None and entry.standing is Standing.HISTORY
    gone = [before.id for before, after in retired if after.superseded_by != before.superseded_by]
    superseded = () if history else tuple(gone)
    return Written(id=new.id, memory=new, superseded=superseded, contested=contested)
