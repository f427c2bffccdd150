"""Texts inside a text: what base64, hex, percent signs, Morse and the like spell, decoded once.

Only what decodes to something readable counts; checksums, ids and pictures do not. The places are
given too, so that a secret in disguise can be cut out whole.
"""

import base64
import binascii
import codecs
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import unquote

from hindwise.domain.admission.folding import hides
from hindwise.domain.admission.matching import compiled
from hindwise.domain.admission.words import SILENT, meanings

_SIGNALS = """
.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...-
.-- -..- -.-- --.. ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----. .-.-.-
--..-- ..--.. ---..."""
_MORSE = _SIGNALS.split()
_SPELT = dict(zip(_MORSE, "abcdefghijklmnopqrstuvwxyz0123456789.,?:", strict=True))
_AROUND = ".,!?:;\"'()"
_AT_MOST = 40
"""Blobs looked at in one text; a text of more is a dump."""


class Inner(NamedTuple):
    """A text found inside another: how it was written, where, and what it says."""

    how: str
    start: int
    end: int
    text: str


def _base64(blob: str) -> bytes:
    plain = "".join(blob.split()).rstrip("=").replace("-", "+").replace("_", "/")
    return base64.b64decode(plain + "=" * (-len(plain) % 4))


def _base32(blob: str) -> bytes:
    plain = blob.rstrip("=")
    return base64.b32decode(plain + "=" * (-len(plain) % 8))


def _hex(blob: str) -> bytes:
    return bytes.fromhex(
        "".join(char for char in blob.replace("0x", "") if char.isalnum() and char != "x")
    )


def _binary(blob: str) -> bytes:
    bits = "".join(char for char in blob if char in "01")
    return bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits), 8))


def _decimal(blob: str) -> bytes:
    return bytes(int(number) for number in blob.replace(",", " ").split())


def _morse(blob: str) -> bytes:
    words = blob.replace("|", "/").split("/")
    return " ".join("".join(_SPELT[sign] for sign in word.split()) for word in words).encode()


def _percent(blob: str) -> bytes:
    return unquote(blob.replace("+", " "), errors="strict").encode()


def _escapes(blob: str) -> bytes:
    plain = blob.replace("u{", "u").replace("}", "")
    return (
        codecs.decode(plain, "unicode_escape")
        .encode("utf-16", "surrogatepass")
        .decode("utf-16")
        .encode()
    )


def _ascii85(blob: str) -> bytes:
    return base64.a85decode(blob, adobe=True)


_DECODERS: dict[str, tuple[str, Callable[[str], bytes]]] = {
    "base64": (r"[A-Za-z0-9+/_-]{12,}(?:\r?\n[A-Za-z0-9+/_-]{12,})*={0,2}", _base64),
    "base32": (r"[A-Z2-7]{16,}={0,6}", _base32),
    "hex": (r"(?:0x)?(?:[0-9a-fA-F]{2}){8,}|(?:(?:\\x|0x)?[0-9a-fA-F]{2}[ :,]?){8,}", _hex),
    "binary": (r"[01]{8}(?:[ ,]?[01]{8}){5,}", _binary),
    "decimal": (r"[0-9]{2,3}(?:[, ]{1,2}[0-9]{2,3}){9,}", _decimal),
    "morse": (r"[.-]{1,6}(?: {1,3}[.-]{1,6}| ?[/|] ?[.-]{1,6}){7,}", _morse),
    "percent": (r"[^\s%]*(?:%[0-9A-Fa-f]{2}[^\s%]*){3,}", _percent),
    "escapes": (r"(?:\\u\{?[0-9a-fA-F]{4}\}?[ ]?){4,}", _escapes),
    "ascii85": (r"<~[!-u\s]{16,}~>", _ascii85),
    "base85": (r"[0-9A-Za-z!#$%&()*+;<=>?@^_`{|}~-]{40,}", base64.b85decode),
}


def inner(text: str) -> Iterator[Inner]:
    """The readable texts that parts of a text spell."""
    for how, (pattern, decode) in _DECODERS.items():
        for number, found in enumerate(compiled(pattern).finditer(text)):
            if number >= _AT_MOST:
                break
            said = _readable(found.group(), decode)
            if said:
                start, end = found.span()
                yield Inner(how, start, end, said)


def _readable(blob: str, decode: Callable[[str], bytes]) -> str:
    try:
        said = decode(blob).decode()
    except (ValueError, KeyError, OverflowError, binascii.Error):
        return ""
    shown = sum(char.isprintable() or char in "\n\t" or _joins(char) for char in said)
    return said if len(said) >= 6 and shown * 20 >= len(said) * 19 and said != blob else ""


def _joins(char: str) -> bool:
    return ord(char) > 0xFF and hides(char)


def turned(text: str) -> Iterator[tuple[str, str]]:
    """The whole text as rot13 or backwards, where that reads more like language than it does."""
    usual = _language(text)
    for how, other in (("rot13", codecs.encode(text, "rot13")), ("reversed", text[::-1])):
        if _language(other) > usual:
            yield how, other


def _language(text: str) -> int:
    known = meanings()
    counts = Counter(text.lower().split())
    words = ((word.strip(_AROUND), count) for word, count in counts.items())
    return sum(
        count for word, count in words if word in known or (len(word) > 1 and word in SILENT)
    )


_DIRECTIONS = str.maketrans(
    dict.fromkeys("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", "\n")
)


def overridden(text: str) -> str:
    """What the parts of a text say that are shown backwards; empty where none is."""
    if "\u202e" not in text and "\u202d" not in text:
        return ""
    return " ".join(part[::-1] for part in text.translate(_DIRECTIONS).split("\n"))
