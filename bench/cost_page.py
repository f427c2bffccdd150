"""The tables of docs/cost.md, made from counted rows; and the estimates read back from them.

Everything but milliseconds follows from counts, prices and the template, so that a test can make
the tables anew from its own counts and the page's milliseconds.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from samtranslator.yaml_helper import yaml_parse

from bench import prices
from bench.prices import MILLION, PER_MILLION, PER_MONTH
from bench.rows import ROOT
from hindwise.adapters.dynamodb.keys import AUDIT_BUCKETS, DIRTY_BUCKETS

Row = Mapping[str, Any]
PAGE = ROOT / "docs" / "cost.md"
TEMPLATES = ("template.yaml", "infra/alarms.yaml")
SWEEPS = 60 * 24 * 30
"""Sweeps of a month, one a minute."""
LOOKS = SWEEPS // 15
"""Looks for ripe domains of a month, one every fifteen minutes."""
QUEUES = 7
POLLS = 5 * 3 * SWEEPS * QUEUES
"""Requests of a month with which Lambda's five pollers ask each empty queue, 20 s each."""
NIGHTS = 30
NIGHT, DIGEST = "idle night: four sweeps of fading", "idle digest of the audit"
LEARN, LOOK = "learn from it: 10 turns, 3 facts", "idle look for ripe domains"
CONVERSATION = {"take in a conversation of 10 turns": 1, LEARN: 1, "project: learn from it": 1,
                "settle a fact with 5 neighbours": 3}  # fmt: skip
"""What a conversation makes happen, and how often."""
DOMAIN_GB = 10
PARTITION_WRITES, PARTITION_READS = 1000, 3000
TABLE_UNITS = 40_000


@dataclass(frozen=True)
class Measured:
    """Rows of operations, of stored memories, and of starting containers."""

    operations: Sequence[Row]
    stored: Sequence[Row]
    started: Sequence[Row]

    def of(self, what: str) -> Row:
        """The row of an operation."""
        return next(row for row in self.operations if row["what"] == what)


def tables(measured: Measured) -> dict[str, str]:
    """All tables in Markdown, by the name of their block."""
    return {
        "operations": _table(_OPERATIONS, map(_operation, measured.operations)),
        "together": _table(("what", "table $", "in all $ ≈"), _together(measured)),
        "model": _table(_MODEL, _model(measured)),
        "starts": _table(("function", "MB", "ms ≈", "$ a million starts ≈"), _starts(measured)),
        "stored": _table(_STORED, _stored(measured)),
        "idle": _table(("what", "a month", "$ a month"), _idle(measured)),
        "ceilings": _table(_CEILINGS, _ceilings(measured)),
    }


def filled(page: str, made: Mapping[str, str]) -> str:
    """A page with its blocks replaced; raises ValueError where one is missing."""
    for name, table in made.items():
        block = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        page, found = block.subn(lambda at, table=table: f"{at[1]}{table}\n{at[2]}", page)
        if found != 1:
            raise ValueError(f"the page has {found} blocks {name}")
    return page


def estimates(page: str) -> dict[str, float]:
    """The milliseconds that a page gives, by operation and by `start: FUNCTION`."""
    found = {}
    for name, prefix, column in (("operations", "", 5), ("starts", "start: ", 2)):
        block = page.split(f"<!-- {name} -->\n")[1].split(f"<!-- /{name} -->")[0]
        for line in block.splitlines()[2:]:
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            found[prefix + cells[0]] = float(cells[column].replace(",", ""))
    return found


def dollars(row: Row) -> tuple[float, float]:
    """Dollars of a million operations: for the table, and for all else."""
    table = prices.table_dollars(row["writes"] + row["index_writes"], row["reads"])
    asked = {
        "gateway request": row["gateway"],
        "invocation": row["invocations"],
        "sqs request": row["sqs"],
        "secret request": row["secrets"],
        "s3 put": row["s3_puts"],
        "s3 get": row["s3_gets"],
    }
    rest = prices.request_dollars(asked) + prices.log_dollars(row["invocations"])
    return table, rest + prices.lambda_dollars(row["ms"], row["memory_mb"])


_OPERATIONS = (
    "operation", "table writes", "index writes", "reads", "table $", "ms ≈", "else $ ≈",
    "in all $ ≈",
)  # fmt: skip
_MODEL = ("operation", "calls", "tokens in", "tokens out", "$ a thousand ≈")
_STORED = ("what", "bytes", "GB a million", "$ a month")
_CEILINGS = ("for", "what", "units each", "limit a second", "each second")


