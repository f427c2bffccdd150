"""The object of an archived memory in a file: unpacked and read like any line before it is kept."""

import zlib
from base64 import b64decode
from collections.abc import Callable
from datetime import datetime
from typing import Annotated

from pydantic import Field

from hindwise.domain.archived import unpacked
from hindwise.domain.memory import Archived, LongTermMemory, Status
from hindwise.domain.portable import memory_fields
from hindwise.errors import Invalid
from hindwise.runtime.contracts.checking import Contract, checked
from hindwise.runtime.strict_json import JsonObject
from hindwise.usecases.importing import Object

UNPACKED_BYTES = 8_000_000
_NAME = r"^archive/[0-9A-Z]{26}/\d{8}-[0-9a-f]{16}\.json\.gz$"


class ArchiveLine(Contract):
    """An object: whose it is, its name, its digest, its bytes as base64."""

    id: Annotated[str, Field(pattern=r"^[0-9A-Z]{26}$")]
    name: Annotated[str, Field(pattern=_NAME)]
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    data: str


def archived(
    fields: JsonObject, read: Callable[[JsonObject], LongTermMemory], *, now: datetime
) -> Object:
    """The object of a line, whose memories `read` finds nothing wrong with; raises Invalid."""
    line = checked(ArchiveLine, fields)
    wrong = Invalid("data: is not what was archived under this digest", field="data")
    try:
        data = b64decode(line.data, validate=True)
        inflating = zlib.decompressobj(31)
        inflating.decompress(data, UNPACKED_BYTES)
    except (ValueError, zlib.error):
        raise wrong from None
    kept = Archived(
        name=line.name, digest=line.digest, size=len(data), status=Status.ACTIVE, why="cold", at=now
    )
    small = inflating.eof and line.name.startswith(f"archive/{line.id}/")
    held = unpacked(data, kept, line.id) if small else None
    if held is None:
        raise wrong
    inside = []
    for one in (held.memory, *held.versions):
        said = memory_fields(one)
        said.pop("line")
        inside.append(read(said))
    return Object(
        memory_id=line.id, archive=kept, data=data, origin=max(one.origin for one in inside)
    )
