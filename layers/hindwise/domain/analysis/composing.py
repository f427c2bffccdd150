"""Joins letters with the marks that follow them, so that é is one word however it was typed.

NFC by pieces: `unicodedata.normalize` over a whole text sorts runs of marks in the square of their
length and replaces characters that a node keeps apart (compatibility ideographs); a letter with its
first few marks, and a Hangul syllable, are all that keyboards and file systems take apart.
"""

import re
import unicodedata
from functools import cache

MARKS = 8
"""Marks on one letter that are joined with it; no language writes as many."""

_JOINED = (
    "\u0300-\u036f\u0653-\u0655\u093c\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0c56\u0cc2\u0cd5"
    "\u0cd6\u0d3e\u0d57\u0dca\u0dcf\u0ddf\u102e\u1b35\u3099\u309a"
)
"""What comes second in a canonical composition of the basic plane."""


@cache
def _apart() -> re.Pattern[str]:
    return re.compile(
        f"[^\\s{_JOINED}][{_JOINED}]{{1,{MARKS}}}|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?"
    )


def composed(text: str) -> str:
    """Give the text with letters and marks joined where there is one character for both."""
    if text.isascii():
        return text
    return _apart().sub(lambda found: unicodedata.normalize("NFC", found.group()), text)
