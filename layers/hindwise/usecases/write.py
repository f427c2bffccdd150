"""Remember one thing: decide in one transaction only what the table alone can tell, exact repeats
and slots.

Nothing here waits for an index, an embedder or a model. Whatever was read before the commit is part
of its condition; a lost race is decided again by the same pure functions.
"""

from datetime import datetime, timedelta

from hindwise.domain.base import Model
from hindwise.domain.changes import (
    Action,
    Answered,
    Claim,
    Create,
    Edge,
    PutWorking,
    Raced,
    Stands,
    UnderClaim,
)
from hindwise.domain.drafts import AnyDraft, EpisodeDraft, SemanticDraft, WorkingDraft
from hindwise.domain.making import made, made_working
from hindwise.domain.memory import Episode, LongTermMemory, Memory, SemanticMemory, Status
from hindwise.domain.repeats import covered, external_key, outdone, repeats, text_key
from hindwise.domain.supersession import CURRENT, Standing, slot_key
from hindwise.errors import Conflict, Invalid, Unavailable
from hindwise.usecases.edit import outlived, upsert
from hindwise.usecases.latest import refresh_latest
from hindwise.usecases.ledger import Ledger, long_term
from hindwise.usecases.placing import claim, entrance, merged_into, replacements

FINAL = (Answered, UnderClaim, Stands)
"""Conditions that no second look at the memories would bring about."""
SAME_MOMENT = timedelta(seconds=60)


class Written(Model):
    """What became of a draft.

    `outcome` is `created`, `duplicate` (of the memory that stands already) or `updated` (by
    external id). `memory` is None only where a repeated request's memory has been forgotten since.
    """

    id: str
    outcome: str = "created"
    memory: Memory | None = None
    superseded: tuple[str, ...] = ()
    contested: bool = False


def write(draft: AnyDraft, *, ledger: Ledger, memory_id: str | None = None) -> Written:
    """Store a draft once; a given `memory_id` is what a retry converges on.

    Raises Invalid (unknown evidence, an external id of another kind), Unavailable when races did
    not end in time, and `changes.Raced` on the request row and on what the ledger is `under`.
    """
    new_id = memory_id or ledger.tools.new_id(ledger.call.now)
    if isinstance(draft, WorkingDraft):
        return _keep(draft, ledger=ledger)
    memory = _prepared(draft, new_id, ledger=ledger)
    patience = ledger.tools.patience()
    while True:
        try:
            written = _attempt(draft, memory, ledger=ledger)
        except Raced as raced:
            if raced.on(*FINAL):
                raise
            if raced.on(Create) and memory_id is not None:
                return Written(id=memory_id, memory=ledger.read(memory_id))
            if not patience.again():
                raise Unavailable("too many writers at once on the same slot; try again") from raced
            ledger = ledger.after_a_loss()
        else:
            if written.outcome != "duplicate":
                refresh_latest(written.memory, ledger=ledger)
            return written


def hold(
    draft: SemanticDraft, reasons: tuple[str, ...], *, ledger: Ledger, memory_id: str
) -> Written:
    """Store a draft once for a person to look at: quarantined, so that it holds no slot or text.

    Raises Invalid like `write`, and `changes.Raced` on what the ledger is `under`.
    """
    memory = _prepared(draft, memory_id, ledger=ledger)
    held = memory.model_copy(update={"status": Status.QUARANTINED, "flags": reasons})
    held, row = ledger.recorded(held, "quarantined", reasons)
    try:
        ledger.commit([Create(memory=held), row, *edges_of(held)], answer=f"created {held.id}")
    except Raced as raced:
        if not raced.on(Create) or raced.on(*FINAL):
            raise
        return Written(id=memory_id, memory=ledger.read(memory_id))
    return Written(id=memory_id, memory=held)


def _keep(draft: WorkingDraft, *, ledger: Ledger) -> Written:
    value, row = ledger.recorded(made_working(draft, call=ledger.call), "kept")
    ledger.commit([PutWorking(memory=value), row], answer=f"created {value.id}")
    return Written(id=value.id, memory=value)


def _prepared(
    draft: EpisodeDraft | SemanticDraft, new_id: str, *, ledger: Ledger
) -> LongTermMemory:
    """The record with its lineage checked."""
    scope = ledger.call.scope
    evidence = ledger.store.get(scope, draft.evidence_ids) if draft.evidence_ids else {}
    if missing := [one for one in draft.evidence_ids if one not in evidence]:
        message = f"evidence_ids: there is no memory {missing[0]}"
        raise Invalid(message, field="evidence_ids")
    return made(draft, new_id, call=ledger.call, lineage=tuple(evidence.values()))


def _attempt(
    draft: EpisodeDraft | SemanticDraft, memory: LongTermMemory, *, ledger: Ledger
) -> Written:
    key, until = _key(draft, memory, ledger.call.now)
    standing_id = ledger.store.claim(ledger.call.scope, key, now=ledger.call.now)
    standing = ledger.read(standing_id) if standing_id else None
    claimed = claim(key, memory.id, expected=standing_id, until=until, ledger=ledger)
    if standing is None:
        return _create(placed(memory, ledger=ledger), claimed, ledger=ledger)
    said = long_term(standing)
    if draft.external_id is not None:
        if not outlived(said, draft):
            changed = upsert(said, draft, ledger=ledger)
            return Written(id=changed.id, outcome="updated", memory=changed)
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


def placed(memory: LongTermMemory, *, ledger: Ledger) -> LongTermMemory:
    """The record with a place in its session, reserved only now: a repeat leaves no gap."""
    if not isinstance(memory, Episode) or memory.session_id is None:
        return memory
    if memory.seq is not None:
        ledger.store.take_seq(ledger.call.scope, memory.session_id, memory.seq)
        return memory
    seq = ledger.store.next_seq(ledger.call.scope, memory.session_id, count=1)
    return memory.model_copy(update={"seq": seq})


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


def edges_of(memory: LongTermMemory) -> list[Action]:
    """Links from what a memory rests on; a turn is found in its conversation without one."""
    links: dict[str, str] = dict.fromkeys(memory.evidence_ids, "evidence")
    source = memory.source and memory.source.conversation_id
    if source and isinstance(memory, SemanticMemory):
        links.setdefault(source, "conversation")
    return [Edge(source=one, kind=kind, dependant=memory.id) for one, kind in links.items()]


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
    new, row = ledger.recorded(new, entry.standing.value if entry else "created")
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
