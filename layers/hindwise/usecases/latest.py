"""A task's `latest` slot.

The newest episode of the task, written through after the episode has committed.

The slot is a convenience; the episodes are the truth. If writing it fails, that is logged and the
next reader rebuilds it.
"""

import logging
from datetime import timedelta

from hindwise.domain.changes import DropWorking, PutWorking
from hindwise.domain.ids import working_id
from hindwise.domain.memory import Episode, Memory, WorkingMemory
from hindwise.errors import HindwiseError
from hindwise.usecases.ledger import Ledger

LATEST = "latest"
CLOSED = "\x7fclosed"
LIFETIME = timedelta(hours=1)
_log = logging.getLogger(__name__)


def refresh_latest(memory: Memory | None, *, ledger: Ledger) -> None:
    """Point the task's `latest` at a new episode; never raises a HindwiseError."""
    if not isinstance(memory, Episode) or memory.task_id is None:
        return
    try:
        slot = _pointing(memory, memory.task_id, ledger=ledger)
        ledger.store.commit(ledger.call.scope, [PutWorking(memory=slot)])
    except HindwiseError as error:
        _log.warning("latest slot not refreshed: %s", type(error).__name__)


def _pointing(episode: Episode, task_id: str, *, ledger: Ledger) -> WorkingMemory:
    """The `latest` that an episode gives."""
    slot = _value(task_id, LATEST, episode.content, ledger=ledger)
    return slot.model_copy(
        update={
            "metadata": {"memory_id": episode.id},
            "event_time": episode.event_time,
            "origin": episode.origin,
            "created_at": episode.created_at,
            "expires_at": episode.created_at + LIFETIME,
        }
    )


def _value(task_id: str, key: str, content: str, *, ledger: Ledger) -> WorkingMemory:
    now = ledger.call.now
    return WorkingMemory(
        id=working_id(task_id, key),
        task_id=task_id,
        key=key,
        content=content,
        principal=ledger.call.principal.name,
        event_time=now,
        created_at=now,
        updated_at=now,
        expires_at=now + LIFETIME,
    )


def read_working(task_id: str, *, ledger: Ledger, key: str | None = None) -> list[WorkingMemory]:
    """Read a task's scratch values, all or the one under `key`; writes nothing.

    `latest` is as the episodes have it, whether or not it could be written through.
    """
    values = ledger.store.working(ledger.call.scope, task_id, now=ledger.call.now)
    by_key = {value.key: value for value in values}
    closed = by_key.pop(CLOSED, None)
    newest = _newest_episode(task_id, ledger=ledger) if key in (None, LATEST) else None
    if newest is not None:
        known = by_key.get(LATEST)
        after_close = closed is None or newest.created_at > closed.created_at
        fresh = newest.created_at + LIFETIME > ledger.call.now
        if (
            after_close
            and fresh
            and (known is None or known.metadata.get("memory_id") != newest.id)
        ):
            by_key[LATEST] = _pointing(newest, task_id, ledger=ledger)
    return [by_key[name] for name in sorted(by_key) if key in (None, name)]


def _newest_episode(task_id: str, *, ledger: Ledger) -> Episode | None:
    ids = ledger.store.of_task(ledger.call.scope, task_id, limit=1)
    found = ledger.read(ids[0]) if ids else None
    return found if isinstance(found, Episode) else None


def close_task(task_id: str, *, ledger: Ledger) -> int:
    """Drop a task's scratch values and return how many there were; its episodes stay."""
    values = ledger.store.working(ledger.call.scope, task_id, now=ledger.call.now)
    dropped = [value for value in values if value.key != CLOSED]
    mark = _value(task_id, CLOSED, "closed", ledger=ledger)
    for start in range(0, len(dropped), 90):
        drops = [DropWorking(memory_id=value.id) for value in dropped[start : start + 90]]
        ledger.store.commit(ledger.call.scope, drops)
    mark, row = ledger.recorded(mark, "task closed")
    ledger.commit([PutWorking(memory=mark), row], answer=f"closed {mark.id}")
    return len(dropped)
