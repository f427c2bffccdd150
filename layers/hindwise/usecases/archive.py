"""Put a memory into the cold, and bring it back as it was.

That there may be an object is noted first, while the memory stands: whoever forgets it looks for
one only then. The object is written and read back before the record becomes a stub; whoever is
interrupted in between leaves an object that nobody names, and does it again. Objects stay until the
memory is forgotten.
"""

from hindwise.domain.archived import (
    Unpacked,
    Why,
    folder_of,
    object_key,
    packed,
    restored,
    stub_of,
    unpacked,
)
from hindwise.domain.changes import Action, Raced, Stands
from hindwise.domain.evidence import without
from hindwise.domain.fading_changes import Rewrite
from hindwise.domain.memory import Episode, LongTermMemory, Memory, Status, WorkingMemory
from hindwise.domain.ports import BlobStore
from hindwise.domain.repeats import external_key, text_key
from hindwise.domain.scope import Scope
from hindwise.domain.supersession import slot_key
from hindwise.errors import Conflict, Unavailable
from hindwise.usecases.latest import unpointed
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.placing import (
    claim,
    entrance,
    following,
    replacements,
    stands,
    unclaimed,
)
from hindwise.usecases.transcript import Transcript
from hindwise.usecases.winning import until_won

MOST_VERSIONS = 60
"""Old versions of a memory that are archived with it: each is a row of the transaction."""
MOST_BYTES = 2_500_000
"""Of all versions together as JSON, for they must fit into one transaction when they come back."""


def archivable(versions: list[LongTermMemory]) -> bool:
    """Tell whether a memory's old versions could come back in one transaction."""
    size = sum(len(one.model_dump_json().encode()) for one in versions)
    return len(versions) <= MOST_VERSIONS and size <= MOST_BYTES


def archive(
    memory: LongTermMemory,
    versions: list[LongTermMemory],
    why: Why,
    *,
    ledger: Ledger,
    blobs: BlobStore,
) -> LongTermMemory:
    """Archive a memory and return its stub.

    Raises Raced where it was changed or accessed meanwhile, and Unavailable.
    """
    scope = ledger.call.scope
    packed_one = packed(memory, tuple(versions))
    noted = claim(object_key(memory.id), memory.id, expected=memory.id, until=None, ledger=ledger)
    ledger.store.commit(scope, [Stands(memory_id=memory.id), noted])
    blobs.put(scope, packed_one.name, packed_one.data, if_absent=True)
    if blobs.get(scope, packed_one.name) != packed_one.data:
        blobs.put(scope, packed_one.name, packed_one.data)
        if blobs.get(scope, packed_one.name) != packed_one.data:
            raise Unavailable("an archive object does not read back as it was written")
    stub = stub_of(memory, packed_one, why, at=ledger.call.now)
    stub, row = ledger.recorded(stub, "archived", (why,))
    drop = tuple(one.version for one in versions)
    done = Rewrite(before=memory, after=stub, hits=memory.access_count, drop=drop)
    actions: list[Action] = [done, row, *unclaimed(memory, memory.claims)]
    actions += following(memory, ledger=ledger)
    actions += unpointed(memory, ledger=ledger)
    try:
        ledger.commit(actions)
    except Raced:
        if ledger.read(memory.id) is None:  # forgotten meanwhile: its words must not stay here
            _emptied(memory.id, scope, blobs)
        raise
    return stub


def unkept(memory: LongTermMemory, *, ledger: Ledger, blobs: BlobStore) -> None:
    """Remove what was archived of a memory, now or once; nothing is listed where nothing was.

    Before it is forgotten, for whoever is interrupted does it again, and after: nobody can begin to
    archive it then, and what had begun before has been noted.
    """
    scope, key = ledger.call.scope, object_key(memory.id)
    noted = ledger.store.claim(scope, key, now=max(ledger.call.now, memory.created_at))
    if noted is not None or memory.archive is not None or memory.restored_at is not None:
        _emptied(memory.id, scope, blobs)


def _emptied(memory_id: str, scope: Scope, blobs: BlobStore) -> None:
    blobs.delete_many(scope, list(blobs.names(scope, folder_of(memory_id))))


