"""The shapes of the searches: bounded, by doc values alone, in a fixed order."""

from array import array
from typing import Any

import pytest

from hindwise.adapters.opensearch import queries
from hindwise.adapters.opensearch.conditions import clauses
from hindwise.domain.ports import Ask
from hindwise.domain.query import Condition, Filter
from tests import builders
from tests.builders import NOW

SCOPE = builders.scope()
LOOSE = Filter(all_of=(Condition(field="metadata.k", value={"a": 1}),))


def ask(**fields: Any) -> Ask:
    return Ask(**{"terms": ("tea", "cake"), "now": NOW, "per_arm": 50, **fields})


def bodies(asked: Ask) -> list[dict[str, Any]]:
    made = clauses(SCOPE, asked)
    return [
        queries.keyword(asked, made),
        queries.nearest(array("f", [1, 0]), asked, made),
        *queries.recent(asked, made),
        queries.page(asked, made, limit=10, newest=False, after=None),
        queries.places(SCOPE, [("s", 1)]),
        queries.standing(SCOPE, after=None),
        queries.put_since(5, after=None),
    ]


def test_no_search_reads_stored_fields_or_counts_or_lasts() -> None:
    for body in bodies(ask()):
        assert body["stored_fields"] == "_none_" and body["docvalue_fields"]
        assert body["track_total_hits"] is False and 0 < body["size"] <= queries.DEEP
    *of_callers, of_upkeep = bodies(ask())
    assert {body["timeout"] for body in of_callers} == {"500ms"}
    assert "timeout" not in of_upkeep, "nobody waits for it"


def test_all_but_the_upkeep_is_asked_under_the_scope() -> None:
    for body in bodies(ask())[:-1]:
        assert "'scope': 'acme#ada'" in str(body["query"])


def test_words_are_matched_and_never_parsed() -> None:
    asked = ask(terms=("tea", "OR", "*"), exact=("v2.1.3",))
    body = queries.keyword(asked, clauses(SCOPE, asked))
    assert "query_string" not in str(body)
    [either] = body["query"]["bool"]["must"]
    identifier, words = either["bool"]["should"]
    assert identifier["constant_score"]["filter"] == {"term": {"exact": "v2.1.3"}}
    assert words == {"match": {"words": {"query": "tea OR *"}}}


def test_an_identifier_alone_is_a_question() -> None:
    asked = ask(terms=(), exact=("v2",))
    [either] = queries.keyword(asked, clauses(SCOPE, asked))["query"]["bool"]["must"]
    assert len(either["bool"]["should"]) == 1


def test_the_filter_is_inside_the_graph_and_enough_of_it_is_looked_at() -> None:
    asked = ask()
    made = clauses(SCOPE, asked)
    wanted = queries.nearest(array("f", [3, 4]), asked, made)["query"]["knn"]["vector"]
    assert wanted["filter"] == made.query() and wanted["k"] == 50
    assert wanted["method_parameters"] == {"ef_search": queries.EF_SEARCH}
    assert list(wanted["vector"]) == pytest.approx([0.6, 0.8])


def test_more_is_fetched_where_the_clauses_do_not_decide() -> None:
    loose = ask(filter=LOOSE)
    made = clauses(SCOPE, loose)
    assert queries.depth(50, made) == queries.DEEP
    wanted = queries.nearest(array("f", [1]), loose, made)["query"]["knn"]["vector"]
    assert wanted["k"] == wanted["method_parameters"]["ef_search"] == queries.DEEP
    assert queries.depth(50, clauses(SCOPE, ask())) == 50


def test_pages_go_on_after_a_place_that_nothing_shares() -> None:
    asked = ask()
    page = queries.page(asked, clauses(SCOPE, asked), limit=10, newest=True, after=[1, "m"])
    assert page["search_after"] == [1, "m"] and page["sort"][-1] == {"mid": "desc"}
    since = queries.put_since(5, after=[5, "s", "m"])
    assert [*map(list, since["sort"])] == [["put_at"], ["scope"], ["mid"]]
    assert "search_after" not in queries.standing(SCOPE, after=None)
