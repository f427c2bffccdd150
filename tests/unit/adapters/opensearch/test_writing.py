"""Bulk writes against a node that refuses, is busy, is full, or takes only small requests."""

import json
from array import array
from collections.abc import Callable
from typing import Any

import pytest

from hindwise.adapters.opensearch.client import NotThere
from hindwise.adapters.opensearch.writing import (
    MOST_BYTES,
    ROUNDS,
    Put,
    Writer,
    put_of,
    reason_of,
    write,
)
from hindwise.errors import Unavailable
from tests import builders
from tests.builders import Clock

SCOPE = builders.scope()
type Answer = Callable[[str, int], tuple[int, dict[str, str]]]


class Node:
    """Answers bulk requests item by item; `statuses` say how, by memory id and attempt."""

    def __init__(self, **statuses: list[int]) -> None:
        self.statuses = statuses
        self.requests: list[list[str]] = []
        self.most = 10**9
        self.error = {"type": "mapper_parsing_exception", "reason": "failed to parse [facts]"}

    def __call__(self, body: bytes) -> dict[str, Any] | None:
        actions = [json.loads(line) for line in body.splitlines()[::2]]
        ids = [one["index"]["_id"].partition("-")[2] for one in actions]
        if len(body) > self.most:
            return None
        self.requests.append(ids)
        return {"items": [{"index": self._item(one)} for one in ids]}

    def _item(self, memory_id: str) -> dict[str, Any]:
        left = self.statuses.get(memory_id, [200])
        status = left.pop(0) if len(left) > 1 else left[0]
        return {"status": status} | ({"error": self.error} if status >= 400 else {})


def puts(*ids: str, size: int = 0) -> list[Put]:
    return [put_of(SCOPE, one, {"version": 1, "words": "x" * size}) for one in ids]


def written(node: Node, entries: list[Put]) -> dict[str, str]:
    return write(node, entries, pause=lambda seconds: None)


def test_each_item_says_its_version_and_its_scope() -> None:
    [once] = puts("a")
    action, body = map(json.loads, once.lines.splitlines())
    assert body == {"version": 1, "words": ""}
    assert action["index"]["version"] == 1 and len(action["index"]["routing"]) == 32
    assert action["index"]["version_type"] == "external_gte"
    added = put_of(SCOPE, "a", {"version": 1}, again=False)
    assert json.loads(added.lines.splitlines()[0])["index"]["version_type"] == "external"


def test_a_newer_one_that_is_there_is_success() -> None:
    assert written(Node(b=[409]), puts("a", "b")) == {}


def test_what_is_wrong_with_an_entry_is_named_and_the_others_are_written() -> None:
    node = Node(b=[400])
    assert written(node, puts("a", "b", "c")) == {"b": "mapper_parsing_exception at facts"}
    assert node.requests == [["a", "b", "c"]]


@pytest.mark.parametrize("status", [429, 503, 500, 403])
def test_what_was_turned_away_is_sent_again_alone(status: int) -> None:
    node = Node(b=[status, 200])
    assert written(node, puts("a", "b", "c")) == {}
    assert node.requests == [["a", "b", "c"], ["b"]]


@pytest.mark.parametrize("status", [429, 503, 403])
def test_a_node_that_goes_on_turning_away_refuses_nothing(status: int) -> None:
    """A full disk or a blocked index is no fault of the memories."""
    node = Node(b=[status], c=[400])
    with pytest.raises(Unavailable, match="it turned 1 entries away"):
        written(node, puts("a", "b", "c"))
    assert len(node.requests) == ROUNDS


def test_a_missing_alias_is_said_at_once() -> None:
    node = Node(a=[404])
    with pytest.raises(NotThere):
        written(node, puts("a", "b"))
    assert len(node.requests) == 1


def test_large_requests_are_cut_and_halved() -> None:
    node = Node()
    written(node, puts(*"abcd", size=MOST_BYTES // 3))
    assert node.requests == [["a", "b"], ["c", "d"]]
    node = Node()
    node.most = 2_500
    assert written(node, puts(*"abcde", size=700)) == {}
    assert sorted(one for request in node.requests for one in request) == [*"abcde"]
    assert max(map(len, node.requests)) == 2


def test_an_entry_that_is_too_large_alone_is_refused() -> None:
    node = Node()
    node.most = 1_000
    entries = [*puts("a"), *puts("b", size=2_000)]
    assert written(node, entries) == {"b": "the entry is too large for the index"}
    assert node.requests == [["a"]]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ({"type": "strict_dynamic_mapping_exception", "reason": "of [hobby] within [_doc]"},
         "strict_dynamic_mapping_exception"),
        ({"type": "mapper_parsing_exception",
          "reason": "failed to parse field [event_time]. Preview of field's value: 'my secret'"},
         "mapper_parsing_exception at event_time"),
        ({"type": "illegal_argument_exception", "reason": "the term [secret] is immense"},
         "illegal_argument_exception"),
        ({}, "refused"),
    ],
)  # fmt: skip
def test_reasons_name_fields_of_the_mapping_and_quote_nothing(
    error: dict[str, str], reason: str
) -> None:
    assert reason_of(error) == reason


def test_a_flawed_vector_or_body_costs_its_own_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    good, bad, odd = (builders.document(builders.episode()) for _ in range(3))
    bad = builders.document(builders.episode(), vector=array("f", [0.0, 0.0]))
    odd = builders.document(builders.episode(), words="\ud800")
    sent: list[bytes] = []

    class Client:
        def bulk(self, *, index: str, body: bytes, params: dict[str, str]) -> dict[str, Any]:
            assert (index, params) == ("alias", {"require_alias": "true"})
            sent.append(body)
            return {"items": [{"index": {"status": 201}}] * (len(body.splitlines()) // 2)}

    writer = Writer(Client(), "alias", 2, clock=Clock())  # type: ignore[arg-type]
    refused = writer.put(SCOPE, [good, bad, odd], {"gone": 4})
    assert set(refused) == {bad.id, odd.id}
    assert "vector" in refused[bad.id] and "cannot be written" in refused[odd.id]
    [body] = sent
    assert good.id in body.decode() and "gone" in body.decode() and bad.id not in body.decode()
