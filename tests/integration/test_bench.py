"""The benchmarks drive the product: what they store is found, what they count is what is asked."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bench import on_ministack, recall_plugin
from bench.embeddings import KeptEmbedder
from bench.in_process import Bench, load
from bench.naive import NaiveSearch
from bench.product import METRICS, TENANT, Product, embedder
from bench.scenes import Scene
from hindwise.adapters.embedders.hashed import HashedEmbedder


def turn(name: str, text: str, **given: Any) -> SimpleNamespace:
    fields = {"speaker": "Ann", "session": 1, "time": datetime(2025, 3, 1, 9), "caption": ""}
    return SimpleNamespace(id=name, text=text, **{**fields, **given})


@pytest.fixture(autouse=True)
def variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in METRICS.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def conversation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    monkeypatch.setenv("RECALL_BENCH_CACHE", str(tmp_path))
    monkeypatch.setenv("HINDWISE_BENCH_EMBEDDER", "hashed")
    monkeypatch.delenv("HINDWISE_URL", raising=False)
    monkeypatch.setattr(recall_plugin, "_products", {})
    monkeypatch.setattr(recall_plugin, "_written", {})
    yield SimpleNamespace(
        turns=[
            turn("D1:1", "We adopted a puppy."),
            turn("D1:2", "Look at this!", caption="a red canoe on a lake", speaker="Bob"),
            turn("D2:1", "我把机票改到了周四。", session=2),
            turn("D2:2", "   ", session=2),
            turn("D2:3", "We adopted a puppy.", session=2, time=datetime(2025, 3, 2, 9)),
        ]
    )


def test_every_turn_is_found_under_its_own_id(conversation: SimpleNamespace) -> None:
    plugged = recall_plugin.Hindwise("context", conversation)
    plugged.add(conversation.turns)
    asked = datetime(2025, 4, 1, 9)
    assert plugged.search("a canoe on the lake", 50, asked)[0] == "D1:2"
    assert plugged.search("机票改到哪天", 50, asked)[0] == "D2:1"
    assert set(plugged.search("puppy", 50, asked)) == {"D1:1", "D1:2", "D2:1", "D2:3"}


def test_bm25_finds_only_what_shares_a_word(conversation: SimpleNamespace) -> None:
    plugged = recall_plugin.Hindwise("bm25", conversation)
    plugged.add(conversation.turns)
    assert set(plugged.search("puppy", 50)) == {"D1:1", "D2:3"}
    assert plugged.search("submarine", 50) == []


def test_stored_texts_are_embedded_once_and_questions_each_time(
    conversation: SimpleNamespace, tmp_path: Path
) -> None:
    asked: list[str] = []

    class Noting(HashedEmbedder):
        def query(self, text: str) -> Any:
            asked.append(f"q {text}")
            return super().query(text)

        def documents(self, texts: Any) -> Any:
            asked.extend(f"d {text}" for text in texts)
            return super().documents(texts)

    for _ in range(2):
        kept = KeptEmbedder(Noting(), tmp_path)
        first, again, wordless = kept.documents(["tea", "tea", "!!"])
        assert first == again == HashedEmbedder().query("tea")
        assert wordless is None
        kept.query("tea?")
    assert asked == ["d tea", "d !!", "q tea?", "q tea?"]


def test_loaded_memories_are_searched_and_counted() -> None:
    small = Bench(HashedEmbedder(), Scene(HashedEmbedder()), 60, 1)
    rows = {(row["what"], row.get("state")): row for row in small.rows(4)}
    assert rows["search", "first"]["keys_read"] == 60 + 20
    assert rows["search", "held"]["keys_read"] == 20
    assert rows["search", "held"]["batch_gets_max"] == 1
    assert rows["search", "unprojected"]["keys_read"] == 4 + 4 + 20
    assert rows["write", None]["backend_calls"] == 3


def test_the_same_numbers_make_the_same_memories() -> None:
    scene, other = Scene(HashedEmbedder()), Scene(HashedEmbedder())
    made = list(scene.made(40, 2, tenant=TENANT))
    assert made == list(other.made(40, 2, tenant=TENANT))
    assert len({one.memory.id for one in made}) == 40
    assert {one.scope.user for one in made} == {"u0", "u1"}


def test_the_naive_search_finds_a_text_by_its_own_words() -> None:
    product = Product(embedder("hashed"))
    records = load(product, Scene(product.embedder), 200, 1)
    memory_id, text, _ = records[77]
    assert NaiveSearch(product.embedder, records).search(text, 5)[0] == memory_id


@pytest.mark.ministack
def test_the_server_says_what_each_call_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDDER", "hashed")
    rows = {(row["what"], row.get("state")): row for row in on_ministack.rows("hash", [(40, 1)], 4)}
    assert rows["search", "first"]["keys_read"] == 40 + 20 + 2  # the fence, twice
    assert rows["search", "held"]["keys_read"] == 20 + 1
    assert rows["search", "held"]["batch_gets_max"] == 1
    assert rows["write", None]["backend_calls"] == 3
    assert all(row["cpu_p50_ms"] > 0 for row in rows.values())
