"""`ports.SearchIndex` on OpenSearch: all arms of a search in one request.

A node that fails costs one search less than a second; for the next five the others go without it at
once. An index that is not whole is not searched (see `alias`).
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from operator import attrgetter

from opensearchpy import OpenSearch

from hindwise.adapters.breaker import Breaker
from hindwise.adapters.embedded.columns import micros
from hindwise.adapters.embedded.index import VECTOR_ARM
from hindwise.adapters.embedded.scope_index import HALF_LIFE_MICROS
from hindwise.adapters.embedded.vectors import flaw_of
from hindwise.adapters.opensearch import queries
from hindwise.adapters.opensearch.alias import Alias
from hindwise.adapters.opensearch.answers import hits_of
from hindwise.adapters.opensearch.client import NotThere, asked, lines
from hindwise.adapters.opensearch.conditions import clauses
from hindwise.adapters.opensearch.entries import (
    documents_of,
    routing_of,
)
from hindwise.adapters.opensearch.shapes import After, Hit, Json
from hindwise.adapters.opensearch.writing import Writer
from hindwise.domain.document import Candidate, Document, Vector
from hindwise.domain.memory import place_of
from hindwise.domain.ports import Ask, Nominations
from hindwise.domain.ranking import fresh_at
from hindwise.domain.scope import Scope
from hindwise.domain.visibility import passes, visible
from hindwise.errors import Unavailable

KEYWORD, NEAREST, PAST, AHEAD = "keyword", "nearest", "past", "ahead"
CANCELLED_AFTER = "600ms"
UNFILTERED = "unfiltered_memories"
"""Named as skipped where a filter that the index cannot decide was not asked of all memories."""
Accepted = list[tuple[Document, float]]


class OpenSearchIndex:
    """A SearchIndex behind an alias; safe to use from several threads.

    `searching` is used for questions, `alias.client` for writes: they have other deadlines. The
    breakers stand between this process and the node.
    """

    def __init__(
        self,
        alias: Alias,
        searching: OpenSearch,
        *,
        clock: Callable[[], datetime],
        breaker: Breaker,
        writes: Breaker,
    ) -> None:
        self._alias = alias
        self._searching = searching
        self._writer = Writer(alias.client, alias.written, alias.dimensions, clock=clock)
        self._breaker = breaker
        self._writes = writes
        self._unsettled = False

    def nominate(self, scope: Scope, ask: Ask, vector: Vector | None) -> Nominations:
        """Ask the keyword, vector and recent arms, each under the scope and the filter."""
        flawed = vector is not None and flaw_of(vector, self._alias.dimensions) is not None
        made = clauses(scope, ask)
        past, ahead = queries.recent(ask, made)
        bodies = {PAST: past, AHEAD: ahead}
        if ask.terms or ask.exact:
            bodies[KEYWORD] = queries.keyword(ask, made)
        if vector is not None and not flawed:
            bodies[NEAREST] = queries.nearest(vector, ask, made)
        hits = self._breaker.call(lambda: self._ask(scope, bodies))
        flawed = flawed or (NEAREST in hits and hits[NEAREST] is None)
        cut = not made.whole and any(len(found or ()) >= queries.DEEP for found in hits.values())
        return Nominations(
            candidates=tuple(_merged(hits, ask)),
            coverage=None if cut else 1.0,
            degraded=(VECTOR_ARM,) if flawed else (),
            skipped=(UNFILTERED,) if cut else (),
        )

    def beside(self, scope: Scope, places: Sequence[tuple[str, int]]) -> list[Candidate]:
        """Read the documents at these (session, seq) places."""
        if not places:
            return []
        body = queries.places(scope, places)
        hits = self._breaker.call(lambda: self._ask(scope, {"places": body}))["places"] or []
        order = {place: at for at, place in enumerate(places)}
        found = sorted((one for one, _ in documents_of(hits)), key=attrgetter("id"))
        found.sort(key=lambda one: order[place_of(one.facets) or places[0]])
        return [Candidate(one) for one in found]

    def listing(self, scope: Scope, ask: Ask, *, limit: int, newest: bool = False) -> list[str]:
        """List ids by filter: facts, then episodes, best first, or all by creation."""
        made = clauses(scope, ask)
        found: list[str] = []
        after: After = None
        while len(found) < limit:
            body = queries.page(ask, made, limit=limit, newest=newest, after=after)
            hits = self._page(scope, body)
            found += [one.id for one, _ in _accepted(hits, ask, limit - len(found))]
            if len(hits) < body["size"]:
                break
            after = hits[-1]["sort"]
        return found

    def put(
        self, scope: Scope, documents: Sequence[Document], gone: Mapping[str, int]
    ) -> Mapping[str, str]:
        """Write documents and tombstones (id → version) unless a newer version is there.

        Returns id → reason of the refused. Makes the index where there is none.
        """
        try:
            return self._writes.call(lambda: self._put(scope, documents, gone))
        finally:
            self._unsettled = True

    def _put(
        self, scope: Scope, documents: Sequence[Document], gone: Mapping[str, int]
    ) -> Mapping[str, str]:
        try:
            return self._writer.put(scope, documents, gone)
        except NotThere:
            self._alias.create()
        return self._writer.put(scope, documents, gone)

    def settle(self) -> None:
        """Return once what was put can be found.

        One refresh a batch: to wait for the node's own would bill a second to each.
        """
        if not self._unsettled:
            return
        # What another thread puts while the node refreshes is not settled by that.
        self._unsettled = False
        name = self._alias.written
        try:
            self._writes.call(lambda: asked(lambda: self._alias.client.indices.refresh(index=name)))
        except Unavailable:
            self._unsettled = True
            raise

    def versions(self, scope: Scope) -> dict[str, int]:
        """Read id → version of everything indexed in the scope, for checks."""
        found: dict[str, int] = {}
        after: After = None
        while True:
            hits = self._page(scope, queries.standing(scope, after=after))
            for hit in hits:
                found[hit["fields"]["mid"][0]] = hit["fields"]["version"][0]
            if len(hits) < queries.DEEP:
                return found
            after = hits[-1]["sort"]

    def _page(self, scope: Scope, body: Json) -> list[Hit]:
        return self._breaker.call(lambda: self._ask(scope, {"page": body}))["page"] or []

    def _ask(self, scope: Scope, bodies: Mapping[str, Json]) -> dict[str, list[Hit] | None]:
        """Ask all at once in the scope's shard; raises Unavailable unless all of it answered."""
        head = {"routing": routing_of(scope), "allow_partial_search_results": False}
        body = lines([part for one in bodies.values() for part in (head, one)])
        response = asked(
            lambda: self._searching.msearch(
                body=body,
                index=self._alias.name,
                params={"cancel_after_time_interval": CANCELLED_AFTER},
            )
        )
        return hits_of(response, list(bodies), may_fail=NEAREST)


