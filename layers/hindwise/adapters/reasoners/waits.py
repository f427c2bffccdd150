"""How long a server asks to be left alone."""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime

LONGEST = 86_400.0


def wait_asked(headers: Mapping[str, str], *, now: float) -> float | None:
    """Seconds (0..86,400) until a request may come again, None where nothing readable is said.

    From `retry-after-ms`, or `retry-after` as seconds or as an HTTP date; `now` is Unix time.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return _bounded(float(headers.get(name) or "") * unit)
        except ValueError:
            continue
    try:
        return _bounded(parsedate_to_datetime(headers.get("retry-after") or "").timestamp() - now)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _bounded(seconds: float) -> float:
    if not seconds >= 0:
        if seconds < 0:
            return 0.0
        raise ValueError("not a number")
    return min(seconds, LONGEST)
