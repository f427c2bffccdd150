"""What AWS asks for what was counted: list prices of us-east-1, on demand, without a free tier.

Prices of the end of 2025, as public lists had them; `PAGES` is where AWS publishes them, and where
to look before money depends on it. Other regions ask up to twice as much. The table's prices are
those since November 2024, half of what they were before.
"""

from collections.abc import Mapping

PAGES = {
    "dynamodb": "https://aws.amazon.com/dynamodb/pricing/on-demand/",
    "lambda": "https://aws.amazon.com/lambda/pricing/",
    "gateway": "https://aws.amazon.com/api-gateway/pricing/",
    "s3": "https://aws.amazon.com/s3/pricing/",
    "sqs": "https://aws.amazon.com/sqs/pricing/",
    "secrets": "https://aws.amazon.com/secrets-manager/pricing/",
    "cloudwatch": "https://aws.amazon.com/cloudwatch/pricing/",
    "scheduler": "https://aws.amazon.com/eventbridge/pricing/",
    "opensearch": "https://aws.amazon.com/opensearch-service/pricing/",
}
MILLION = 1_000_000
GB = 2**30
PER_MILLION = {
    "write unit": 0.625,
    "read unit": 0.125,
    "gateway request": 1.00,
    "invocation": 0.20,
    "sqs request": 0.40,
    "secret request": 5.00,
    "s3 put": 5.00,
    "s3 get": 0.40,
    "schedule": 1.00,
}
"""Dollars for a million."""
MODEL_TOKENS = (0.15, 0.60)
"""Dollars for a million tokens in and out: what small hosted models ask for, as an example."""
PER_GB_SECOND = 0.0000166667
"""Lambda on x86."""
PER_GB_LOGGED = 0.50
PER_MONTH = {
    "secret": 0.40,
    "alarm": 0.10,
    "dashboard": 3.00,
    "custom metric": 0.30,
    "table GB": 0.25,
    "recovery GB": 0.20,
    "t3.small.search": 26.28,
    "gp3 GB": 0.122,
}
"""Dollars a month; an instance for 730 hours of $0.036."""
LOGGED_BYTES = 1000
"""What an invocation logs, about: a line of metrics (300) and Lambda's own start and report."""
TABLE_WAIT_MS = 5
"""What a call to the table or a queue is taken to last on AWS."""
MODEL_WAIT_MS = 3_000
"""What a language model is taken to need for an answer; a function is billed while it waits."""
WHOLE_CPU_MB = 1769
"""Memory at which Lambda gives one whole vCPU; with less it gives a share."""


def table_dollars(writes: float, reads: float) -> float:
    """Dollars for a million times so many write and read units."""
    return writes * PER_MILLION["write unit"] + reads * PER_MILLION["read unit"]


def request_dollars(counts: Mapping[str, float]) -> float:
    """Dollars for a million times these requests."""
    return sum(PER_MILLION[name] * count for name, count in counts.items())


def lambda_dollars(ms: float, memory_mb: float) -> float:
    """Dollars for a million times so many billed milliseconds."""
    return MILLION * ms / 1000 * memory_mb / 1024 * PER_GB_SECOND


def model_dollars(put: float, got: float) -> float:
    """Dollars for a million times so many tokens in and out, of a small hosted model."""
    return put * MODEL_TOKENS[0] + got * MODEL_TOKENS[1]


def log_dollars(invocations: float) -> float:
    """Dollars for the logs of a million times so many invocations."""
    return MILLION * invocations * LOGGED_BYTES / GB * PER_GB_LOGGED


def billed_ms(cpu_ms: float, waits: float, memory_mb: float) -> float:
    """Estimates billed milliseconds: own CPU on the share of a vCPU, and the waiting."""
    return cpu_ms / min(1.0, memory_mb / WHOLE_CPU_MB) + waits * TABLE_WAIT_MS