def _merged(hits: Mapping[str, list[Hit] | None], ask: Ask) -> Iterable[Candidate]:
    """The candidates of all arms, each with its scores in them."""
    found: dict[str, Candidate] = {}

    def of(document: Document) -> Candidate:
        return found.setdefault(document.id, Candidate(document))

    for document, score in _accepted(hits.get(KEYWORD) or (), ask, ask.per_arm):
        of(document).keyword = score
    for document, score in _accepted(hits.get(NEAREST) or (), ask, ask.per_arm):
        of(document).cosine = 2 * score - 1
    for document, score in _recent(hits, ask):
        of(document).recent = score
    return found.values()


def _recent(hits: Mapping[str, list[Hit] | None], ask: Ask) -> Accepted:
    """The freshest of both halves, compared by the logarithm, as the embedded index does."""
    wanted = ask.per_arm if ask.recent is None else ask.recent
    scored = [
        (one, _freshness(one, ask.now))
        for arm in (PAST, AHEAD)
        for one, _ in _accepted(hits[arm] or (), ask, wanted)
    ]
    scored.sort(key=lambda each: (each[1], each[0].id), reverse=True)
    return [(one, 2.0**score) for one, score in scored[:wanted]]


def _freshness(document: Document, now: datetime) -> float:
    """The binary logarithm of importance × 2^(-time since access / half-life)."""
    record = document.facets
    age = max(0, micros(now) - micros(fresh_at(record)))
    weight = math.log2(record.importance) if record.importance else -math.inf
    return weight - age / HALF_LIFE_MICROS


def _accepted(hits: Iterable[Hit], ask: Ask, wanted: int) -> Iterator[tuple[Document, float]]:
    """Hits that the view and the filter let through, and their scores, at most so many."""
    count = 0
    filtered = bool(ask.filter.all_of or ask.filter.none_of)
    for document, hit in documents_of(hits):
        if count == wanted:
            return
        record = document.facets
        if visible(record, ask.view, ask.now) and (
            not filtered or passes(record, ask.filter, now=ask.now)
        ):
            count += 1
            yield document, hit.get("_score") or 0.0
