"""A canary in every place that holds words is gone from all, wherever the work is killed."""

from typing import Any

import pytest

from tests.builders import scope
from tests.canaries import sightings
from tests.integration.forgetting_lab import WHO, forgotten, kept, plant
from tests.integration.learning_stage import as_json, learning_stage


@pytest.fixture
def stage(monkeypatch):
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    with learning_stage() as made:
        yield made


def test_the_canary_is_seen_wherever_it_is_planted(stage):
    plant(stage)
    seen = sightings(kept(stage))
    wanted = {"memories", "history", "working", "index", "documents"}
    assert wanted <= {*seen} and any("archive/" in one for one in seen)
    assert any("conversations/" in one for one in seen)


def test_all_of_a_user_is_gone_within_a_minute(stage):
    plant(stage)
    done, _ = forgotten(stage, all=True)
    assert done["state"] == "complete" and done["counts"]["memories"] >= 9
    assert sightings(kept(stage)) == []


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_killed_at_any_step_all_of_it_is_gone_in_the_end(stage, after):
    counts: list[Any] = []
    for kill in range(1, 200):
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