def held(stub: LongTermMemory, *, scope: Scope, blobs: BlobStore) -> Unpacked | None:
    """What is in the object of an archived memory; None where it is missing or damaged."""
    if stub.archive is None:
        return None
    data = blobs.get(scope, stub.archive.name)
    return None if data is None else unpacked(data, stub.archive, stub.id)


def whole(memory: LongTermMemory, *, scope: Scope, said: Transcript | None) -> LongTermMemory:
    """A memory with its words, also while it is archived, as far as they can be read."""
    if memory.status is not Status.ARCHIVED or said is None:
        return memory
    found = held(memory, scope=scope, blobs=said.blobs)
    return memory if found is None else found.memory


def restore(memory_id: str, *, ledger: Ledger, blobs: BlobStore) -> Memory:
    """Bring an archived memory back as it was and return it; one that is not archived stays as is.

    Its old versions, its texts and its slot come back with it, unless others have taken these
    meanwhile. Raises NotFound, Conflict where its object is missing or damaged or its external id
    names another memory, and Unavailable.
    """

    def attempt(ledger: Ledger) -> Memory:
        stub = ledger.need(memory_id)
        if isinstance(stub, WorkingMemory) or stub.status is not Status.ARCHIVED:
            return stub
        found = held(stub, scope=ledger.call.scope, blobs=blobs)
        if found is None:
            details = {"reason": "archive_missing_or_damaged"}
            raise Conflict("what was archived cannot be read; nothing was changed", details=details)
        return _brought_back(stub, found, ledger=ledger)

    return until_won(attempt, "this memory", ledger=ledger)


def _brought_back(stub: LongTermMemory, found: Unpacked, *, ledger: Ledger) -> LongTermMemory:
    after = _on_what_stands(restored(found, stub, at=ledger.call.now), ledger=ledger)
    after, claims = _claims(after, ledger=ledger)
    actions: list[Action] = []
    if stands(after) and slot_key(after) is not None:
        counted = {"access_count": after.access_count, "last_access_at": after.last_access_at}
        wanted = after.model_copy(update={"last_access_at": ledger.call.now})
        entry = entrance(wanted, ledger=ledger)  # who brings it back is as sure of it as ever
        assert entry is not None
        after = entry.memory.model_copy(update=counted)
        actions += [*entry.slot, *replacements(entry.replaced, ledger=ledger)]
    after, row = ledger.recorded(after, "restored")
    back = Rewrite(before=stub, after=after, put=found.versions)
    actions = [back, row, *claims, *actions, *following(after, ledger=ledger)]
    ledger.commit(actions, answer=f"restored {after.id}")
    return after


def _on_what_stands(memory: LongTermMemory, *, ledger: Ledger) -> LongTermMemory:
    """The memory without that evidence which was forgotten while it was away."""
    evidence = memory.evidence_ids
    left: dict[str, LongTermMemory] = {}
    for start in range(0, len(evidence), 100):
        there = ledger.store.get(ledger.call.scope, evidence[start : start + 100])
        left |= {one: m for one, m in there.items() if not isinstance(m, WorkingMemory)}
    gone = [one for one in evidence if one not in left]
    changed = without(memory, gone, left, at=ledger.call.now)
    return memory if changed is None else changed.model_copy(update={"version": memory.version})


def _claims(memory: LongTermMemory, *, ledger: Ledger) -> tuple[LongTermMemory, list[Action]]:
    """The memory with those of its keys that nobody else has taken, and their claims."""
    keys: list[str] = []
    lasting = {text_key(memory, dated=True)}
    if memory.external_id is not None:
        lasting.add(external_key(memory.external_id))
    for key in memory.claims:
        if isinstance(memory, Episode) and key not in lasting:
            continue
        holder = ledger.store.claim(ledger.call.scope, key, now=ledger.call.now)
        if holder in (None, memory.id):
            keys.append(key)
        elif memory.external_id is not None and key == external_key(memory.external_id):
            details = {"reason": "external_id", "memory_id": holder}
            raise Conflict("its external_id names another memory by now", details=details)
    actions: list[Action] = [
        claim(key, memory.id, expected=memory.id, until=None, ledger=ledger) for key in keys
    ]
    return memory.model_copy(update={"claims": tuple(keys)}), actions
