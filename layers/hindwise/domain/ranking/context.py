"""The default ranking: what a memory says, where it stands, and what is known about it.

The weights were fitted once on dialogue data (listwise softmax) and rounded; refitting them per
data set gains nothing, so there is one set for all. A turn is worth more beside turns that match,
because an answer seldom repeats the words of its question.
"""

import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from hindwise.domain.confidence import effective
from hindwise.domain.document import ASKS, DATED, Candidate
from hindwise.domain.memory import LongTermMemory
from hindwise.domain.ranking.asked import Asked
from hindwise.domain.ranking.fading import decay
from hindwise.domain.ranking.normalise import min_max
from hindwise.domain.ranking.places import place_of
from hindwise.domain.ranking.result import PRECISION, Columns, finite

LISTED = 100
COSINE_SPAN = 0.05
KEYWORD_SPAN = 0.2
KEYWORD, VECTOR, BOTH = 0.5, 0.3, 0.06
NEIGHBOURS = (0.3, 0.2, 0.06)
"""What a turn gets of the relevance of the turns 1, 2 and 3 before and after it."""
SESSION, SESSION_KEYWORD, OPENING = 0.15, 0.28, 0.1
"""For the best relevance and keyword score of the same session; for its first turns: news."""
SPEAKER, DATE, WHEN = 0.42, 0.3, 0.3
QUESTION, LENGTH = -0.15, 0.55
FULL_LENGTH = 6.0
"""ln(1 + characters) of a text that gets the whole length bonus: about 400."""
IMPORTANCE, CONFIDENCE = 0.2, 0.2
USUAL_IMPORTANCE, USUAL_CONFIDENCE = 0.5, 0.8
LATEST, NEWEST = 0.3, 0.3
NEWEST_OF = 10


def context(columns: Columns, candidates: Sequence[Candidate], asked: Asked) -> None:
    """Add the parts of the context ranking."""
    if not candidates:
        return
    scores = finite(one.keyword for one in candidates)
    span = KEYWORD_SPAN * max((score for score in scores if score is not None), default=0.0)
    keyword = min_max(scores, best=LISTED, span=span)
    vector = min_max(finite(one.cosine for one in candidates), best=LISTED, span=COSINE_SPAN)
    columns.add("keyword", keyword, KEYWORD)
    columns.add("vector", vector, VECTOR)
    columns.add(
        "both", [float(k > 0 and v > 0) for k, v in zip(keyword, vector, strict=True)], BOTH
    )
    _surroundings(columns, candidates, keyword=keyword, vector=vector)
    _speaker(columns, candidates, asked)
    _form(columns, candidates, asked)
    _worth(columns, candidates, asked)
    _time(columns, candidates, asked)


def _surroundings(
    columns: Columns,
    candidates: Sequence[Candidate],
    *,
    keyword: Sequence[float],
    vector: Sequence[float],
) -> None:
    relevance = [(k + v) / 2 for k, v in zip(keyword, vector, strict=True)]
    places = [place_of(one) for one in candidates]
    at: dict[str, dict[int, float]] = {}
    for place, value in zip(places, relevance, strict=True):
        if place is not None:
            session = at.setdefault(place[0], {})
            session[place[1]] = max(value, session.get(place[1], 0.0))
    beside = [_beside(place[1], at[place[0]]) if place else 0.0 for place in places]
    columns.add("neighbours", beside)
    sessions = [one.document.facets.session_id or one.document.id for one in candidates]
    columns.add("session", _best_of(sessions, relevance), SESSION)
    columns.add("session_keyword", _best_of(sessions, keyword), SESSION_KEYWORD)
    columns.add("opening", [1 / max(1, place[1]) if place else 0.0 for place in places], OPENING)


def _beside(seq: int, session: Mapping[int, float]) -> float:
    value = 0.0
    for step, weight in enumerate(NEIGHBOURS, 1):
        value += weight * (session.get(seq - step, 0.0) + session.get(seq + step, 0.0))
    return value


def _best_of(groups: Sequence[str], values: Sequence[float]) -> list[float]:
    best: dict[str, float] = {}
    for group, value in zip(groups, values, strict=True):
        if value > best.get(group, 0.0):
            best[group] = value
    return [best.get(group, 0.0) for group in groups]


def _speaker(columns: Columns, candidates: Sequence[Candidate], asked: Asked) -> None:
    """Favour the turns of a speaker, if the query names exactly one."""
    said_by = [getattr(one.document.facets, "speaker", None) for one in candidates]
    low = asked.text.lower()
    named = [name for name in dict.fromkeys(said_by) if name and _names(low, name)]
    if len(named) == 1:
        columns.add("speaker", [float(name == named[0]) for name in said_by], SPEAKER)


def _names(query: str, name: str) -> bool:
    first = next(iter(name.lower().split()), "")
    return bool(first) and bool(re.search(rf"(?<![a-z]){re.escape(first)}(?![a-z])", query))


def _form(columns: Columns, candidates: Sequence[Candidate], asked: Asked) -> None:
    documents = [one.document for one in candidates]
    columns.add("question", [float(bool(d.flags & ASKS)) for d in documents], QUESTION)
    long = [min(1.0, math.log1p(max(d.chars, 0)) / FULL_LENGTH) for d in documents]
    columns.add("length", long, LENGTH)
    if asked.time.when:
        columns.add("when", [float(bool(d.flags & DATED)) for d in documents], WHEN)


def _worth(columns: Columns, candidates: Sequence[Candidate], asked: Asked) -> None:
    facets = [one.document.facets for one in candidates]
    important = [memory.importance for memory in facets]
    added = [IMPORTANCE * (value - USUAL_IMPORTANCE) for value in important]
    columns.put("importance", important, added)
    sure = [effective(memory, asked.now) for memory in facets]
    columns.put("confidence", sure, [CONFIDENCE * (value - USUAL_CONFIDENCE) for value in sure])


def _time(columns: Columns, candidates: Sequence[Candidate], asked: Asked) -> None:
    facets = [one.document.facets for one in candidates]
    if asked.time.dates:
        columns.add("date", [asked.time.fits(memory.event_time) for memory in facets], DATE)
    if asked.time.latest:
        columns.add("time", [decay(memory, asked.now) for memory in facets], LATEST)
    if asked.time.newest:
        columns.add("newest", _newest(columns.sums(), facets), NEWEST)


def _newest(scores: Sequence[float], facets: Sequence[LongTermMemory]) -> list[float]:
    """1 for the newest of the best few, falling in even steps to 0 for their oldest."""
    best = sorted(range(len(scores)), key=lambda i: (-round(scores[i], PRECISION), facets[i].id))
    best = best[:NEWEST_OF]
    best.sort(key=lambda i: facets[i].event_time)
    steps = [0]
    for one, other in pairwise(best):
        steps.append(steps[-1] + (facets[one].event_time < facets[other].event_time))
    values = [0.0] * len(scores)
    for place, step in zip(best, steps, strict=True):
        values[place] = step / steps[-1] if steps[-1] else 1.0
    return values
