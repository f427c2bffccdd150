"""The default ranking: what a memory says, where it stands, and what is known about it.

The weights were fitted once on dialogue data (listwise softmax) and rounded; refitting them per
data set gains nothing, so there is one set for all. A turn is worth more beside turns that match,
because an answer seldom repeats the words of its question.
"""

import math
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from operator import attrgetter

from hindwise.domain.confidence import effective
from hindwise.domain.document import ASKS, DATED, Candidate
from hindwise.domain.memory import Episode, LongTermMemory
from hindwise.domain.ranking.asked import Asked
from hindwise.domain.ranking.fading import decay
from hindwise.domain.ranking.normalise import min_max
from hindwise.domain.ranking.pool import Place, Pool
from hindwise.domain.ranking.result import PRECISION, Arms, Columns

LISTED = 100
COSINE_SPAN = 0.05
KEYWORD_SPAN = 0.2
KEYWORD, VECTOR, BOTH = 0.5, 0.3, 0.06
NEIGHBOURS = (0.3, 0.2, 0.06)
"""What a turn gets of the relevance of the turns 1, 2 and 3 before and after it."""
ALONE, KNOWN = 2 * sum(NEIGHBOURS), 0.1
"""What stands in no conversation is ranked as if its neighbours were as relevant as itself.

Otherwise chatter about a thing would always come before what is known about it; what was distilled
counts a little more than what was said.
"""
SESSION, SESSION_KEYWORD, OPENING = 0.15, 0.28, 0.1
"""For the best relevance and keyword score of the same session; for its first turns: news."""
SPEAKER, DATE, DAY, WHEN = 0.42, 0.3, 0.5, 0.3
"""DAY is for days that are named to the week: who asks what was on Friday does mean Friday."""
WEEK = timedelta(days=7)
QUESTION, LENGTH = -0.15, 0.55
FULL_LENGTH = 6.0
"""ln(1 + characters) of a text that gets the whole length bonus: about 400."""
IMPORTANCE, CONFIDENCE = 0.2, 0.2
USUAL_IMPORTANCE, USUAL_CONFIDENCE = 0.5, 0.8
LATEST, NEWEST, TO_COME = 0.3, 0.3, -1.0
"""TO_COME: what has not happened yet does not answer when something happened last."""
NEWEST_OF = 10


def context(columns: Columns, pool: Pool, arms: Arms, *, asked: Asked) -> None:
    """Add the parts of the context ranking."""
    if not len(pool):
        return
    scores = arms.scores["keyword"]
    span = KEYWORD_SPAN * max((score for score in scores if score is not None), default=0.0)
    keyword = min_max(scores, best=LISTED, span=span)
    vector = min_max(arms.scores["vector"], best=LISTED, span=COSINE_SPAN)
    columns.add("keyword", keyword, KEYWORD)
    columns.add("vector", vector, VECTOR)
    columns.add(
        "both", [float(k > 0 and v > 0) for k, v in zip(keyword, vector, strict=True)], BOTH
    )
    _surroundings(columns, pool, keyword=keyword, vector=vector)
    _speaker(columns, pool, asked)
    _form(columns, pool, asked)
    _worth(columns, pool, asked)
    _time(columns, pool, asked)


def _surroundings(
    columns: Columns, pool: Pool, *, keyword: Sequence[float], vector: Sequence[float]
) -> None:
    relevance = [(k + v) / 2 for k, v in zip(keyword, vector, strict=True)]
    places = pool.places()
    columns.add("neighbours", _neighbours(places, relevance))
    lone = [0.0 if place else value for place, value in zip(places, relevance, strict=True)]
    columns.add("alone", lone, ALONE)
    columns.add("known", pool.each("known", _distilled), KNOWN)
    sessions = pool.each("session", _session_of)
    columns.add("session", _best_of(sessions, relevance), SESSION)
    columns.add("session_keyword", _best_of(sessions, keyword), SESSION_KEYWORD)
    opening = [1 / max(1, place[1]) if place else 0.0 for place in places]
    columns.add("opening", opening, OPENING)


def _distilled(candidate: Candidate) -> float:
    return 0.0 if isinstance(candidate.document.facets, Episode) else 1.0


def _neighbours(places: Sequence[Place | None], relevance: Sequence[float]) -> list[float]:
    """What each turn gets of those beside it; a session without a match is passed over."""
    at: dict[str, dict[int, float]] = {}
    for place, value in zip(places, relevance, strict=True):
        if place is not None and value > 0:
            session = at.setdefault(place[0], {})
            if value > session.get(place[1], 0.0):
                session[place[1]] = value
    return [
        _beside(place[1], at[place[0]]) if place is not None and place[0] in at else 0.0
        for place in places
    ]


