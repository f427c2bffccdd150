from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindwise.domain.memory import Status
from hindwise.domain.query import Condition, Operator
from hindwise.domain.visibility import passes
from hindwise.errors import Invalid
from hindwise.runtime import filters
from hindwise.runtime.filters import filter_of
from tests.builders import NOW, episode


def conditions(given):
    return [(one.field, one.op.value, one.value) for one in filter_of(given).all_of]


TEN = datetime(2026, 1, 15, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"kind": "episodic"}, [("kind", "eq", "episodic")]),
        ({"kind": ["episodic", "semantic"]}, [("kind", "in", ["episodic", "semantic"])]),
        ({"domain": {"ne": "general"}}, [("domain", "ne", "general")]),
        ({"domain": {"in": ["a", "b"]}}, [("domain", "in", ["a", "b"])]),
        ({"tags": "work"}, [("tags", "eq", "work")]),
        ({"tags_any": "work"}, [("tags", "in", ["work"])]),
        ({"tags_any": ["work", "AI"]}, [("tags", "in", ["work", "AI"])]),
        ({"tags_all": ["work", "AI"]}, [("tags", "all", ["work", "AI"])]),
        ({"min_importance": 0.5}, [("importance", "gte", 0.5)]),
        ({"importance": {"gt": 0, "lte": 1}}, [("importance", "gt", 0), ("importance", "lte", 1)]),
        ({"event_from": "2026-01-15T10:00:00Z"}, [("event_time", "gte", TEN)]),
        ({"event_to": "2026-01-15T18:00:00+08:00"}, [("event_time", "lt", TEN)]),
        ({"created_at": {"lt": "2026-01-15T10:00:00z"}}, [("created_at", "lt", TEN)]),
        ({"run_id": "s1"}, [("session_id", "eq", "s1")]),
        ({"speaker": None}, [("speaker", "eq", None)]),
        ({"category": "billing"}, [("metadata.category", "eq", "billing")]),
        ({"priority": {"gte": 3, "lt": 7}},
         [("metadata.priority", "gte", 3), ("metadata.priority", "lt", 7)]),
        ({"metadata": {"kinds": [1, "a"]}}, [("metadata.kinds", "in", [1, "a"])]),
        ({"metadata": {"x": {"eq": {"y": 1}}}}, [("metadata.x", "eq", {"y": 1})]),
        ({"min_confidence": 0.5}, []),
        ({}, []),
    ],
)  # fmt: skip
def test_each_form_of_a_filter(given, expected):
    assert conditions(given) == expected


def test_not_excludes():
    built = filter_of({"not": {"category": "billing", "tags": "old"}})
    assert built.none_of == (
        Condition(field="metadata.category", value="billing"),
        Condition(field="tags", value="old"),
    )


@pytest.mark.parametrize(
    ("given", "field", "says"),
    [
        ({"priority": {"frobnicate": 3}}, "filters.priority", "frobnicate"),
        ({"domain": {"regex": "a"}}, "filters.domain", "regex"),
        ({"priority": {}}, "filters.priority", "operator"),
        ({"domian": "x"}, "filters.domian", "did you mean domain"),
        ({"tag": "x"}, "filters.tag", "did you mean tags"),
        ({"sesion_id": "x"}, "filters.sesion_id", "did you mean session_id"),
        ({"user_id": "x"}, "filters.user_id", "unknown filter"),
        ({"min_price": 3}, "filters.min_price", "unknown filter"),
        ({"created_until_to": 3}, "filters.created_until_to", "unknown filter"),
        ({"kind": "episode"}, "filters.kind", "episodic"),
        ({"kind": {"ne": 5}}, "filters.kind.ne", "one of"),
        ({"status": ["active", "gone"]}, "filters.status", "superseded"),
        ({"domain": 5}, "filters.domain", "string"),
        ({"domain": {"in": []}}, "filters.domain.in", "1 to 100"),
        ({"domain": {"in": "a"}}, "filters.domain.in", "list"),
        ({"tags_any": []}, "filters.tags_any", "1 to 100"),
        ({"tags_any": [1]}, "filters.tags_any", "string"),
        ({"tags_all": {"in": ["a"]}}, "filters.tags_all", "string"),
        ({"min_importance": "0.5"}, "filters.min_importance", "0 to 1"),
        ({"min_importance": True}, "filters.min_importance", "0 to 1"),
        ({"min_importance": 2}, "filters.min_importance", "0 to 1"),
        ({"event_from": "2026-01-15T10:00:00"}, "filters.event_from", "zone"),
        ({"event_from": 1768473000}, "filters.event_from", "zone"),
        ({"event_to": "15/01/2026 25:99"}, "filters.event_to", "zone"),
        ({"event_time": {"gt": "2026-02-30T10:00:00Z"}}, "filters.event_time.gt", "zone"),
        ({"event_time": ["2026-01-15T10:00:00Z"]}, "filters.event_time", "gte"),
        ({"metadata": "x"}, "filters.metadata", "object"),
        ({"not": ["x"]}, "filters.not", "object"),
        ({"not": {"not": {"a": 1}}}, "filters.not", "not"),
        ({"not": {"domian": "x"}}, "filters.not.domian", "did you mean"),
        ({"metadata": {"k": "x" * 1_001}}, "filters.metadata.k", "1000"),
        ({f"key{i}": i for i in range(33)}, "filters", "32"),
        ({"category": "a\u202eb"}, "filters.category", "bidirectional"),
    ],
)
def test_what_cannot_be_applied_is_refused_by_name(given, field, says):
    with pytest.raises(Invalid) as caught:
        filter_of(given)
    assert caught.value.details["field"] == field
    assert says in str(caught.value)


