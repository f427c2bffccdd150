"""From JSON to a model, and from pydantic's errors to one message that names fields and limits.

Bodies are validated in pydantic's strict JSON mode: "0.5" is no number and 1 is no truth value. No
message ever holds the value that was refused.
"""

import re
from collections.abc import Collection
from datetime import datetime
from difflib import get_close_matches

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails, to_json

from hindwise.errors import Invalid
from hindwise.runtime.strict_json import JsonObject, refuse_flaws, shown

NAMED = 5
"""How many wrong fields one message names."""
GUESSED = {"q": "query", "k": "top_k", "topk": "top_k", "where": "filters", "message": "content"}
"""What others call a field, where its letters do not give that away."""
TIMES = frozenset(
    {
        "event_time",
        "valid_from",
        "valid_until",
        "review_at",
        "done_at",
        "as_of",
        "known_at",
        "now",
        "at",
    }
)
_RFC3339 = re.compile(
    r"(?!0)\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)"
)
TIME_RULE = "must be a time with its zone, like 2026-01-15T18:30:00+08:00, from year 1000 to 9998"
_WORDS = {
    "extra_forbidden": "is not a known field",
    "missing": "is missing",
    "timezone_aware": TIME_RULE,
    "datetime_parsing": TIME_RULE,
    "datetime_from_date_parsing": TIME_RULE,
    "datetime_type": TIME_RULE,
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "string_type": "must be a text",
}
DAY = r"^\d{4}-\d\d-\d\d$"
MEMORY_ID = r"^[0-9A-Z]{26}$"
CODE = r"^[a-z0-9][a-z0-9_.-]{0,63}$"
_SHAPES = {
    DAY: "must be a day like 2026-01-15",
    MEMORY_ID: "must be an id of 26 digits and capital letters",
    CODE: "must be a code like user-request, of at most 64 of a-z, 0-9, _, . and -",
}
"""What a text that has to match a pattern must be, by the pattern."""


class Contract(BaseModel):
    """A request body; unknown fields are errors. Its schema is built when it is first used."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def checked[T: BaseModel](model: type[T], value: JsonObject, *, at: str = "") -> T:
    """The model that `value` describes; raises Invalid naming every wrong field below `at`."""
    refuse_flaws(value, at)
    for name in TIMES & value.keys():
        if isinstance(given := value[name], str) and moment_of(given) is None:
            path = joined(at, name)
            raise Invalid(f"{path}: {TIME_RULE}", field=path)
    try:
        return model.model_validate_json(to_json(value), strict=True)
    except ValidationError as error:
        raise complaint(error, at=at, known=model.model_fields.keys() | {"user_id"}) from None


def moment_of(text: str) -> datetime | None:
    """The moment that an RFC 3339 time with a zone names; None for any other text, and for years
    that cannot be computed with.
    """
    if _RFC3339.fullmatch(text) is None or text.startswith("9999"):
        return None
    try:
        return datetime.fromisoformat(text.upper())
    except ValueError:
        return None


def complaint(error: ValidationError, *, at: str = "", known: Collection[str] = ()) -> Invalid:
    """One Invalid for all that pydantic found; `details.field` is the first field.

    A name that is none of the `known` ones is answered with the nearest of them.
    """
    found = _causes(error.errors(include_input=False, include_url=False, include_context=True))
    named = {_place(one, at): one for one in reversed(found)}
    wrong = [*reversed(named.items())]
    problems = [f"{place}: {_words(one)}{_hint(one, known)}" for place, one in wrong[:NAMED]]
    more = f"; and {len(wrong) - NAMED} more" if len(wrong) > NAMED else ""
    return Invalid("; ".join(problems) + more, field=wrong[0][0])


def _causes(found: list[ErrorDetails]) -> list[ErrorDetails]:
    """Without those lists that are too short because what is in them is wrong."""
    inside = {one["loc"][:at] for one in found for at in range(len(one["loc"]))}
    return [one for one in found if one["type"] != "too_short" or one["loc"] not in inside]


def _hint(error: ErrorDetails, known: Collection[str]) -> str:
    """What may have been meant by an unknown name at the top of what was checked."""
    if error["type"] != "extra_forbidden" or len(error["loc"]) != 1:
        return ""
    name = str(error["loc"][0])[:64].lower()
    guess = GUESSED.get(name)
    near = [guess] if guess in known else get_close_matches(name, known, n=1, cutoff=0.8)
    return f", did you mean {near[0]}?" if near else ""


def _place(error: ErrorDetails, at: str) -> str:
    return joined(at, *(shown(str(part)) for part in error["loc"])) or "body"


def _words(error: ErrorDetails) -> str:
    if (words := _WORDS.get(error["type"])) is not None:
        return words
    if error["type"] == "string_too_short" and error["ctx"]["min_length"] == 1:
        return "must not be empty"
    if error["type"] in ("literal_error", "enum"):
        expected = str(error["ctx"]["expected"])
        return "must be " + re.sub(r"<\w+\.\w+: ('[^']*')>", r"\1", expected)
    if error["type"] == "string_pattern_mismatch":
        return _SHAPES.get(error["ctx"]["pattern"], "is not written as it has to be")
    if error["type"] in ("too_short", "too_long"):
        few = error["type"] == "too_short"
        bound = error["ctx"]["min_length" if few else "max_length"]
        return f"must hold at {'least' if few else 'most'} {bound}"
    words = error["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return words.replace("should", "must", 1)


def joined(*parts: str) -> str:
    """A path of field names: `items`, `3`, `content` is `items.3.content`."""
    return ".".join(part for part in parts if part)


def renamed(fields: JsonObject, aliases: dict[str, str], *, at: str = "") -> JsonObject:
    """The fields under their own names; raises Invalid where a name comes with its alias."""
    kept = dict(fields)
    for alias, name in aliases.items():
        if alias not in kept:
            continue
        if name in kept:
            message = f"{joined(at, alias)} and {joined(at, name)} mean the same; send one"
            raise Invalid(message, field=joined(at, alias))
        kept[name] = kept.pop(alias)
    return kept
