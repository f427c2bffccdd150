"""`make bench-recall`: how much annotated evidence comes back through the product's handlers.

The harness and its data are not part of this repository (one data set may not be copied): they are
looked for in `../shared/bench` beside it, or where --harness and --data, RECALL_BENCH and
RECALL_BENCH_DATA say. Scores are the harness's own; stored texts are embedded once and kept in
`build/cache`, questions are embedded live, so that the times are those of a whole search. The same
is measured on the embedded index and on an OpenSearch node; a degraded answer ends the run.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bench.one_thread  # noqa: F401  (before numpy)
from bench.on_opensearch import BACKENDS, EMBEDDED, OPENSEARCH, offered
from bench.rows import machine, show, write

ROOT = Path(__file__).parents[1]
MODES = ("bm25", "weighted", "context")
EMBEDDERS = {"use": "use", "hash": "hashed"}
"""The names in the rows, and the product's."""
SETS = {
    "locomo-dev": ("locomo", "locomo/locomo10.json"),
    "memorybank-cn": ("jsonl", "memorybank/memorybank_cn_evidence.jsonl"),
    "probe": ("jsonl", "probe/paraphrase_probe.jsonl"),
}
"""Data set: the harness's loader, and the file below the data folder."""
HEAP = "1g"
LEFT_OUT = {"adversarial"}
"""Questions without an answer, as the harness leaves them out."""
BY_CATEGORY = {"probe"}
MISSING = """\
The recall benchmark needs {what}, which is not in {where}.
Name the folder of recall_bench.py by --harness or RECALL_BENCH, and that of its data sets
(locomo/, memorybank/, probe/) by --data or RECALL_BENCH_DATA."""


def folders(options: argparse.Namespace) -> tuple[Path, Path]:
    """The folders of harness and data; exits with what to do where one is not there."""
    harness = Path(
        options.harness or os.environ.get("RECALL_BENCH") or ROOT.parent / "shared" / "bench"
    )
    data = Path(options.data or os.environ.get("RECALL_BENCH_DATA") or harness / "data")
    if not (harness / "recall_bench.py").is_file():
        sys.exit(MISSING.format(what="recall_bench.py", where=harness))
    for name in options.sets:
        if not (data / SETS[name][1]).is_file():
            sys.exit(MISSING.format(what=SETS[name][1], where=data))
    return harness, data


def loaded(harness: Path) -> Any:
    """The harness as a module, with the plug-in registered."""
    sys.path.append(str(harness))
    module = importlib.import_module("recall_bench")
    plugin = importlib.import_module("bench.recall_plugin")
    plugin.register()
    return module


def measured(harness: Any, conversations: Any, name: str, mode: str) -> Iterator[dict[str, Any]]:
    """The rows of one mode on one data set: all categories, then each where that is of interest."""
    run = harness.run_system(f"hindwise:{mode}", conversations, SimpleNamespace())
    asked = [row for row in run["rows"] if row["cat"] not in LEFT_OUT]
    low, high = harness.bootstrap(asked)
    times = {"p50_ms": round(run["p50_ms"], 2), "p95_ms": round(run["p95_ms"], 2)}
    yield {
        "data": name,
        "mode": mode,
        **figures(harness, asked),
        "low_at_10": round(low, 4),
        "high_at_10": round(high, 4),
        **times,
    }
    if name in BY_CATEGORY:
        for category in sorted({row["cat"] for row in asked}):
            own = [row for row in asked if row["cat"] == category]
            yield {"data": name, "mode": mode, "category": category, **figures(harness, own)}


def figures(harness: Any, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The means of the harness's scores, under the names of the rows."""
    means = harness.aggregate(rows)
    found = {f"recall_at_{k}": round(means[f"recall@{k}"], 4) for k in (5, 10, 20)}
    return {"n": means["n"], **found, "ndcg_at_10": round(means["ndcg@10"], 4)}


def agreement(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """How far recall@10 on OpenSearch is from that of the embedded index."""
    whole = [row for row in rows if "category" not in row]
    places = {(row["backend"], row["data"], row["embedder"], row["mode"]): row for row in whole}
    for (backend, *place), row in places.items():
        other = places.get((EMBEDDED, *place))
        if backend == OPENSEARCH and other is not None:
            apart = row["recall_at_10"] - other["recall_at_10"]
            yield f"opensearch against embedded, {', '.join(place)}: recall@10 {apart:+.4f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and write `build/bench/recall.json`."""
    parser = argparse.ArgumentParser(prog="bench.recall", description=__doc__)
    parser.add_argument("--harness", help="the folder of recall_bench.py")
    parser.add_argument("--data", help="the folder of its data sets")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--modes", nargs="+", choices=[*MODES, "rrf", "score"], default=MODES)
    parser.add_argument("--embedders", nargs="+", choices=EMBEDDERS, default=list(EMBEDDERS))
    parser.add_argument("--backends", nargs="+", choices=BACKENDS, help="else both, if they can")
    options = parser.parse_args(arguments)
    folder, data = folders(options)
    harness = loaded(folder)
    rows: list[dict[str, Any]] = []
    with offered(options.backends, heap=HEAP) as backends:
        for embedder, name in product(options.embedders, options.sets):
            kind, file = SETS[name]
            conversations = harness.LOADERS[kind](str(data / file))
            os.environ["HINDWISE_BENCH_EMBEDDER"] = EMBEDDERS[embedder]
            for backend, mode in product(backends, options.modes):
                os.environ["HINDWISE_BENCH_BACKEND"] = backend
                for row in measured(harness, conversations, name, mode):
                    rows.append({"backend": backend, "embedder": embedder, **row, **machine()})
                    show(rows[-1])
    for line in agreement(rows):
        print(line)
    write("recall", rows)


if __name__ == "__main__":
    main()