LOGIC = [
    "or", "OR", "Or", "and", "AND", "$or", "$and", "$not", "$expr", "nor", "must", "must_not",
    "mustNot", "MUST-NOT", "should", "filter", "none_of", "all_of", "any_of", "anyOf", "exists",
    "range", "term", "terms", "match", "bool", "NOT", "_or",
]  # fmt: skip


@pytest.mark.parametrize("word", LOGIC)
@pytest.mark.parametrize("value", [[{"category": "billing"}], {"category": "billing"}, "billing"])
def test_logic_that_is_not_offered_is_refused_by_name(word, value):
    for asked, field in (
        ({word: value}, f"filters.{word}"),
        ({"domain": "ops", word: value}, f"filters.{word}"),
        ({"not": {word: value}}, f"filters.not.{word}"),
    ):
        with pytest.raises(Invalid, match="not offered") as caught:
            filter_of(asked)
        assert caught.value.details["field"] == field
    assert conditions({"metadata": {word: "x"}}) == [(f"metadata.{word}", "eq", "x")]


@pytest.mark.parametrize(
    "value",
    [[["a"]], [{"b": 1}], ["a", {}], {"eq": ["a"]}, {"ne": {"b": 1}}, {"in": [["a"]]}],
)
def test_a_metadata_key_compares_with_plain_values(value):
    for asked, field in (
        ({"category": value}, "filters.category"),
        ({"not": {"category": value}}, "filters.not.category"),
    ):
        with pytest.raises(Invalid, match="plain values") as caught:
            filter_of(asked)
        assert caught.value.details["field"] == field
    [whole] = filter_of({"metadata": {"category": value}}).all_of
    held = whole.value if isinstance(whole.value, list) else [whole.value]
    said = episode(metadata={"category": held if whole.op is Operator.IN else whole.value})
    assert passes(said, filter_of({"metadata": {"category": value}}), now=NOW) is (
        whole.op is not Operator.NE
    )


@pytest.mark.parametrize("value", [None, True, ["a"], {"b": 1}])
@pytest.mark.parametrize("name", ["priority", "domain", "tags", "importance"])
def test_what_has_no_order_is_not_compared_by_it(name, value):
    with pytest.raises(Invalid) as caught:
        filter_of({"not": {name: {"gte": value}}})
    assert caught.value.details["field"].startswith(f"filters.not.{name}")
    with pytest.raises(Invalid):
        filter_of({"metadata": {name: {"lt": value}}})


def test_an_event_range_is_half_open():
    wanted = filter_of({"event_from": "2026-03-01T00:00:00Z", "event_to": "2026-03-02T00:00:00Z"})
    days = [datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 2, tzinfo=UTC)]
    assert [passes(episode(event_time=day), wanted, now=NOW) for day in days] == [True, False]


def test_a_status_filter_names_what_must_be_shown():
    named = filters.statuses(filter_of({"status": ["superseded", "active"]}))
    assert named == {Status.SUPERSEDED, Status.ACTIVE}
    assert filters.statuses(filter_of({"status": {"ne": "superseded"}})) == frozenset()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*filters.OPERATORS, "not", "x"]) | st.text(max_size=5), inner
        )
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(sorted(filters.KNOWN)) | st.text(max_size=8), JSON))
def test_any_json_is_a_filter_that_can_be_evaluated_or_an_error_of_ours(given):
    try:
        wanted = filter_of(given)
    except Invalid as refused:
        assert refused.details["field"].startswith("filters")
        return
    passes(episode(tags=("a",), metadata={"x": 3, "y": "b"}), wanted, now=NOW)
    assert all(isinstance(one.op, Operator) for one in wanted.all_of)
