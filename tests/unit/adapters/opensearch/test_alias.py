"""Names of indexes and aliases, and which index is meant by them."""

from typing import Any

import pytest
from opensearchpy.exceptions import NotFoundError, RequestError

from hindwise.adapters.opensearch.alias import Alias, alias_of
from hindwise.errors import Unavailable


def made(aliases: dict[str, Any], **meta: str) -> dict[str, Any]:
    """An index as the node tells of it."""
    settings = {"index": {"creation_date": "1700000000000"}}
    return {"aliases": aliases, "mappings": {"_meta": meta}, "settings": settings}


class Indices:
    """The node's indexes as far as an alias needs them; `first` happens before one is made."""

    def __init__(self) -> None:
        self.held: dict[str, Any] = {}
        self.first = lambda: None

    def get(self, *, index: str) -> dict[str, Any]:
        if not self.held:
            raise NotFoundError(404, "index_not_found_exception", {})
        return self.held

    def create(self, *, index: str, body: dict[str, Any]) -> None:
        first, self.first = self.first, lambda: None
        first()
        if index in self.held:
            raise RequestError(400, "resource_already_exists_exception", {})
        if "limit" in self.held:
            raise RequestError(400, "validation_exception", {})
        self.held[index] = made(body["aliases"], **body["mappings"]["_meta"])


class Client:
    def __init__(self) -> None:
        self.indices = Indices()


@pytest.fixture
def alias() -> Alias:
    return Alias(Client(), "dev", "USE/512", dimensions=512)  # type: ignore[arg-type]


def hold(alias: Alias, **indexes: str) -> None:
    for number, name in indexes.items():
        held = alias.client.indices.held
        held[f"{alias.name}-{number.removeprefix('n')}"] = made({name: {}} if name else {})


@pytest.mark.parametrize(
    ("embedder", "name"),
    [
        ("use-m3-v1:512", "hindwise-dev-use-m3-v1-512"),
        ("text-embedding-3-small:1536", "hindwise-dev-text-embedding-3-small-1536"),
        ("BAAI/bge_M3:1024", "hindwise-dev-baai-bge-m3-1024"),
        ('_x*?"<>| ,#:', "hindwise-dev-x"),
    ],
)
def test_an_alias_is_a_name_that_the_node_takes(embedder: str, name: str) -> None:
    assert alias_of("dev", embedder) == name


def test_the_first_index_is_made_with_the_alias_that_is_written_to_alone(alias: Alias) -> None:
    assert alias.create() == "hindwise-dev-use-512-000001"
    assert alias.behind(alias.written) == "hindwise-dev-use-512-000001"
    assert alias.behind(alias.name) is None


def test_what_is_there_is_not_made_again(alias: Alias) -> None:
    hold(alias, n000007=alias.written)
    assert alias.create().endswith("-000007") and len(alias.indexes()) == 1


def test_what_was_left_without_an_alias_is_in_nobodys_way(alias: Alias) -> None:
    hold(alias, n000003="", n000004=alias.next)
    assert alias.create().endswith("-000005")


def test_two_that_make_it_at_once_make_one(alias: Alias) -> None:
    alias.client.indices.first = lambda: hold(alias, n000001=alias.written)
    assert alias.create().endswith("-000001")
    assert list(alias.indexes()) == [f"{alias.name}-000001"]


def test_indexes_of_others_are_not_ours(alias: Alias) -> None:
    alias.client.indices.held["hindwise-dev-use-512-x-000001"] = made({})
    alias.client.indices.held["hindwise-dev-use-512-1"] = made({})
    assert alias.indexes() == {}


def test_a_node_that_makes_none_is_unavailable(alias: Alias) -> None:
    alias.client.indices.held["limit"] = {}
    with pytest.raises(Unavailable):
        alias.create()


def test_indexes_of_other_embedders_are_known_by_what_they_say_of_themselves(alias: Alias) -> None:
    held = alias.client.indices.held
    alias.create()
    held["hindwise-dev-other-8-000001"] = made({}, stage="dev", embedder="other:8")
    held["hindwise-dev-x-use-512-000001"] = made({}, stage="dev-x", embedder="use:512")
    held["hindwise-dev-of-somebody"] = made({})
    assert alias.others() == ["hindwise-dev-other-8-000001"]
