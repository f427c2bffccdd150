"""The node and the index in process list and nominate alike, whatever they hold and are asked."""

from datetime import timedelta
from random import Random

import pytest

from hindwise.domain.memory import Status
from hindwise.domain.query import Condition, Filter, Operator, View
from tests.contract.search_documents import (
    ANN,
    NOW,
    arms,
    ask,
    document,
    episode,
    fact,
    vector,
)
from tests.contract.search_indexes import embedded, opensearch

DOCUMENTS, QUESTIONS = 150, 250
LONG = "w" * 400
VALUES = [1, 1.0, 2, 2.5, -3, 0, -0.0, True, False, None, "x", "y", "1", 2**60, 2**60 + 1]
STORED = [*VALUES, "x" * 300, "x" * 299 + "z", [1, "x"], ["y"], [], {"n": 1}, [[1]]]
OPERANDS = {
    "metadata.a": [*VALUES, "x" * 300, "x" * 301, [1, "x"], {"n": 1}],
    "metadata.b": [*VALUES, ["y"], []],
    "tags": ["a", "b", "unused"],
    "kind": ["episodic", "semantic"],
    "type": ["fact", "preference"],
    "status": [status.value for status in Status],
    "speaker": ["Ann", None],
    "subject": ["me", None],
    "names": ["me", "v", "nobody"],
    "value": ["v", LONG, f"{LONG}w", None],
    "scene": ["work", None],
    "session_id": ["s", None],
    "importance": [0.1, 0.5, 0],
    "seq": [5, 70],
    "event_time": [],
    "created_at": [],
}


class Chance(Random):
    def hours(self, first, last):
        return NOW + timedelta(hours=self.randint(first, last))

    def along(self):
        return vector(*(self.gauss(0, 1) for _ in range(4)))

    def memory(self, number):
        given = {
            "importance": self.choice([0, 0.1, 0.5, 0.5, 0.9]),
            "confidence": self.choice([0.3, 0.8]),
            "tags": tuple(self.sample(["a", "b", "c"], self.randint(0, 2))),
            "metadata": {key: self.choice(STORED) for key in "ab" if self.random() < 0.6},
            "status": self.choice([*Status, *[Status.SUPERSEDED] * 4, *[Status.ACTIVE] * 20]),
            "scene": self.choice([None, None, "work"]),
            "event_time": self.hours(-300, 50),
            "created_at": self.hours(-50, 0),
            "updated_at": self.hours(-10, 0),
            "valid_from": self.choice([None, None, self.hours(-5, 5)]),
            "valid_until": self.choice([None, None, self.hours(-2, 9)]),
        }
        if self.random() < 0.6:
            place = {"session_id": self.choice([None, "s"]), "seq": number}
            said = self.choice(["red bicycle", "blue kayak 火锅", "我不吃辣 bicycle"])
            return episode(number, said, speaker=self.choice([None, "Ann"]), **place, **given)
        meant = {"type": self.choice(["fact", "preference"]), "subject": self.choice([None, "me"])}
        return fact(number, "red thing", value=self.choice([None, "v", LONG]), **meant, **given)

    def condition(self):
        field, op = self.choice(list(OPERANDS)), self.choice(list(Operator))
        if not OPERANDS[field]:
            return Condition(field=field, op=op, value=self.hours(-200, 20))
        value = self.choice(OPERANDS[field])
        if op in (Operator.IN, Operator.ALL) or self.random() < 0.1:
            value = [self.choice(OPERANDS[field]) for _ in range(self.randint(0, 2))]
        return Condition(field=field, op=op, value=value)

    def ask(self):
        wanted = Filter(
            all_of=tuple(self.condition() for _ in range(self.randint(0, 2))),
            none_of=tuple(self.condition() for _ in range(self.choice([0, 0, 1]))),
        )
        view = View(
            include=frozenset(self.sample(list(Status), self.choice([0, 0, 1, 2]))),
            as_of=self.choice([None, None, NOW - timedelta(hours=3)]),
            known_at=self.choice([None, None, None, NOW - timedelta(hours=5)]),
            scene=self.choice([None, None, "work"]),
            during=self.choice([None, None, (self.hours(-300, -20), self.hours(-20, -1))]),
        )
        text = self.choice(["bicycle", "火锅", "辣 kayak", "red thing"])
        limits = {"per_arm": self.choice([5, 100]), "recent": self.choice([None, 7])}
        return ask(text, filter=wanted, view=view, **limits)


def answers(index, asked, along):
    """All that an index says to a question, in words that two of them must share.

    Equal keyword scores may be cut anywhere, so those are compared where nothing is cut.
    """
    found = arms(index.nominate(ANN, asked, along))
    return {
        "listed": index.listing(ANN, asked, limit=30),
        "newest": index.listing(ANN, asked, limit=30, newest=True),
        "recent": found["recent"],
        "nearest": found["cosine"],
        "keyword": sorted(found["keyword"]) if asked.per_arm == 100 else len(found["keyword"]),
    }


@pytest.mark.opensearch
def test_two_indexes_say_the_same(request):
    chance = Chance(20)
    documents = [document(chance.memory(n), chance.along()) for n in range(1, DOCUMENTS + 1)]
    with embedded(request) as ours, opensearch(request) as node:
        assert ours.put(ANN, documents, {}) == node.put(ANN, documents, {}) == {}
        assert ours.index.versions(ANN) == node.index.versions(ANN)
        found = 0
        for _ in range(QUESTIONS):
            asked, along = chance.ask(), chance.along()
            expected = answers(ours.index, asked, along)
            assert answers(node.index, asked, along) == expected, (asked.filter, asked.view)
            found += len(expected["listed"])
        assert found > 2 * QUESTIONS, "most questions must find something"
