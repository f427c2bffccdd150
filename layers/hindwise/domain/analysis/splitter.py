"""Cuts text into words as Lucene's StandardTokenizer does (UAX #29 word boundaries).

One regular expression instead of the standard's state table: the rules that look behind are turned
into what a word may look like. Compiled at first use, since its classes take 60 ms; ASCII has an
expression of its own that takes 1 ms, so that a cold English search does not wait. A run of joiners
that begins no word is taken as a whole and dropped: tried again from each of its characters, it
would cost the square of its length.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from hindwise.domain.analysis import unicode_classes as u

LONGEST = 255
"""Longer words are cut into pieces of this length, as Lucene's `max_token_length` does."""


class Piece(NamedTuple):
    """A word at `start..end`; `paired` tells that its characters become bigrams."""

    text: str
    paired: bool
    start: int
    end: int


@cache
def _token() -> re.Pattern[str]:
    """All kinds of token, tried in this order: emoji, word, then single characters and runs."""
    more = f"[{u.EXTENDERS}]*"
    letter = f"[{u.LETTERS}{u.HANGUL}]"
    letters = f"{letter}{more}(?:[{u.BETWEEN_LETTERS}]{more}(?={letter}))?"
    digits = f"[{u.DIGITS}]{more}(?:[{u.BETWEEN_DIGITS}]{more}(?=[{u.DIGITS}]))?"
    run = f"(?:(?:{letters}|{digits})+|(?:[{u.KATAKANA}]{more})+)"
    joiner = f"[{u.JOINERS}]{more}"
    first = f"(?:[{u.JOINERS}](?:(?![{u.UNSPACED}{u.SKINS}])[{u.EXTENDERS}])*)"
    word = f"{first}*+{run}(?:(?:{joiner})+{run}?)*"
    picture = f"[{u.PICTURES}]{more}"
    emoji = (
        f"[{u.FLAGS}]{more}[{u.FLAGS}]{more}"
        f"|[0-9#*]\ufe0f?\u20e3{more}"
        f"|{picture}(?:(?<=\u200d){picture})*"
    )
    single = f"[{u.HAN}{u.HIRAGANA}]{more}"
    return re.compile(
        f"(?P<emoji>{emoji})|(?P<word>{word})|(?P<single>{single})|(?:[{u.UNSPACED}]{more})+"
        f"|(?P<idle>{first}+)"
    )


@cache
def _run() -> re.Pattern[str]:
    """A word that is all Katakana or all Hangul: one that becomes bigrams."""
    more = u.EXTENDERS
    return re.compile(f"[{u.KATAKANA}][{u.KATAKANA}{more}]*|[{u.HANGUL}][{u.HANGUL}{more}]*")


@cache
def _ascii_word() -> re.Pattern[str]:
    """What `_token` finds in ASCII."""
    run = r"(?:[A-Za-z](?:[:.'](?=[A-Za-z]))?|[0-9](?:[,;.'](?=[0-9]))?)+"
    return re.compile(f"_*+{run}(?:_+(?:{run})?)*|(?P<idle>_+)")


def pieces(text: str) -> Iterator[Piece]:
    """Give the words of a text in order, as they are written there."""
    expression = _ascii_word() if text.isascii() else _token()
    for match in expression.finditer(text):
        word, start = match.group(), match.start()
        kind = match.lastgroup
        if kind == "idle":
            continue
        paired = kind == "single" or (kind == "word" and _run().fullmatch(word) is not None)
        for at in range(0, len(word), LONGEST):
            part = word[at : at + LONGEST]
            yield Piece(part, paired, start + at, start + at + len(part))
