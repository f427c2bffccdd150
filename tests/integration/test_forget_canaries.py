"""A canary in every place that holds words is gone from all, wherever the work is killed."""

import base64
import gzip
import json
import logging
from typing import Any

import pytest

from hindwise.domain.memory import Status, Type
from tests.builders import scope
from tests.canaries import CANARY, Logged, sightings
from tests.integration.forgetting_lab import WHO, forgotten, kept, plant
from tests.integration.learning_stage import as_json, learning_stage

WHERE = (Status.ACTIVE, Status.QUARANTINED, Status.REJECTED)
FORMS = {
    "plain": CANARY,
    "folded": CANARY.lower(),
    "escaped": json.dumps(CANARY)[1:-1],
    "base64": base64.b64encode(f"ab{CANARY}".encode()).decode(),
    "hex": CANARY.encode().hex(),
}


@pytest.fixture
def stage(monkeypatch):
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    with learning_stage() as made:
        yield made


def test_the_canary_is_seen_wherever_it_is_planted(stage):
    plant(stage)
    seen = sightings(kept(stage))
    wanted = {"memories", "history", "working", "index", "documents", "answers"}
    assert wanted <= {*seen} and any("archive/" in one for one in seen)
    assert any("conversations/" in one for one in seen)
    home = stage.world.store.world.home(scope(WHO))
    held = [one for one in home.memories.values() if CANARY in one.content]
    assert {*WHERE} <= {one.status for one in held}
    assert Type.PATTERN in {getattr(one, "type", None) for one in held}


def leak(world: Any, where: str, text: str) -> None:
    """Leave words where none should be."""
    home = world.store.world.home(scope("bob"))
    match where:
        case "queue":
            world.queues.send("forget", scope("bob"), [text])
        case "dead letter":
            world.queues.dead["extract"].append((None, text))
        case "audit row":
            home.audits["1"].append(text)
        case "receipt":
            world.records.keep("acme", "receipts/1.json", text.encode())
        case "packed object":
            world.blobs.put(scope("bob"), "a", gzip.compress(text.encode()))
        case "object's name":
            world.blobs.held[text] = b""
        case "lesson":
            world.store.lessons.left = text
        case _:
            logging.getLogger("hindwise.any").info("%s", text)


LEAKS = ("queue", "dead letter", "audit row", "receipt", "packed object", "object's name", "lesson",
         "log")  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("where", LEAKS)
def test_what_leaks_anywhere_is_seen(stage, where, form):
    with Logged() as logged:
        leak(stage.world, where, f"..{FORMS[form]}..")
    assert sightings(kept(stage, logged.records)) != []


def test_all_of_a_user_is_gone_within_a_minute_and_its_receipt_says_how_much(stage):
    with Logged() as logged:
        plant(stage)
        home = stage.world.store.world.home(scope(WHO))
        there = {"memories": len(home.memories), "conversations": len(home.conversations)}
        there |= {"objects": len(stage.world.blobs.held), "working": len(home.working)}
        done, _ = forgotten(stage, all=True)
    assert done["state"] == "complete"
    chunks = {"conversations": there["conversations"] * 2}  # each has one row of turns
    assert {name: done["counts"][name] for name in there} == {**there, **chunks}
    assert sightings(kept(stage, logged.records)) == []


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_killed_at_any_step_all_of_it_is_gone_in_the_end(stage, after):
    counts: list[Any] = []
    for kill in range(1, 500):
        plant(stage)
        done, killed = forgotten(stage, kill=kill, after=after, all=True)
        assert sightings(kept(stage)) == [], kill
        assert done["state"] == "complete", kill
        counts.append({**done["counts"], "places": 0})
        stage.world.clock.forward(seconds=1)
        if not killed:
            break
    assert not killed
    assert all(one == counts[0] for one in counts)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_killed_at_any_step_a_filter_forgets_what_it_lets_through(stage, after):
    for kill in range(1, 400, 9):
        plant(stage)
        stage.drain()
        stage.world.clock.forward(seconds=1)
        done, killed = forgotten(
            stage, kill=kill, after=after, filters={"created_from": "2000-01-01T00:00:00Z"}
        )
        assert done["state"] == "complete", kill
        home = stage.world.store.world.home(scope(WHO))
        assert home.memories == {} and home.errands == {}, kill
        assert "archive/" not in repr(sightings(kept(stage))), kill
        forgotten(stage, all=True)
        stage.world.clock.forward(seconds=1)
        if not killed:
            break
    assert not killed


def test_the_single_forget_leaves_no_word_of_it(stage):
    plant(stage)
    (known,) = [one for one in stage.memories(WHO) if "The code is" in one["content"]]
    stage.client.send("DELETE", f"/v1/memories/{known['id']}", query={"user_id": WHO})
    stage.llm.always("extract", as_json())
    stage.drain()
    home = stage.world.store.world.home(scope(WHO))
    assert "The code is" not in repr(home) and "My code is" not in repr(home)
    assert all(b"My code is" not in one for one in stage.world.blobs.held.values())
    (copy,) = stage.world.records.held
    assert copy.startswith("receipts/acme/")
    assert all(one.next_at is None for one in home.receipts.values())
