"""The clauses of an ask: they keep out nothing that belongs in, and say whether they are whole."""

from typing import Any

import pytest

from hindwise.adapters.opensearch.conditions import clauses
from hindwise.adapters.opensearch.entries import scope_key
from hindwise.domain.memory import Status
from hindwise.domain.ports import Ask
from hindwise.domain.query import Condition, Filter, Operator, View
from hindwise.domain.visibility import NEVER_SHOWN
from tests import builders
from tests.builders import NOW

SCOPE = builders.scope()


def asked(*all_of: Condition, none_of: tuple[Condition, ...] = (), **view: Any) -> Ask:
    wanted = Filter(all_of=all_of, none_of=none_of)
    return Ask(terms=(), now=NOW, filter=wanted, view=View(**view))


def test_every_query_holds_the_scope_and_no_tombstones() -> None:
    made = clauses(SCOPE, asked())
    assert {"term": {"scope": scope_key(SCOPE)}} in made.must
    assert {"term": {"live": True}} in made.must
    assert made.whole and "must_not" not in made.query()["bool"]


@pytest.mark.parametrize(
    ("condition", "whole"),
    [
        (Condition(field="speaker", value="Ann"), True),
        (Condition(field="tags", op=Operator.ALL, value=["a", "b"]), True),
        (Condition(field="tags", op=Operator.ALL, value=[*"abcdefghijk"]), False),
        (Condition(field="metadata.k", op=Operator.ALL, value=["a", "b"]), False),
        (Condition(field="metadata.k", value={"a": 1}), False),
        (Condition(field="metadata.k", value=[1]), False),
        (Condition(field="metadata.k", op=Operator.GT, value=2**60), False),
        (Condition(field="value", op=Operator.LT, value="w" * 400), False),
        (Condition(field="value", op=Operator.LT, value="w"), True),
        (Condition(field="event_time", op=Operator.GTE, value=NOW), True),
        (Condition(field="importance", op=Operator.GT, value=0.5), True),
        (Condition(field="seq", value=5), False),
        (Condition(field="status", value="expired"), True),
        (Condition(field="status", op=Operator.NE, value="active"), True),
    ],
    ids=lambda value: getattr(value, "field", ""),
)
def test_it_is_said_whether_more_must_be_looked_at(condition: Condition, whole: bool) -> None:
    assert clauses(SCOPE, asked(condition)).whole is whole


def test_what_must_not_hold_is_left_to_the_facets_where_it_cannot_be_said_exactly() -> None:
    exact, loose = (Condition(field="metadata.k", value=one) for one in ("a", {"a": 1}))
    made = clauses(SCOPE, asked(none_of=(exact, loose)))
    assert len(made.never) == 1 and not made.whole
    assert made.query()["bool"]["must_not"] == made.never


def test_what_is_never_shown_is_never_asked_for() -> None:
    include = frozenset(Status)
    for view in ({"include": include}, {"include": include, "as_of": NOW}):
        said = str(clauses(SCOPE, asked(**view)).must)
        assert "superseded" in said
        assert NEVER_SHOWN and not any(hidden.value in said for hidden in NEVER_SHOWN)


def test_what_was_known_then_is_decided_on_the_record() -> None:
    made = clauses(SCOPE, asked(known_at=NOW))
    assert not made.whole and "status" not in str(made.must)
