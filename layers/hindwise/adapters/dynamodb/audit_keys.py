"""Keys of what stands beside the audit: notes of a tenant, its counters, and watched recalls."""

from datetime import date

from hindwise.adapters.dynamodb import keys
from hindwise.adapters.dynamodb.expressions import Key
from hindwise.domain.scope import Scope


def note(tenant: str, ulid: str) -> Key:
    """A row of a tenant's own audit."""
    return f"T#{tenant}#A", ulid


def tenant(name: str) -> Key:
    """The row by which a tenant is known to what runs at night."""
    return "TENANTS", name


def rate(tenant: str, day: date, word: str) -> Key:
    """What a tenant used of its limits, in a minute or on the day."""
    return f"T#{tenant}#B#{day.isoformat()}", word


def recall(scope: Scope, ulid: str) -> Key:
    """What was recalled, while it is watched."""
    return keys.part(scope, "B"), ulid


def recalls_of(tenant: str) -> str:
    """What was recalled of a tenant's users, in the index `list`."""
    return f"T#{tenant}#RECALLS"
