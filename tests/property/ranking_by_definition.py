"""The ranking as it is defined, one candidate and one reason at a time, however long it takes."""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from hindwise.domain.confidence import effective
from hindwise.domain.document import ASKS, DATED, Candidate
from hindwise.domain.fading import Tier, tier
from hindwise.domain.memory import Episode, SemanticMemory, Status
from hindwise.domain.ranking import Asked, decay, recency

Scores = list[float | None]


def keyword_scores(items: Sequence[Candidate], asked: Asked) -> Scores:
    """BM25 over the candidates, families, pairs and identifiers."""
    texts = [one.document.words.split() for one in items]
    lengths = [max(1, len([w for w in text if not _bigram(w)])) for text in texts]
    counted = sum(len([w for w in text if not _bigram(w)]) for text in texts)
    mean = max(1.0, counted / max(1, len(texts)))
    idf = lambda n: math.log(1 + (len(texts) - n + 0.5) / (n + 0.5))  # noqa: E731
    pairs = {(a, b) for a, b in pairwise(asked.terms) if a.isascii() and b.isascii()}
    scores: Scores = []
    for item, text, length in zip(items, texts, lengths, strict=True):
        score = 0.0
        for term, times in Counter(asked.terms).items():
            weight = idf(sum(_frequency(term, other) > 0 for other in texts))
            frequency = _frequency(term, text)
            if frequency:
                norm = 0.9 * (1 - 0.4 + 0.4 * length / mean)
                score += times * weight * frequency / (frequency + norm)
            elif term.isascii() and len(term) >= 5 and any(w[:5] == term[:5] for w in text):
                score += 0.4 * weight
        score += 0.1 * len(pairs & set(pairwise(text)))
        for one in set(asked.exact) & set(item.document.exact):
            score += 2 * max(1.0, idf(sum(one in other.document.exact for other in items)))
        scores.append(score if score > 0 else None)
    return scores


def order(items: Sequence[Candidate], asked: Asked, mode: str) -> list[tuple[str, float]]:
    """Ids and scores, best first."""
    keyword = keyword_scores(items, asked)
    cosine = [c if c is not None and math.isfinite(c) else None for c in (i.cosine for i in items)]
    ways: dict[str, Callable[[Sequence[Candidate], Asked, Scores, Scores], list[float]]] = {
        "context": _context,
        "weighted": _weighted,
        "rrf": _rrf,
        "score": _score,
    }
    scores = ways[mode](items, asked, keyword, cosine)
    for i, one in enumerate(items):
        if one.document.facets.status is Status.OBSOLETE:
            scores[i] -= 0.7 * abs(scores[i])
    then = _of_then(items, scores, asked)
    _weaken(items, scores, then)
    ranked = sorted(
        zip(items, scores, strict=True), key=lambda p: (round(p[1], 9), *_age(p[0])), reverse=True
    )
    return [(one.document.id, score) for one, score in ranked]


def _bigram(word: str) -> bool:
    return len(word) == 2 and not word.isascii()


def _frequency(term: str, text: Sequence[str]) -> int:
    inside = len(term) == 1 and not term.isascii() and term in "".join(text)
    return text.count(term) or int(inside)


def _scaled(scores: Scores, *, best: int | None = None, span: float = 0.0) -> list[float]:
    have = sorted((one for one in scores if one is not None), reverse=True)[:best]
    if not have:
        return [0.0] * len(scores)
    width = max(have[0] - have[-1], span)
    return [
        0.0 if one is None or one < have[-1] else 1 - (have[0] - one) / width if width else 1.0
        for one in scores
    ]


def _place(one: Candidate) -> tuple[str, int] | None:
    facets = one.document.facets
    if not isinstance(facets, Episode) or facets.session_id is None or facets.seq is None:
        return None
    return facets.session_id, facets.seq


def _context(
    items: Sequence[Candidate], asked: Asked, keyword: Scores, cosine: Scores
) -> list[float]:
    most = max((one for one in keyword if one is not None), default=0.0)
    k = _scaled(keyword, best=100, span=0.2 * most)
    v = _scaled(cosine, best=100, span=0.05)
    relevance = [(a + b) / 2 for a, b in zip(k, v, strict=True)]
    scores = []
    for i, one in enumerate(items):
        score = 0.5 * k[i] + 0.3 * v[i] + 0.06 * (k[i] > 0 and v[i] > 0)
        score += _around(items, i, relevance, k) + _own(items, one, asked)
        scores.append(score)
    if asked.time.newest and not asked.time.latest:
        for i, one in enumerate(items):
            scores[i] -= one.document.facets.event_time > asked.now
    if asked.time.newest:
        for i, value in _newest(items, scores, asked):
            scores[i] += 0.3 * value
    return scores


def _around(
    items: Sequence[Candidate], i: int, relevance: Sequence[float], keyword: Sequence[float]
) -> float:
    own, place = items[i].document, _place(items[i])
    session = [
        j
        for j, one in enumerate(items)
        if (own.facets.session_id and one.document.facets.session_id == own.facets.session_id)
        or j == i
    ]
    score = 0.15 * max(0.0, *(relevance[j] for j in session), 0.0)
    score += 0.28 * max(0.0, *(keyword[j] for j in session), 0.0)
    if place is None:
        known = not isinstance(own.facets, Episode)
        return score + 1.12 * relevance[i] + 0.1 * known
    for step, weight in ((1, 0.3), (2, 0.2), (3, 0.06)):
        for seq in (place[1] - step, place[1] + step):
            there = (
                r for r, o in zip(relevance, items, strict=True) if _place(o) == (place[0], seq)
            )
            score += weight * max(there, default=0.0)
    return score + 0.1 / max(1, place[1])


