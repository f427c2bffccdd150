"""Rows to models and back.

A record is one JSON `body`, so that every number and every metadata value comes back exactly as it
was given; beside it stand only the attributes that conditions, indexes and counters need. Access
counters live outside the body: they are counted without reading it.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from math import ceil

from pydantic import ValidationError

from hindwise.adapters.dynamodb import fading_keys, keys
from hindwise.adapters.dynamodb.expressions import Item, Key, Value, key_of, number, text
from hindwise.domain.changes import AuditEntry, Change, Claim, Request, Slot
from hindwise.domain.fading import due_at
from hindwise.domain.fence import before, hidden
from hindwise.domain.memory import (
    MEMORY,
    LongTermMemory,
    Memory,
    SemanticMemory,
    Status,
    WorkingMemory,
)
from hindwise.domain.ports import ApiKey
from hindwise.domain.retention import DEFAULT, Retention
from hindwise.domain.scope import Scope
from hindwise.errors import Unreadable

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
MILLISECOND = timedelta(milliseconds=1)
REVIEWED = frozenset({Status.QUARANTINED, Status.CONTESTED})
COUNTED = frozenset({"access_count", "last_access_at"})
BESIDE = COUNTED | {"settled"}
"""Fields that are not in the body: they change without a new version."""


def micros(at: datetime) -> int:
    """Microseconds since 1970, exactly."""
    return (at - EPOCH) // MICROSECOND


def from_micros(count: int) -> datetime:
    """The instant, in UTC."""
    return EPOCH + count * MICROSECOND


def ttl(at: datetime) -> Value:
    """The second after which DynamoDB may drop a row; never earlier than `at`."""
    return number(ceil(at.timestamp()))


def indexed(scope: Scope, memory: LongTermMemory, rules: Retention = DEFAULT) -> dict[str, Value]:
    """The attributes that put a memory into the indexes; absent ones are to be removed.

    Until it is compared with its neighbours it waits for that, and for no date: within minutes.
    """
    found: dict[str, Value] = {}
    if memory.status in REVIEWED:
        found |= {"l_pk": text(keys.review(scope.tenant)), "l_sk": text(memory.id)}
    elif isinstance(memory, SemanticMemory) and memory.status is Status.ACTIVE:
        found |= {"l_pk": text(keys.of_type(scope, memory.type)), "l_sk": text(memory.id)}
    due = due_at(memory, rules)
    if not memory.settled and memory.status is Status.ACTIVE:
        waits = keys.settle_bucket(keys.bucket(memory.id, keys.WORK_BUCKETS))
        found |= {"w_pk": text(waits), "w_sk": text(keys.moment(memory.updated_at))}
    elif due is not None:
        found |= {
            "w_pk": text(fading_keys.due(memory.id)),
            "w_sk": text(keys.moment(due)),
        }
    return found


def described(scope: Scope, memory: LongTermMemory, rules: Retention = DEFAULT) -> dict[str, Value]:
    """What every version of a memory's row carries, without key and counters."""
    found = {
        "body": text(memory.model_dump_json(exclude=set(BESIDE))),
        "version": number(memory.version),
        "status": text(memory.status),
    }
    if not memory.settled:
        found["unsettled"] = number(1)
    return found | indexed(scope, memory, rules)


def counted(memory: LongTermMemory) -> dict[str, Value]:
    """The counters of a memory's row."""
    found = {"access_count": number(memory.access_count)}
    if memory.last_access_at is not None:
        found["last_access_at"] = number(micros(memory.last_access_at))
    return found


def memory_row(
    scope: Scope, memory: LongTermMemory, rules: Retention = DEFAULT
) -> dict[str, Value]:
    """A new memory's row."""
    key = key_of(keys.memory(scope, memory.id))
    return key | described(scope, memory, rules) | counted(memory)


def working_row(scope: Scope, memory: WorkingMemory) -> dict[str, Value]:
    """A scratch value's row."""
    body = {"body": text(memory.model_dump_json()), "ttl": ttl(memory.expires_at)}
    return key_of(keys.memory(scope, memory.id)) | body | _stamp(memory)


def _stamp(memory: WorkingMemory) -> dict[str, Value]:
    return {"version": number(memory.version), "written_at": number(micros(memory.updated_at))}


def unchanged(before: WorkingMemory | None) -> tuple[str | None, dict[str, Value] | None]:
    """The condition that a scratch value is still this one, and its values; none for None."""
    if before is None:
        return None, None
    values = {f":{name}": value for name, value in _stamp(before).items()}
    return "version = :version AND written_at = :written_at", values


def version_row(scope: Scope, memory: LongTermMemory) -> dict[str, Value]:
    """An old version's row."""
    key = key_of(keys.version(scope, memory.id, memory.version))
    return key | {"body": text(memory.model_dump_json())}


MEMORY_ATTRIBUTES = "body, access_count, last_access_at, unsettled, fenced, held"
"""What `memory_of`, `fence_in` and `held_in` read."""


