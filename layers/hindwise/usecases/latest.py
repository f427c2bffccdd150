"""A task's `latest` slot.

The newest episode of the task, written through after the episode has committed.

The slot is a convenience; the episodes are the truth. If writing it fails, that is logged, and
readers get it from the episodes.
"""

import logging
from datetime import timedelta

from hindwise.domain.changes import Action, DropWorking, PutWorking
from hindwise.domain.ids import working_id
from hindwise.domain.memory import Episode, Memory, WorkingMemory
from hindwise.domain.visibility import SHOWN
from hindwise.errors import HindwiseError
from hindwise.usecases.ledger import Ledger

LATEST = "latest"
CLOSED = "\x7fclosed"
LIFETIME = timedelta(hours=1)
DROPS = 90
"""Values dropped in one transaction, below the table's limit of 100 actions."""
LOOKED_AT = 20
"""Newest episodes among which the latest is sought: those marked wrong are passed over."""
_log = logging.getLogger(__name__)


def refresh_latest(memory: Memory | None, *, ledger: Ledger) -> None:
    """Point the task's `latest` at a new episode; never raises a HindwiseError.

    An episode that was forgotten or changed in between is not left standing in it.
    """
    if not isinstance(memory, Episode) or memory.task_id is None:
        return
    try:
        slot = _pointing(memory, memory.task_id, ledger=ledger)
        ledger.store.commit(ledger.call.scope, [PutWorking(memory=slot)])
        now = ledger.read(memory.id)
        if now is None or now.version != memory.version:
            ledger.store.commit(ledger.call.scope, [DropWorking(memory_id=slot.id)])
    except HindwiseError as error:
        _log.warning("latest slot not refreshed: %s", type(error).__name__)


def unpointed(memory: Memory, *, ledger: Ledger) -> tuple[Action, ...]:
    """Drop the task's `latest` where it shows this record, for readers to build it anew."""
    if not isinstance(memory, Episode) or memory.task_id is None:
        return ()
    shown = ledger.read(working_id(memory.task_id, LATEST))
    if shown is None or shown.metadata.get("memory_id") != memory.id:
        return ()
    return (DropWorking(memory_id=shown.id),)


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


def read_working(
    task_id: str | None, *, ledger: Ledger, key: str | None = None
) -> list[WorkingMemory]:
    """Read the scratch values of a task, or of all tasks, under `key` if given; writes nothing.

    A task's `latest` is as the episodes have it, whether or not it could be written through. Where
    all tasks are read, those are shown that were, as long as their episode stands.
    """
    if task_id is None:
        return _of_all_tasks(key, ledger=ledger)
    values = ledger.store.working(ledger.call.scope, task_id, now=ledger.call.now)
    by_key = {value.key: value for value in values}
    closed = by_key.pop(CLOSED, None)
    if key in (None, LATEST):
        latest = _latest(task_id, by_key.pop(LATEST, None), closed, ledger=ledger)
        by_key |= {LATEST: latest} if latest is not None else {}
    return [by_key[name] for name in sorted(by_key) if key in (None, name)]


def _of_all_tasks(key: str | None, *, ledger: Ledger) -> list[WorkingMemory]:
    """The values of all tasks, by task and key."""
    values = ledger.store.working(ledger.call.scope, None, now=ledger.call.now)
    closed = {value.task_id: value.created_at for value in values if value.key == CLOSED}
    pointing = {value.id: str(value.metadata.get("memory_id", "")) for value in values}
    ids = tuple(dict.fromkeys(filter(None, pointing.values())))
    episodes = ledger.store.get(ledger.call.scope, ids) if ids else {}

    def stands(value: WorkingMemory) -> bool:
        if value.key != LATEST or not pointing[value.id]:
            return value.key != CLOSED
        episode = episodes.get(pointing[value.id])
        if episode is None or episode.status not in SHOWN or episode.content != value.content:
            return False
        return value.task_id not in closed or episode.created_at > closed[value.task_id]

    shown = (value for value in values if stands(value) and key in (None, value.key))
    return sorted(shown, key=lambda value: (value.task_id, value.key))


def _latest(
    task_id: str, known: WorkingMemory | None, closed: WorkingMemory | None, *, ledger: Ledger
) -> WorkingMemory | None:
    """What `latest` is by the episodes; a caller's own value stands where there are none."""
    newest = _newest_episode(task_id, ledger=ledger)
    if newest is not None:
        after_close = closed is None or newest.created_at > closed.created_at
        if after_close and newest.created_at + LIFETIME > ledger.call.now:
            return _pointing(newest, task_id, ledger=ledger)
    return None if known is None or "memory_id" in known.metadata else known


def _newest_episode(task_id: str, *, ledger: Ledger) -> Episode | None:
    """The newest episode of a task that anyone may see."""
    ids = ledger.store.of_task(ledger.call.scope, task_id, limit=LOOKED_AT)
    found = ledger.store.get(ledger.call.scope, ids) if ids else {}
    episodes = (found.get(one) for one in ids)
    shown = (one for one in episodes if isinstance(one, Episode) and one.status in SHOWN)
    return next(shown, None)


def close_task(task_id: str, *, ledger: Ledger) -> int:
    """Drop a task's scratch values and return how many there were; its episodes stay."""
    values = ledger.store.working(ledger.call.scope, task_id, now=ledger.call.now)
    dropped = [value for value in values if value.key != CLOSED]
    for start in range(0, len(dropped), DROPS):
        drops = [DropWorking(memory_id=value.id) for value in dropped[start : start + DROPS]]
        ledger.store.commit(ledger.call.scope, drops)
    ledger.after_fence(lambda ledger: _mark_closed(task_id, ledger=ledger))
    return len(dropped)


def _mark_closed(task_id: str, *, ledger: Ledger) -> None:
    mark = _value(task_id, CLOSED, "closed", ledger=ledger)
    mark = mark.model_copy(update={"origin": ledger.call.principal.ceiling})
    mark, row = ledger.recorded(mark, "task closed")
    ledger.commit_unforgotten([PutWorking(memory=mark), row], answer=f"closed {mark.id}")
