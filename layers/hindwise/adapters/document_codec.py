"""A projected document as two pieces of JSON: what it says itself, and its facets.

Fields at their default are left out: a projection can be rebuilt, so a changed default is no loss.
The vector is kept apart, in a form of each store's own.
"""

import orjson

from hindwise.domain.document import Document, Vector
from hindwise.domain.memory import Episode, LongTermMemory, SemanticMemory

KINDS: dict[str, type[Episode] | type[SemanticMemory]] = {
    "episodic": Episode,
    "semantic": SemanticMemory,
}


def encoded(document: Document) -> tuple[bytes, bytes]:
    """The document's body and its facets."""
    facets = document.facets
    body = {
        "words": document.words,
        "exact": document.exact,
        "chars": document.chars,
        "flags": document.flags,
        "hash": document.text_hash,
        "kind": facets.kind,
    }
    return orjson.dumps(body), facets.model_dump_json(exclude_defaults=True).encode()


def decoded(
    body: bytes | str, facets: bytes | str, *, version: int, vector: Vector | None
) -> Document:
    """The document again; raises KeyError, TypeError or ValueError for anything else."""
    fields = orjson.loads(body)
    record: LongTermMemory = KINDS[fields["kind"]].model_validate_json(facets)
    return Document(
        id=record.id,
        version=version,
        words=fields["words"],
        exact=tuple(fields["exact"]),
        chars=fields["chars"],
        flags=fields["flags"],
        facets=record,
        text_hash=fields["hash"],
        vector=vector,
    )
