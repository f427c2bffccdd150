"""What can be wrong with audit rows: altered, missing, inserted, not listed under their day."""

from collections import defaultdict
from collections.abc import Sequence
from enum import StrEnum

from hindwise.domain.audit import PURPOSE, statement
from hindwise.domain.base import Model
from hindwise.domain.changes import AuditEntry
from hindwise.domain.ids import derived_id
from hindwise.domain.ports.around import Seal


class Wrong(StrEnum):
    """`altered`: not as it was written; `missing`: was there once; `inserted`: never belonged.

    `unlisted`: not under its day; `head`: the record does not end in its last row; `digest`: the
    digest of a day, or a part of it, is not as it was written.
    """

    ALTERED = "altered"
    MISSING = "missing"
    INSERTED = "inserted"
    UNLISTED = "unlisted"
    HEAD = "head"
    DIGEST = "digest"


class Fault(Model):
    """One thing that is wrong: with which row, and on which chain (a memory id) it is."""

    wrong: Wrong
    id: str
    chain: str = ""


def untouched(entry: AuditEntry, seal: Seal) -> bool:
    """Tell whether a row is as it was written: its keyed hash covers all but the id, and the id
    follows from what is covered.
    """
    own = derived_id(entry.at, entry.memory_id, str(entry.version), entry.decision)
    return own == entry.id and seal.matches(PURPOSE, statement(entry), entry.digest)


LAST = frozenset({"forgotten", "purged"})
"""How the chain of a record ends of which only a tombstone is left."""


def chain_faults(entries: Sequence[AuditEntry], head: str | None, seal: Seal) -> list[Fault]:
    """What is wrong with one record's rows, whatever their order.

    `head` is what the record holds, None for a tombstone; its chain must end in its going.
    """
    found, last = _links(entries, seal)
    chain = entries[0].memory_id if entries else ""
    if any(one.wrong is Wrong.MISSING for one in found):
        return found
    if head is None:
        if last is None or last.decision not in LAST:
            found.append(Fault(wrong=Wrong.MISSING, id="", chain=chain))
    elif head != ("" if last is None else last.digest):
        kind = Wrong.MISSING if head and all(one.digest != head for one in entries) else Wrong.HEAD
        found.append(Fault(wrong=kind, id="", chain=chain))
    return found


def row_faults(entries: Sequence[AuditEntry], seal: Seal) -> list[Fault]:
    """Which rows are not as they were written, where there is no chain (scratch values)."""
    return [_fault(Wrong.ALTERED, one) for one in entries if not untouched(one, seal)]


def _links(entries: Sequence[AuditEntry], seal: Seal) -> tuple[list[Fault], AuditEntry | None]:
    """Follow the chain from its beginning; what is wrong with it, and where it ends."""
    found = row_faults(entries, seal)
    following: dict[str, list[AuditEntry]] = defaultdict(list)
    for one in sorted(entries, key=lambda one: (one.version, one.at, one.id)):
        following[one.previous].append(one)
    last: AuditEntry | None = None
    while rows := following.pop("" if last is None else last.digest, []):
        last = rows[0]
        found += [_fault(Wrong.INSERTED, one) for one in rows[1:]]
    loose = [one for rows in following.values() for one in rows]
    known = {one.digest for one in loose}
    found += [_fault(Wrong.MISSING, one) for one in loose if one.previous not in known]
    return found, max([last, *loose], key=_place) if last and loose else last


def _place(entry: AuditEntry) -> tuple[int, str]:
    return entry.version, entry.id


def _fault(wrong: Wrong, entry: AuditEntry) -> Fault:
    return Fault(wrong=wrong, id=entry.id, chain=entry.memory_id)
