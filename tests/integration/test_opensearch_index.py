"""The index on a real node: filled, lost, built anew under load, and never more than the table."""

import logging
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from hindwise.adapters.embedders.hashed import HashedEmbedder
from hindwise.adapters.opensearch import writing
from hindwise.adapters.opensearch.domain import Domain
from hindwise.errors import Conflict, Unavailable
from hindwise.runtime.upkeep import reindex
from hindwise.usecases.project import PARK_AFTER
from tests.builders import principal, scope
from tests.integration.search_plant import SearchPlant, at_work, ids, plant_at

pytestmark = pytest.mark.opensearch
GONE = {"term": {"live": False}}


@pytest.fixture
def plant(opensearch: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[SearchPlant]:
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    with plant_at(opensearch) as made:
        yield made


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


def test_many_memories_of_another_tenant_move_no_rank(plant: SearchPlant, opensearch: str) -> None:
    texts = ("tea and cake", "tea with milk for the cake", "a cake")
    for text in texts:
        plant.write(text)
    plant.sweep()
    alone = plant.whole("tea and cake", explain=True).body["results"]
    other = plant.as_(principal(tenant="other"))
    for text in ("cake cake tea", "only tea", "cake with milk"):
        assert other.many([f"{text} {n}" for n in range(100)]).status in (200, 201)
    for _ in range(3):
        plant.sweep()
    assert plant.entries(opensearch, {"term": {"scope": "other#u"}}) == 300
    assert plant.whole("tea and cake", explain=True).body["results"] == alone
    assert [one["content"] for one in alone[:1]] == ["tea and cake"]


def test_what_was_forgotten_does_not_come_back(plant: SearchPlant, opensearch: str) -> None:
    word = {"term": {"words": "xylophon"}}
    gone = plant.write("xylophone")
    plant.write("kept")
    plant.sweep()
    late = plant.world.projections.documents(scope("u"), [gone])[gone]
    assert plant.entries(opensearch, word) == 1
    plant.forget(gone)
    plant.sweep()

    def absent() -> bool:
        found = gone in ids(plant.whole("xylophone")) or gone in plant.indexed()
        return not found and plant.entries(opensearch, word) == 0

    assert absent()
    for _ in range(2):
        plant.domain.index.put(scope("u"), [late], {})
        assert absent(), "neither late nor twice"
    plant.domain.index.put(scope("u"), [late], {gone: 1})
    assert absent(), "nor out of order"
    reindex(plant.world, shards=1, anew=False, progress=lambda written: None)
    assert absent() and plant.entries(opensearch, GONE) == 1, "nor with a new index"
    plant.domain.index.put(scope("u"), [late], {})
    assert absent(), "which knows of the tombstone"
    [index] = plant.domain.alias.indexes()
    plant.domain.alias.remove(index)
    plant.sweep()
    assert absent() and plant.agrees(), "nor with one that is filled"


def test_tombstones_are_purged_after_thirty_days(plant: SearchPlant, opensearch: str) -> None:
    kept, gone = plant.write("kept"), plant.write("gone")
    plant.sweep()
    plant.forget(gone)
    plant.sweep()
    for days, left in ((29, 1), (2, 0)):
        plant.world.clock.forward(days=days)
        plant.sweep()
        assert plant.entries(opensearch, GONE) == left
    assert list(plant.indexed()) == [kept]


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


def test_content_reaches_no_log(
    plant: SearchPlant, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("", "opensearch", "opensearchpy.trace", "urllib3"):
        caplog.set_level(logging.DEBUG, logger=name)
    plant.write("xylophone", metadata={"key": "glockenspiel"})
    plant.sweep()
    plant.whole("the xylophone", filters={"metadata": {"key": "glockenspiel"}})
    with monkeypatch.context() as broken:
        broken.setattr(plant.domain.alias, "name", "Not A Name")
        broken.setattr(writing, "MOST_BYTES", 1)
        broken.setattr(writing, "put_of", lambda *given, **more: writing.Put("x", b"xylophone\n"))
        plant.write("another xylophone")
        plant.sweep()
        assert plant.search("the xylophone").body["degraded"] and plant.waiting() == 1
    assert caplog.records, "something was logged"
    for word in ("xylophon", "glockenspiel"):
        assert word not in caplog.text


def test_no_index_stays_that_would_not_hear_of_a_forgotten_memory(
    plant: SearchPlant, opensearch: str
) -> None:
    """One of another embedder, one that was replaced, and one that was begun and left."""
    plant.write("xylophone")
    plant.sweep()
    first = plant.domain
    other = HashedEmbedder()
    other.id = "hashed-ngrams-v0:1024"
    second = Domain(opensearch, plant.stage, other, clock=plant.world.clock, monotonic=lambda: 0.0)
    second.alias.create()
    assert first.alias.others() == [*second.alias.indexes()]
    assert second.upkeep.unfilled() == "" and first.alias.indexes(), "not before it is filled"
    left = first.upkeep.beside()
    plant.world.clock.now = datetime.now(UTC) + timedelta(hours=23)
    plant.sweep()
    assert second.alias.indexes() == {} and len(first.alias.indexes()) == 2
    with suppress(Unavailable):
        left.held().__enter__()
    plant.world.clock.forward(hours=2)
    plant.sweep()
    assert len(first.alias.indexes()) == 1
    plant.write("and writing goes on")
    plant.sweep()
    assert plant.agrees()
