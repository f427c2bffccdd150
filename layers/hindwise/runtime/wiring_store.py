"""The part of the composition root that everything stands on: the clock, the table, the truth."""

from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from hindwise.domain.ports import KeyRing, MemoryStore, RequestLog
from hindwise.runtime.tools import Ulids, utc_now
from hindwise.settings import StoreSettings

if TYPE_CHECKING:
    from hindwise.adapters.dynamodb.table import Table


class StoreWiring:
    """Clock, table, store, requests and keys, from environment variables."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self._ulids = Ulids()

    def clock(self) -> datetime:
        """The server's time, in UTC."""
        return utc_now()

    @cached_property
    def stage(self) -> str:
        """The stage that this process serves."""
        return self._stores.stage

    @cached_property
    def _stores(self) -> StoreSettings:
        return StoreSettings.from_env(self._env)

    @cached_property
    def table(self) -> "Table":
        """The one table."""
        from hindwise.adapters.dynamodb.client import connect
        from hindwise.adapters.dynamodb.table import Table

        client = connect(self._stores.aws_endpoint_url)
        return Table(client, self._stores.memory_table)

    @cached_property
    def store(self) -> MemoryStore:
        """The truth in DynamoDB."""
        from hindwise.adapters.dynamodb.store import DynamoStore

        return DynamoStore(self.table, clock=self.clock, new_id=self._ulids)

    @cached_property
    def requests(self) -> RequestLog:
        """Idempotency keys in DynamoDB."""
        from hindwise.adapters.dynamodb.requests import DynamoRequestLog

        return DynamoRequestLog(self.table, clock=self.clock)

    @cached_property
    def keys(self) -> KeyRing:
        """API keys in DynamoDB."""
        from hindwise.adapters.dynamodb.api_keys import DynamoKeyRing

        return DynamoKeyRing(self.table)
