"""The terms of a stored text and of a question, and how long a stored text counts.

Two filter chains over one splitter: they differ only in stop words and single CJK characters.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from hindwise.domain.analysis.composing import composed
from hindwise.domain.analysis.folding import APOSTROPHES, lower, narrow
from hindwise.domain.analysis.porter import stem
from hindwise.domain.analysis.splitter import pieces

QUERY_TERMS = 200
"""A query is cut here; a node refuses more than 1,024 clauses."""

_STOPPED = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then "
    "there these they this to was will with did do does were what when where which who whom whose "
    "why how am been has have had would could should can may might must i you he she we me him her "
    "us them my your his its our"
)
STOP_QUERY = frozenset(_STOPPED.split())
"""Lucene's 33 stop words, question words, auxiliaries and pronouns: they carry no evidence, and
searching for them costs .016 recall. The index keeps them, so the list can change at any time."""

_PAIRED = (
    "\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\uff66-\uffdc\U0001b000-\U0001b2ff\U00020000-\U0003ffff"
)


def index_words(text: str) -> list[str]:
    """Give the terms of a stored text, in order; each CJK character is followed by its bigram."""
    return list(_terms(text, stop=frozenset(), singles=True))


def query_words(text: str) -> list[str]:
    """Give the terms to search for, in order, at most QUERY_TERMS; a repeated word counts twice."""
    out: list[str] = []
    for term in _terms(text, stop=STOP_QUERY, singles=False):
        out.append(term)
        if len(out) == QUERY_TERMS:
            break
    return out


@cache
def _bigram() -> re.Pattern[str]:
    return re.compile(f"(?<![^ ])[{_PAIRED}]{{2}}(?![^ ])")


def length(words: str) -> int:
    """Count the places of `index_words` joined by blanks.

    A bigram stands on the place of its first character and does not count, as in Lucene.
    """
    if not words:
        return 0
    tokens = words.count(" ") + 1
    return tokens if words.isascii() else tokens - len(_bigram().findall(words))


def _terms(text: str, *, stop: frozenset[str], singles: bool) -> Iterator[str]:
    run: list[str] = []
    end = -1
    for piece in pieces(composed(text.translate(APOSTROPHES))):
        word = lower(narrow(piece.text))
        if piece.paired:
            if piece.start != end:
                yield from _bigrams(run, singles=singles)
                run = []
            run += word
            end = piece.end
            continue
        yield from _bigrams(run, singles=singles)
        run, end = [], -1
        head = word.split("'", 1)[0] or word
        if head not in stop:
            yield stem(head)
    yield from _bigrams(run, singles=singles)


def _bigrams(run: Sequence[str], *, singles: bool) -> Iterator[str]:
    if len(run) == 1:
        yield run[0]
        return
    for at, char in enumerate(run):
        if singles:
            yield char
        if at + 1 < len(run):
            yield char + run[at + 1]
