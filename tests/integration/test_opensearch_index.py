"""The index on a real node: filled, lost, built anew under load, and never more than the table."""

import logging
from contextlib import suppress
from typing import Any

import httpx
import pytest
from opensearchpy import Transport

from hindwise.adapters.opensearch import writing
from hindwise.errors import Conflict, Unavailable
from hindwise.runtime.upkeep import reindex
from hindwise.usecases.project import PARK_AFTER
from tests.integration.search_plant import GONE, SearchPlant, at_work, ids

pytestmark = pytest.mark.opensearch


def test_one_that_the_node_refuses_is_parked_and_named_and_the_others_are_indexed(
    plant: SearchPlant, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bad = plant.write("the secret recipe")
    good = [plant.write(f"an open recipe {n}") for n in range(5)]
    entry = writing.entry

    def odd(where, document, *, at):
        made = entry(where, document, at=at)
        return made | ({"hobby": "the secret recipe"} if document.id == bad else {})

    monkeypatch.setattr(writing, "entry", odd)
    with caplog.at_level(logging.DEBUG):
        for _ in range(PARK_AFTER):
            plant.sweep()
    stats = plant.client.send("GET", "/v1/stats", query={"user_id": "u"}).body
    reason = "refused: strict_dynamic_mapping_exception"
    assert stats["parked"] == [{"id": bad, "reason": reason}] and stats["waiting"] == 0
    assert set(plant.indexed()) == set(good)
    assert "secret" not in caplog.text
    assert bad in ids(plant.whole("secret recipe")), "its record is a candidate all the same"
    monkeypatch.undo()
    plant.world.clock.forward(minutes=60 - plant.world.clock().minute)
    plant.sweep()
    assert plant.agrees() and plant.waiting() == 0


def test_it_is_built_anew_under_load_and_lacks_nothing(plant: SearchPlant, opensearch: str) -> None:
    users = ("u", "v")
    kept = {user: [plant.write(f"first {n} of {user}", user) for n in range(40)] for user in users}
    plant.forget(kept["u"].pop())
    plant.sweep()
    plant.index.raised.clear()
    statuses: list[int] = []

    def search(number: int) -> None:
        statuses.append(plant.search("first of all", users[number % 2]).status)

    def write(number: int) -> None:
        user = users[number % 2]
        plant.write(f"meanwhile {number}", user)
        plant.edit(kept[user][number % 20], user, content=f"changed {number}")
        if number % 5 == 0 and len(kept[user]) > 21:
            plant.forget(kept[user].pop(), user)
        plant.project()

    told: list[int] = []
    with at_work(search, search, write):
        for shards in (2, 1):
            reindex(plant.world, shards=shards, anew=False, progress=told.append)
    assert set(statuses) == {200} and len(statuses) > 20
    assert plant.index.missed == 0, "no search has met no index"
    assert plant.index.refused == 0, "none was under way when its index went"
    assert sum(told) > 80
    plant.sweep()
    assert plant.waiting("u") == plant.waiting("v") == 0 and plant.agrees(*users)
    assert len(plant.domain.alias.indexes()) == 1
    assert plant.entries(opensearch, GONE) >= 1, "tombstones are carried over"
    assert not plant.whole("first of all").body["degraded"]


def test_an_index_that_was_lost_is_made_anew_and_filled(
    plant: SearchPlant, opensearch: str
) -> None:
    wanted = plant.write("the red bicycle")
    plant.many([f"something else {n}" for n in range(30)])
    plant.sweep()
    assert ids(plant.whole("red bicycle"))[0] == wanted
    [lost] = plant.domain.alias.indexes()
    httpx.delete(f"{opensearch}/{lost}", timeout=30).raise_for_status()
    during = plant.search("red bicycle")
    assert (during.status, during.body["reasons"]) == (200, ["index"])
    assert ids(during)[0] == wanted
    written = plant.write("the blue kayak")
    plant.project()
    half = plant.search("red bicycle")
    assert half.body["degraded"] and ids(half)[0] == wanted, "what is half filled does not answer"
    plant.sweep()
    assert ids(plant.whole("red bicycle"))[0] == wanted
    assert ids(plant.whole("blue kayak"))[0] == written
    assert plant.agrees()


def test_a_stage_that_was_on_the_table_is_filled(plant: SearchPlant, opensearch: str) -> None:
    """Nothing is embedded again, and until it is filled the table answers."""
    plant.world.upkeep, node = None, plant.world.engine
    plant.world.engine = type(node)(
        store=node.store,
        projections=node.projections,
        index=node.fallback,  # type: ignore[arg-type]
        embedder=node.embedder,
        access=node.access,
    )
    wanted = plant.write("the red bicycle")
    plant.many([f"something else {n}" for n in range(60)])
    plant.write("of somebody else", "v")
    plant.sweep()
    plant.use_node(opensearch, lambda: 0.0)
    assert plant.search("red bicycle").body["reasons"] == ["index"]
    embedded: list[object] = []
    plant.world.embedder.documents = embedded.append  # type: ignore[assignment,method-assign]
    plant.sweep()
    assert embedded == [] and plant.agrees("u", "v")
    assert ids(plant.whole("red bicycle"))[0] == wanted


def test_a_rebuild_that_was_left_is_in_the_way_until_it_is_dropped(plant: SearchPlant) -> None:
    plant.write("kept")
    plant.sweep()
    left = plant.domain.upkeep.beside()
    with pytest.raises(Conflict, match="or was left"):
        reindex(plant.world, shards=1, anew=False, progress=lambda written: None)
    held = left.held()
    held.__enter__()
    plant.write("while nobody may write")
    plant.project()
    assert plant.waiting() == 1 and not plant.agrees()
    reindex(plant.world, shards=1, anew=True, progress=lambda written: None)
    plant.sweep()
    assert plant.agrees() and plant.waiting() == 0
    with pytest.raises(Unavailable):
        left.take_over()
    assert plant.agrees() and len(plant.domain.alias.indexes()) == 1


def test_a_rebuild_that_is_stopped_leaves_the_old_one_as_it_was(plant: SearchPlant) -> None:
    plant.write("kept")
    plant.sweep()
    standing = plant.domain.alias.indexes()

    def stop(written: int) -> None:
        raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        reindex(plant.world, shards=1, anew=False, progress=stop)
    assert plant.domain.alias.indexes() == standing
    successor = plant.domain.upkeep.beside()
    with suppress(KeyboardInterrupt), successor.held():
        raise KeyboardInterrupt
    successor.abandon()
    plant.write("after it")
    plant.sweep()
    assert plant.domain.alias.indexes() == standing and plant.agrees()


def test_an_index_that_is_not_filled_is_not_built_anew(plant: SearchPlant, opensearch: str) -> None:
    [index] = plant.domain.alias.indexes()
    plant.domain.alias.remove(index)
    with pytest.raises(Conflict, match="there is no index"):
        plant.domain.upkeep.beside()
    plant.domain.alias.create()
    with pytest.raises(Conflict, match="still being filled"):
        plant.domain.upkeep.beside()


def test_nothing_is_asked_outside_of_the_paths_that_functions_are_granted(
    plant: SearchPlant, opensearch: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What template.yaml grants them: paths below `hindwise-`, and to searches no PUT."""
    asked: list[tuple[str, str]] = []
    perform = Transport.perform_request

    def noting(transport: Transport, method: str, url: str, *given: Any, **more: Any) -> Any:
        asked.append((method, url))
        return perform(transport, method, url, *given, **more)

    monkeypatch.setattr(Transport, "perform_request", noting)
    [lost] = plant.domain.alias.indexes()
    httpx.delete(f"{opensearch}/{lost}", timeout=30).raise_for_status()
    plant.forget(plant.write("gone", session_id="s", seq=1))
    plant.sweep()
    assert {method for method, _ in asked} == {"GET", "PUT", "POST"}
    assert len({url.rpartition("/")[2] for _, url in asked}) > 4, asked
    before = len(asked)
    plant.write("kept", session_id="s", seq=2)
    plant.whole("kept")
    plant.client.send("POST", "/v1/search", {"user_id": "u", "filters": {"kind": "episodic"}})
    assert {method for method, _ in asked[before:]} == {"POST"}
    assert all(url.startswith("/hindwise-") for _, url in asked), asked
