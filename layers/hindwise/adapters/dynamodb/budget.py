"""`ports.Budget` on the table: one counter a tenant and day (UTC), added to under a condition.

A tenant's allowance is taken before the call and corrected after it, so that however many ask at
once, no more than the allowance is ever set aside.
"""

import logging
from datetime import UTC, datetime, timedelta

from hindwise.adapters.dynamodb import keys, rows
from hindwise.adapters.dynamodb.expressions import Key, number
from hindwise.adapters.dynamodb.table import Table
from hindwise.domain.ports import Spent
from hindwise.errors import HindwiseError

KEPT = timedelta(days=40)
"""How long a day's counter stays, to be looked up."""
LOGGER = logging.getLogger(__name__)


class DynamoBudget:
    """Counts calls and tokens; a tenant may use `calls` and `tokens` a day."""

    def __init__(self, table: Table, *, calls: int, tokens: int) -> None:
        self._table = table
        self._calls = calls
        self._tokens = tokens

    def reserve(self, tenant: str, tokens: int, *, now: datetime) -> bool:
        """Set one call and so many tokens aside; False where the day's allowance is used up."""
        if self._calls < 1 or tokens > self._tokens:
            return False
        return self._table.update(
            _key(tenant, now),
            "SET #ttl = :ttl ADD calls :one, used :more",
            "attribute_not_exists(pk) OR (calls < :calls AND used <= :left)",
            {
                ":one": number(1),
                ":more": number(tokens),
                ":calls": number(self._calls),
                ":left": number(self._tokens - tokens),
                ":ttl": rows.ttl(now + KEPT),
            },
        )

    def settle(
        self, tenant: str, *, reserved: int, used: int, now: datetime, calls: int = 1
    ) -> None:
        """Replace what was set aside by what was used; never raises, a loss is logged."""
        if (used, calls) == (reserved, 1):
            return
        more = {":more": number(used - reserved), ":again": number(calls - 1)}
        try:
            self._table.update(
                _key(tenant, now), "ADD used :more, calls :again", "attribute_exists(pk)", more
            )
        except HindwiseError as error:
            LOGGER.warning("tokens not counted: %s", type(error).__name__)

    def spent(self, tenant: str, *, now: datetime) -> Spent:
        """Tell what was used and set aside today."""
        item = self._table.get(_key(tenant, now)) or {}
        counted = {name: int(item[name]["N"]) if name in item else 0 for name in ("calls", "used")}
        return Spent(calls=counted["calls"], tokens=counted["used"])


def _key(tenant: str, now: datetime) -> Key:
    return keys.spent(tenant, now.astimezone(UTC).date())
