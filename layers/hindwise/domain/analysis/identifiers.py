"""Tokens that stand for one thing: paths, URLs, versions, ids, e-mail addresses, moss-garden, C++.

Word analysis cuts them into pieces that many texts share; the exact-token field keeps them whole.
A question mark, an ampersand or an equals sign ends one, on both sides alike.
"""

import re
from functools import cache

from hindwise.domain.analysis.folding import narrow

LONGEST = 512
"""Characters; what is longer is data, not a name."""


@cache
def _candidate() -> re.Pattern[str]:
    return re.compile(
        r"#\d+|(?<![A-Za-z0-9])[A-Za-z]{1,12}(?:#|\+\+)(?![A-Za-z0-9#+])"
        r"|[A-Za-z0-9][A-Za-z0-9._:/\\@#+\-]*[A-Za-z0-9]",
        re.ASCII,
    )


@cache
def _telling() -> re.Pattern[str]:
    """What an identifier holds, unless it holds digits among letters or dashes.

    moss-garden is a name as much as well-known is a word; that both count harms nobody, since a
    match only adds.
    """
    return re.compile(r"[_/\\@#:]|[a-z0-9]\.[a-z0-9]|[a-z]-[a-z]|\+\+$")


@cache
def _ordinary() -> re.Pattern[str]:
    """What looks like one and is language: 3rd, 5pm, 90s, 10k, e.g, i.e."""
    return re.compile(r"\d+(?:st|nd|rd|th|am|pm|s|k|m|kg|km|cm|mm|h|min)|(?:[a-z]\.)+[a-z]")


def identifiers(text: str) -> tuple[str, ...]:
    """Give the identifiers of a text in lower case, each once, in order of appearance."""
    found = (match.lower() for match in _candidate().findall(narrow(text)))
    return tuple(dict.fromkeys(one for one in found if _is_identifier(one)))


def _is_identifier(token: str) -> bool:
    if len(token) > LONGEST or _ordinary().fullmatch(token):
        return False
    if _telling().search(token):
        return True
    return any(map(str.isdigit, token)) and any(one == "-" or one.isalpha() for one in token)
