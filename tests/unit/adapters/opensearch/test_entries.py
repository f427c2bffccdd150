"""Entries: what is written, what comes back, and that neither holds the text."""

import logging
from array import array

import numpy as np
import pytest

from hindwise.adapters.embedded.vectors import unit
from hindwise.adapters.opensearch.entries import (
    documents_of,
    entry,
    entry_id,
    routing_of,
    scope_key,
    scope_of,
    tombstone,
)
from hindwise.adapters.opensearch.mapping import index_body, properties
from hindwise.domain.scope import Scope
from tests import builders
from tests.builders import NOW

SCOPE = builders.scope()


@pytest.mark.parametrize("user", ["ada", "张曼婷", "a#b", "a/b c", "ü%20", "😀", "#"])
def test_a_scope_can_be_read_back_and_has_a_routing_of_its_own(user: str) -> None:
    scope = Scope(tenant="acme", user=user)
    assert scope_of(scope_key(scope)) == scope
    assert len(routing_of(scope)) == 32
    assert routing_of(scope) != routing_of(Scope(tenant="acme", user=f"{user}x"))


def test_two_scopes_never_share_an_entry() -> None:
    one, other = Scope(tenant="a", user="b"), Scope(tenant="a-b", user="b")
    assert entry_id(one, "01X") != entry_id(other, "01X")
    assert entry_id(one, "01X").endswith("-01X")


@pytest.mark.parametrize(
    "memory",
    [
        builders.episode("Secret words", session_id="s", seq=3, metadata={"k": [1, {"两": None}]}),
        builders.fact("Secret words", importance=0.0, valid_from=NOW, value="v"),
    ],
    ids=["episode", "fact"],
)
def test_an_entry_has_only_fields_of_the_mapping_and_gives_its_document_back(memory) -> None:
    document = builders.document(memory, words="secr word", vector=array("f", [3, 4]))
    made = entry(SCOPE, document, at=7)
    assert set(made) <= set(properties(2))
    assert "Secret words" not in str(made)
    hit = {"fields": {"packed": [made["packed"].replace("+", "-").replace("/", "_").rstrip("=")]}}
    [(found, _)] = documents_of([hit])
    assert (found.id, found.version, found.words) == (memory.id, memory.version, "secr word")
    assert found.facets == document.facets and found.vector is None


def test_a_tombstone_says_nothing_but_that_it_is_gone() -> None:
    made = tombstone(SCOPE, "01X", 3, at=7)
    assert made == {
        "scope": "acme#ada",
        "mid": "01X",
        "live": False,
        "version": 3,
        "put_at": 7,
    }


def test_vectors_have_length_one() -> None:
    assert np.linalg.norm(unit(array("f", [3e-5, 4e-5]))) == pytest.approx(1)


def test_what_cannot_be_read_is_passed_over_and_said(caplog: pytest.LogCaptureFixture) -> None:
    good = entry(SCOPE, builders.document(builders.episode()), at=7)["packed"]
    hits = [
        {"_index": "i", "fields": {"packed": [one]}} for one in ("AAAA", good, "MQp7fQp7fQ", "!")
    ]
    with caplog.at_level(logging.ERROR):
        assert len(list(documents_of([*hits, {"_index": "i", "fields": {}}]))) == 1
    assert caplog.messages == ["an entry of i cannot be read"] * 4


def test_the_index_keeps_no_source_takes_no_other_field_and_needs_a_routing() -> None:
    body = index_body(512, shards=3)
    mapping, settings = body["mappings"], body["settings"]["index"]
    assert mapping["_source"] == {"enabled": False} and mapping["dynamic"] == "strict"
    assert mapping["_routing"] == {"required": True}
    assert mapping["properties"]["vector"]["dimension"] == 512
    assert settings["number_of_shards"] == 3 and settings["refresh_interval"] == "1s"
