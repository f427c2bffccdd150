"""A projected document as a row: one JSON body, and the vector as float16 bytes.

Half precision costs no recall and halves the row. Fields at their default are left out: a
projection can be rebuilt, so a changed default is no loss. numpy is loaded with the first vector,
never by the write path.
"""

from array import array

import orjson

from hindwise.adapters.dynamodb import keys
from hindwise.adapters.dynamodb.expressions import Item, Value, key_of, number, text
from hindwise.domain.document import Document, Vector
from hindwise.domain.memory import Episode, LongTermMemory, SemanticMemory
from hindwise.domain.scope import Scope
from hindwise.errors import Unreadable

KINDS: dict[str, type[Episode] | type[SemanticMemory]] = {
    "episodic": Episode,
    "semantic": SemanticMemory,
}


def packed(vector: Vector) -> bytes:
    """Little-endian float16 bytes of a vector."""
    import numpy as np

    return np.frombuffer(vector, dtype="<f4").astype("<f2").tobytes()


def unpacked(data: bytes) -> Vector:
    """The vector of float16 bytes."""
    import numpy as np

    vector = array("f")
    vector.frombytes(np.frombuffer(data, dtype="<f2").astype("<f4").tobytes())
    return vector


def document_row(scope: Scope, document: Document, embedder: str) -> dict[str, Value]:
    """A projected document's row."""
    facets = document.facets
    body = {
        "words": document.words,
        "exact": document.exact,
        "chars": document.chars,
        "flags": document.flags,
        "hash": document.text_hash,
        "kind": facets.kind,
    }
    facts = facets.model_dump_json(exclude_defaults=True)
    row = key_of(keys.document(scope, document.id, embedder))
    row |= {"version": number(document.version), "body": text(orjson.dumps(body).decode())}
    row |= {"facets": text(facts)}
    if document.vector is not None:
        row["vector"] = {"B": packed(document.vector)}
    return row


def document_of(item: Item) -> Document:
    """Read a projected document; raises Unreadable, without the cause, which quotes the facets."""
    try:
        return _document_of(item)
    except (KeyError, TypeError, ValueError):
        raise Unreadable("a projected document cannot be read") from None


def _document_of(item: Item) -> Document:
    body = orjson.loads(item["body"]["S"])
    facets: LongTermMemory = KINDS[body["kind"]].model_validate_json(item["facets"]["S"])
    return Document(
        id=facets.id,
        version=int(item["version"]["N"]),
        words=body["words"],
        exact=tuple(body["exact"]),
        chars=body["chars"],
        flags=body["flags"],
        facets=facets,
        text_hash=body["hash"],
        vector=unpacked(item["vector"]["B"]) if "vector" in item else None,
    )
