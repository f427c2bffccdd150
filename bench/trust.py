"""`make bench-trust`: what hostile text can do, what honest text loses, and what is forgotten.

`hostile` writes the attack sets by keys that are not the owner's, `screens` counts what admission
finds, `tricks` plays seven declarative tricks, `forget` looks for canaries in every store.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import bench.one_thread  # noqa: F401  (before numpy)
from bench import trust_forget, trust_hostile, trust_screens, trust_tricks
from bench.product import embedder
from bench.rows import ROOT, measured

DATA = ROOT.parent / "shared" / "security"
Row = dict[str, Any]


def hostile(data: Path, part: float) -> Iterator[Row]:
    """Rows of hostile and honest text that others bring."""
    yield from trust_hostile.rows(data, embedder("use"), part=part)


def screens(data: Path, part: float) -> Iterator[Row]:
    """Rows of what admission finds: all of the data, whatever the share."""
    yield from trust_screens.rows(data)


def tricks(data: Path, part: float) -> Iterator[Row]:
    """Rows of the declarative tricks, with an embedder that knows meaning and with one that does
    not."""
    for name in ("use", "hashed"):
        yield from trust_tricks.rows(embedder(name), seeds=max(1, round(trust_tricks.SEEDS * part)))


def forget(data: Path, part: float) -> Iterator[Row]:
    """Rows of what is left of somebody who was forgotten."""
    yield from trust_forget.rows()


PARTS: dict[str, Callable[[Path, float], Iterator[Row]]] = {
    "hostile": hostile,
    "screens": screens,
    "tricks": tricks,
    "forget": forget,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the parts that are asked for, print each row, write `build/bench/trust.json`."""
    parser = argparse.ArgumentParser(prog="bench.trust", description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--share", type=float, default=1.0, help="of the full size, e.g. 0.1")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of security sets")
    options = parser.parse_args(arguments)
    wanted = {"hostile", "screens"}.intersection(options.parts)
    if wanted and not any(options.data.glob("*.jsonl")):
        parser.error(f"there are no sets in {options.data}; say where with --data")
    parts = (PARTS[part](options.data, options.share) for part in options.parts)
    measured("trust", (row for rows in parts for row in rows))


if __name__ == "__main__":
    main()
