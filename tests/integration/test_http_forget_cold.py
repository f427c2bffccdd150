"""Forgetting by a filter or by words reaches what is archived, and no more than what was meant."""

import importlib
from datetime import timedelta

import pytest

from hindwise.domain.scope import Origin
from hindwise.runtime.forgetting import worker_of
from hindwise.usecases.forget_job import work
from tests.builders import NOW, principal, scope
from tests.integration.http_client import Client, World

ADA = {"user_id": "ada"}
CLIENT = Client()


def cold(world: World, **fields) -> str:
    """Write an episode that is archived by now."""
    now, world.clock.now = world.clock.now, NOW - timedelta(days=400)
    body = ADA | {"kind": "episodic", "content": "a cold day"} | fields
    written = CLIENT.send("POST", "/v1/memories", body)
    world.clock.now = now
    world.project()
    importlib.import_module("functions.fade.app").handler({"sweep": "tiers"}, None)
    world.project()
    assert status(written.body["id"]) == "archived"
    return written.body["id"]


def status(memory_id: str) -> str | None:
    return CLIENT.send("GET", f"/v1/memories/{memory_id}", query=ADA).body.get("status")


def meant(**wanted) -> list[str]:
    return CLIENT.send("POST", "/v1/forget", ADA | wanted).body["ids"]


def forget(world: World, **wanted) -> dict:
    reply = CLIENT.send("POST", "/v1/forget", ADA | {"dry_run": False} | wanted)
    assert reply.status == 202, reply.body
    for _ in range(3):
        world.clock.forward(seconds=30)
        work(scope(), reply.body["id"], worker=worker_of(world))
        world.project()
    return CLIENT.send("GET", reply.headers["location"], query=ADA).body


@pytest.mark.parametrize(
    "filters",
    [{"tags": ["x"]}, {"entities": ["Rex"]}, {"metadata": {"ticket": "T-1"}}, {"speaker": "ada"}],
)
def test_a_filter_finds_what_is_archived_by_what_it_said(world, filters):
    said = {"tags": ["x"], "entities": ["Rex"], "metadata": {"ticket": "T-1"}, "speaker": "ada"}
    gone, other = cold(world, **said), cold(world, content="another one")
    assert meant(filters=filters) == [gone]
    done = forget(world, filters=filters)
    assert (done["state"], done["counts"]) == ("complete", {"memories": 1})
    assert (status(gone), status(other)) == (None, "archived")
    assert list(world.blobs.names(scope(), f"archive/{gone}")) == []


def test_a_filter_that_excludes_spares_what_is_archived_under_its_words(world):
    spared, gone = cold(world, tags=["keep"]), cold(world, tags=["drop"], content="another one")
    assert meant(filters={"not": {"tags": ["keep"]}}) == [gone]
    forget(world, filters={"not": {"tags": ["keep"]}})
    assert (status(spared), status(gone)) == ("archived", None)


def test_words_name_what_is_archived(world):
    gone = cold(world, content="Rex moved to Elm Street")
    cold(world, content="another one")
    assert meant(query="elm street rex") == [gone]


def test_whose_words_cannot_be_read_is_not_meant(world):
    lost = cold(world, tags=["drop"])
    for name in list(world.blobs.names(scope(), "archive/")):
        world.blobs.delete(scope(), name)
    assert meant(filters={"not": {"tags": ["keep"]}}) == []
    assert meant(filters={"status": "archived"}) == [lost]


def test_who_only_reports_forgets_its_own_and_nothing_of_higher_origin(world: World) -> None:
    scraper = Client(principal(name="scraper", ceiling=Origin.DOCUMENT))
    fact = CLIENT.send("POST", "/v1/memories", ADA | {"content": "Ada lives in Oslo"}).body["id"]
    page = scraper.send("POST", "/v1/memories", ADA | {"content": "Oslo is a city"}).body["id"]
    refused = scraper.send("DELETE", f"/v1/memories/{fact}", query=ADA)
    assert (refused.status, status(fact)) == (403, "active")
    everything = ADA | {"all": True, "dry_run": False}
    assert scraper.send("POST", "/v1/forget", everything).status == 403
    assert scraper.send("DELETE", f"/v1/memories/{page}", query=ADA).status == 200
    agent = Client(principal(name="agent", ceiling=Origin.AGENT))
    assert agent.send("DELETE", f"/v1/memories/{fact}", query=ADA).status == 200


class Listed:
    """Names that were looked for in the archive."""

    def __init__(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        self.prefixes: list[str] = []
        names = world.blobs.names

        def listed(scope, prefix=""):
            self.prefixes.append(prefix)
            return names(scope, prefix)

        monkeypatch.setattr(world.blobs, "names", listed)


def test_nothing_is_listed_where_nothing_was_archived(world, monkeypatch):
    written = CLIENT.send("POST", "/v1/memories", ADA | {"content": "a warm day"})
    listed = Listed(world, monkeypatch)
    assert CLIENT.send("DELETE", f"/v1/memories/{written.body['id']}", query=ADA).status == 200
    assert listed.prefixes == []


@pytest.mark.parametrize("dies", ["get", "put"])
def test_what_a_killed_archiver_left_goes_with_its_memory(world, monkeypatch, dies):
    now, world.clock.now = world.clock.now, NOW - timedelta(days=400)
    body = ADA | {"kind": "episodic", "content": "a cold day"}
    one = CLIENT.send("POST", "/v1/memories", body).body["id"]
    world.clock.now = now
    world.project()
    put = world.blobs.put

    def die(*given, **named):
        if dies == "put":
            put(*given, **named)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(world.blobs, dies, die)
        importlib.import_module("functions.fade.app").handler({"sweep": "tiers"}, None)
    assert status(one) == "active" and list(world.blobs.names(scope(), f"archive/{one}"))
    assert CLIENT.send("DELETE", f"/v1/memories/{one}", query=ADA).status == 200
    assert list(world.blobs.names(scope(), f"archive/{one}")) == []
