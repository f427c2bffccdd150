"""The part of the composition root that everything stands on: clock, secret, table, truth."""

import time
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from hindwise.domain.call import Tools
from hindwise.domain.ports import KeyRing, RequestLog, Seal
from hindwise.runtime.tools import Backoff, Ulids, utc_now
from hindwise.settings import SealSettings, StoreSettings

if TYPE_CHECKING:
    from hindwise.adapters.dynamodb.table import Table


class StoreWiring:
    """Clock, seal, table, store, requests and keys, from environment variables."""

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
    def requests(self) -> RequestLog:
        """Idempotency keys in DynamoDB."""
        from hindwise.adapters.dynamodb.requests import DynamoRequestLog

        return DynamoRequestLog(self.table, clock=self.clock)

    @cached_property
    def keys(self) -> KeyRing:
        """API keys in DynamoDB."""
        from hindwise.adapters.dynamodb.api_keys import DynamoKeyRing

        return DynamoKeyRing(self.table)

    @cached_property
    def seal(self) -> Seal:
        """Keyed hashes from the stage's secret."""
        from hindwise.adapters import seal

        settings = SealSettings.from_env(self._env)
        if settings.secret_file:
            return seal.HmacSeal(settings.stage, seal.FileSecret(Path(settings.secret_file)))
        import boto3

        client = boto3.client("secretsmanager", endpoint_url=settings.aws_endpoint_url or None)
        secret = seal.SecretsManagerSecret(client, settings.secret_arn, time.monotonic)
        return seal.HmacSeal(settings.stage, secret)

    @cached_property
    def tools(self) -> Tools:
        """Ids, seal and patience."""
        return Tools(new_id=self._ulids, seal=self.seal, patience=Backoff)
