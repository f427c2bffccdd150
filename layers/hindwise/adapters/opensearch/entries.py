"""A document as an entry of the index, and a found entry as a document again.

An entry stands under the scope's key, which is also its routing: an id's routing never changes. A
tombstone is an entry without words, vector or facts.
"""

import logging
from base64 import b64encode, urlsafe_b64decode
from collections.abc import Iterable, Iterator
from functools import lru_cache
from urllib.parse import quote, unquote

from hindwise.adapters import document_codec
from hindwise.adapters.embedded.columns import numbers_of
from hindwise.adapters.embedded.scope_index import HALF_LIFE_MICROS
from hindwise.adapters.embedded.vectors import unit
from hindwise.adapters.opensearch.facts import facts_of
from hindwise.adapters.opensearch.shapes import Hit, Json
from hindwise.domain.document import Document
from hindwise.domain.ids import key_hash
from hindwise.domain.memory import LongTermMemory, place_of
from hindwise.domain.scope import Scope

NEVER = 2**62
"""Stands for a moment that does not come."""
NEVER_FRESH = -1e9
"""Stands for the logarithm of no importance at all."""
KEPT_PARSED = 4_096
"""Documents that a container keeps parsed between searches."""
_log = logging.getLogger(__name__)


def scope_key(scope: Scope) -> str:
    """A scope as a word of the index, which can be read back."""
    return f"{scope.tenant}#{quote(scope.user, safe='')}"


def scope_of(key: str) -> Scope:
    """Read a scope back."""
    tenant, _, user = key.partition("#")
    return Scope(tenant=tenant, user=unquote(user))


def routing_of(scope: Scope) -> str:
    """32 hex digits that stand for a scope, however long its user's name is."""
    return key_hash(scope.tenant, scope.user)


def entry_id(scope: Scope, memory_id: str) -> str:
    """The id of a memory's entry."""
    return f"{routing_of(scope)}-{memory_id}"


def tombstone(scope: Scope, memory_id: str, version: int, *, at: int) -> Json:
    """What is left of a memory: that it is gone, since which version; `at` in microseconds."""
    return {
        "scope": scope_key(scope),
        "mid": memory_id,
        "live": False,
        "version": version,
        "put_at": at,
    }


def entry(scope: Scope, document: Document, *, at: int) -> Json:
    """A document as it is indexed, put there `at` a moment in microseconds."""
    record = document.facets
    body = tombstone(scope, document.id, document.version, at=at) | {
        "live": True,
        "packed": _packed(document),
        "words": document.words,
        "exact": list(document.exact),
        "status": record.status.value,
        "facts": facts_of(record),
        **_numbers(record),
    }
    if (place := place_of(record)) is not None:
        body["place"] = place_key(*place)
    if document.vector is not None:
        body["vector"] = unit(document.vector)
    return body


def place_key(session_id: str, seq: int) -> str:
    """A place in a session."""
    return f"{seq}#{session_id}"


def documents_of(hits: Iterable[Hit]) -> Iterator[tuple[Document, Hit]]:
    """The documents of hits; one of a later version of the code is in nobody's way."""
    for hit in hits:
        try:
            document = _parsed(hit["fields"]["packed"][0])
        except (KeyError, TypeError, ValueError):
            _log.error("an entry of %s cannot be read", hit.get("_index"))
        else:
            yield document, hit


@lru_cache(maxsize=KEPT_PARSED)
def _parsed(packed: str) -> Document:
    data = urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
    version, body, facets = data.split(b"\n", 2)
    return document_codec.decoded(body, facets, version=int(version), vector=None)


def _packed(document: Document) -> str:
    body, facets = document_codec.encoded(document)
    return b64encode(b"%d\n%b\n%b" % (document.version, body, facets)).decode()


def _numbers(record: LongTermMemory) -> dict[str, float]:
    """The columns of the embedded index; `began` is when it became true at the latest.

    What was over before it began never did. `fresh` orders by what fades with time, and does not
    itself change with it.
    """
    numbers = numbers_of(record)
    weight = numbers.pop("weight")
    began = numbers["event_time"] if record.valid_from is None else numbers["begins"]
    began = NEVER if numbers["ends"] <= began else began
    fresh = weight + numbers["seen"] / HALF_LIFE_MICROS if record.importance else NEVER_FRESH
    return {**numbers, "began": began, "fresh": fresh}
