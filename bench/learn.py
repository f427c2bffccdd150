"""`make bench-learn`: what learning from conversations keeps, loses and costs.

`extract` compares with mem0 on the same conversations, model and embedder, `crash` kills workers,
`queue` sends a thousand conversations through the whole stage, `dedup`
settles labelled pairs.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import bench.one_thread  # noqa: F401  (before numpy)
from bench import learn_crash, learn_dedup, learn_extract, learn_queue
from bench.embeddings import KeptEmbedder, cache_folder
from bench.product import embedder
from bench.rows import measured

PEOPLE, RUNS, CONVERSATIONS = 100, 500, 1_000
"""What a share of 1 is: people who talk twice, killed conversations, queued conversations."""
Row = dict[str, Any]


def extract(share: float) -> Iterator[Row]:
    """Rows of what is learnt, ours and mem0's."""
    yield from learn_extract.rows(max(1, round(PEOPLE * share)), embedder("use"))


def crash(share: float) -> Iterator[Row]:
    """The row of killed workers."""
    yield from learn_crash.rows(max(1, round(RUNS * share)))


def queue(share: float) -> Iterator[Row]:
    """The row of the whole stage."""
    yield from learn_queue.rows(max(1, round(CONVERSATIONS * share)))


def dedup(share: float) -> Iterator[Row]:
    """Rows of labelled pairs: all of them, whatever the share."""
    yield from learn_dedup.rows(KeptEmbedder(embedder("use"), cache_folder()))


PARTS: dict[str, Callable[[float], Iterator[Row]]] = {
    "extract": extract,
    "crash": crash,
    "queue": queue,
    "dedup": dedup,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the parts that are asked for, print each row, write `build/bench/learn.json`."""
    parser = argparse.ArgumentParser(prog="bench.learn", description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--share", type=float, default=1.0, help="of the full size, e.g. 0.1")
    options = parser.parse_args(arguments)
    measured("learn", (row for part in options.parts for row in PARTS[part](options.share)))


if __name__ == "__main__":
    main()
