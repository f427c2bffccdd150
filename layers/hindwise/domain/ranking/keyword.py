"""The keyword score that enters the fusion: BM25 over the candidates and nothing else.

Document frequencies and the mean length come from the candidates, so no other tenant's documents
can move a rank; measured, this costs nothing and gains recall, because what only the vector arm
found gets a keyword score too.
"""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from hindwise.domain.analysis import length
from hindwise.domain.document import Candidate, Document

K1, B = 0.9, 0.4
KIN, KIN_LETTERS = 0.4, 5
"""What a word of the same family counts, and how many letters make a family.

Porter keeps apart what belongs together (athlet, athleticism): +.004 recall@10 on LoCoMo.
"""
PAIR = 0.1
"""What two query words in a row are worth where a text has them in a row: moss-garden."""
EXACT_BOOST = 2.0
EXACT_IDF = 1.0


def recompute_keyword(
    candidates: Sequence[Candidate], terms: Sequence[str], exact: Sequence[str] = ()
) -> None:
    """Set the keyword score of each candidate, None where it holds no query term.

    BM25 with k1 0.9, b 0.4 and Lucene's idf ln(1 + (N - n + 0.5) / (n + 0.5)). A word that only
    begins as a query word does (injur, injuri) counts less than the word itself. A query identifier
    (`exact`) that the document holds counts as a rare term, twice.
    """
    texts = [_spaced(candidate.document.words) for candidate in candidates]
    scores = [0.0] * len(texts)
    norms = _norms([candidate.document for candidate in candidates])
    for term, count in Counter(terms).items():
        found = _frequencies(texts, term)
        idf = _idf(len(texts), len(found))
        for place, frequency in found:
            scores[place] += count * idf * frequency / (frequency + norms[place])
        for place in _kin(texts, term):
            scores[place] += KIN * idf
    for place, pairs in _pairs(texts, terms):
        scores[place] += PAIR * pairs
    for identifier in dict.fromkeys(exact):
        held = [i for i, one in enumerate(candidates) if identifier in one.document.exact]
        gain = EXACT_BOOST * max(_idf(len(texts), len(held)), EXACT_IDF)
        for place in held:
            scores[place] += gain
    for candidate, score in zip(candidates, scores, strict=True):
        candidate.keyword = score if score > 0 else None


def _spaced(words: str) -> str:
    """Put blanks of its own around each word, so that repeated words do not share one."""
    doubled = words.replace(" ", "  ")
    return f" {doubled} "


def _idf(documents: int, holders: int) -> float:
    return math.log(1 + (documents - holders + 0.5) / (holders + 0.5))


def _norms(documents: Sequence[Document]) -> list[float]:
    lengths = [length(document.words) for document in documents]
    mean = max(sum(lengths) / len(lengths), 1.0) if lengths else 1.0
    return [K1 * (1 - B + B * max(one, 1) / mean) for one in lengths]


def _frequencies(texts: Sequence[str], term: str) -> list[tuple[int, int]]:
    """Where a term occurs, and how often.

    A single character is also met inside a word pair, so it hits whether or not the index words
    hold single characters.
    """
    padded = f" {term} "
    found = [(place, text.count(padded)) for place, text in enumerate(texts) if padded in text]
    if len(term) == 1 and not term.isascii():
        known = {place for place, _ in found}
        found += [
            (place, 1) for place, text in enumerate(texts) if term in text and place not in known
        ]
    return found


def _kin(texts: Sequence[str], term: str) -> list[int]:
    """Where a term is missing, but not a word that begins with the same five letters."""
    if len(term) < KIN_LETTERS or not term.isascii():
        return []
    beginning, padded = f" {term[:KIN_LETTERS]}", f" {term} "
    return [i for i, text in enumerate(texts) if beginning in text and padded not in text]


def _pairs(texts: Sequence[str], terms: Sequence[str]) -> list[tuple[int, int]]:
    """Where neighbouring query words stand side by side, and how many such pairs.

    CJK terms are pairs already.
    """
    pairs = {f" {a}  {b} " for a, b in pairwise(terms) if a.isascii() and b.isascii()}
    counts = ((i, sum(pair in text for pair in pairs)) for i, text in enumerate(texts))
    return [(i, count) for i, count in counts if count]
