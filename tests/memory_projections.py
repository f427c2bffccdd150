"""Projected documents and the backlog in memory; use it through `tests.fakes`."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice

from hindwise.domain import changes as c
from hindwise.domain.document import Document
from hindwise.domain.fence import hidden
from hindwise.domain.ports import Logged
from hindwise.domain.scope import Scope
from tests.memory_store import Home, World, insert


class InMemoryProjections:
    """Projected documents and the backlog, in memory."""

    def __init__(self, world: World) -> None:
        self._world = world

    def _home(self, scope: Scope, method: str, keys: int = 0) -> Home:
        self._world.faults.called(method, keys)
        return self._world.home(scope)

    def documents(self, scope: Scope, ids: Sequence[str]) -> dict[str, Document]:
        with self._world.lock:
            home = self._home(scope, "documents", len(ids))
            held = home.documents
            return {one: held[one] for one in ids if one in held and not hidden(one, home.fence)}

    def newest(self, scope: Scope, limit: int) -> list[Document]:
        with self._world.lock:
            home = self._home(scope, "newest")
            ids = (one for one in reversed(home.document_ids) if not hidden(one, home.fence))
            held = (home.documents.get(one) for one in ids)
            found = list(islice((one for one in held if one is not None), limit))
            self._world.faults.keys_read += len(found)
            return found

    def put(
        self,
        scope: Scope,
        documents: Sequence[Document],
        gone: Mapping[str, int],
        *,
        now: datetime,
    ) -> None:
        """Keep what still belongs to its record: no document outlives or overtakes it."""
        with self._world.lock:
            home = self._home(scope, "put", len(documents))
            for document in documents:
                record = home.memories.get(document.id)
                if record is not None and record.version == document.version:
                    home.documents[document.id] = document
                    position = bisect_left(home.document_ids, document.id)
                    if home.document_ids[position : position + 1] != [document.id]:
                        insert(home.document_ids, document.id)
            for one, version in gone.items():
                if one in home.documents and home.documents[one].version <= version:
                    del home.documents[one]
            home.log.append((now, (*(document.id for document in documents), *gone)))

    def walk(self, cursor: str) -> tuple[list[tuple[Scope, Document]], str | None]:
        """A scope a page."""
        with self._world.lock:
            self._world.faults.called("walk", 0)
            homes = list(self._world.homes.items())
            at = int(cursor or 0)
            if at >= len(homes):
                return [], None
            scope, home = homes[at]
            found = [(scope, document) for document in home.documents.values()]
            return found, str(at + 1) if at + 1 < len(homes) else None

    def logged(self, scope: Scope, *, since: datetime) -> tuple[Logged, ...]:
        with self._world.lock:
            oldest = max(since, self._world.clock() - timedelta(hours=1))
            rows = enumerate(self._home(scope, "logged").log)
            return tuple(
                Logged(key=f"{row:026d}", ids=ids) for row, (at, ids) in rows if at >= oldest
            )

    def clear(self, scope: Scope, changes: Sequence[c.Change]) -> None:
        with self._world.lock:
            home = self._home(scope, "clear", len(changes))
            for change in changes:
                home.changes.pop(change.key, None)
                self._world.parked.pop((scope, change.key), None)
                self._world.bucket(change.memory_id).pop((scope, change.key), None)

    def failed(
        self,
        scope: Scope,
        change: c.Change,
        *,
        reason: str,
        park: bool,
        until: datetime | None = None,
    ) -> None:
        with self._world.lock:
            home = self._home(scope, "failed")
            row = home.changes.get(change.key)
            if row is None:
                return
            said = {"attempts": row.attempts + 1, "reason": reason, "parked": park or row.parked}
            tried = row.model_copy(update=said)
            home.changes[change.key] = tried
            bucket = self._world.bucket(change.memory_id)
            waited = (scope, change.key) in bucket
            bucket.pop((scope, change.key), None)
            if park:
                self._world.parked[scope, change.key] = None
            elif waited:
                bucket[scope, change.key] = until

    def dirty(self, bucket: int, limit: int) -> list[tuple[Scope, c.Change]]:
        with self._world.lock:
            self._world.faults.called("dirty")
            rows, now = self._world.dirty[bucket].items(), self._world.clock()
            return self._waiting((row for row, at in rows if at is None or at <= now), limit)

    def parked(self, limit: int) -> list[tuple[Scope, c.Change]]:
        with self._world.lock:
            self._world.faults.called("parked")
            return self._waiting(self._world.parked, limit)

    def _waiting(
        self, rows: Iterable[tuple[Scope, str]], limit: int
    ) -> list[tuple[Scope, c.Change]]:
        held = islice(rows, limit)
        return [(scope, self._world.home(scope).changes[key]) for scope, key in held]
