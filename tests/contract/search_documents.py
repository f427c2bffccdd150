"""Documents for the search index's tests, made the way the projection makes them."""

from array import array
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hindwise.domain.analysis import identifiers, query_words
from hindwise.domain.memory import Episode, SemanticMemory
from hindwise.domain.ports import Ask, Logged
from hindwise.domain.projection import document_of
from hindwise.domain.query import Condition, Filter
from hindwise.domain.scope import Scope

NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)
ANN, BOB = Scope(tenant="acme", user="ann"), Scope(tenant="acme", user="bob")
DIMENSIONS = 4


def vector(*values):
    return array("f", values)


EAST, NORTH = vector(1, 0, 0, 0), vector(0, 1, 0, 0)


def episode(number, content="Something happened", **fields):
    moment = NOW - timedelta(days=1)
    given = {"event_time": moment, "created_at": moment, "updated_at": moment}
    return Episode(id=f"{number:026d}", content=content, **(given | fields))


def fact(number, content="Something is so", **fields):
    moment = NOW - timedelta(days=1)
    given = {"event_time": moment, "created_at": moment, "updated_at": moment}
    return SemanticMemory(id=f"{number:026d}", content=content, **(given | fields))


def document(memory, along=EAST):
    return replace(document_of(memory, None, "test")[0], vector=along)


def name(number):
    return f"{number:026d}"


def ask(text="", *, where=None, **fields):
    conditions = tuple(
        Condition(field=field, value=value) for field, value in (where or {}).items()
    )
    given = {"now": NOW, "filter": Filter(all_of=conditions)}
    return Ask(terms=tuple(query_words(text)), exact=identifiers(text), **(given | fields))


def arms(nominations):
    """What each arm returned, best first: numbers of the documents."""
    out = {}
    for arm in ("keyword", "cosine", "recent"):
        held = [one for one in nominations.candidates if getattr(one, arm) is not None]
        held.sort(key=lambda one: getattr(one, arm), reverse=True)
        out[arm] = [int(one.document.id) for one in held]
    return out


class TableRows:
    """Projections in a dictionary, as far as the table index needs them."""

    def __init__(self):
        self.rows, self.log, self.reads = {}, [], []

    def documents(self, scope, ids):
        self.reads.append(("documents", len(ids)))
        held = self.rows.get(scope, {})
        return {one: held[one] for one in ids if one in held}

    def newest(self, scope, limit):
        self.reads.append(("newest", limit))
        held = self.rows.get(scope, {})
        return [held[one] for one in sorted(held, reverse=True)[:limit]]

    def put(self, scope, documents, gone, *, now):
        held = self.rows.setdefault(scope, {})
        held.update({one.id: one for one in documents})
        for one, version in gone.items():
            if one in held and held[one].version <= version:
                del held[one]
        self.log.append((scope, now, [*(one.id for one in documents), *gone]))

    def logged(self, scope, *, since):
        return tuple(
            Logged(key=str(row), ids=tuple(ids))
            for row, (where, at, ids) in enumerate(self.log)
            if where == scope and at >= since
        )
