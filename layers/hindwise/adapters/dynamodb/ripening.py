"""Rough counts of a domain's new episodes, and the list of the domains that have grown.

They are kept beside the truth and may be a little off: what is decided by them is checked on the
episodes themselves. A row enters the index `work` once it counts enough, and leaves it when it has
been looked at, so that whoever asks reads only what there is to do.
"""

from datetime import datetime
from itertools import islice

from hindwise.adapters.dynamodb import keys
from hindwise.adapters.dynamodb.expressions import Item, Key, beginning, indexed_under, number, text
from hindwise.adapters.dynamodb.table import Table
from hindwise.domain.patterns import GENERAL
from hindwise.domain.ports import Ripe
from hindwise.domain.scope import Scope

MOST = 100
"""In so many domains of a scope, by name, an episode of `general` counts; more are no domains."""


class DynamoRipening:
    """`ports.Ripening` on the one table; `least` episodes make a domain worth a look."""

    def __init__(self, table: Table, least: int) -> None:
        self._table = table
        self._least = least

    def note(self, scope: Scope, domain: str, episodes: int, *, now: datetime) -> None:
        """Count new episodes; a domain that begins has those of `general` to begin with."""
        if domain == GENERAL:
            query = beginning(keys.part(scope, "N"), "", limit=MOST)
            held = islice(self._table.rows(query), MOST)
            for one in {GENERAL, *(item["sk"]["S"] for item in held)}:
                self._count(scope, one, episodes, now)
            return
        wanted = [keys.domain(scope, one) for one in (GENERAL, domain)]
        found = {item["sk"]["S"]: _count(item) for item in self._table.get_many(wanted)}
        begins = found.get(GENERAL, 0) if domain not in found else 0
        self._count(scope, domain, episodes + begins, now)

    def _count(self, scope: Scope, domain: str, episodes: int, now: datetime) -> None:
        key = keys.domain(scope, domain)
        if self._table.add(key, "episodes", episodes) >= self._least:
            listed = {":home": text(_home(key)), ":now": text(keys.moment(now))}
            change = "SET w_pk = :home, w_sk = :now"
            self._table.update(key, change, "attribute_not_exists(w_pk)", listed)

    def ripe(self, bucket: int, limit: int) -> list[Ripe]:
        """Read what is listed, as it is now: the index may be a moment behind."""
        home = keys.ripe(bucket)
        entries = islice(self._table.rows(indexed_under("work", home, limit=limit)), limit)
        listed = [(item["pk"]["S"], item["sk"]["S"]) for item in entries]
        items = [i for i in self._table.get_many(listed) if i.get("w_pk", {}).get("S") == home]
        return [_ripe(item) for item in sorted(items, key=lambda item: item["w_sk"]["S"])]

    def passed(self, seen: Ripe) -> None:
        """Take a domain off the list, unless it has grown since it was read."""
        self._table.update(
            keys.domain(seen.scope, seen.domain),
            "REMOVE w_pk, w_sk",
            "episodes = :seen",
            {":seen": number(seen.episodes)},
        )

    def considered(self, scope: Scope, domain: str, *, at: datetime) -> None:
        """Begin a count anew; one that was begun later stays."""
        self._table.update(
            keys.domain(scope, domain),
            "SET considered_at = :at, episodes = :none REMOVE w_pk, w_sk",
            "attribute_not_exists(considered_at) OR considered_at < :at",
            {":at": text(keys.moment(at)), ":none": number(0)},
        )


def _home(key: Key) -> str:
    return keys.ripe(keys.bucket("#".join(key), keys.WORK_BUCKETS))


def _count(item: Item) -> int:
    return int(item.get("episodes", {}).get("N", "0"))


def _ripe(item: Item) -> Ripe:
    at = item.get("considered_at", {}).get("S")
    return Ripe(
        scope=keys.scope_of(item["pk"]["S"]),
        domain=item["sk"]["S"],
        episodes=_count(item),
        considered_at=datetime.fromisoformat(at) if at else None,
    )
