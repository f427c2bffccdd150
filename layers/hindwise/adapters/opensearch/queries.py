"""The bodies of the searches: the arms, the turns at places, lists, and what is there.

Only doc values are asked for: reading the id or a source of each hit would take three times as
long. Equal scores are ordered by id, newest first, as in the embedded index.
"""

from collections.abc import Sequence

from hindwise.adapters.embedded.columns import micros
from hindwise.adapters.embedded.lexicon import EXACT_BOOST, EXACT_TERMS
from hindwise.adapters.embedded.vectors import unit
from hindwise.adapters.opensearch.conditions import Clauses, between, term
from hindwise.adapters.opensearch.entries import place_key, scope_key
from hindwise.adapters.opensearch.shapes import After, Clause, Json
from hindwise.domain.document import Vector
from hindwise.domain.ports import Ask
from hindwise.domain.scope import Scope

EF_SEARCH = 400
"""Graph nodes that are looked at; the default lost two of three neighbours at 100,000 memories."""
DEEP = 1_000
"""What is fetched where the clauses do not decide all of the filter."""
_NEWEST = {"mid": "desc"}


def _shape(size: int, query: Clause, *, fields: Sequence[str] = ("packed",)) -> Json:
    return {
        "size": size,
        "stored_fields": "_none_",
        "docvalue_fields": list(fields),
        "track_total_hits": False,
        "timeout": "500ms",
        "query": query,
    }


def depth(wanted: int, made: Clauses) -> int:
    """How many hits are fetched to give `wanted`."""
    return wanted if made.whole else max(wanted, DEEP)


def keyword(ask: Ask, made: Clauses) -> Json:
    """The entries that hold words or identifiers of the question, by BM25."""
    said: list[Clause] = [
        {"constant_score": {"filter": term("exact", one), "boost": EXACT_BOOST}}
        for one in ask.exact[:EXACT_TERMS]
    ]
    if ask.terms:
        said.append({"match": {"words": {"query": " ".join(ask.terms)}}})
    query = made.query()
    query["bool"]["must"] = [{"bool": {"should": said}}]
    return _shape(depth(ask.per_arm, made), query) | {"sort": [{"_score": "desc"}, _NEWEST]}


def nearest(vector: Vector, ask: Ask, made: Clauses) -> Json:
    """The entries whose vectors are nearest, the filter applied inside the graph."""
    size = depth(ask.per_arm, made)
    wanted = {
        "vector": unit(vector),
        "k": size,
        "method_parameters": {"ef_search": max(EF_SEARCH, size)},
        "filter": made.query(),
    }
    return _shape(size, {"knn": {"vector": wanted}})


def recent(ask: Ask, made: Clauses) -> tuple[Json, Json]:
    """By importance and time since access: those of the past, and those that lie ahead.

    What fades is ordered by a number that does not change with time; what is ahead of
    the asker's clock has not begun to fade and is ordered by importance alone.
    """
    wanted = depth(ask.per_arm if ask.recent is None else ask.recent, made)
    now = micros(ask.now)
    past = _shape(wanted, made.query(between("seen", lte=now)))
    ahead = _shape(wanted, made.query(between("seen", gt=now)))
    return (
        past | {"sort": [{"fresh": "desc"}, _NEWEST]},
        ahead | {"sort": [{"importance": "desc"}, _NEWEST]},
    )


def places(scope: Scope, wanted: Sequence[tuple[str, int]]) -> Json:
    """The entries at places of sessions, a few at each."""
    keys = [place_key(*place) for place in wanted]
    mine = [term("scope", scope_key(scope)), term("live", True), {"terms": {"place": keys}}]
    return _shape(min(DEEP, 8 * len(keys)), {"bool": {"filter": mine}})


def page(ask: Ask, made: Clauses, *, limit: int, newest: bool, after: After) -> Json:
    """A page of a list: facts, then episodes, best first, or all by creation."""
    by = [{"created_at": "desc"}] if newest else [{"share": "desc"}, {"stamp": "desc"}]
    body = _shape(depth(limit, made), made.query()) | {"sort": [*by, _NEWEST]}
    return body if after is None else body | {"search_after": list(after)}


def standing(scope: Scope, *, after: After) -> Json:
    """A page of all that stands in a scope, by id."""
    mine = {"bool": {"filter": [term("scope", scope_key(scope)), term("live", True)]}}
    body = _shape(DEEP, mine, fields=("mid", "version")) | {"sort": [{"mid": "asc"}]}
    return body if after is None else body | {"search_after": list(after)}


def put_since(moment: int, *, after: After) -> Json:
    """A page of all that was put since a moment, and of all tombstones, over all scopes.

    It may take as long as the client waits: nobody waits for it.
    """
    fields = ("scope", "mid", "version", "live", "put_at")
    either = [between("put_at", gte=moment), term("live", False)]
    body = _shape(DEEP, {"bool": {"should": either}}, fields=fields)
    body |= {"sort": [{"put_at": "asc"}, {"scope": "asc"}, {"mid": "asc"}]}
    del body["timeout"]
    return body if after is None else body | {"search_after": list(after)}


def buried(before: int) -> Clause:
    """Tombstones that were put before a moment."""
    return {"bool": {"filter": [term("live", False), between("put_at", lt=before)]}}
