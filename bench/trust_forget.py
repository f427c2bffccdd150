"""What is left of somebody who was forgotten: runs with a canary in every place that holds words.

Each run is killed once, at another call of a port each time, and goes on as the sweep would have
it. `memory` is the fakes in virtual time, where seconds are those that a person would have waited;
`ministack` is the emulated AWS and, where one can run, a real search node, in this machine's time.
"""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.rows import percentile
from bench.trust_forget_real import real_run, real_stage
from tests.builders import scope
from tests.canaries import Logged, sightings
from tests.integration.forgetting_lab import WHO, forgotten, kept, plant
from tests.integration.learning_stage import learning_stage

RUNS, REAL_RUNS = 100, 10
Row = dict[str, Any]


def rows(runs: int = RUNS, real_runs: int = REAL_RUNS) -> Iterator[Row]:
    """Rows of both backends; `canaries_left` counts places that still held one in the end."""
    yield _row("memory", list(_virtual(runs)))
    with ExitStack() as cleanup:
        folder = Path(cleanup.enter_context(tempfile.TemporaryDirectory()))
        stage = cleanup.enter_context(real_stage(folder))
        yield _row(stage.backend, [real_run(stage, number) for number in range(real_runs)])


def _virtual(runs: int) -> Iterator[tuple[int, float]]:
    with learning_stage() as stage, Logged() as logged:
        steps = 0
        for number in range(runs):
            plant(stage)
            began = stage.world.clock()
            done, killed = forgotten(stage, kill=steps + 1, after=number >= runs // 2, all=True)
            assert done["state"] == "complete"
            steps = steps + 1 if killed else 0
            left = sightings(kept(stage, logged.records))
            yield len(left), (datetime.fromisoformat(done["finished_at"]) - began).total_seconds()
            assert not stage.world.store.world.home(scope(WHO)).memories
            stage.world.clock.forward(seconds=1)


def _row(backend: str, found: list[tuple[int, float]]) -> Row:
    seconds = [one for _, one in found]
    return {
        "what": "forget",
        "backend": backend,
        "runs": len(found),
        "canaries_left": sum(left for left, _ in found),
        "p50_s": round(percentile(seconds, 0.5), 2),
        "p100_s": round(max(seconds), 2),
    }
