"""The fixed baseline for search: what a first version does, kept simple on purpose.

Every search reads all records of the scope, tokenises them, counts BM25 in Python, builds the
matrix of vectors and multiplies it, and sorts everything by a weighted sum. Nothing is kept.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from hindwise.domain.document import Vector
from hindwise.domain.ports import Embedder

K1, B = 0.9, 0.4
KEYWORD, VECTOR = 0.5, 0.5
_WORDS = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")


class NaiveSearch:
    """Texts and vectors in lists."""

    def __init__(self, embedder: Embedder, records: Sequence[tuple[str, str, Vector]]) -> None:
        self._embedder = embedder
        self._records = records

    def search(self, query: str, top_k: int) -> list[str]:
        """Ids of the best, best first."""
        keyword = self._bm25(query)
        matrix = np.array([vector for _, _, vector in self._records], np.float32)
        cosine = matrix @ np.array(self._embedder.query(query), np.float32)
        most = max(keyword) or 1.0
        scored = [
            (KEYWORD * k / most + VECTOR * float(c), memory_id)
            for k, c, (memory_id, _, _) in zip(keyword, cosine, self._records, strict=True)
        ]
        return [memory_id for _, memory_id in sorted(scored, reverse=True)[:top_k]]

    def _bm25(self, query: str) -> list[float]:
        documents = [Counter(_WORDS.findall(text.lower())) for _, text, _ in self._records]
        lengths = [one.total() for one in documents]
        mean = sum(lengths) / len(lengths)
        scores = [0.0] * len(documents)
        for term in _WORDS.findall(query.lower()):
            held = sum(term in one for one in documents)
            idf = math.log(1 + (len(documents) - held + 0.5) / (held + 0.5))
            for place, one in enumerate(documents):
                if term in one:
                    norm = K1 * (1 - B + B * lengths[place] / mean)
                    scores[place] += idf * one[term] / (one[term] + norm)
        return scores
