"""Times calls one after the other: wall, CPU, calls to the table and keys read, as one row."""

import gc
import os
import resource
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import Any

from bench.rows import percentile


@dataclass
class Sample:
    """What was measured of calls: milliseconds of wall and CPU, calls, keys.

    `index` are the calls to a search node, which `calls` holds as well; `node_cpu` is its mean CPU.
    """

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    keys: list[int] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    index: list[int] = field(default_factory=list)
    node_cpu: float | None = None

    def figures(self) -> dict[str, Any]:
        """The figures of a row; calls and keys are means, with the largest beside them."""
        found: dict[str, Any] = {
            "n": len(self.wall),
            "p50_ms": round(median(self.wall), 2),
            "p95_ms": round(percentile(self.wall, 0.95), 2),
        }
        if self.cpu:
            found |= {"cpu_p50_ms": round(median(self.cpu), 2)}
            found |= {"cpu_p95_ms": round(percentile(self.cpu, 0.95), 2)}
        if self.calls:
            found |= {"backend_calls": round(mean(self.calls), 2), "calls_max": max(self.calls)}
            found |= {"keys_read": round(mean(self.keys), 2), "keys_max": max(self.keys)}
            found |= {"batch_gets_max": max(self.batches)}
        if any(self.index):
            found |= {"index_calls": round(mean(self.index), 2)}
        if self.node_cpu is not None:
            found |= {"node_cpu_ms": round(self.node_cpu, 2)}
        return found


def timed(calls: Iterable[Callable[[], object]]) -> Sample:
    """Wall and CPU of this process for each call."""
    sample = Sample()
    gc.collect()
    for call in calls:
        began, used = time.perf_counter(), time.process_time()
        call()
        sample.cpu.append(1000 * (time.process_time() - used))
        sample.wall.append(1000 * (time.perf_counter() - began))
    return sample


def resident_mb(pid: int | None = None) -> float:
    """Resident memory of a process; where the system does not say, the peak of this one."""
    status = Path(f"/proc/{pid or os.getpid()}/statm")
    if status.exists():
        return round(int(status.read_text().split()[1]) * resource.getpagesize() / 2**20, 1)
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)
