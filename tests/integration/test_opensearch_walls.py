"""The index on a real node: nobody moves or slows what is another's; what is forgotten stays so."""

import logging
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from hindwise.adapters.embedders.hashed import HashedEmbedder
from hindwise.adapters.opensearch import writing
from hindwise.adapters.opensearch.domain import Domain
from hindwise.errors import Unavailable
from hindwise.runtime.upkeep import reindex
from tests.builders import principal, scope
from tests.integration.search_plant import GONE, SearchPlant, ids

pytestmark = pytest.mark.opensearch


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


def test_the_largest_question_is_answered_and_costs_nobody_else_theirs(plant: SearchPlant) -> None:
    """A node that refused it would be left alone for a while, by everybody."""
    tags = [f"tag {n}" for n in range(20)]
    wanted = plant.write("the red bicycle", tags=tags, metadata={"k": 1})
    plant.write("another bicycle", tags=tags[1:], metadata={"k": 1})
    plant.sweep()
    many = [f"no {n}" for n in range(100)]
    others = {f"k{n}": [f"{one} {n}" for one in many] for n in range(29)}
    excluding = {"tags_all": many, "metadata": others}
    words = " ".join(f"w{n} v{n}.1" for n in range(90))
    filters = {"tags_all": tags, "metadata": {"k": {"gte": 1, "ne": "1"}}, "not": excluding}
    assert ids(plant.whole(f"bicycle {words}", filters=filters)) == [wanted]
    assert plant.whole(f"bicycle {words}", filters=excluding).body["results"] == []
