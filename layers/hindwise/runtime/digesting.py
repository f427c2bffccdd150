"""Starts the digest of the audit, and leaves its figures as metrics."""

from datetime import timedelta

from hindwise.runtime.telemetry import count
from hindwise.runtime.wiring import wiring
from hindwise.usecases.digest import Digester, digest

LONGEST = timedelta(seconds=150)
"""Of the function's 180; what is left is for the next run."""


def digested() -> dict[str, object]:
    """Digest what is not digested yet, as far as there is time for."""
    audit = wiring().trust.audit
    assert audit is not None
    digester = Digester(audit.log, audit.book, wiring().seal, wiring().clock)
    done = digest(digester, until=wiring().clock() + LONGEST)
    count("DigestedDays", done.days)
    count("DigestedRows", done.rows + done.late)
    count("DifferingRows", done.differing)
    return done.model_dump()
