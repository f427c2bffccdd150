"""Folds the ways in which one word can be written: width, case and apostrophes.

Lucene's `cjk_width` and `lowercase` filters, character by character: the standard library's NFKC
and `str.lower` fold more than they do, and an index term that differs is a term not found.
"""

import unicodedata

APOSTROPHES = str.maketrans({"\u2018": "'", "\u2019": "'", "\uff07": "'"})
_VOICED = {"\uff9e": "\u3099", "\uff9f": "\u309a"}


def narrow(text: str) -> str:
    """Make full-width ASCII half width and half-width Katakana full width."""
    if not any("\uff01" <= char <= "\uff9f" for char in text):
        return text
    out: list[str] = []
    for char in text:
        if "\uff01" <= char <= "\uff5e":
            out.append(chr(ord(char) - 0xFEE0))
        elif char in _VOICED:
            _voice(out, _VOICED[char])
        elif "\uff65" <= char <= "\uff9f":
            out.append(unicodedata.normalize("NFKC", char))
        else:
            out.append(char)
    return "".join(out)


def _voice(out: list[str], mark: str) -> None:
    """Join a voice mark with the Katakana before it, where there is such a character."""
    joined = unicodedata.normalize("NFC", out[-1] + mark) if out else ""
    if len(joined) == 1:
        out[-1] = joined
    else:
        out.append(mark)


def lower(text: str) -> str:
    """Lower case that keeps the number of characters, as Java's `Character.toLowerCase` does."""
    if text.isascii():
        return text.lower()
    return "".join(low if len(low := char.lower()) == 1 else low[0] for char in text)
