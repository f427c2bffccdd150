"""Signed feature hashing: an embedder without a model, the last resort.

It sees words and their parts, no meaning: 机票 and flight have nothing in common. Features are
words, CJK characters and bigrams, and character 3- to 5-grams, which forgive inflection and typing
errors. Hashed into 1,024 signed buckets (Weinberger et al. 2009, Feature Hashing for Large Scale
Multitask Learning), so that collisions cancel out on average.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from unicodedata import normalize

from hindwise.adapters.embedders.texts import asked, speaking, spread, usable
from hindwise.domain.document import Vector

PART_WEIGHT = 0.3
"""What a character n-gram counts against a word's 1."""
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_RUNS = re.compile(rf"[{_CJK}]+|(?:(?![{_CJK}])[^\W_])+")


class HashedEmbedder:
    """Embeds by shared words and word parts into 1,024 dimensions."""

    id = "hashed-ngrams-v1:1024"
    dimensions = 1024

    def query(self, text: str) -> Vector:
        """Embed a question; raises `Unusable` where it holds no word."""
        row = self._row(asked(text, self.id))
        return usable([row], [0], self.id, self.dimensions)[0]

    def documents(self, texts: Sequence[str]) -> list[Vector | None]:
        """Embed stored texts in order, None for one without a word."""
        places, kept = speaking(texts)
        rows = [self._row(text) for text in kept]
        return spread(usable(rows, places, self.id, self.dimensions), places, len(texts))

    def _row(self, text: str) -> list[float]:
        row = [0.0] * self.dimensions
        for feature, weight in features(text).items():
            hashed = int.from_bytes(blake2b(feature.encode(), digest_size=8).digest())
            row[hashed % self.dimensions] += weight if hashed >> 63 else -weight
        return row


def features(text: str) -> dict[str, float]:
    """What a text consists of, each with its weight: counts enter as 1 + ln(count)."""
    runs = _RUNS.findall(normalize("NFKC", text).lower())
    whole: Counter[str] = Counter()
    for run in runs:
        if run[0] >= "\u3040":
            whole.update(run)
            whole.update(run[i : i + 2] for i in range(len(run) - 1))
        else:
            whole[run] += 1
    line = " ".join(runs)
    parts = Counter(
        "#" + line[i : i + size] for size in (3, 4, 5) for i in range(len(line) - size + 1)
    )
    return {
        **{name: 1 + math.log(count) for name, count in whole.items()},
        **{name: PART_WEIGHT * (1 + math.log(count)) for name, count in parts.items()},
    }
