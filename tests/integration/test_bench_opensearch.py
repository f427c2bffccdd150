"""The benchmarks on an OpenSearch node: what they are asked for is measured, there and embedded."""

import json
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from bench import on_opensearch, recall, recall_plugin, rows, speed
from bench.in_process import Bench
from bench.product import METRICS, Product
from bench.scenes import Scene
from hindwise.adapters.embedders.hashed import HashedEmbedder

pytestmark = pytest.mark.opensearch
HARNESS = """
from types import SimpleNamespace as Some
TURNS = [
    Some(id="D1:1", text="We adopted a puppy.", speaker="Ann", session=1, time=None, caption=""),
    Some(id="D1:2", text="我把机票改到了周四。", speaker="Bob", session=1, time=None, caption=""),
]
LOADERS = {"jsonl": lambda path: [Some(turns=TURNS)]}
made = {}
def system(name):
    return lambda factory: made.update({name: factory})
def run_system(name, conversations, options):
    plugged = made["hindwise"](name.partition(":")[2], conversations[0], options)
    plugged.add(TURNS)
    hits = [turn.id in plugged.search(turn.text, 1) for turn in TURNS]
    return {"p50_ms": 1.0, "p95_ms": 2.0, "rows": [{"cat": "all", "hit": hit} for hit in hits]}
def bootstrap(rows):
    return 0.0, 1.0
def aggregate(rows):
    share = sum(row["hit"] for row in rows) / len(rows)
    return {"n": len(rows), "recall@5": share, "recall@10": share, "recall@20": share, "ndcg@10": 1}
"""


@pytest.fixture(autouse=True)
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in METRICS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("RECALL_BENCH_CACHE", str(tmp_path))
    monkeypatch.setenv("HINDWISE_BENCH_EMBEDDER", "hashed")
    monkeypatch.delenv("HINDWISE_URL", raising=False)
    monkeypatch.setattr(recall_plugin, "_products", {})
    monkeypatch.setattr(recall_plugin, "_written", {})
    monkeypatch.setattr(rows, "ROOT", tmp_path)
    monkeypatch.setattr(on_opensearch, "WARMING", 2)
    return tmp_path / "build" / "bench"


@pytest.fixture
def endpoint(opensearch: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("OPENSEARCH_ENDPOINT", opensearch)
    return opensearch


def left(endpoint: str) -> set[str]:
    """The indexes of benchmarks that are on a node."""
    listed = httpx.get(f"{endpoint}/_cat/indices/hindwise-bench-*?format=json").json()
    return {one["index"] for one in listed}


def test_speed_rows_of_both_backends_have_their_keys(out: Path, endpoint: str) -> None:
    before = left(endpoint)
    asked = ["--parts", "in_process", "--embedders", "hash", "--sizes", "40x1", "-n", "4"]
    speed.main([*asked, "--backends", "embedded", "opensearch"])
    found = {
        (row["what"], row.get("state"), row["backend"]): row
        for row in json.loads((out / "speed.json").read_text())
    }
    held = found["search", "held", "opensearch"]
    assert held["index_calls"] <= 2, "one request for all arms, and one for the turns beside"
    assert held["backend_calls"] == held["index_calls"] + 2
    assert found["search", "held", "embedded"]["backend_calls"] == 3
    embedded = found["search", "held", "embedded"]["p50_ms"]
    assert held["ratio_to_embedded"] == pytest.approx(held["p50_ms"] / embedded, rel=0.05)
    assert {"p95_ms", "cpu_p50_ms", "keys_read", "ratio_to_naive", "rss_mb"} <= held.keys()
    filled = found["fill", None, "opensearch"]
    assert filled["n"] == 40
    assert filled["per_s"] > 0
    assert filled["index_mb"] > 0
    assert found["project", None, "opensearch"]["index_calls"] > 1
    assert left(endpoint) == before


def test_loaded_memories_are_found_on_the_node_as_in_process(endpoint: str) -> None:
    scene = Scene(HashedEmbedder())
    found = []
    for where in ("", endpoint):
        bench = Bench(HashedEmbedder(), scene, 120, 2, endpoint=where)
        next(bench.rows(1))
        body = {"user_id": "u1", "query": "Why did the database migration fail?", "top_k": 5}
        reply = bench._product.post("/v1/search", body)
        found.append([one["id"] for one in reply.body["results"]])
        bench.close()
    assert found[0] == found[1]
    assert len(found[0]) == 5


def test_recall_is_measured_on_both_backends(
    out: Path, endpoint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    (tmp_path / "recall_bench.py").write_text(HARNESS)
    (tmp_path / "probe").mkdir()
    (tmp_path / "probe" / "paraphrase_probe.jsonl").touch()
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "recall_bench", raising=False)
    asked = ["--harness", str(tmp_path), "--data", str(tmp_path), "--sets", "probe"]
    recall.main([*asked, "--embedders", "hash", "--modes", "bm25", "context"])
    sys.modules.pop("recall_bench")
    whole = [row for row in json.loads((out / "recall.json").read_text()) if "category" not in row]
    assert [(row["backend"], row["mode"], row["recall_at_10"]) for row in whole] == [
        ("embedded", "bm25", 1.0),
        ("embedded", "context", 1.0),
        ("opensearch", "bm25", 1.0),
        ("opensearch", "context", 1.0),
    ]
    said = capsys.readouterr().out
    assert "opensearch against embedded, probe, hash, context: recall@10 +0.0000" in said


def test_a_search_that_the_node_does_not_answer_ends_the_run(
    endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HINDWISE_BENCH_BACKEND", "opensearch")
    text = {"text": "We adopted a puppy.", "speaker": "Ann", "session": 1, "caption": ""}
    turn = SimpleNamespace(id="D1:1", time=datetime(2025, 3, 1, 9), **text)
    plugged = recall_plugin.Hindwise("context", SimpleNamespace(turns=[turn]))
    plugged.add([turn])
    assert plugged.search("puppy", 5) == ["D1:1"]
    (product,) = recall_plugin._products.values()
    assert isinstance(product, Product)
    assert product.node is not None
    product.node.remove()
    with pytest.raises(RuntimeError, match="503"):
        plugged.search("puppy", 5)


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """No node can run: Java does not take this option."""
    monkeypatch.delenv("OPENSEARCH_ENDPOINT", raising=False)
    monkeypatch.setenv("OPENSEARCH_JIT", "-XX:+NoSuchOption")


@pytest.mark.usefixtures("broken")
def test_where_no_node_can_run_the_embedded_index_is_measured_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with on_opensearch.offered(None, heap="512m") as backends:
        assert backends == ("embedded",)
    assert "without OpenSearch: OpenSearch does not start" in capsys.readouterr().err


@pytest.mark.usefixtures("broken")
def test_where_no_node_can_run_asking_for_it_fails() -> None:
    with (
        pytest.raises(SystemExit, match="OpenSearch does not start"),
        on_opensearch.offered(["opensearch"], heap="512m"),
    ):
        pass


@pytest.mark.parametrize("main", [speed.main, recall.main])
def test_other_backends_are_refused(main: Callable[[Any], None]) -> None:
    with pytest.raises(SystemExit):
        main(["--backends", "elsewhere"])
