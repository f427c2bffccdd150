"""What every SearchIndex promises, whatever holds the documents.

To run it over another index, add to INDEXES a function that returns an `Arranged`: the index, and a
way to put documents and tombstones into it that returns once they can be found. Add it to GUARDED
as well where `put` itself compares versions.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

import pytest

from hindwise.adapters.embedded.index import EmbeddedIndex
from hindwise.adapters.embedded.table import TableIndex
from hindwise.domain.document import Document
from hindwise.domain.memory import Status
from hindwise.domain.ports import SearchIndex
from hindwise.domain.query import Condition, Filter, Operator, View
from hindwise.domain.scope import Scope
from tests.contract.search_documents import (
    ANN,
    BOB,
    DIMENSIONS,
    EAST,
    NORTH,
    NOW,
    TableRows,
    arms,
    ask,
    document,
    episode,
    fact,
    name,
    vector,
)


@dataclass
class Arranged:
    index: SearchIndex
    put: Callable[[Scope, Sequence[Document], Mapping[str, int]], Mapping[str, str]]


def embedded():
    index = EmbeddedIndex(DIMENSIONS)
    return Arranged(index, index.put)


def table():
    rows = TableRows()
    index = TableIndex(rows, DIMENSIONS, clock=lambda: NOW)

    def put(scope, documents, gone):
        rows.put(scope, documents, list(gone), now=NOW)
        return index.put(scope, documents, gone)

    return Arranged(index, put)


INDEXES = [embedded, table]
GUARDED = [embedded]


@pytest.fixture(params=INDEXES, ids=lambda make: make.__name__)
def at(request):
    return request.param()


@pytest.fixture(params=GUARDED, ids=lambda make: make.__name__)
def guarded(request):
    return request.param()


def test_an_unknown_scope_is_empty(at):
    assert at.index.nominate(ANN, ask("anything"), EAST).candidates == ()
    assert at.index.listing(ANN, ask(), limit=10) == []
    assert at.index.beside(ANN, [("s", 1)]) == []
    assert at.index.versions(ANN) == {}


def test_scopes_do_not_see_each_other(at):
    at.put(ANN, [document(episode(1, "red bicycle", session_id="s", seq=1))], {})
    at.put(BOB, [document(episode(2, "red bicycle", session_id="s", seq=1))], {})
    assert arms(at.index.nominate(ANN, ask("bicycle"), EAST)) == {
        "keyword": [1],
        "cosine": [1],
        "recent": [1],
    }
    assert [one.document.id for one in at.index.beside(BOB, [("s", 1)])] == [name(2)]
    assert at.index.listing(BOB, ask(), limit=10) == [name(2)]
    assert at.index.versions(ANN) == {name(1): 1}


def test_the_keyword_arm_finds_words_whatever_their_form(at):
    at.put(ANN, [document(episode(1, "She was running")), document(episode(2, "A house"))], {})
    assert arms(at.index.nominate(ANN, ask("who runs?"), None))["keyword"] == [1]
    assert arms(at.index.nominate(ANN, ask("swims"), None))["keyword"] == []


def test_more_and_rarer_words_score_higher(at):
    texts = ["tea", "tea and rare cake", "tea with milk", "tea"]
    at.put(ANN, [document(episode(i, text)) for i, text in enumerate(texts, 1)], {})
    assert arms(at.index.nominate(ANN, ask("tea cake"), None))["keyword"][0] == 2


@pytest.mark.parametrize(
    ("query", "found"), [("辣", [1]), ("吃辣", [1]), ("火锅", [2]), ("锅辣", [])]
)
def test_chinese_is_found_by_words_and_by_single_characters(at, query, found):
    at.put(ANN, [document(episode(1, "我不吃辣")), document(episode(2, "周末吃火锅"))], {})
    assert arms(at.index.nominate(ANN, ask(query), None))["keyword"] == found


def test_identifiers_beat_their_pieces(at):
    texts = ["release 2.1.3 of v2 and v3", "we shipped v2.1.3 to many", "v2 v2 v2 1.3"]
    at.put(ANN, [document(episode(i, text)) for i, text in enumerate(texts, 1)], {})
    assert arms(at.index.nominate(ANN, ask("v2.1.3"), None))["keyword"][0] == 2


def test_the_date_can_be_searched_for(at):
    at.put(ANN, [document(episode(1, "lunch")), document(episode(2, "吃饭"))], {})
    assert arms(at.index.nominate(ANN, ask("in May?"), None))["keyword"] == [1]
    assert arms(at.index.nominate(ANN, ask("5月31日"), None))["keyword"][0] == 2


def test_the_vector_arm_orders_by_cosine(at):
    near, far = vector(0.9, 0.1, 0, 0), vector(-1, 0, 0, 0)
    given = [(1, NORTH), (2, far), (3, near), (4, None)]
    at.put(ANN, [document(episode(i), along) for i, along in given], {})
    found = at.index.nominate(ANN, ask(), vector(2, 0, 0, 0))
    assert arms(found)["cosine"] == [3, 1, 2]
    cosines = {int(one.document.id): one.cosine for one in found.candidates}
    assert cosines[3] == pytest.approx(0.9939, abs=1e-3)
    assert cosines[2] == pytest.approx(-1, abs=1e-3)


def test_without_a_vector_its_arm_is_not_asked(at):
    at.put(ANN, [document(episode(1))], {})
    found = at.index.nominate(ANN, ask("happened"), None)
    assert arms(found) == {"keyword": [1], "cosine": [], "recent": [1]}
    assert found.degraded == ()


@pytest.mark.parametrize("bad", [vector(0, 0, 0, 0), vector(1, 0), vector(float("nan"), 0, 0, 0)])
def test_an_unusable_vector_costs_its_arm_and_is_named(at, bad):
    at.put(ANN, [document(episode(1))], {})
    found = at.index.nominate(ANN, ask("happened"), bad)
    assert arms(found)["keyword"] == [1] and arms(found)["cosine"] == []
    assert found.degraded == ("vector",)


def test_the_recent_arm_weighs_importance_by_the_time_since_access(at):
    def aged(number, days, **fields):
        return document(episode(number, event_time=NOW - timedelta(days=days), **fields))

    at.put(
        ANN,
        [
            aged(1, 7, importance=1.0),
            aged(2, 0, importance=0.4),
            aged(3, 70, importance=0.9, last_access_at=NOW, access_count=1),
            aged(4, -30, importance=0.6),
            aged(5, 1, importance=0.0),
        ],
        {},
    )
    found = at.index.nominate(ANN, ask(), None)
    assert arms(found)["recent"] == [3, 4, 1, 2, 5]
    scores = {int(one.document.id): one.recent for one in found.candidates}
    assert scores[1] == pytest.approx(0.5) and scores[4] == pytest.approx(0.6)


def test_each_arm_returns_at_most_so_many(at):
    at.put(ANN, [document(episode(i, importance=0.3)) for i in range(1, 30)], {})
    found = arms(at.index.nominate(ANN, ask("happened", per_arm=5), EAST))
    assert {arm: len(ids) for arm, ids in found.items()} == {"keyword": 5, "cosine": 5, "recent": 5}


def test_filters_work_inside_the_arms(at):
    better = [document(episode(i, "red red bicycle", importance=1.0)) for i in range(10, 40)]
    wanted = document(episode(1, "one bicycle of many", tags=("mine",), importance=0.1), NORTH)
    at.put(ANN, [*better, wanted], {})
    found = at.index.nominate(ANN, ask("red bicycle", where={"tags": "mine"}, per_arm=5), EAST)
    assert arms(found) == {"keyword": [1], "cosine": [1], "recent": [1]}


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        (Condition(field="kind", value="semantic"), [3]),
        (Condition(field="type", value="fact"), [3]),
        (Condition(field="session_id", value="s"), [1]),
        (Condition(field="speaker", op=Operator.IN, value=["Ann", "Bob"]), [1, 2]),
        (Condition(field="tags", op=Operator.ALL, value=["a", "b"]), [2]),
        (Condition(field="importance", op=Operator.GTE, value=0.7), [2]),
        (Condition(field="event_time", op=Operator.LT, value=NOW - timedelta(days=5)), [3]),
        (Condition(field="metadata.team", value="red"), [1]),
        (Condition(field="speaker", op=Operator.NE, value="Ann"), [2]),
        (Condition(field="task_id", value=None), [1, 2, 3]),
    ],
    ids=lambda value: getattr(value, "field", None),
)
def test_conditions(at, condition, found):
    at.put(
        ANN,
        [
            document(
                episode(1, session_id="s", speaker="Ann", tags=("a",), metadata={"team": "red"})
            ),
            document(episode(2, speaker="Bob", tags=("a", "b"), importance=0.7)),
            document(fact(3, event_time=NOW - timedelta(days=10))),
        ],
        {},
    )
    asked = ask("something", filter=Filter(all_of=(condition,)))
    for ids in arms(at.index.nominate(ANN, asked, EAST)).values():
        assert sorted(ids) == found
    assert sorted(map(int, at.index.listing(ANN, asked, limit=10))) == found


def test_what_must_not_hold(at):
    at.put(ANN, [document(episode(1, speaker="Ann")), document(episode(2, speaker="Bob"))], {})
    asked = ask(filter=Filter(none_of=(Condition(field="speaker", value="Ann"),)))
    assert arms(at.index.nominate(ANN, asked, EAST))["cosine"] == [2]


def test_only_what_is_active_and_valid_is_seen_unless_asked_for(at):
    hour = timedelta(hours=1)
    states = [Status.ACTIVE, Status.OBSOLETE, Status.SUPERSEDED, Status.QUARANTINED]
    at.put(
        ANN,
        [
            *(document(fact(i, status=state)) for i, state in enumerate(states, 1)),
            document(fact(5, valid_until=NOW - hour)),
            document(fact(6, valid_from=NOW + hour)),
            document(fact(7, valid_from=NOW - hour, valid_until=NOW + hour)),
        ],
        {},
    )

    def seen(**view):
        found = at.index.nominate(ANN, ask(view=View(**view)), EAST)
        return sorted(arms(found)["cosine"])

    assert seen() == [1, 2, 7]
    assert seen(include=frozenset({Status.SUPERSEDED})) == [1, 2, 3, 7]
    assert seen(include=frozenset({Status.EXPIRED})) == [1, 2, 5, 7]
    assert seen(as_of=NOW - 2 * hour) == [1, 2, 3, 5]
    assert seen(known_at=NOW - timedelta(days=2)) == []


def test_places_beside_a_turn(at):
    turns = [document(episode(i, session_id="s", seq=i, speaker="Ann")) for i in range(1, 5)]
    at.put(ANN, [*turns, document(episode(9, session_id="t", seq=2))], {})
    found = at.index.beside(ANN, [("s", 2), ("s", 3), ("s", 99), ("u", 2)])
    assert [int(one.document.id) for one in found] == [2, 3]
    assert all((one.keyword, one.cosine, one.recent) == (None, None, None) for one in found)


def test_lists_put_the_important_and_the_sure_first(at):
    def at_day(day):
        return NOW - timedelta(days=day)

    at.put(
        ANN,
        [
            document(episode(1, importance=0.5, event_time=at_day(3))),
            document(episode(2, importance=0.9, event_time=at_day(9))),
            document(episode(3, importance=0.5, event_time=at_day(2))),
            document(fact(4, confidence=0.6, updated_at=at_day(1))),
            document(fact(5, confidence=0.9, updated_at=at_day(8))),
            document(fact(6, confidence=0.6, updated_at=at_day(0.5))),
        ],
        {},
    )
    episodes = at.index.listing(ANN, ask(where={"kind": "episodic"}), limit=10)
    facts = at.index.listing(ANN, ask(where={"kind": "semantic"}), limit=2)
    assert list(map(int, episodes)) == [2, 3, 1]
    assert list(map(int, facts)) == [5, 6]


def test_a_replaced_document_is_found_by_its_new_words_alone(at):
    at.put(ANN, [document(episode(1, "green bicycle", session_id="s", seq=1), NORTH)], {})
    later = episode(1, "blue kayak", version=2, session_id="s", seq=1, tags=("new",))
    at.put(ANN, [document(later, EAST)], {})
    assert arms(at.index.nominate(ANN, ask("bicycle"), None))["keyword"] == []
    found = at.index.nominate(ANN, ask("kayak", where={"tags": "new"}), EAST)
    assert [(one.document.version, one.cosine) for one in found.candidates] == [(2, 1.0)]
    assert len(at.index.beside(ANN, [("s", 1)])) == 1
    assert at.index.versions(ANN) == {name(1): 2}


def test_what_is_gone_is_found_nowhere(at):
    at.put(ANN, [document(episode(1, session_id="s", seq=1)), document(episode(2))], {})
    at.put(ANN, [], {name(1): 2})
    assert set().union(*arms(at.index.nominate(ANN, ask("happened"), EAST)).values()) == {2}
    assert at.index.beside(ANN, [("s", 1)]) == []
    assert at.index.listing(ANN, ask(), limit=10) == [name(2)]
    assert at.index.versions(ANN) == {name(2): 1}


def test_candidates_reveal_no_text(at):
    at.put(ANN, [document(episode(1, "secret", summary="secret"))], {})
    (found,) = at.index.nominate(ANN, ask(), EAST).candidates
    assert "secret" not in found.document.facets.model_dump_json()


def test_late_and_repeated_writes_change_nothing(guarded):
    first, second = episode(1, "old"), episode(1, "new", version=2)
    for memory in (second, first, second):
        assert guarded.put(ANN, [document(memory)], {}) == {}
    assert arms(guarded.index.nominate(ANN, ask("old"), None))["keyword"] == []
    guarded.put(ANN, [], {name(1): 3})
    assert guarded.put(ANN, [document(second)], {}) == {}
    assert guarded.put(ANN, [], {name(1): 1}) == {}
    assert guarded.index.versions(ANN) == {}


def test_a_newer_version_may_follow_a_tombstone(guarded):
    guarded.put(ANN, [], {name(1): 3})
    guarded.put(ANN, [document(episode(1, version=4))], {})
    assert guarded.index.versions(ANN) == {name(1): 4}


@pytest.mark.parametrize("bad", [vector(0, 0, 0, 0), vector(1), vector(float("inf"), 0, 0, 0)])
def test_unusable_vectors_are_refused_alone_and_with_a_reason(guarded, bad):
    refused = guarded.put(ANN, [document(episode(1), bad), document(episode(2))], {})
    assert list(refused) == [name(1)] and "vector" in refused[name(1)]
    assert guarded.index.versions(ANN) == {name(2): 1}
