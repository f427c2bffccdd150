"""BM25 over one scope, scored as Lucene does, so that the two indexes nominate alike.

Statistics follow Lucene in detail: a bigram takes no place in the length of its document but counts
in the mean, lengths from 40 on are rounded to one byte, and the factor k1 + 1 is kept. Postings of
a replaced document stay until the next rebuild; what is counted is always exact.
"""

import math
from array import array
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hindwise.domain.document import Document

K1, B = 0.9, 0.4
EXACT_BOOST = 12.0
EXACT_TERMS = 8
"""A query's first identifiers that are looked up."""
_LARGEST_FREQUENCY = 65_535


def rounded_length(places: int) -> int:
    """The length that Lucene keeps of a document (`SmallFloat.intToByte4`): exact below 40."""
    rest = places - 24
    shift = max(0, rest.bit_length() - 4) if rest > 0 else 0
    return places if shift == 0 else 24 + (rest >> shift << shift)


class _Postings:
    """The rows that hold a term, how often each does, and how many of them are alive."""

    __slots__ = ("alive", "frequencies", "rows")

    def __init__(self) -> None:
        self.rows = array("i")
        self.frequencies = array("H")
        self.alive = 0


class Lexicon:
    """Terms and identifiers of a scope's rows."""

    def __init__(self) -> None:
        self._terms: dict[str, _Postings] = {}
        self._exact: dict[str, array[int]] = {}
        self._lengths = array("i")
        self._documents = 0
        self._tokens = 0

    def append(self, row: int, document: Document) -> None:
        """Add the terms of the next row."""
        frequencies = Counter(document.words.split())
        for term, frequency in frequencies.items():
            postings = self._terms.get(term)
            if postings is None:
                postings = self._terms[term] = _Postings()
            postings.rows.append(row)
            postings.frequencies.append(min(frequency, _LARGEST_FREQUENCY))
            postings.alive += 1
        for identifier in document.exact:
            self._exact.setdefault(identifier, array("i")).append(row)
        self._lengths.append(rounded_length(document.length))
        self._documents += bool(frequencies)
        self._tokens += frequencies.total()

    def remove(self, words: str) -> None:
        """Take the terms of a row that died out of the counts."""
        frequencies = Counter(words.split())
        for term in frequencies:
            self._terms[term].alive -= 1
        self._documents -= bool(frequencies)
        self._tokens -= frequencies.total()

    def scores(self, terms: Sequence[str], exact: Sequence[str]) -> NDArray[np.float64]:
        """The score of every row, dead ones too; 0 where it holds none of the terms."""
        scores = np.zeros(len(self._lengths))
        known = [
            (self._terms[term], m) for term, m in Counter(terms).items() if term in self._terms
        ]
        mean = self._tokens / self._documents if self._documents else 1.0
        lengths = np.frombuffer(self._lengths, np.int32)
        for postings, times in known:
            rows = np.frombuffer(postings.rows, np.int32)
            frequencies = np.frombuffer(postings.frequencies, np.uint16)
            weight = times * (K1 + 1) * self._idf(postings.alive)
            norms = K1 * (1 - B) + K1 * B / mean * lengths[rows]
            scores[rows] += weight * frequencies / (frequencies + norms)
        for identifier in exact[:EXACT_TERMS]:
            if identifier in self._exact:
                scores[np.frombuffer(self._exact[identifier], np.int32)] += EXACT_BOOST
        return scores

    def _idf(self, holders: int) -> float:
        return math.log(1 + (self._documents - holders + 0.5) / (holders + 0.5))