def _beside(seq: int, session: Mapping[int, float]) -> float:
    get = session.get
    first, second, third = NEIGHBOURS
    value = first * (get(seq - 1, 0.0) + get(seq + 1, 0.0))
    value += second * (get(seq - 2, 0.0) + get(seq + 2, 0.0))
    return value + third * (get(seq - 3, 0.0) + get(seq + 3, 0.0))


def _best_of(groups: Sequence[str], values: Sequence[float]) -> list[float]:
    best: dict[str, float] = {}
    for group, value in zip(groups, values, strict=True):
        if value > 0 and value > best.get(group, 0.0):
            best[group] = value
    return [best.get(group, 0.0) for group in groups]


def _session_of(candidate: Candidate) -> str:
    """The session, or a name of its own for what has none."""
    return candidate.document.facets.session_id or candidate.document.id


def _speaker(columns: Columns, pool: Pool, asked: Asked) -> None:
    """Favour the turns of a speaker, if the query names exactly one."""
    said_by = pool.each("speaker", _said_by)
    low = asked.text.lower()
    named = [name for name in dict.fromkeys(said_by) if name and _names(low, name)]
    if len(named) == 1:
        columns.add("speaker", [float(name == named[0]) for name in said_by], SPEAKER)


def _said_by(candidate: Candidate) -> str | None:
    facets = candidate.document.facets
    return facets.speaker if isinstance(facets, Episode) else None


def _names(query: str, name: str) -> bool:
    first = next(iter(name.lower().split()), "")
    if not first or first not in query:
        return False
    return bool(re.search(rf"(?<![a-z]){re.escape(first)}(?![a-z])", query))


def _form(columns: Columns, pool: Pool, asked: Asked) -> None:
    columns.add("question", pool.each("question", _asks), QUESTION)
    columns.add("length", pool.each("length", _long), LENGTH)
    if asked.time.when:
        columns.add("when", pool.each("when", _dated), WHEN)


def _asks(candidate: Candidate) -> float:
    return 1.0 if candidate.document.flags & ASKS else 0.0


def _dated(candidate: Candidate) -> float:
    return 1.0 if candidate.document.flags & DATED else 0.0


def _long(candidate: Candidate) -> float:
    return min(1.0, math.log1p(max(candidate.document.chars, 0)) / FULL_LENGTH)


def _worth(columns: Columns, pool: Pool, asked: Asked) -> None:
    important = pool.each("importance", attrgetter("document.facets.importance"))
    added = [IMPORTANCE * (value - USUAL_IMPORTANCE) for value in important]
    columns.put("importance", important, added)
    sure = pool.each(
        "confidence", lambda one: effective(one.document.facets, asked.now, asked.fading)
    )
    columns.put("confidence", sure, [CONFIDENCE * (value - USUAL_CONFIDENCE) for value in sure])


def _time(columns: Columns, pool: Pool, asked: Asked) -> None:
    time = asked.time
    if time.dates:
        fits = pool.each("date", lambda one: time.fits(one.document.facets.event_time))
        named = all(days.last - days.first < WEEK for days in time.dates)
        columns.add("date", fits, DAY if named else DATE)
    if time.latest:
        fresh = pool.each("decay", lambda one: decay(one.document.facets, asked.now))
        columns.add("time", fresh, LATEST)
    if time.newest:
        facets = [one.document.facets for one in pool.candidates]
        if not time.latest:
            columns.add("to come", [float(one.event_time > asked.now) for one in facets], TO_COME)
        columns.add("newest", _newest(columns.sums(), facets, asked.now), NEWEST)


def _newest(
    scores: Sequence[float], facets: Sequence[LongTermMemory], now: datetime
) -> list[float]:
    """1 for the newest of the best few, falling in even steps to 0 for their oldest.

    What is yet to come was not the last time.
    """
    order = sorted(range(len(scores)), key=lambda i: (-round(scores[i], PRECISION), facets[i].id))
    best = [place for place in order[:NEWEST_OF] if facets[place].event_time <= now]
    best.sort(key=lambda i: facets[i].event_time)
    steps = [0]
    for one, other in pairwise(best):
        steps.append(steps[-1] + (facets[one].event_time < facets[other].event_time))
    values = [0.0] * len(scores)
    for place, step in zip(best, steps, strict=False):
        values[place] = step / steps[-1] if steps[-1] else 1.0
    return values
