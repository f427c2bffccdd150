"""Bring the projection up to the truth.

Read the records behind change rows, embed what is new, write documents, clear the rows.

A document is a function of a record and the turn before it, so the turn after a changed one is
projected with it. Doing this twice, late, or in any order gives the same documents: the records are
read now, and a document never replaces a newer one.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from pydantic import Field

from hindwise.domain.base import Model
from hindwise.domain.changes import Change
from hindwise.domain.document import Document, Vector
from hindwise.domain.memory import Episode, LongTermMemory, Memory, Status, WorkingMemory
from hindwise.domain.projection import document_of
from hindwise.domain.scope import Scope
from hindwise.errors import HindwiseError, Invalid, Unavailable
from hindwise.usecases.engine import Engine
from hindwise.usecases.users import note

UNINDEXED = frozenset({Status.QUARANTINED, Status.REJECTED, Status.FORGOTTEN, Status.ARCHIVED})
PARK_AFTER = 5
ROUNDS = 3
"""How often a batch is projected while turns before its own keep changing."""


class Projected(Model):
    """What became of change rows: `done` were cleared.

    `failed` stay in the backlog with a reason, by row key. `unsettled` can be found now, and are
    still to be compared with their neighbours.
    """

    done: tuple[str, ...] = ()
    failed: dict[str, str] = Field(default_factory=dict)
    unsettled: tuple[tuple[Scope, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Draft:
    """A document still without its vector, and the text that is to be embedded."""

    document: Document
    text: str


@dataclass(frozen=True)
class _Work:
    """One batch; `unsettled` gathers the ids of what was not compared with its neighbours yet."""

    engine: Engine
    now: datetime
    unsettled: set[str]


def project(changes: Sequence[tuple[Scope, Change]], *, engine: Engine, now: datetime) -> Projected:
    """Project changes of any scopes and clear the rows that are done.

    With the embedder down, documents go in without vectors (keyword finds them) and their rows
    stay; what the index refuses is parked after five attempts, so that nothing waits behind it.
    """
    by_scope: dict[Scope, list[Change]] = defaultdict(list)
    for scope, change in changes:
        by_scope[scope].append(change)
    work = _Work(engine, now, set())
    held = {scope: _reasons(scope, own, work) for scope, own in by_scope.items()}
    hidden = _hidden(engine)
    done: list[str] = []
    failed: dict[str, str] = {}
    found: dict[tuple[Scope, str], None] = {}
    for scope, own in by_scope.items():
        reasons = held[scope]
        if hidden:
            reasons = {change.memory_id: hidden for change in own} | reasons
        cleared = [change for change in own if change.memory_id not in reasons]
        done += _clear(scope, cleared, engine, failed)
        failed |= _keep(scope, own, reasons, engine)
        ids = (one.memory_id for one in cleared if one.memory_id in work.unsettled)
        found |= dict.fromkeys((scope, one) for one in ids)
    return Projected(done=tuple(done), failed=failed, unsettled=tuple(found))


def _hidden(engine: Engine) -> str:
    """Why what was put cannot be found yet; empty where it can: only then its rows are cleared."""
    try:
        engine.index.settle()
    except Unavailable as error:
        return str(error)
    return ""


def _reasons(
    scope: Scope, own: Sequence[Change], work: _Work, *, alone: bool = False
) -> dict[str, str]:
    """Project one scope, memory by memory and `alone` where the table refuses one of them.

    So nothing waits behind a document that can never be written.
    """
    try:
        return _project_scope(scope, own, work, alone=alone)
    except Unavailable as error:
        return {change.memory_id: str(error) for change in own}
    except Invalid as error:
        ids = dict.fromkeys(change.memory_id for change in own)
        if alone:
            return dict.fromkeys(ids, f"{REFUSED}{error}")
    reasons: dict[str, str] = {}
    for one in ids:
        its = [change for change in own if change.memory_id == one]
        reasons |= _reasons(scope, its, work, alone=True)
    return reasons


def _clear(
    scope: Scope, cleared: list[Change], engine: Engine, failed: dict[str, str]
) -> list[str]:
    try:
        engine.projections.clear(scope, cleared)
    except Unavailable as error:
        failed |= {change.key: str(error) for change in cleared}
        return []
    return [change.key for change in cleared]


def _keep(
    scope: Scope, own: list[Change], reasons: Mapping[str, str], engine: Engine
) -> dict[str, str]:
    """Count the attempt at each row that stays.

    A refused document is parked, a dependency that is down parks nothing; what may not be embedded
    today waits for tomorrow.
    """
    renewed = engine.allowance.renewed(scope.tenant) if engine.allowance else None
    kept: dict[str, str] = {}
    for change in own:
        if (reason := reasons.get(change.memory_id)) is None:
            continue
        park = reason.startswith(REFUSED) and change.attempts + 1 >= PARK_AFTER
        until = renewed if reason == UNEMBEDDED else None
        with suppress(HindwiseError):
            engine.projections.failed(scope, change, reason=reason, park=park, until=until)
        kept[change.key] = reason
    return kept


REFUSED, UNEMBEDDED = "refused: ", "embedder unavailable"


def _project_scope(
    scope: Scope, changes: Sequence[Change], work: _Work, *, alone: bool
) -> dict[str, str]:
    """Project one scope; returns memory id -> reason of those that are not done.

    Where a turn before has changed meanwhile, its old words may just have been put back into a
    vector that somebody else had cleaned of them: then it is done again.
    """
    ids = tuple(dict.fromkeys(change.memory_id for change in changes))
    reasons: dict[str, str] = {}
    for _ in range(ROUNDS):
        reasons, used = _project_once(scope, ids, work, alone=alone)
        still = work.engine.store.get(scope, sorted(used)) if used else {}
        if all((one := still.get(turn)) and one.version == used[turn] for turn in used):
            return reasons
    return {**dict.fromkeys(ids, "the turns before keep changing"), **reasons}


def _project_once(
    scope: Scope, ids: Sequence[str], work: _Work, *, alone: bool
) -> tuple[dict[str, str], dict[str, int]]:
    """Project once, and the turns after unless `alone`.

    Also gives the version of each turn before that went into a vector. What cannot be read is not
    taken for gone: its old document stays, and its change is kept until somebody has looked at it.
    """
    records = work.engine.store.get(scope, ids)
    work.unsettled.update(one.id for one in records.values() if not one.settled)
    previous, successors = _neighbours(scope, records, engine=work.engine)
    records |= {} if alone else successors
    missing = [one for one in ids if one not in records]
    unread = work.engine.store.unreadable(scope, missing) if missing else frozenset()
    gone = [one for one in ids if one not in unread and not _indexed(records.get(one))]
    drafts = [
        _draft(record, previous.get(record.id), work.engine)
        for record in records.values()
        if _indexed(record) and not isinstance(record, WorkingMemory)
    ]
    engine = work.engine.within(scope)
    if drafts:
        note(scope, engine, now=work.now)
    known = engine.projections.documents(scope, [draft.document.id for draft in drafts])
    documents, unembedded = _embedded(drafts, known, engine=engine)
    versions = {one: record.version if (record := records.get(one)) else 2**31 for one in gone}
    engine.projections.put(scope, documents, versions, now=work.now)
    refused = engine.index.put(scope, documents, versions)
    if engine.ripener is not None:
        engine.ripener.grown(scope, records.values(), known, now=work.now)
    reasons = {one: f"{REFUSED}{reason}" for one, reason in refused.items()}
    reasons |= dict.fromkeys(unread, f"{REFUSED}its record cannot be read")
    used = {turn.id: turn.version for turn in previous.values()}
    return {**dict.fromkeys(unembedded, UNEMBEDDED), **reasons}, used


def _indexed(memory: Memory | None) -> bool:
    return memory is not None and memory.status not in UNINDEXED


def _neighbours(
    scope: Scope, records: Mapping[str, Memory], *, engine: Engine
) -> tuple[dict[str, LongTermMemory], dict[str, Memory]]:
    """The active turn before each record, by the record's id, and the records of the turns after
    them.

    Of several turns at one place the newest counts, whichever of them is projected.
    """
    before: dict[str, list[str]] = {}
    for record in records.values():
        if isinstance(record, Episode) and record.session_id is not None and record.seq is not None:
            before |= _before(scope, record.session_id, record.seq, engine)
    wanted = {*before, *(one for places in before.values() for one in places)} - set(records)
    read = engine.store.get(scope, sorted(wanted)) if wanted else {}
    everything = {**read, **records}
    successors = {one: read[one] for one in before if one in read and _active(read[one])}
    previous: dict[str, LongTermMemory] = {}
    for one, others in before.items():
        for turn in (everything.get(other) for other in sorted(others)):
            if isinstance(turn, Episode) and turn.status is Status.ACTIVE:
                previous[one] = turn
    return previous, successors


def _before(scope: Scope, session_id: str, seq: int, engine: Engine) -> dict[str, list[str]]:
    """The ids one place before, for each id at this place and at the next one."""
    turns = engine.store.turns(scope, session_id, first=max(seq - 1, 0), last=seq + 1)
    at: dict[int, list[str]] = defaultdict(list)
    for turn in turns:
        at[turn.seq].append(turn.memory_id)
    return {one: at[place - 1] for place in (seq, seq + 1) for one in at[place]}


def _active(memory: Memory) -> bool:
    return memory.status in (Status.ACTIVE, Status.OBSOLETE)


def _draft(record: LongTermMemory, previous: LongTermMemory | None, engine: Engine) -> _Draft:
    document, text = document_of(record, previous, engine.embedder.id)
    return _Draft(document=document, text=text)


def _embedded(
    drafts: Sequence[_Draft], stored: Mapping[str, Document], *, engine: Engine
) -> tuple[list[Document], list[str]]:
    """Give each document its vector, reusing what is stored for the same text.

    Tells whose could not be had.
    """
    vectors = {
        known.text_hash: known.vector for known in stored.values() if known.vector is not None
    }
    new = {
        draft.document.text_hash: draft.text
        for draft in drafts
        if draft.document.text_hash not in vectors
    }
    made = _made(new, engine) if new else {}
    vectors |= {key: vector for key, vector in made.items() if vector is not None}
    documents = [
        replace(draft.document, vector=vectors.get(draft.document.text_hash)) for draft in drafts
    ]
    waiting = [one.id for one in documents if one.vector is None and one.text_hash not in made]
    return documents, waiting


def _made(texts: Mapping[str, str], engine: Engine) -> Mapping[str, Vector | None]:
    """Embed texts by their hash; those the embedder could not do are left out.

    An embedder that refuses some names their positions (`refused`): the others are asked again
    without them, so that one text does not hold up its batch.
    """
    hashes = list(texts)
    for _ in range(2):
        try:
            made = engine.embedder.documents([texts[one] for one in hashes])
        except Unavailable as error:
            refused = error.details.get("refused")
            if not isinstance(refused, list):
                return {}
            hashes = [one for place, one in enumerate(hashes) if place not in refused]
        else:
            return dict(zip(hashes, made, strict=True))
    return {}