def fence_in(items: Iterable[Item]) -> datetime | None:
    """Read the fence among rows of a scope, None where there is none."""
    return next(
        (EPOCH + int(one["fenced"]["N"]) * MILLISECOND for one in items if "fenced" in one), None
    )


def standing(memory: Memory, fence: datetime | None) -> bool:
    """Tell whether a memory lies before a fence; a scratch value by when it was last written."""
    if isinstance(memory, WorkingMemory):
        return not before(memory.updated_at, fence)
    return not hidden(memory.id, fence)


def memory_of(item: Item, now: datetime) -> Memory | None:
    """Read a memory; None for a tombstone, and for a scratch value that is over at `now`.

    Raises Unreadable, without the cause, which quotes the body.
    """
    if "body" not in item:
        return None
    try:
        memory = MEMORY.validate_json(item["body"]["S"])
    except ValidationError:
        raise Unreadable("the body of a memory cannot be read") from None
    if isinstance(memory, WorkingMemory):
        return memory if memory.expires_at > now else None
    if "access_count" not in item:
        return memory
    seen = item.get("last_access_at")
    return memory.model_copy(
        update={
            "access_count": int(item["access_count"]["N"]),
            "last_access_at": from_micros(int(seen["N"])) if seen else None,
            "settled": "unsettled" not in item,
        }
    )


def lasting(item: Item, now: datetime) -> LongTermMemory | None:
    """Read a long-term memory; None for a tombstone."""
    memory = memory_of(item, now)
    return None if isinstance(memory, WorkingMemory) else memory


def slot_row(scope: Scope, slot: Slot) -> dict[str, Value]:
    """A slot's row; `holder` is left out where nobody holds it."""
    row = key_of(keys.slot(scope, slot.key))
    row |= {"body": text(slot.model_dump_json()), "turn": number(slot.turn)}
    if slot.holder is not None:
        row["holder"] = text(slot.holder)
    return row


def claim_row(scope: Scope, claim: Claim) -> dict[str, Value]:
    """A claim's row."""
    row = key_of(keys.claim(scope, claim.key)) | {"memory_id": text(claim.memory_id)}
    if claim.until is not None:
        row |= {"ends_at": number(micros(claim.until)), "ttl": ttl(claim.until)}
    return row


def held_in(items: Iterable[Item]) -> frozenset[str]:
    """Read the marks of the sources that are held, among rows of a scope."""
    return frozenset(mark for one in items if "held" in one for mark in one["held"]["SS"])


def claimed_in(items: Iterable[Item], now: datetime) -> str | None:
    """Read the memory that a claim among these rows stands for, unless it is over."""
    for item in items:
        over = "ends_at" in item and int(item["ends_at"]["N"]) <= micros(now)
        if "memory_id" in item and not over:
            return item["memory_id"]["S"]
    return None


def request_row(request: Request) -> dict[str, Value]:
    """An idempotency key's row."""
    key = keys.request(request.tenant, request.principal, request.key_hash)
    return key_of(key) | {
        "body": text(request.model_dump_json()),
        "request_state": text(request.state),
        "digest": text(request.digest),
        "ends_at": number(micros(request.expires)),
        "ttl": ttl(request.expires),
    }


def audit_row(scope: Scope, entry: AuditEntry) -> dict[str, Value]:
    """An audit row."""
    return key_of(keys.audit(scope, entry.memory_id, entry.id)) | {
        "body": text(entry.model_dump_json()),
        "l_pk": text(keys.audit_day(scope, entry.at)),
        "l_sk": text(entry.id),
    }


def change_row(key: Key, ulid: str, memory_id: str) -> dict[str, Value]:
    """A change row, in its bucket of the backlog."""
    home = keys.dirty(keys.bucket(memory_id, keys.DIRTY_BUCKETS))
    return key_of(key) | {"w_pk": text(home), "w_sk": text(ulid)}


def change_of(item: Item) -> Change:
    """Read a change row."""
    key = item["sk"]["S"]
    return Change(
        key=key,
        memory_id=key.split("#")[2],
        attempts=int(item["attempts"]["N"]) if "attempts" in item else 0,
        reason=item["reason"]["S"] if "reason" in item else "",
        parked=item.get("w_pk", {}).get("S") == keys.PARKED,
    )


def key_row(key: ApiKey) -> dict[str, Value]:
    """An API key's row."""
    row = key_of(keys.api_key(key.digest))
    row |= {
        "body": text(key.model_dump_json(exclude={"revoked_at"})),
        "l_pk": text(keys.tenant_keys(key.principal.tenant)),
        "l_sk": text(key.id),
    }
    if key.revoked_at is not None:
        row["revoked_at"] = number(micros(key.revoked_at))
    return row


def key_of_row(item: Item) -> ApiKey:
    """Read an API key."""
    key = ApiKey.model_validate_json(item["body"]["S"])
    revoked = item.get("revoked_at")
    if revoked is None:
        return key
    return key.model_copy(update={"revoked_at": from_micros(int(revoked["N"]))})
