"""`make bench-cost`: request units and dollars of each operation, from counted calls.

The real handlers run on the real adapters and an emulated AWS in this process; units come from the
items that they read and write, by DynamoDB's published rules. Milliseconds are estimates: CPU
measured here without the emulation's, 5 ms for each call that is waited for, and 3 s for each call
of a language model. `--page` writes the tables of docs/cost.md anew.
"""

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

import bench.one_thread  # noqa: F401  (before numpy)
from bench import cost_page
from bench.agent import TURNS, Agent
from bench.capacity import stored_bytes
from bench.metered_stack import TABLE, MeteredStack, Used, metered_stack
from bench.operations import SIZES, Operation, Operations
from bench.prices import MODEL_WAIT_MS, billed_ms
from bench.rows import ROOT, machine, write
from hindwise.adapters.embedders.use import UseEmbedder
from hindwise.domain.ports import Embedder
from tests.lambda_environment import FUNCTIONS, environment

Row = dict[str, Any]
FOLDERS = {block["CodeUri"].split("/")[1]: name for name, block in FUNCTIONS.items()}
MEMORY_MB = {folder: FUNCTIONS[name].get("MemorySize", 1024) for folder, name in FOLDERS.items()}
REPEATS = 5


def counted(embedder: Embedder, sizes: Sequence[int] = SIZES) -> list[Row]:
    """A row for each operation: what one takes, all but its time."""
    with metered_stack(embedder) as stack:
        rows = []
        for operation in Operations(stack, sizes).all():
            given = operation.prepare()
            used = stack.counting(lambda act=operation.act, given=given: act(given))
            rows.append(_row(operation, used))
        return rows


def _row(operation: Operation, used: Used) -> Row:
    units = used.units
    [(function, invocations)] = used.invocations.items()
    counts = {
        "writes": units.written,
        "index_writes": units.indexed,
        "reads": units.read,
        "gateway": used.requests,
        "invocations": invocations,
        "sqs": used.sqs,
        "s3_puts": used.puts,
        "s3_gets": used.gets,
        "llm_calls": used.llm_calls,
        "tokens_in": used.tokens_in,
        "tokens_out": used.tokens_out,
        "secrets": used.secrets,
        "waits": units.waits + used.awaited,
        "logged_bytes": used.logged,
        "most_written": max(units.writes.values(), default=0),
        "most_read": max(units.reads.values(), default=0),
        "dirty": _within(units.index_writes, "DIRTY#"),
        "audit": _within(units.index_writes, "#AUDIT#"),
        "keyed": _within(units.writes, "#P#"),
    }
    return {
        "what": operation.name,
        "function": function,
        "memory_mb": MEMORY_MB[function],
        **{name: round(count / operation.share, 4) for name, count in counts.items()},
        "calls": dict(units.calls),
        "metrics": sorted(" ".join(metric) for metric in used.metrics),
    }


def _within(units: Mapping[str, float], word: str) -> float:
    return sum(count for partition, count in units.items() if word in partition)


def stored(embedder: Embedder) -> list[Row]:
    """Bytes that a memory takes in table and indexes, when nothing is left that expires."""
    return [
        _stored(embedder, "an episode of 1.5 KB", Agent.episode),
        _stored(embedder, "a fact", Agent.fact),
        _stored(embedder, "a dialogue turn", Agent.turns, share=TURNS),
    ]


def _stored(embedder: Embedder, what: str, make: Callable[[Agent], str], *, share: int = 1) -> Row:
    with metered_stack(embedder) as stack:
        own = Operations(stack)
        make(own.agent)
        own.settle()
        items = stack.plain.scan(TableName=TABLE)["Items"]
        lasting = stored_bytes(item for item in items if "ttl" not in item)
    return {"what": what, "stored_bytes": round(lasting / share)}


def timed(embedder: Embedder, rows: Sequence[Row], sizes: Sequence[int] = SIZES) -> None:
    """Add `ms` to rows: for how long a function is billed, estimated."""
    by_name = {row["what"]: row for row in rows}
    if not rows:
        return
    with metered_stack(embedder) as stack:
        for operation in Operations(stack, sizes).all():
            row = by_name.get(operation.name)
            if row is None:
                continue
            cpu = median(_cpu_ms(stack, operation) for _ in range(REPEATS)) / operation.share
            row["cpu_ms"] = round(cpu, 2)
            ms = billed_ms(cpu, row["waits"], row["memory_mb"])
            row["ms"] = round(ms + row["llm_calls"] * MODEL_WAIT_MS, 1)


def _cpu_ms(stack: MeteredStack, operation: Operation) -> float:
    given = operation.prepare()
    return stack.timing(lambda: operation.act(given))


def started(folders: Iterable[str] = tuple(FOLDERS)) -> Iterator[Row]:
    """What starting a container is estimated to be billed for: imports, SDK, weights."""
    code = "import time; import functions.{}.app; print(time.process_time())"
    for folder in sorted(folders):
        path = {"PATH": "", "PYTHONPATH": f"{ROOT}:{ROOT / 'layers'}"}
        env = path | environment(FOLDERS[folder])
        ran = [sys.executable, "-c", code.format(folder)]
        done = [
            subprocess.run(ran, cwd=ROOT, env=env, text=True, capture_output=True, check=True)
            for _ in range(3)
        ]
        cpu = 1000 * min(float(each.stdout.split()[-1]) for each in done)
        ms = round(billed_ms(cpu, 0, MEMORY_MB[folder]))
        yield {"what": f"start: {folder}", "memory_mb": MEMORY_MB[folder], "ms": ms}


def kept(embedder: Embedder, page: str) -> cost_page.Measured:
    """Fresh counts, with the milliseconds that a page gives; estimated where it gives none."""
    ms = cost_page.estimates(page)
    operations = [{**row, **_known(ms, row["what"])} for row in counted(embedder)]
    timed(embedder, [row for row in operations if "ms" not in row])
    new = {folder for folder in FOLDERS if f"start: {folder}" not in ms}
    fresh = {row["what"]: row for row in started(new)}
    starts = []
    for folder in sorted(FOLDERS):
        row = {"what": f"start: {folder}", "memory_mb": MEMORY_MB[folder]}
        starts.append({**row, **fresh.get(row["what"], {}), **_known(ms, row["what"])})
    return cost_page.Measured(operations, stored(embedder), starts)


def _known(ms: Mapping[str, float], what: str) -> Row:
    return {"ms": ms[what]} if what in ms else {}


def measured(embedder: Embedder) -> cost_page.Measured:
    """Fresh counts and estimates."""
    embedder.query("the weights are loaded before anything is timed")
    operations = counted(embedder)
    timed(embedder, operations)
    return cost_page.Measured(operations, stored(embedder), list(started()))


def main(arguments: Sequence[str] | None = None) -> None:
    """Count, estimate, print the tables, and write `build/bench/cost.json`."""
    parser = argparse.ArgumentParser(prog="bench.cost", description=__doc__)
    parser.add_argument("--page", action="store_true", help="write the tables of docs/cost.md")
    parser.add_argument("--keep-times", action="store_true", help="as docs/cost.md has them")
    options = parser.parse_args(arguments)
    page, embedder = cost_page.PAGE.read_text(), UseEmbedder()
    found = kept(embedder, page) if options.keep_times else measured(embedder)
    tables = cost_page.tables(found)
    for name, table in tables.items():
        print(f"{name}\n{table}\n")
    if options.page:
        cost_page.PAGE.write_text(cost_page.filled(page, tables))
    every = [*found.operations, *found.stored, *found.started]
    write("cost", [{**row, **machine()} for row in every])


if __name__ == "__main__":
    main()
