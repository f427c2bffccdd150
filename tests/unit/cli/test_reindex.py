"""`hindwise reindex`: what it says, and its exit codes."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hindwise.cli import reindex as module
from hindwise.errors import Conflict
from hindwise.usecases.refill import Filled
from tests.unit.cli.stub import Stub

AWS = {"STAGE": "dev", "MEMORY_TABLE": "memories", "EMBEDDER": "hashed"}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[dict[str, object]]]:
    """Lets the rebuild give something, or raise it; keeps what it was asked."""
    calls: list[dict[str, object]] = []

    def giving(answer: Filled | Exception) -> list[dict[str, object]]:
        def rebuilt(
            wiring: object, *, shards: int, anew: bool, progress: Callable[[int], None]
        ) -> Filled:
            calls.append({"shards": shards, "anew": anew})
            progress(7)
            if isinstance(answer, Exception):
                raise answer
            return answer

        monkeypatch.setattr(module, "rebuilt", rebuilt)
        return calls

    return giving


def test_what_was_written_is_said(stub: Stub, asked) -> None:
    calls = asked(Filled(written=1200))
    result = stub.run("reindex", **AWS)
    assert result.exit_code == 0
    assert result.stdout == "1200 documents are in the new index, which answers from now on\n"
    result = stub.run("reindex", "--shards", "4", "--anew", "--json", **AWS)
    assert json.loads(result.stdout) == {"written": 1200, "refused": 0}
    assert calls == [{"shards": 1, "anew": False}, {"shards": 4, "anew": True}]


def test_refused_documents_are_a_degraded_end(stub: Stub, asked) -> None:
    asked(Filled(written=9, refused=2))
    result = stub.run("reindex", **AWS)
    assert result.exit_code == 4
    assert "2 were refused" in result.stderr and "hindwise doctor" in result.stderr


def test_what_is_in_the_way_is_said(stub: Stub, asked) -> None:
    asked(Conflict("the index x-000002 is being built, or was left"))
    result = stub.run("reindex", **AWS)
    assert result.exit_code == 1 and "or was left" in result.stderr


@pytest.mark.parametrize("shards", ["0", "65", "many"])
def test_a_number_of_shards_is_sensible(stub: Stub, shards: str) -> None:
    assert stub.run("reindex", "--shards", shards, **AWS).exit_code == 2


def test_the_table_needs_no_index(stub: Stub) -> None:
    result = stub.run("reindex", **AWS, SEARCH_BACKEND="table")
    assert result.exit_code == 1 and "SEARCH_BACKEND is not opensearch" in result.stderr


def test_without_a_local_server_it_is_said_what_to_do(stub: Stub, tmp_path: Path) -> None:
    result = stub.run("reindex", HINDWISE_DATA=str(tmp_path), MEMORY_TABLE="")
    assert result.exit_code == 1 and "set STAGE and MEMORY_TABLE" in result.stderr
