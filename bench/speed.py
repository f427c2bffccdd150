"""`make bench-speed`: how long calls take and what they ask of the table, in process and over HTTP.

In process the real handlers run on the store in memory; over HTTP on the laptop's server and its
emulated AWS. Import rows come from `bench.baseline`, layer rows from `.aws-sam` where a build is,
cold starts from the build under AWS's runtime emulator (`bench.cold_start`).
A search row's `state` says what the container held: `first` loads the scope's copy, `held` has it,
`unprojected` has 100 writes waiting, `just projected` and `just written` follow writes at once.
In process the same is measured with the index on an OpenSearch node, whose work is in the wall.
"""

import argparse
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO
from typing import Any

import bench.one_thread  # noqa: F401  (before numpy)
from bench import baseline, cold_start, in_process, on_ministack
from bench.embeddings import KeptEmbedder, cache_folder
from bench.on_opensearch import BACKENDS, endpoint_of, offered
from bench.product import embedder
from bench.rows import ROOT, machine, show, write
from bench.scenes import Scene
from infra.local.invoke import FAILURES

PRODUCTS_NAME = {"use": "use", "hash": "hashed"}
IN_PROCESS = [(1_000, 1), (1_000, 1_000), (10_000, 1), (10_000, 1_000), (100_000, 1)]
"""Memories and scopes; in one process, so the small ones come first and `rss_mb` is theirs."""
OVER_HTTP = [(1_000, 1), (10_000, 1), (1_000, 1_000), (10_000, 1_000)]
LAYERS = {"HindwiseLayer": "core", "DependenciesLayer": "dependencies"}
LAYERS |= {"OpenAILayer": "openai", "EmbedderLayer": "embedder"}
HEAP = "3g"
"""Of the node; a tenth of it turns bulk writes away from 30,000 vectors on."""
PARTS = ("in_process", "http", "import", "layer", "cold_start")
Row = dict[str, Any]


def size(text: str) -> tuple[int, int]:
    """Read `MEMORIESxSCOPES`."""
    memories, _, scopes = text.partition("x")
    return int(memories), int(scopes or 1)


def here(options: argparse.Namespace) -> Iterator[Row]:
    """Rows of the handlers in this process."""
    sizes = options.sizes or IN_PROCESS
    with offered(options.backends, heap=HEAP) as backends:
        endpoints = [endpoint_of(one) for one in backends]
        for name in options.embedders:
            live = embedder(PRODUCTS_NAME[name])
            scene = Scene(KeptEmbedder(live, cache_folder()))
            for row in in_process.rows(live, scene, sizes, options.n, endpoints):
                yield {**row, "embedder": name}


def there(options: argparse.Namespace) -> Iterator[Row]:
    """Rows over HTTP."""
    for name in options.embedders:
        os.environ["EMBEDDER"] = PRODUCTS_NAME[name]
        yield from on_ministack.rows(name, options.sizes or OVER_HTTP, options.n // 2)


def cold(options: argparse.Namespace) -> Iterator[Row]:
    """Rows of the built functions under the runtime emulator; none, and why, without a build."""
    try:
        for name in options.embedders:
            yield from cold_start.rows(name, PRODUCTS_NAME[name])
    except FAILURES as error:
        print(f"no cold starts: {error}")


def layers() -> Iterator[Row]:
    """The layers of the last build: `core`, `dependencies`, `openai`, `embedder`."""
    for folder in sorted((ROOT / ".aws-sam" / "build").glob("*Layer")):
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        packed = BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in files:
                archive.write(path, path.relative_to(folder))
        yield {
            "what": "layer",
            "layer": LAYERS.get(folder.name, folder.name),
            "unzipped_mb": _mb(sum(path.stat().st_size for path in files)),
            "zipped_mb": _mb(packed.tell()),
        }


def _mb(count: int) -> float:
    return round(count / 2**20, 2)


def growth(rows: Sequence[Row]) -> Iterator[str]:
    """How much calls and keys of a held search grow from 1,000 to 10,000 memories."""
    held = {
        (row["path"], row["backend"], row["embedder"], row["scopes"], row["memories"]): row
        for row in rows
        if row["what"] == "search" and row.get("state") == "held"
    }
    for (path, backend, name, scopes, memories), small in held.items():
        large = held.get((path, backend, name, scopes, 10_000))
        if memories == 1_000 and large is not None:
            calls = large["backend_calls"] / small["backend_calls"]
            keys = large["keys_read"] / small["keys_read"]
            each = f"{1_000 // scopes} to {10_000 // scopes} memories a scope"
            yield f"{path}, {backend}, {name}, {each}: calls x{calls:.2f}, keys x{keys:.2f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and write `build/bench/speed.json`."""
    parser = argparse.ArgumentParser(prog="bench.speed", description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--sizes", nargs="+", type=size, help="e.g. 1000x1 10000x1000")
    parser.add_argument("--embedders", nargs="+", choices=PRODUCTS_NAME, default=["use"])
    parser.add_argument("--backends", nargs="+", choices=BACKENDS, help="else both, if they can")
    parser.add_argument("-n", type=int, default=200, help="calls a row; over HTTP half as many")
    options = parser.parse_args(arguments)
    sources: dict[str, Callable[[], Iterable[Row]]] = {
        "in_process": lambda: here(options),
        "http": lambda: there(options),
        "import": baseline.rows,
        "layer": layers,
        "cold_start": lambda: cold(options),
    }
    rows: list[Row] = []
    for part in options.parts:
        for row in sources[part]():
            rows.append({**row, **machine()})
            show(rows[-1])
    for line in growth(rows):
        print(line)
    write("speed", rows)


if __name__ == "__main__":
    main()
