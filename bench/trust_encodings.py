"""Fourteen ways to write a text so that a screen may miss it, for `trust_screens`."""

import base64
import codecs
from collections.abc import Callable
from urllib.parse import quote

from hindwise.domain.admission.folding_tables import LOOKALIKES, SIMPLIFIED

_LEET = str.maketrans("aeiotAEIOT", "4310743107")
_FULL = {code: code + 0xFEE0 for code in range(0x21, 0x7F)} | {0x20: 0x3000}
_CYRILLIC = {
    plain: odd for odd, plain in reversed(LOOKALIKES.items()) if "\u0400" <= odd <= "\u04ff"
}
_HOMOGLYPHS = str.maketrans({plain: _CYRILLIC[plain] for plain in "aeopcyxi" if plain in _CYRILLIC})
_TRADITIONAL = str.maketrans({plain: odd for odd, plain in reversed(SIMPLIFIED.items())})


def _zero_width(text: str) -> str:
    return "\u200b".join(text)


def _tags(text: str) -> str:
    return "User likes jazz." + "".join(
        chr(0xE0000 + ord(char)) if char.isascii() else char for char in text
    )


def _bidi(text: str) -> str:
    return f"Note: \u202e{text[::-1]}\u202c ok"


def _spaced(text: str) -> str:
    return "   ".join(" ".join(word) for word in text.split(" "))


def _mixed_case(text: str) -> str:
    return "".join(char.upper() if at % 2 else char.lower() for at, char in enumerate(text))


ENCODINGS: dict[str, Callable[[str], str]] = {
    "zero_width": _zero_width,
    "tags": _tags,
    "bidi": _bidi,
    "fullwidth": lambda text: text.translate(_FULL),
    "homoglyph": lambda text: text.translate(_HOMOGLYPHS),
    "leet": lambda text: text.translate(_LEET),
    "spaced": _spaced,
    "traditional": lambda text: text.translate(_TRADITIONAL),
    "html_comment": lambda text: f"Refunds take 30 days.<!-- {text} -->",
    "base64": lambda text: "Reference: " + base64.b64encode(text.encode()).decode(),
    "hex": lambda text: "Reference: " + text.encode().hex(),
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "percent": lambda text: quote(text),
    "mixed_case": _mixed_case,
}
