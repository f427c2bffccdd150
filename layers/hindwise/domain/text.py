"""What a text may consist of, and when two texts are the same.

Invisible characters can carry instructions that no reviewer sees, so what has no honest use is
refused, not stripped: stored text is exactly what was sent, or it is not stored. Joiners in emoji,
marks of right-to-left scripts and single soft breaks stay.
"""

import re
import unicodedata
from functools import cache

_FLAWS = (
    ("a half surrogate pair", "[\ud800-\udfff]"),
    ("a control character", "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]"),
    ("a bidirectional override", "[\u202a-\u202e]"),
    (
        "smuggled tag characters",
        "(?<!\U0001f3f4)(?<![\U000e0020-\U000e007f])[\U000e0000-\U000e007f]",
    ),
    ("smuggled variation selectors", "[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2}|\\A[\ufe00-\ufe0f]"),
    ("a run of invisible characters", "[\u200b-\u200d\u2060-\u2064\ufeff\u180e\u00ad]{2}"),
    (
        "a run of combining marks",
        "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u1ab0-\u1aff"
        "\u1dc0-\u1dff\u20d0-\u20ff\u302a-\u302f\u3099\u309a\ufe20-\ufe2f]{32}",
    ),
    ("a noncharacter", "[\ufdd0-\ufdef\ufffe\uffff]"),
)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile(pattern)) for name, pattern in _FLAWS)


def flaw(text: str) -> str | None:
    """Name what makes a text inadmissible, e.g. `a control character`; None where it is fine."""
    if text.isascii() and text.isprintable():
        return None
    return next((name for name, pattern in _patterns() if pattern.search(text)), None)


def speaks(text: str) -> bool:
    """Tell whether a text holds a letter or digit at all."""
    return any(map(str.isalnum, text))


def normalised(text: str) -> str:
    """The form in which two texts are compared: NFC, one space for any blank, case folded."""
    return " ".join(unicodedata.normalize("NFC", text).split()).casefold()


_SENTENCE = re.compile(r"(?<=[。！？!?])|(?<=\.)(?=\s)|\n+")


def first_sentences(text: str, limit: int) -> str:
    """The whole sentences from the start that fit `limit` characters, at least a cut first one with
    an ellipsis.
    """
    kept = ""
    for sentence in _SENTENCE.split(text):
        if len(kept) + len(sentence) > limit:
            break
        kept += sentence
    return kept.strip() or text[: limit - 1].rstrip() + "…"
