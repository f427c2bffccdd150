"""A projected document as a row: two pieces of JSON, and the vector as float16 bytes.

Half precision costs no recall and halves the row. numpy is loaded with the first vector, never by
the write path; a function that ships none reads a vector all the same.
"""

from array import array
from struct import unpack

from hindwise.adapters import document_codec
from hindwise.adapters.dynamodb import keys
from hindwise.adapters.dynamodb.expressions import Item, Value, key_of, number, text
from hindwise.domain.document import Document, Vector
from hindwise.domain.scope import Scope
from hindwise.errors import Unreadable


def packed(vector: Vector) -> bytes:
    """Little-endian float16 bytes of a vector."""
    import numpy as np

    return np.frombuffer(vector, dtype="<f4").astype("<f2").tobytes()


def unpacked(data: bytes) -> Vector:
    """The vector of float16 bytes; numpy is eight times as fast, where there is one."""
    try:
        import numpy as np
    except ModuleNotFoundError:
        return array("f", unpack(f"<{len(data) // 2}e", data))

    vector = array("f")
    vector.frombytes(np.frombuffer(data, dtype="<f2").astype("<f4").tobytes())
    return vector


def document_row(scope: Scope, document: Document, embedder: str) -> dict[str, Value]:
    """A projected document's row."""
    body, facets = document_codec.encoded(document)
    row = key_of(keys.document(scope, document.id, embedder))
    row |= {"version": number(document.version), "body": text(body.decode())}
    row |= {"facets": text(facets.decode())}
    if document.vector is not None:
        row["vector"] = {"B": packed(document.vector)}
    return row


def document_of(item: Item) -> Document:
    """Read a projected document; raises Unreadable, without the cause, which quotes the facets."""
    try:
        return document_codec.decoded(
            item["body"]["S"],
            item["facets"]["S"],
            version=int(item["version"]["N"]),
            vector=unpacked(item["vector"]["B"]) if "vector" in item else None,
        )
    except (KeyError, TypeError, ValueError):
        raise Unreadable("a projected document cannot be read") from None
