"""The tenant's own audit: what was refused or held back, and what was done to no single record.

A note has no chain, because notes of many callers at once must not wait for each other: its own
keyed hash shows whether it was altered, the digest of its day whether one is missing.
"""

from datetime import UTC, datetime

from pydantic import AwareDatetime

from hindwise.domain.base import Model
from hindwise.domain.ports.around import Seal

PURPOSE = "audit-note"
USER = "audit-user"
HASHED = "~"
"""Begins the keyed hash that stands for a user whom the caller may not act for."""


class Note(Model):
    """Who asked for what, when, and what was decided by which rules; never what was said.

    `user` is an id, or `~` and a keyed hash where the caller may not act for that user: such an id
    is only a text that somebody sent. `subject` is an id of ours or a keyed hash.
    """

    id: str
    at: AwareDatetime
    actor: str
    call: str
    decision: str
    code: str = ""
    rules: tuple[str, ...] = ()
    user: str | None = None
    subject: str | None = None
    digest: str = ""


def statement(note: Note) -> str:
    """What a note's digest is made over: every field but the digest, in a fixed order."""
    fields = (
        note.id,
        note.at.isoformat(),
        note.actor,
        note.call,
        note.decision,
        note.code,
        ",".join(note.rules),
        "" if note.user is None else f"u{note.user}",
        "" if note.subject is None else f"s{note.subject}",
    )
    return "\x1f".join(fields)


def sealed(note: Note, tenant: str, seal: Seal) -> Note:
    """The note with its digest, which holds for this tenant alone."""
    said = f"{tenant}\x1f{statement(note)}"
    return note.model_copy(update={"digest": seal.digest(PURPOSE, said)})


def genuine(note: Note, tenant: str, seal: Seal) -> bool:
    """Tell whether a note is as it was written."""
    return seal.matches(PURPOSE, f"{tenant}\x1f{statement(note)}", note.digest)


def hashed_user(tenant: str, user: str, seal: Seal) -> str:
    """What stands for a user id that only somebody sent: a keyed hash of 16 hex digits."""
    return HASHED + seal.digest(USER, f"{tenant}\x1f{user}")[:16]


def day_of(at: datetime) -> str:
    """The day, in UTC, under which a row is listed and digested."""
    return at.astimezone(UTC).date().isoformat()
