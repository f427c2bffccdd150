"""Bulk writes: each item on its own, newest version wins, what is refused is named.

Every item carries its record's version as an external one, so that it may come late, twice or in
any order; that a newer one is there is success. Items that a busy node turned away are sent again
for a moment, then the whole batch is left to the backlog.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from opensearchpy import OpenSearch
from opensearchpy.exceptions import TransportError

from hindwise.adapters.embedded.columns import micros
from hindwise.adapters.embedded.vectors import flaw_of
from hindwise.adapters.opensearch.client import asked, lines, unavailable
from hindwise.adapters.opensearch.entries import entry, entry_id, routing_of, tombstone
from hindwise.adapters.opensearch.mapping import properties
from hindwise.adapters.opensearch.shapes import Json
from hindwise.domain.document import Document
from hindwise.domain.scope import Scope

ROUNDS = 3
PAUSE_SECONDS = 0.2
MOST_BYTES = 4_000_000
"""Of one request; a managed domain of the smallest kind takes 10 MB."""
Sending = Callable[[bytes], Json | None]
"""Sends a bulk request and gives its answer, None where it is too large."""
_REFUSED, _MISSING, _NEWER, _TOO_LARGE = 400, 404, 409, 413
_FIELD = re.compile(r"\[([a-z_]+)\]")
_FIELDS = frozenset(properties(1))


@dataclass(frozen=True, slots=True)
class Put:
    """One entry to be written, as the two `lines` of a bulk request."""

    memory_id: str
    lines: bytes


def put_of(scope: Scope, memory_id: str, body: Json, *, again: bool = True) -> Put:
    """The entry `body` of a memory, `again` where its version may be there already.

    Raises TypeError or ValueError where it cannot be said.
    """
    action = {
        "_id": entry_id(scope, memory_id),
        "routing": routing_of(scope),
        "version": body["version"],
        "version_type": "external_gte" if again else "external",
    }
    return Put(memory_id, lines([{"index": action}, body]))


class Writer:
    """Writes a scope's documents and tombstones to the index behind an alias.

    Nothing is written where the alias does not exist.
    """

    def __init__(
        self,
        client: OpenSearch,
        alias: str,
        dimensions: int,
        *,
        clock: Callable[[], datetime],
    ) -> None:
        self._sending = partial(_bulk, client, alias)
        self._dimensions = dimensions
        self._clock = clock

    def put(
        self,
        scope: Scope,
        documents: Sequence[Document],
        gone: Mapping[str, int],
        *,
        again: bool = True,
    ) -> dict[str, str]:
        """Write; gives memory id → reason of those that can never be written.

        With `again`, a version that is there already is written over: it may have a new vector.
        Raises Unavailable where the node is, also for some of them; writing again is harmless.
        """
        at = micros(self._clock())
        refused: dict[str, str] = {}
        puts: list[Put] = []
        for one in documents:
            flaw = one.vector and flaw_of(one.vector, self._dimensions)
            try:
                if not flaw:
                    puts.append(put_of(scope, one.id, entry(scope, one, at=at), again=again))
            except (TypeError, ValueError):
                flaw = "it cannot be written as an entry"
            if flaw:
                refused[one.id] = flaw
        for memory_id, version in gone.items():
            body = tombstone(scope, memory_id, version, at=at)
            puts.append(put_of(scope, memory_id, body))
        return refused | write(self._sending, puts)


def write(
    sending: Sending, puts: Sequence[Put], *, pause: Callable[[float], None] = time.sleep
) -> dict[str, str]:
    """Write entries by `sending` bulk requests, as `Writer.put` says."""
    refused: dict[str, str] = {}
    waiting = list(puts)
    for attempt in range(ROUNDS):
        if attempt:
            pause(PAUSE_SECONDS * 2**attempt)
        later: list[Put] = []
        for chunk in _chunks(waiting):
            later += _send(sending, chunk, refused)
        if not later:
            return refused
        waiting = later
    raise unavailable(f"it turned {len(waiting)} entries away")


def _chunks(puts: Sequence[Put]) -> list[list[Put]]:
    chunks: list[list[Put]] = []
    size = MOST_BYTES
    for one in puts:
        if size + len(one.lines) > MOST_BYTES:
            chunks.append([])
            size = 0
        chunks[-1].append(one)
        size += len(one.lines)
    return chunks


def _send(sending: Sending, chunk: list[Put], refused: dict[str, str]) -> list[Put]:
    """Send one request; give what is to be sent again.

    What is wrong with an entry is a 400. All else says that the node cannot write now: a full disk,
    for one, is a 403.
    """
    body = b"".join(one.lines for one in chunk)
    answer = asked(lambda: sending(body))
    if answer is None:
        if len(chunk) == 1:
            refused[chunk[0].memory_id] = "the entry is too large for the index"
            return []
        half = len(chunk) // 2
        return [
            *_send(sending, chunk[:half], refused),
            *_send(sending, chunk[half:], refused),
        ]
    later = []
    for put, item in zip(chunk, answer["items"], strict=True):
        status = item["index"]["status"]
        if status == _MISSING:
            raise unavailable("there is no index yet", status=_MISSING)
        if status == _REFUSED:
            refused[put.memory_id] = reason_of(item["index"].get("error", {}))
        elif status > _REFUSED and status != _NEWER:
            later.append(put)
    return later


def _bulk(client: OpenSearch, alias: str, body: bytes) -> Json | None:
    """The answer to a bulk request, None where it is too large for the node."""
    try:
        answer: Json = client.bulk(index=alias, body=body, params={"require_alias": "true"})
    except TransportError as error:
        if error.status_code == _TOO_LARGE:
            return None
        raise
    return answer


def reason_of(error: Json) -> str:
    """The kind of a refusal and the field it is about; what else is said may quote content."""
    kind = str(error.get("type", "refused"))
    field = _FIELD.search(str(error.get("reason", "")))
    return f"{kind} at {field[1]}" if field and field[1] in _FIELDS else kind
