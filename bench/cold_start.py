"""Cold starts: the built functions and naive ones under AWS's runtime emulator, in turn.

`naive` makes at module level all that `bench.baseline` names, `own_naive` what its job needs.
`first_ms` is the first invoke as its caller sees it: process, INIT, the call; `init_ms` is what the
emulator says of INIT; warm calls follow in the same process. All figures are medians of several
starts. The emulator gives a function the whole machine and its files from the disk's cache: Lambda
is slower for both alike, so the ratio says more than the milliseconds.
"""

import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Any

import boto3

from bench import naive_functions
from bench.baseline import NEEDS
from bench.rows import ROOT
from infra.local import built, seed
from infra.local.built import Package
from infra.local.emulated_runtime import running
from infra.local.invoke import Stage, staged

NAIVE = ROOT / "build" / "bench" / "naive"
LAYERS = ("DependenciesLayer", "OpenAILayer")
"""Ours that the naive functions share: the same packages, with the same bytecode."""
INIT = re.compile(r"INIT REPORT\(durationMs: ([0-9.]+)\)")
OWN_MEMORY = frozenset({"forget", "index", "sweep"})
"""What uses a memory up: each of their calls gets one of its own."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Start:
    """Milliseconds of one start: INIT, the first invoke, and the warm ones."""

    init: float
    first: float
    warm: tuple[float, ...]


class Lab:
    """A seeded stage with the naive functions' table beside the template's."""

    def __init__(self, stage: Stage, work: Path, embedder: str) -> None:
        self._stage, self._work, self._embedder = stage, work, embedder
        self._wiring = stage.wiring()
        self._number = 0
        client = boto3.client("dynamodb")
        naive_functions.create_table(client)
        self._table = boto3.resource("dynamodb").Table(naive_functions.TABLE)
        key = seed.event("authorize")["identitySource"][0].removeprefix("Bearer ")
        digest = sha256(key.encode()).hexdigest()
        self._table.put_item(Item={"pk": digest, "sk": "KEY", "tenant": "local"})
        self._naive_row("ada", 0)

    def started(self, package: Package, name: str, warm: int) -> Start:
        """Start a function, ours or a naive one, invoke it 1 + `warm` times, and end it."""
        variables = built.environment(
            package, self._stage.system, self._stage.outputs, self._stage.endpoint
        )
        self._number += 1
        log = self._work / f"{self._number}.log"
        with running(package, variables | {"EMBEDDER": self._embedder}, log) as runtime:
            times = []
            for _ in range(1 + warm):
                event = self._event(name)
                began = time.perf_counter()
                answer = runtime.invoke(event)
                times.append(1000 * (time.perf_counter() - began))
                if "errorType" in answer or answer.get("statusCode", 200) >= 300:
                    raise RuntimeError(f"{package.task}: {str(answer)[:500]}")
        (init,) = INIT.findall(log.read_text())
        return Start(float(init), times[0], tuple(times[1:]))

    def _event(self, name: str) -> dict[str, Any]:
        if name not in OWN_MEMORY:
            event = seed.event(name)
            if name == "write":
                self._number += 1
                said = f"canary {self._number} was green"
                event["body"] = event["body"].replace("the canary was green", said)
            return event
        self._number += 1
        seed.remember(self._wiring, self._number)
        self._naive_row("pending" if name == "sweep" else "ada", self._number)
        return seed.event(name, self._number)

    def _naive_row(self, pk: str, number: int) -> None:
        memory_id = seed.event("forget", number)["pathParameters"]["id"]
        self._table.put_item(Item={"pk": pk, "sk": memory_id, "content": seed.CONTENT})


def rows(
    embedder: str,
    product_name: str,
    *,
    functions: Sequence[str] = tuple(NEEDS),
    runs: int = 5,
    warm: int = 10,
) -> Iterator[Row]:
    """A row a function; raises `built.NotBuilt` where there is no build."""
    packages = {name: built.named(name) for name in functions}
    layer = naive_functions.written(NAIVE)
    shared = (*(built.BUILD / each for each in LAYERS), layer)
    for name, package in packages.items():
        variants = {"": package}
        for variant in ("naive", "own_naive"):
            task = NAIVE / variant / name
            variants[f"{variant}_"] = replace(package, task=task, layers=shared)
        figures = _measured(variants, name, product_name, (runs, warm))
        row: Row = {"what": "cold_start", "path": "runtime_emulator", "function": name}
        row |= {"embedder": embedder, "runs": runs, **figures}
        for variant in ("naive", "own_naive"):
            ratio = figures["first_ms"] / figures[f"{variant}_first_ms"]
            row[f"ratio_to_{variant}"] = round(ratio, 3)
        yield row


def _measured(
    variants: Mapping[str, Package], name: str, embedder: str, counts: tuple[int, int]
) -> dict[str, float]:
    """Figures of each variant under its prefix, all started in turn on one stage."""
    runs, warm = counts
    taken: dict[str, list[Start]] = defaultdict(list)
    with (
        tempfile.TemporaryDirectory(prefix="hindwise-bench-") as folder,
        staged(Path(folder) / "aws") as stage,
    ):
        lab = Lab(stage, Path(folder), embedder)
        for _ in range(runs):
            for prefix, package in variants.items():
                taken[prefix].append(lab.started(package, name, warm))
    return {
        f"{prefix}{key}": value
        for prefix, starts in taken.items()
        for key, value in _figures(starts).items()
    }


def _figures(starts: Sequence[Start]) -> dict[str, float]:
    return {
        "first_ms": round(median(one.first for one in starts), 1),
        "init_ms": round(median(one.init for one in starts), 1),
        "warm_p50_ms": round(median(each for one in starts for each in one.warm), 2),
    }
