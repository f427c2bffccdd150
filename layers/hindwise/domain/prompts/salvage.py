"""JSON out of what a model says: fences, reasoning, prose around it, small slips, a cut end.

Libraries that repair JSON finish what was cut, so that half a sentence is stored as a whole one.
Here nothing is finished: of a list that was cut the whole items are kept, an object that was cut
is dropped, and `whole` is False.
"""

import json
import math
import re
from collections.abc import Iterator

from pydantic import JsonValue

from hindwise.domain.base import Model

MAX_CHARS = 400_000
"""A longer answer is not looked at any further."""
MAX_STARTS = 200
"""So many brackets are tried as the beginning of JSON."""
MAX_DEPTH = 24
Json = dict[str, JsonValue] | list[JsonValue]
_TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning|analysis)>", re.IGNORECASE)
_BLANK = re.compile(r"(?:[\s\ufeff]|//[^\n]*+)*+")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_WORDS = {"true": True, "false": False}
_PIECE = {'"': re.compile(r'[^"\\]+'), "'": re.compile(r"[^'\\]+")}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_UNIT = re.compile(r"u([0-9a-fA-F]{4})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?")
_CLOSES = ("", ",", ":", "}", "]")
"""What may follow the quote that ends a string; another one is taken as part of its text."""


class Found(Model):
    """An object or list of a text; not `whole` where it was cut or a slip cost a part of it."""

    value: Json
    whole: bool = True


class _Slip(Exception):
    """What stands here is no JSON."""


class _Cut(Exception):
    """The text ended before the value did."""


def spoken(text: str) -> str:
    """The text without reasoning in tags; after a thought that does not end there is nothing.

    A tag that ends a thought which never began ends one that began before the text.
    """
    parts: list[str] = []
    place, thinking = 0, False
    for tag in _TAG.finditer(text[:MAX_CHARS]):
        if not tag[1] and not thinking:
            parts.append(text[place : tag.start()])
        elif tag[1] and not thinking:
            parts.clear()
        place, thinking = tag.end(), not tag[1]
    if not thinking:
        parts.append(text[place:MAX_CHARS])
    return "".join(parts).strip("\ufeff \t\r\n")


def found(text: str) -> list[Found]:
    """Every outermost object and list of a text, in order; never raises."""
    said = spoken(text)
    for candidate in (text.strip("\ufeff \t\r\n"), said):
        value = _strict(candidate)
        if value is not None:
            return [Found(value=value)]
    return list(_searched(said))


def _strict(text: str) -> Json | None:
    """The value of a text that is JSON and nothing else, where that is an object or a list."""
    if len(text) > MAX_CHARS or not text.startswith(("{", "[")):
        return None
    try:
        value = json.loads(text)
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) and _depth(value) <= MAX_DEPTH else None


def _depth(value: JsonValue) -> int:
    depth, level = 0, [value]
    while level:
        depth += 1
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    return depth


def _searched(text: str) -> Iterator[Found]:
    place = 0
    for _ in range(MAX_STARTS):
        starts = [at for at in (text.find("{", place), text.find("[", place)) if at >= 0]
        if not starts:
            return
        reader = _Reader(text, min(starts))
        try:
            value = reader.value()
        except (_Slip, _Cut):
            place = min(starts) + 1
            continue
        place = reader.place
        if isinstance(value, dict | list):
            yield Found(value=value, whole=reader.whole)


class _Reader:
    """Reads one value from a place on; `whole` turns False where something was lost.

    `inner` is what stands in a list: it is there as a whole or not at all.
    """

    def __init__(self, text: str, place: int) -> None:
        self.text = text
        self.place = place
        self.whole = True

    def value(self, depth: int = 0, *, inner: bool = False) -> JsonValue:
        """Read a value; raises _Slip or _Cut."""
        start = self._look()
        if depth >= MAX_DEPTH:
            raise _Slip
        if start == "{":
            return self._object(depth, inner=inner)
        if start == "[":
            return self._list(depth, inner=inner)
        if start in _PIECE:
            return self._string()
        return self._scalar()

    def _peek(self) -> str:
        """The next character that is not blank, nothing at the end."""
        blank = _BLANK.match(self.text, self.place)
        self.place = blank.end() if blank else self.place
        return self.text[self.place : self.place + 1]

    def _look(self) -> str:
        """The next character that is not blank; raises _Cut at the end."""
        if not (character := self._peek()):
            raise _Cut
        return character

    def _ends(self, end: str) -> bool:
        """Skip commas; tell whether the list or object ends here."""
        while self._look() == ",":
            self.place += 1
        if self.text[self.place] == end:
            self.place += 1
            return True
        return False

    def _list(self, depth: int, *, inner: bool) -> list[JsonValue]:
        self.place += 1
        items: list[JsonValue] = []
        try:
            while not self._ends("]"):
                start = self.place
                try:
                    items.append(self.value(depth + 1, inner=True))
                except _Slip:
                    if inner or self.text[start] != "{":
                        raise
                    self._resume()
        except _Cut:
            if inner:
                raise
            self.whole = False
        return items

    def _resume(self) -> None:
        """Give up an item of a list that cannot be read and go on at the next one."""
        self.whole = False
        following = self.text.find("{", self.place)
        self.place = following if following >= 0 else len(self.text)

    def _object(self, depth: int, *, inner: bool) -> dict[str, JsonValue]:
        self.place += 1
        members: dict[str, JsonValue] = {}
        try:
            while not self._ends("}"):
                quoted = self.text[self.place] in _PIECE
                name = self._string(name=True) if quoted else self._word()
                if self._look() != ":":
                    raise _Slip
                self.place += 1
                members[name] = self.value(depth + 1, inner=inner)
        except _Cut:
            if inner:
                raise
            self.whole = False
        return members

    def _word(self) -> str:
        word = _WORD.match(self.text, self.place)
        if word is None:
            raise _Slip
        self.place = word.end()
        return word.group()

    def _scalar(self) -> JsonValue:
        """A number or bare word; all but true and false are null. At the end it may be cut."""
        number = _NUMBER.match(self.text, self.place)
        if number is None:
            word = self._word().lower()
        else:
            self.place = number.end()
        following = self._look()
        if following not in _CLOSES:
            raise _Slip
        if number is None:
            return _WORDS.get(word)
        read = float(number.group())
        if not math.isfinite(read):
            return None
        return int(read) if number.group().lstrip("-+").isdecimal() and read < 1e15 else read

    def _string(self, *, name: bool = False) -> str:
        quote = self.text[self.place]
        self.place += 1
        parts: list[str] = []
        while True:
            if piece := _PIECE[quote].match(self.text, self.place):
                parts.append(piece.group())
                self.place = piece.end()
            if self.place >= len(self.text):
                raise _Cut
            self.place += 1
            if self.text[self.place - 1] == "\\":
                parts.append(self._escape())
                continue
            after = self.place
            if name or self._peek() in _CLOSES:
                return "".join(parts)
            self.place = after
            parts.append(quote)

    def _escape(self) -> str:
        """What stands behind a backslash; half of a surrogate pair is replaced by U+FFFD."""
        if unit := _UNIT.match(self.text, self.place):
            first, second = int(unit[1], 16), int(unit[2], 16) if unit[2] else 0
            if 0xD800 <= first < 0xDC00 and second:
                self.place = unit.end()
                return chr(0x10000 + (first - 0xD800) * 0x400 + second - 0xDC00)
            self.place = unit.end(1)
            return "\ufffd" if 0xD800 <= first < 0xE000 else chr(first)
        character = self.text[self.place : self.place + 1]
        self.place += 1
        return _ESCAPES.get(character, character)
