"""The keys that only fading needs: its buckets of the index `work`, and its leases."""

from hindwise.adapters.dynamodb import keys
from hindwise.adapters.dynamodb.expressions import Key

DUE_BUCKETS = 64


def due(memory_id: str) -> str:
    """The bucket of a memory's next due date in the index `work`."""
    return due_bucket(keys.bucket(memory_id, DUE_BUCKETS))


def due_bucket(number: int) -> str:
    """A bucket of memories by the date at which fading looks at them, in the index `work`."""
    return f"DUE#{number}"


def lease(sweep: str, number: int) -> Key:
    """Who is at work on a bucket of a sweep, and how far the last one came."""
    return f"SWEEP#{sweep}#{number}", "LEASE"
