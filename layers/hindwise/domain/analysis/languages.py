"""Which language a text is in, as far as dates, headings and prompts need to know."""

import re
from functools import cache
from typing import Literal

Language = Literal["zh", "en", "mixed", "und"]
_HAN_PER_WORD = 1.5
"""Chinese characters that say about as much as one English word."""


@cache
def _counted() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    return (
        re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"),
        re.compile("[A-Za-z]+(?:['\u2019][A-Za-z]+)?"),
        re.compile("[\u3040-\u30ff\uac00-\ud7a3]"),
        re.compile(r"[^\W\d_]"),
    )


def speaks_chinese(text: str) -> bool:
    """Tell whether a text holds Chinese characters, so that its dates are written 5月7日."""
    return _counted()[0].search(text) is not None


def language(text: str) -> Language:
    """Guess the language by script: `und` for neither, `mixed` where both carry the text."""
    han, latin, other, letter = _counted()
    chinese = len(han.findall(text)) / _HAN_PER_WORD
    words = latin.findall(text)
    if len(other.findall(text)) > chinese / 5:
        return "und"
    plain = sum(map(len, words))
    if plain < 0.9 * (len(letter.findall(text)) - chinese * _HAN_PER_WORD):
        return "und"
    if not chinese:
        return "en" if words else "und"
    if chinese >= 3 * len(words):
        return "zh"
    return "en" if len(words) >= 3 * chinese else "mixed"
