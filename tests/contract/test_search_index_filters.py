"""What every SearchIndex promises of filters, views, places and lists."""

from datetime import timedelta

import pytest

from hindwise.domain.memory import Status
from hindwise.domain.query import Condition, Filter, Operator, View
from tests.contract.search_documents import (
    ANN,
    EAST,
    NORTH,
    NOW,
    arms,
    ask,
    document,
    episode,
    fact,
)


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
        (Condition(field="names", value="上海"), [3]),
        (Condition(field="names", value="new york"), [2, 3]),
        (Condition(field="names", value="New York"), []),
        (Condition(field="names", op=Operator.IN, value=["上海", "new york", "x"]), [2, 3]),
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
            document(
                episode(
                    2, speaker="Bob", tags=("a", "b"), importance=0.7, entities=("Ｎｅｗ YORK",)
                )
            ),
            document(
                fact(3, event_time=NOW - timedelta(days=10), subject="New York", value="上海")
            ),
        ],
        {},
    )
    asked = ask("something", filter=Filter(all_of=(condition,)))
    for ids in arms(at.index.nominate(ANN, asked, EAST)).values():
        assert sorted(ids) == found
    assert sorted(map(int, at.index.listing(ANN, asked, limit=10))) == found


@pytest.mark.parametrize("key", ["k", "键" * 400, "k" * 4_000])
@pytest.mark.parametrize(
    ("op", "value", "found"),
    [
        (Operator.EQ, "b", [2]),
        (Operator.NE, "b", [1, 3, 4]),
        (Operator.GT, "a", [2, 3, 4]),
        (Operator.GTE, "\U0010ffff", [3, 4]),
        (Operator.LT, "😀" * 300, [1, 2]),
    ],
)
def test_names_and_values_of_any_length_and_script(at, key, op, value, found):
    values = ["a", "b", "\U0010ffffz", "\U0010ffff" * 201]
    made = [document(episode(i, metadata={key: one})) for i, one in enumerate(values, 1)]
    at.put(ANN, [*made, document(episode(9))], {})
    condition = Condition(field=f"metadata.{key}", op=op, value=value)
    asked = ask("something", filter=Filter(all_of=(condition,)))
    answer = at.index.nominate(ANN, asked, EAST)
    assert sorted(arms(answer)["cosine"]) == found
    assert sorted(map(int, at.index.listing(ANN, asked, limit=10))) == found


def test_a_filter_that_cannot_be_asked_of_all_is_said(at, monkeypatch):
    monkeypatch.setattr("hindwise.adapters.opensearch.queries.DEEP", 5)
    made = [document(episode(i, metadata={"k": [1, 2]})) for i in range(1, 12)]
    at.put(ANN, [*made, document(episode(20, metadata={"k": [3, 4]}))], {})
    condition = Condition(field="metadata.k", value=[3, 4])
    found = at.index.nominate(ANN, ask(filter=Filter(all_of=(condition,))), EAST)
    whole = arms(found)["recent"] == [20]
    assert found.coverage == (1.0 if whole and not found.skipped else None)
    assert found.skipped in ((), ("unfiltered_memories",)) and (whole or found.skipped)


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


def test_a_view_of_days_that_are_over_shows_what_held_then(at):
    day = timedelta(days=1)
    past = {"status": Status.SUPERSEDED}
    at.put(
        ANN,
        [
            document(fact(1, valid_from=NOW - 9 * day, valid_until=NOW - 5 * day, **past)),
            document(fact(2, event_time=NOW - 5 * day, valid_until=NOW - 3 * day, **past)),
            document(fact(3, event_time=NOW - 3 * day)),
            document(episode(4, valid_until=NOW - 5 * day, **past)),
            document(fact(5, event_time=NOW - 8 * day, status=Status.CONTESTED)),
        ],
        {},
    )

    def seen(first, end, **view):
        during = (NOW - first * day, NOW - end * day)
        found = at.index.nominate(ANN, ask(view=View(during=during, **view)), EAST)
        return sorted(arms(found)["cosine"])

    assert seen(7, 6) == [1, 3]
    assert seen(5, 4) == [2, 3]
    assert seen(6, 4) == [1, 2, 3]
    assert seen(20, 9) == seen(2, 1) == [3]
    assert seen(7, 6, include=frozenset({Status.CONTESTED})) == [1, 3, 5]


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
    assert list(map(int, at.index.listing(ANN, ask(), limit=10))) == [5, 6, 4, 2, 3, 1]


def test_lists_by_creation_put_the_newest_first(at):
    days = {1: 3, 2: 1, 3: 2}
    made = [episode(i, created_at=NOW - timedelta(days=day)) for i, day in days.items()]
    at.put(ANN, [document(one) for one in made], {})
    listed = at.index.listing(ANN, ask(), limit=2, newest=True)
    assert list(map(int, listed)) == [2, 3]