def _own(items: Sequence[Candidate], one: Candidate, asked: Asked) -> float:
    facets, document = one.document.facets, one.document
    speakers = {getattr(other.document.facets, "speaker", None) for other in items}
    named = [name for name in speakers if name and _is_named(name, asked.text)]
    score = 0.55 * min(1.0, math.log(1 + document.chars) / 6)
    score += 0.2 * (facets.importance - 0.5) + 0.2 * (effective(facets, asked.now) - 0.8)
    score -= 0.15 * bool(document.flags & ASKS)
    score += 0.42 * (len(named) == 1 and getattr(facets, "speaker", None) == named[0])
    score += 0.3 * (asked.time.when and bool(document.flags & DATED))
    days = max(((days.last - days.first).days for days in asked.time.dates), default=0)
    score += (0.5 if days < 7 else 0.3) * asked.time.fits(facets.event_time)
    return score + 0.3 * decay(facets, asked.now) * asked.time.latest


def _is_named(name: str, text: str) -> bool:
    first = name.lower().split()[:1]
    return bool(first) and first[0] in re.findall("[a-z]+|[^a-z]+", text.lower())


def _newest(
    items: Sequence[Candidate], scores: Sequence[float], asked: Asked
) -> list[tuple[int, float]]:
    best = sorted(range(len(items)), key=lambda i: (-round(scores[i], 9), items[i].document.id))
    times = {i: items[i].document.facets.event_time for i in best[:10]}
    times = {i: time for i, time in times.items() if time <= asked.now}
    steps = sorted(set(times.values()))
    last = len(steps) - 1
    return [(i, steps.index(time) / last if last else 1.0) for i, time in times.items()]


def _weighted(
    items: Sequence[Candidate], asked: Asked, keyword: Scores, cosine: Scores
) -> list[float]:
    hot = [tier(one.document.facets, asked.now, asked.fading) is Tier.HOT for one in items]
    new = [recency(one.document.facets, asked.now) for one in items]
    recent = _scaled([each if now else None for each, now in zip(new, hot, strict=True)], span=0.01)
    arms = zip(_scaled(keyword), _scaled(cosine), recent, strict=True)
    return [0.3 * k + 0.4 * v + 0.3 * r for k, v, r in arms]


def _rrf(items: Sequence[Candidate], asked: Asked, keyword: Scores, cosine: Scores) -> list[float]:
    scores = [0.0] * len(items)
    for arm in (keyword, cosine):
        have = [
            (-score, items[i].document.id, i) for i, score in enumerate(arm) if score is not None
        ]
        for rank, (_, _, i) in enumerate(sorted(have), 1):
            scores[i] += 1 / (10 + rank)
    return scores


def _score(
    items: Sequence[Candidate], asked: Asked, keyword: Scores, cosine: Scores
) -> list[float]:
    return [
        max(k, c or 0.0)
        * effective(one.document.facets, asked.now)
        * decay(one.document.facets, asked.now)
        for one, k, c in zip(items, _scaled(keyword), cosine, strict=True)
    ]


def _age(one: Candidate) -> tuple[float, str]:
    return one.document.facets.event_time.timestamp(), one.document.id


def _of_then(items: Sequence[Candidate], scores: list[float], asked: Asked) -> set[str]:
    """Raise what was true on named days that are over above what of its chain was not."""
    days = [day for one in asked.time.dates for day in (one.first, one.last)]
    if not days or max(days) >= asked.now.date():
        return set()

    def holds(one: Candidate) -> bool:
        facets = one.document.facets
        begin = (facets.valid_from or facets.event_time).astimezone(asked.now.tzinfo).date()
        return isinstance(facets, SemanticMemory) and begin <= max(days)

    at = {one.document.id: i for i, one in enumerate(items)}
    chains: dict[str, list[int]] = {}
    for i, one in enumerate(items):
        end = one.document.id
        for _ in range(10):
            if end in at:
                end = items[at[end]].document.facets.superseded_by or end
        chains.setdefault(end, []).append(i)
    then = {i for i, one in enumerate(items)
            if holds(one) and one.document.facets.status is Status.SUPERSEDED}  # fmt: skip
    for chain in chains.values():
        least = max((scores[i] for i in chain if not holds(items[i])), default=-math.inf)
        if least == -math.inf:
            continue
        for i in sorted(then & {*chain}, key=lambda i: (round(scores[i], 9), items[i].document.id)):
            scores[i] = least = max(scores[i], least + 1e-6)
    return {items[i].document.id for i in then}


def _weaken(items: Sequence[Candidate], scores: list[float], then: set[str]) -> None:
    """Newest first, because a holder may have yielded itself."""
    at = {one.document.id: i for i, one in enumerate(items)}
    for one in sorted(items, key=_age, reverse=True):
        facets, own = one.document.facets, at[one.document.id]
        over = {v.other for v in facets.verdicts if v.policy == "weaken"} | {facets.superseded_by}
        for holder in over & at.keys() if one.document.id not in then else ():
            if _age(items[at[holder]]) > _age(one):
                scores[own] = min(scores[own], scores[at[holder]] - 1e-6)