def _operation(row: Row) -> list[str]:
    table, rest = dollars(row)
    units = [f"{round(row[name], 1):g}" for name in ("writes", "index_writes", "reads")]
    ms = f"{row['ms']:,.1f}"
    return [row["what"], *units, f"{table:.2f}", ms, f"{rest:.2f}", f"{table + rest:.2f}"]


def _together(measured: Measured) -> Iterator[list[str]]:
    create = ("create an episode of 1.5 KB", "create a dialogue turn, one of 25", "create a fact")
    sums = {f"{what}, and project it": (what, f"project: {what}") for what in create}
    slot = "supersede a slot value"
    sums[f"{slot}, and project both"] = (slot, f"project: {slot}")
    counts = "count the accesses of a search: 10 turns"
    sums["search, copy held, and count 10 turns"] = ("search, copy held", counts)
    long = "count the accesses of a search: 10 episodes of 1.5 KB"
    sums["search, copy held, and count 10 episodes of 1.5 KB"] = ("search, copy held", long)
    for what, parts in sums.items():
        each = [dollars(measured.of(part)) for part in parts]
        yield [what, f"{sum(t for t, _ in each):.2f}", f"{sum(t + r for t, r in each):.2f}"]
    parts = [(times, dollars(measured.of(what))) for what, times in CONVERSATION.items()]
    table, rest = (sum(times * cost[n] for times, cost in parts) for n in (0, 1))
    yield ["a conversation of 10 turns, learnt from, projected, 3 facts settled",
           f"{table:.2f}", f"{table + rest:.2f}"]  # fmt: skip


def _model(measured: Measured) -> Iterator[list[str]]:
    """What a language model is asked, for each operation that asks one, and for a conversation."""
    names = ("llm_calls", "tokens_in", "tokens_out")
    asked = [row for row in measured.operations if row["llm_calls"]]
    rows = [(row["what"], [row[name] for name in names]) for row in asked]
    whole = [
        sum(times * measured.of(what)[name] for what, times in CONVERSATION.items())
        for name in names
    ]
    for what, (calls, put, got) in [*rows, ("a conversation, all of it", whole)]:
        cost = prices.model_dollars(put, got) / 1000
        yield [what, f"{calls:g}", f"{put:,.0f}", f"{got:,.0f}", f"{cost:.2f}"]


def _starts(measured: Measured) -> Iterator[list[str]]:
    for row in measured.started:
        cost = prices.lambda_dollars(row["ms"], row["memory_mb"])
        name = row["what"].removeprefix("start: ")
        yield [name, str(row["memory_mb"]), f"{row['ms']:,.0f}", f"{cost:.2f}"]


def _stored(measured: Measured) -> Iterator[list[str]]:
    for row in measured.stored:
        size = row["stored_bytes"] * MILLION / prices.GB
        cost = size * (PER_MONTH["table GB"] + PER_MONTH["recovery GB"])
        yield [row["what"], f"{row['stored_bytes']:,}", f"{size:.1f}", f"{cost:.2f}"]


def declared(kind: str) -> list[Mapping[str, Any]]:
    """The resources of a type in the template and its nested stack."""
    files = [ROOT / name for name in TEMPLATES if (ROOT / name).exists()]
    resources = [r for file in files for r in yaml_parse(file.read_text())["Resources"].values()]
    return [resource for resource in resources if resource["Type"] == kind]


