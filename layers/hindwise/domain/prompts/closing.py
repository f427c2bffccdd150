"""JSON schemas as strict structured output wants them: all members required, and no others."""

from pydantic import JsonValue


def closed(members: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The schema of an object that has exactly these members; a model writes them in this order."""
    names: list[JsonValue] = list(members)
    return {
        "type": "object",
        "properties": members,
        "required": names,
        "additionalProperties": False,
    }
