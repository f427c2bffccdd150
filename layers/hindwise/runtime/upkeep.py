"""Keeps an index outside the table whole: fills it, tidies it, and builds it anew on request."""

from collections.abc import Callable
from datetime import timedelta

from hindwise.errors import HindwiseError, Misconfigured
from hindwise.runtime.telemetry import fault
from hindwise.runtime.wired import Wired
from hindwise.usecases.refill import Filled, fill, rebuild

TOMBSTONES_KEPT = timedelta(days=30)
"""Longer than anything waits in a stream, a queue or the backlog."""


def keep(wired: Wired, *, longest: timedelta) -> Filled:
    """Go on filling the index and take old tombstones away; what fails is for the next run."""
    if wired.upkeep is None:
        return Filled()
    try:
        filled = fill(
            wired.upkeep, wired.projections, store=wired.store, clock=wired.clock, longest=longest
        )
        wired.upkeep.purge(wired.clock() - TOMBSTONES_KEPT)
    except HindwiseError as error:
        fault(error, operation="upkeep", request_id="")
        return Filled(whole=False)
    return filled


def reindex(wired: Wired, *, shards: int, anew: bool, progress: Callable[[int], None]) -> Filled:
    """Build the index anew beside the one that answers, and exchange them.

    With `anew`, one that was begun and left is dropped first. Raises Misconfigured where the table
    is what is searched, Conflict where the present one is being filled or another one is being
    built, Unavailable.
    """
    if wired.upkeep is None:
        raise Misconfigured("SEARCH_BACKEND is not opensearch: the table needs no index")
    successor = wired.upkeep.beside(shards, anew=anew)
    return rebuild(
        successor, wired.projections, store=wired.store, clock=wired.clock, progress=progress
    )
