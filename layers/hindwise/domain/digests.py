"""The digest of a day of a tenant's audit: which rows there were, chained to the digest before.

Rows that come late are in supplements: what was once written down is never written over. Ids,
hashes and counts only; nothing here names a user.
"""

from hashlib import sha256

from pydantic import AwareDatetime

from hindwise.domain.base import Model
from hindwise.domain.ports.around import Seal

PURPOSE = "audit-digest"


class Line(Model):
    """One row: its id, its chain ("" for a note) and its digest."""

    id: str
    chain: str = ""
    digest: str = ""


class Part(Model):
    """Some rows of one shard of a day, by id."""

    tenant: str
    day: str
    shard: int
    lines: tuple[Line, ...]


class Shard(Model):
    """The rows of one shard, and of the parts that name them, in order, hash and last id."""

    rows: int
    parts: tuple[str, ...]
    lasts: tuple[str, ...]


class DayDigest(Model):
    """What there was on a day; `previous` is the seal of the digest before, "" for the first.

    A `supplement` (from 1) holds the `late` rows by shard instead.
    """

    tenant: str
    day: str
    made_at: AwareDatetime
    previous: str
    rows: int
    shards: tuple[Shard, ...] = ()
    supplement: int = 0
    late: tuple[tuple[int, Line], ...] = ()
    seal: str = ""


def fingerprint(data: bytes) -> str:
    """The hash by which a digest names a part."""
    return sha256(data).hexdigest()


def sealed(digest: DayDigest, seal: Seal) -> DayDigest:
    """The digest with its seal."""
    return digest.model_copy(update={"seal": seal.digest(PURPOSE, _said(digest))})


def genuine(digest: DayDigest, seal: Seal) -> bool:
    """Tell whether a digest is as it was written."""
    return seal.matches(PURPOSE, _said(digest), digest.seal)


def _said(digest: DayDigest) -> str:
    return digest.model_copy(update={"seal": ""}).model_dump_json()


def head_name(day: str) -> str:
    """Where the digest of a day is."""
    return f"digests/{day}.json"


def part_name(day: str, shard: int, number: int) -> str:
    """Where a part of it is, from 0."""
    return f"digests/{day}/{shard}-{number:05d}.json"


def late_name(day: str, number: int) -> str:
    """Where a supplement of it is, from 1."""
    return f"digests/{day}.late-{number:03d}.json"
