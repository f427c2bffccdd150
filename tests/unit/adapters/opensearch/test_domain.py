"""Index and upkeep of an endpoint: when the node is left alone, and when it is not."""

from itertools import count

import pytest
from opensearchpy.exceptions import ConnectionTimeout

from hindwise.adapters.embedders.hashed import HashedEmbedder
from hindwise.adapters.opensearch.client import Declined, NotThere, unavailable
from hindwise.adapters.opensearch.domain import Domain
from hindwise.adapters.opensearch.upkeep import Successor
from hindwise.domain.ports import Ask
from hindwise.errors import Unavailable
from tests import builders
from tests.builders import NOW, Clock

SCOPE = builders.scope()
ASK = Ask(terms=("tea",), now=NOW)


class Searching:
    """Raises what it is told to, and counts how often it is asked."""

    def __init__(self) -> None:
        self.status, self.asked = 0, 0

    def msearch(self, **given: object) -> dict[str, object]:
        self.asked += 1
        if self.status == 200:
            hits = {"status": 200, "_shards": {"failed": 0}, "hits": {"hits": []}}
            return {"responses": [hits] * 3}
        return {"responses": [{"status": self.status, "error": {}}] * 3}


@pytest.fixture
def domain(monkeypatch: pytest.MonkeyPatch) -> Domain:
    made = Domain(
        "http://127.0.0.1:9", "dev", HashedEmbedder(), clock=Clock(), monotonic=lambda: 0.0
    )
    monkeypatch.setattr(made.index, "_searching", Searching())
    return made


@pytest.mark.parametrize(("status", "kind"), [(404, NotThere), (400, Declined)])
def test_a_node_that_answers_is_asked_again(
    domain: Domain, status: int, kind: type[Unavailable]
) -> None:
    searching = domain.index._searching
    searching.status = status  # type: ignore[attr-defined]
    for _ in range(3):
        with pytest.raises(kind):
            domain.index.nominate(SCOPE, ASK, None)
    assert searching.asked == 3  # type: ignore[attr-defined]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_node_that_fails_is_left_alone(domain: Domain, status: int) -> None:
    searching = domain.index._searching
    searching.status = status  # type: ignore[attr-defined]
    for _ in range(3):
        with pytest.raises(Unavailable):
            domain.index.nominate(SCOPE, ASK, None)
    assert searching.asked == 1  # type: ignore[attr-defined]


def test_writes_that_fail_do_not_keep_searches_from_the_node() -> None:
    seconds = count()
    domain = Domain(
        "http://127.0.0.1:9",
        "dev",
        HashedEmbedder(),
        clock=Clock(),
        monotonic=lambda: next(seconds) * 0.001,
    )
    with pytest.raises(Unavailable):
        domain.index.put(SCOPE, [], {"01X": 2})
    domain.index._searching = searching = Searching()  # type: ignore[assignment]
    searching.status = 200
    assert domain.index.nominate(SCOPE, ASK, None).candidates == ()


def test_nothing_is_asked_of_a_node_to_answer_nothing(domain: Domain) -> None:
    assert domain.index.beside(SCOPE, []) == []
    domain.index.settle()
    assert domain.index._searching.asked == 0  # type: ignore[attr-defined]


def test_what_was_not_settled_is_settled_the_next_time(
    domain: Domain, monkeypatch: pytest.MonkeyPatch
) -> None:
    refreshed: list[str] = []

    class Indices:
        def refresh(self, *, index: str) -> None:
            refreshed.append(index)
            if len(refreshed) == 1:
                raise unavailable("down", status=404)

    monkeypatch.setattr(domain.alias.client, "indices", Indices())
    monkeypatch.setattr(domain.index, "_put", lambda scope, documents, gone: {})
    domain.index.put(SCOPE, [], {"01X": 2})
    with pytest.raises(NotThere):
        domain.index.settle()
    for _ in range(2):
        domain.index.settle()
    assert refreshed == [domain.alias.written] * 2


def test_a_hold_that_fails_or_is_stopped_lets_writers_go_on(
    domain: Domain, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The node may have taken the hold although its answer did not come."""
    done: list[str] = []

    class Indices:
        def add_block(self, *, index: str, block: str) -> None:
            done.append(f"{block} block on {index}")
            if len(done) == 1:
                raise ConnectionTimeout("TIMEOUT", "", Exception())

        def put_settings(self, *, index: str, body: dict[str, object]) -> None:
            done.append(f"{body} on {index}")

    monkeypatch.setattr(domain.alias.client, "indices", Indices())
    successor = Successor(domain.alias, "old", "new", clock=Clock())
    with pytest.raises(Unavailable), successor.held():
        pass
    with pytest.raises(KeyboardInterrupt), successor.held():
        raise KeyboardInterrupt
    assert done == ["write block on old", "{'index.blocks.write': None} on old"] * 2
    with successor.held():
        pass
    assert done[4:] == ["write block on old"], "whoever resolved the old one stays turned away"
