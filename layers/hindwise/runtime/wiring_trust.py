"""The part of the composition root that trust needs: admission, review, audit, forgetting."""

import time
from functools import cached_property
from typing import TYPE_CHECKING

from hindwise.domain.ports import Records, Users
from hindwise.domain.ports.auditing import AuditLog
from hindwise.domain.ports.rates import Rates
from hindwise.runtime.beside import Beside, SoonRates
from hindwise.runtime.wiring_learning import LearningWiring
from hindwise.usecases.audit import Auditing, Refusals
from hindwise.usecases.fade import Fading
from hindwise.usecases.limiting import Allowance, Limiter
from hindwise.usecases.recalls import Watch
from hindwise.usecases.trust import Trust

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class TrustWiring(LearningWiring):
    """Trust and fading, from environment variables."""

    @cached_property
    def trust(self) -> Trust:
        """What admission, review, audit and forgetting share."""
        from hindwise.adapters.dynamodb.erasure import DynamoErasure
        from hindwise.adapters.dynamodb.lessons import DynamoLessons
        from hindwise.adapters.dynamodb.receipts import DynamoReceipts
        from hindwise.adapters.dynamodb.reviews import DynamoReviews

        rates = SoonRates(self._rates, self._beside)
        return Trust(
            rules=self.rules.trust,
            fading=self.rules.fading,
            records=self._records,
            reviews=DynamoReviews(self.table),
            users=self._users,
            lessons=DynamoLessons(self.table, most=self.rules.trust.lessons_kept, clock=self.clock),
            audit=self._audit,
            limiter=Limiter(rates, self.rules.limits, seconds=time.monotonic),
            receipts=DynamoReceipts(self.table),
            erasure=DynamoErasure(self.table, clock=self.clock, new_id=self._ulids),
        )

    @cached_property
    def screens(self) -> None:
        """Compiles what admission looks for, for functions that screen what comes in."""
        from hindwise.domain.admission.admitting import prepare

        prepare(self.rules.trust)

    @cached_property
    def _records(self) -> Records:
        """Receipts and digests, in the bucket beside that of the conversations."""
        from hindwise.adapters.s3_records import S3Records

        def opened() -> "tuple[S3Client, str]":
            client, bucket = self._bucket()
            return client, f"{bucket}-receipts"

        return S3Records(opened)

    @cached_property
    def _users(self) -> Users:
        from hindwise.adapters.dynamodb.reviews import DynamoUsers

        return DynamoUsers(self.table, clock=self.clock)

    @cached_property
    def _beside(self) -> Beside:
        return Beside()

    @cached_property
    def _rates(self) -> Rates:
        from hindwise.adapters.dynamodb.rates import DynamoRates

        return DynamoRates(self.table)

    @cached_property
    def allowance(self) -> Allowance:
        """How much may be embedded."""
        return Allowance(self._rates, self.rules.limits, self.clock)

    @cached_property
    def audit_log(self) -> AuditLog:
        """The audit over all records."""
        from hindwise.adapters.dynamodb.auditing import DynamoAuditLog

        return DynamoAuditLog(self.table)

    @cached_property
    def _audit(self) -> Auditing:
        from hindwise.adapters.dynamodb.recalls import DynamoRecalls

        log = self.audit_log
        recalls, rate = DynamoRecalls(self.table), self.rules.trust.audit_mode
        return Auditing(
            log,
            self._records,
            Refusals(log, lambda: self.tools, soon=self._beside),
            Watch(recalls, lambda: self.seal, rate, soon=self._beside),
        )

    @cached_property
    def fading(self) -> Fading:
        """What the nightly sweeps work with."""
        from hindwise.adapters.dynamodb.fading import DynamoFadingList

        return Fading(
            store=self.store,
            blobs=self._blobs,
            listed=DynamoFadingList(self.table),
            queues=self._queues,
            tools=self.tools,
            clock=self.clock,
            rules=self.rules.fading,
        )
