"""Every night, sweep by sweep, what fades does: purge, archive, decay, tiers.

What a night does not get through comes back by the queue.
"""

from collections.abc import Mapping

from hindwise.runtime import fading
from hindwise.runtime.batch import each
from hindwise.runtime.telemetry import worker


def fade(event: Mapping[str, object]) -> Mapping[str, object]:
    """Messages go on where a sweep stopped, each on its own; a schedule names one to start."""
    if "Records" in event:
        return each(event, fading.delivered)
    return fading.started(event)


handler = worker("fade", fade, warm=("store", "tools", "learning"))
