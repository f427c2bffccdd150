"""A scope's fence, read by a call that every function may make."""

from datetime import datetime

from hindwise.adapters.dynamodb import keys, rows
from hindwise.adapters.dynamodb.table import Table
from hindwise.domain.fence import Gate
from hindwise.domain.scope import Scope


def gate_of(table: Table, scope: Scope) -> Gate:
    """Read the whole row: the fence, and the marks of the sources that are held."""
    items = table.get_many([keys.fence(scope)], "fenced, held")
    return Gate(fence=rows.fence_in(items), held=rows.held_in(items))


def fence_of(table: Table, scope: Scope) -> datetime | None:
    """Read the moment up to which all of a scope is forgotten; None where nothing is."""
    return rows.fence_in(table.get_many([keys.fence(scope)], "fenced"))
