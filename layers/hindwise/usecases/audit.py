"""Notes of the tenant's own audit: what was refused or held back, and what concerns no one record.

A refusal must cost the caller nothing and never become an error of its own: it is written once, at
most so many a minute for one principal, and not at all while the table is known to be down.
"""

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock

from hindwise.domain.audit_notes import Note, hashed_user, sealed
from hindwise.domain.call import Tools
from hindwise.domain.ports import Records
from hindwise.domain.ports.auditing import AuditLog
from hindwise.domain.scope import Principal
from hindwise.errors import HindwiseError
from hindwise.usecases.recalls import Watch

PER_MINUTE = 20
"""Refusals of one principal that one container writes down in a minute."""
REST = timedelta(seconds=5)
REFUSED = "refused"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Asked:
    """What somebody asked for: the operation, and of whose memories, if that was said."""

    principal: Principal
    at: datetime
    call: str
    user: str | None = None
    subject: str | None = None


def noted(
    asked: Asked,
    decision: str,
    *,
    log: AuditLog,
    tools: Tools,
    code: str = "",
    rules: Sequence[str] = (),
) -> Note:
    """Write a note; raises Unavailable. What a tenant's users are called is told by id alone.

    A user whom the principal may not act for is told as a keyed hash.
    """
    tenant, user = asked.principal.tenant, asked.user
    if user is not None and not asked.principal.may_act_for(user):
        user = hashed_user(tenant, user, tools.seal)
    note = Note(
        id=tools.new_id(asked.at),
        at=asked.at,
        actor=asked.principal.name,
        call=asked.call,
        decision=decision,
        code=code,
        rules=tuple(rules),
        user=user,
        subject=asked.subject,
    )
    note = sealed(note, tenant, tools.seal)
    log.note(tenant, note)
    return note


@dataclass(frozen=True)
class Auditing:
    """The audit over all records: rows, digests, refusals, and recalls while they are watched."""

    log: AuditLog
    book: Records
    refusals: "Refusals"
    recalls: Watch | None = None


def _now(write: Callable[[], Note]) -> Note:
    return write()


class Refusals:
    """Writes refusals down, within limits; one for a container.

    `soon` is how, without waiting; `tools` are opened by the first one.
    """

    def __init__(
        self,
        log: AuditLog,
        tools: Callable[[], Tools],
        *,
        per_minute: int = PER_MINUTE,
        soon: Callable[[Callable[[], Note]], Note] = _now,
    ) -> None:
        self._log = log
        self._soon = soon
        self._tools = tools
        self._per_minute = per_minute
        self._lock = Lock()
        self._minute = ""
        self._written: Counter[tuple[str, str]] = Counter()
        self._rests_until: datetime | None = None

    def refused(
        self, asked: Asked, *, code: str, rules: Sequence[str] = (), decision: str = REFUSED
    ) -> bool:
        """Write down a refusal; never raises. False where it was not written."""
        if not self._may(asked):
            return False
        try:
            self._soon(
                lambda: noted(
                    asked, decision, log=self._log, tools=self._tools(), code=code, rules=rules
                )
            )
        except HindwiseError as error:
            with self._lock:
                self._rests_until = asked.at + REST
            _log.warning("a refusal was not noted: %s", type(error).__name__)
            return False
        return True

    def _may(self, asked: Asked) -> bool:
        minute = f"{asked.at:%Y-%m-%dT%H:%M}"
        who = (asked.principal.tenant, asked.principal.name)
        with self._lock:
            rest = self._rests_until
            if rest is not None and rest - REST <= asked.at < rest:
                return False
            if minute != self._minute:
                self._minute = minute
                self._written.clear()
            self._written[who] += 1
            return self._written[who] <= self._per_minute
