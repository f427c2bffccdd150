"""What the schemas of openapi.json are made of."""

from collections.abc import Mapping, Sequence
from typing import cast

from hindwise.runtime.strict_json import JsonObject

REF = "#/components/schemas/"
TEXT: JsonObject = {"type": "string"}
TRUTH: JsonObject = {"type": "boolean"}
COUNT: JsonObject = {"type": "integer", "minimum": 0}
TEXTS: JsonObject = {"type": "array", "items": TEXT}


def ref(name: str) -> JsonObject:
    """A reference to a schema by name."""
    return {"$ref": REF + name}


def listed(name: str) -> JsonObject:
    """An array of a schema."""
    return {"type": "array", "items": ref(name)}


def closed(properties: Mapping[str, JsonObject], *, optional: Sequence[str] = ()) -> JsonObject:
    """An object with exactly these properties, all required but the optional ones."""
    required = [name for name in properties if name not in optional]
    shape = {"type": "object", "properties": properties, "additionalProperties": False}
    return cast(JsonObject, {**shape, "required": required})