def idle_lines(measured: Measured) -> list[tuple[str, str, float]]:
    """What costs money when nobody calls: what, how much of it, dollars a month."""
    sweep, look = measured.of("idle sweep"), measured.of(LOOK)
    share = SWEEPS / MILLION
    table, _ = dollars(sweep)
    looks = sum(dollars(look)) * LOOKS / MILLION
    nights = sum(sum(dollars(measured.of(what))) for what in (NIGHT, DIGEST)) * NIGHTS / MILLION
    metrics = len(sweep["metrics"])
    asked = sum(
        len(a["Properties"].get("Metrics", [1])) for a in declared("AWS::CloudWatch::Alarm")
    )
    lines = [
        ("sweep: invocations", f"{SWEEPS:,}", share * PER_MILLION["invocation"]),
        ("sweep: duration ≈", f"{sweep['ms']:,.1f} ms each",
         share * prices.lambda_dollars(sweep["ms"], sweep["memory_mb"])),
        ("sweep: reads of the backlog", f"{sweep['reads'] * SWEEPS:,.0f}", share * table),
        ("sweep: logs ≈", f"{prices.LOGGED_BYTES * SWEEPS / prices.GB:.2f} GB",
         share * prices.log_dollars(1)),
        ("sweep: custom metrics", str(metrics), metrics * PER_MONTH["custom metric"]),
        ("looks for ripe domains ≈", f"{LOOKS:,}", looks),
        ("nights: fading, digest of the audit ≈", str(NIGHTS), nights),
        ("schedules", f"{SWEEPS + LOOKS + 5 * NIGHTS:,}",
         (SWEEPS + LOOKS + 5 * NIGHTS) / MILLION * PER_MILLION["schedule"]),
        (f"polling {QUEUES} queues ≈", f"{POLLS:,}",
         POLLS / MILLION * PER_MILLION["sqs request"]),
    ]  # fmt: skip
    counts = {"alarm": asked, "dashboard": len(declared("AWS::CloudWatch::Dashboard"))}
    counts["secret"] = len(declared("AWS::SecretsManager::Secret"))
    lines += [(f"{name}s", str(n), n * PER_MONTH[name]) for name, n in counts.items() if n]
    return lines


def idle_total(measured: Measured) -> float:
    """Dollars a month of the table backend when nobody calls."""
    return sum(cost for *_, cost in idle_lines(measured))


def _idle(measured: Measured) -> Iterator[list[str]]:
    for what, count, cost in idle_lines(measured):
        yield [what, count, f"{cost:.2f}"]
    total = idle_total(measured)
    yield ["**table backend, nothing stored**", "", f"**{total:.2f}**"]
    used = len({metric for row in measured.operations for metric in row["metrics"]})
    more = used - len(measured.of("idle sweep")["metrics"])
    cost = more * PER_MONTH["custom metric"]
    yield ["more custom metrics, once everything is called", f"up to {more}", f"{cost:.2f}"]
    domain = PER_MONTH["t3.small.search"] + DOMAIN_GB * PER_MONTH["gp3 GB"]
    yield ["OpenSearch domain", f"1 × t3.small.search, {DOMAIN_GB} GB gp3", f"{domain:.2f}"]
    yield ["**OpenSearch backend, nothing stored**", "", f"**{total + domain:.2f}**"]


def _ceilings(measured: Measured) -> Iterator[list[str]]:
    def line(who: str, what: str, units: float, limit: int) -> list[str]:
        rate = f"{limit / units:,.0f}"
        return [who, what, f"{round(units, 2):g}", f"{limit:,}", rate]

    one, written, read = "one user", PARTITION_WRITES, PARTITION_READS
    writes = ("create an episode of 1.5 KB", "create a dialogue turn, one of 25",
              "supersede a slot value", "edit an episode of 1.5 KB",
              "count the accesses of a search: 10 turns", LEARN)  # fmt: skip
    for what in writes:
        yield line(one, what, measured.of(what)["most_written"], written)
    for what in ("search, copy held", "context, copy held"):
        yield line(one, what, measured.of(what)["most_read"], read)
    keyed = measured.of("the same with an Idempotency-Key")
    yield line("one API key", "writes with an Idempotency-Key", keyed["keyed"], written)
    create, turn = measured.of(writes[0]), measured.of(writes[1])
    days = AUDIT_BUCKETS * written
    yield line("one tenant", f"changes, {AUDIT_BUCKETS} audit buckets", create["audit"], days)
    projected = [(measured.of(f"project: {row['what']}"), row) for row in (create, turn)]
    dirty = sum(row["dirty"] for row in projected[0])
    buckets = DIRTY_BUCKETS * written
    yield line("all users", f"changes, {DIRTY_BUCKETS} dirty buckets", dirty, buckets)
    for both in projected:
        units = sum(row["writes"] for row in both)
        yield line("all users", f"{both[1]['what']}, and project it", units, TABLE_UNITS)


def _table(head: Sequence[str], lines: Iterable[list[str]]) -> str:
    rows = [list(head), ["---", *["--:"] * (len(head) - 1)], *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)
