"""What every benchmark command does with its rows: print each as it comes, write all at the end."""

import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
QUIET = frozenset({"machine", "python"})


@cache
def machine() -> dict[str, str]:
    """What a figure was measured on."""
    cores = os.cpu_count() or 1
    return {"machine": f"{platform.machine()}, {cores} cores", "python": platform.python_version()}


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of the values lie, by nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def show(row: Mapping[str, Any]) -> None:
    """Print a row as one line."""
    print("  ".join(f"{key} {value}" for key, value in row.items() if key not in QUIET), flush=True)


def write(name: str, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write `build/bench/NAME.json`."""
    path = ROOT / "build" / "bench" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(list(rows), indent=1, ensure_ascii=False) + "\n")
    print(f"written: {path.relative_to(ROOT)}")
    return path


def measured(name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Print each row as it comes, with what it was measured on, then write all."""
    os.environ["POWERTOOLS_METRICS_DISABLED"] = "true"
    found: list[Mapping[str, Any]] = []
    for row in rows:
        found.append({**row, **machine()})
        show(found[-1])
    write(name, found)
