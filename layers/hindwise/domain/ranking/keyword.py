"""The keyword score that enters the fusion: BM25 over the candidates and nothing else.

Document frequencies and the mean length come from the candidates, so no other tenant's documents
can move a rank; measured, this costs nothing and gains recall, because what only the vector arm
found gets a keyword score too.
"""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from hindwise.domain.document import Candidate

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
    """Set the keyword score of each candidate as `Matches.score` does."""
    matches = Matches(terms, exact)
    matches.add(candidates)
    matches.score()


class Matches:
    """Where candidates hold the words of a query; texts are read once, when they are added."""

    def __init__(self, terms: Sequence[str], exact: Sequence[str] = ()) -> None:
        self._counts = Counter(terms)
        self._words = {term: _Word(term) for term in self._counts}
        plain = [(a, b) for a, b in pairwise(terms) if a.isascii() and b.isascii()]
        self._follows = dict.fromkeys(plain)
        self._pairs: Counter[int] = Counter()
        self._exact: dict[str, list[int]] = {one: [] for one in exact}
        self._lengths: list[int] = []
        self._total = 0
        self._candidates: list[Candidate] = []

    def add(self, candidates: Sequence[Candidate]) -> None:
        """Look through the texts of more candidates."""
        start = len(self._candidates)
        documents = [candidate.document for candidate in candidates]
        texts = [f" {document.words} " for document in documents]
        found = {term: word.read(texts, start) for term, word in self._words.items()}
        for a, b in self._follows:
            pair = f" {a} {b} "
            self._pairs.update(place for place, _ in found[a] if pair in texts[place - start])
        for identifier, held in self._exact.items():
            held += [i for i, one in enumerate(documents, start) if identifier in one.exact]
        self._total += sum(document.length for document in documents)
        self._lengths += [max(1, document.length) for document in documents]
        self._candidates += candidates

    def score(self) -> None:
        """Set the keyword score of each candidate, None where it holds no query term.

        BM25 with k1 0.9, b 0.4 and Lucene's idf ln(1 + (N - n + 0.5) / (n + 0.5)). A word that only
        begins as a query word does (injur, injuri) counts less than the word itself. A query
        identifier (`exact`) that the document holds counts as a rare term, twice.
        """
        size = len(self._candidates)
        scores, norms = [0.0] * size, self._norms()
        for term, word in self._words.items():
            idf = _idf(size, len(word.found))
            weight = self._counts[term] * idf
            for place, frequency in word.found:
                scores[place] += weight * frequency / (frequency + norms[place])
            for place in word.kin:
                scores[place] += KIN * idf
        for place, pairs in self._pairs.items():
            scores[place] += PAIR * pairs
        for held in self._exact.values():
            gain = EXACT_BOOST * max(_idf(size, len(held)), EXACT_IDF)
            for place in held:
                scores[place] += gain
        for candidate, score in zip(self._candidates, scores, strict=True):
            candidate.keyword = score if score > 0 else None

    def _norms(self) -> list[float]:
        mean = max(1.0, self._total / max(1, len(self._lengths)))
        least, each = K1 * (1 - B), K1 * B / mean
        return [least + each * one for one in self._lengths]


class _Word:
    """Where a query word was found and how often, and where only one of its family was.

    The family begins with the same five letters. A single character is also met inside a word pair,
    so it hits whether or not the index words hold single characters.
    """

    __slots__ = ("_family", "_inside", "_padded", "_term", "_twice", "found", "kin")

    def __init__(self, term: str) -> None:
        self.found: list[tuple[int, int]] = []
        self.kin: list[int] = []
        plain = term.isascii()
        self._term = term
        self._padded, self._twice = f" {term} ", f" {term} {term} "
        self._family = f" {term[:KIN_LETTERS]}" if plain and len(term) >= KIN_LETTERS else None
        self._inside = term if len(term) == 1 and not plain else None

    def read(self, texts: Sequence[str], start: int) -> list[tuple[int, int]]:
        """Look through texts of the places from `start`; give where it is found, and how often.

        Texts begin and end with a blank. A word beside itself shares one, so those are split.
        """
        padded, twice, part = self._padded, self._twice, self._family or self._inside
        part = part or padded
        near = [(i, text) for i, text in enumerate(texts, start) if part in text]
        found = [
            (place, text.split().count(self._term) if twice in text else text.count(padded))
            for place, text in near
            if padded in text
        ]
        if len(found) < len(near):
            whole = {place for place, _ in found}
            others = [place for place, _ in near if place not in whole]
            if self._family:
                self.kin += others
            else:
                found += [(place, 1) for place in others]
        self.found += found
        return found


def _idf(documents: int, holders: int) -> float:
    return math.log(1 + (documents - holders + 0.5) / (holders + 0.5))
