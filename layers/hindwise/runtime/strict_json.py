"""Request bodies as JSON, with what is merely tolerated elsewhere refused.

RFC 8259 leaves duplicate names, huge numbers and half surrogates open; each of them reads
differently in the next parser, so they end here. The depth is counted before anything is built, and
all work is linear in the body.
"""

import binascii
import json
import math
import re
from base64 import b64decode
from typing import NoReturn

from pydantic import JsonValue

from hindwise.domain.text import flaw
from hindwise.errors import Invalid, TooLarge

MAX_BYTES = 262_144
MAX_DEPTH = 16
MAX_DIGITS = 300
"""A longer integer could not be compared with a float."""
JsonObject = dict[str, JsonValue]
_MARKS = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


def body_text(body: str | None, *, base64: bool, most: int = MAX_BYTES) -> str:
    """The text of an event's body.

    Raises TooLarge over `most` bytes and Invalid where it is no UTF-8.
    """
    if body is None:
        return ""
    if not base64:
        return _decoded(_encoded(body, most), most)
    if len(body) > most * 4 // 3 + 4:
        _too_large(most)
    try:
        return _decoded(b64decode(body, validate=True), most)
    except (binascii.Error, ValueError) as error:
        raise Invalid("the body is not valid base64", field="body") from error


def _encoded(body: str, most: int) -> bytes:
    if len(body) > most:
        _too_large(most)
    try:
        return body.encode()
    except UnicodeEncodeError as error:
        raise Invalid("the body is not valid UTF-8", field="body") from error


def _decoded(raw: bytes, most: int) -> str:
    if len(raw) > most:
        _too_large(most)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise Invalid(f"the body is not valid UTF-8 at byte {error.start}", field="body") from error


def _too_large(most: int) -> NoReturn:
    raise TooLarge(f"the body is over the limit of {most} bytes", details={"field": "body"})


def parse_object(text: str, *, field: str = "body") -> JsonObject:
    """Parse a JSON object; raises Invalid naming `field`, or the path inside it, and the place."""
    if not text.strip():
        raise Invalid(f"{field} must be a JSON object; it is empty", field=field)
    _check_depth(text, field)
    unfit: list[_Unfit] = []
    parsed = _parsed(text, field, unfit)
    if not isinstance(parsed, dict):
        raise Invalid(f"{field} must be a JSON object", field=field)
    if unfit:
        path = _path_of(parsed, unfit[0], field) or field
        raise Invalid(f"{path}: {unfit[0].why}", field=path)
    return parsed


def _check_depth(text: str, field: str) -> None:
    if text.count("{") + text.count("[") <= MAX_DEPTH:
        return
    depth = 0
    for found in _MARKS.finditer(text):
        if found[0] in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                where = f"at character {found.start()}"
                message = f"{field} is nested deeper than {MAX_DEPTH} levels {where}"
                raise Invalid(message, field=field)
        elif found[0] in "]}":
            depth -= 1


class _Unfit:
    """Stands in the parsed tree for a number that is none, so that its path can be named."""

    def __init__(self, why: str) -> None:
        self.why = why


def _parsed(text: str, field: str, unfit: list[_Unfit]) -> JsonValue:
    def no(why: str) -> _Unfit:
        unfit.append(_Unfit(why))
        return unfit[-1]

    def whole(digits: str) -> int | _Unfit:
        fits = len(digits.lstrip("-")) <= MAX_DIGITS
        return int(digits) if fits else no(f"has over {MAX_DIGITS} digits")

    def real(digits: str) -> float | _Unfit:
        number = float(digits)
        return number if math.isfinite(number) else no("is too large a number")

    def members(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
        built = dict(pairs)
        if len(built) != len(pairs):
            seen: set[str] = set()
            twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
            raise Invalid(f"{shown(twice)} is given twice in one object", field=shown(twice))
        return built

    try:
        return json.loads(  # type: ignore[no-any-return]
            text,
            parse_int=whole,
            parse_float=real,
            parse_constant=lambda name: no(f"{name} is not a JSON number"),
            object_pairs_hook=members,
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}"
        raise Invalid(f"{field} is not valid JSON: {error.msg} at {where}", field=field) from error


def _path_of(value: object, sought: _Unfit, path: str) -> str | None:
    if value is sought:
        return path
    found = (_path_of(inner, sought, name) for name, inner in _inside(value, path))
    return next(filter(None, found), None)


def _inside(value: object, path: str) -> list[tuple[str, object]]:
    """The children of a value with their paths; the root's own name is left out of them."""
    start = "" if path in ("", "body") else f"{path}."
    if isinstance(value, dict):
        return [(f"{start}{shown(name)}", inner) for name, inner in value.items()]
    if isinstance(value, list):
        return [(f"{start}{index}", inner) for index, inner in enumerate(value)]
    return []


def refuse_flaws(value: JsonValue, path: str = "") -> None:
    """Raise Invalid naming the first field whose text, or whose name, is inadmissible."""
    if isinstance(value, str):
        if wrong := flaw(value):
            raise Invalid(f"{path or 'body'}: holds {wrong}", field=path or "body")
    elif isinstance(value, dict):
        for name in value:
            if wrong := flaw(name):
                raise Invalid(f"{path or 'body'}: a name holds {wrong}", field=path or "body")
    if isinstance(value, dict | list):
        for inner_path, inner in _inside(value, path):
            refuse_flaws(inner, inner_path)  # type: ignore[arg-type]


def shown(name: str) -> str:
    """A field name as an error may show it: printable, at most 64 characters."""
    fit = "".join(char if char.isprintable() else "?" for char in name[:64])
    return fit if len(name) <= 64 else f"{fit}…"
