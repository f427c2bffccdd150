"""The part of the composition root that trust needs: admission, review, audit, forgetting."""

from functools import cached_property
from typing import TYPE_CHECKING

from hindwise.domain.ports import Records, Users
from hindwise.runtime.wiring_learning import LearningWiring
from hindwise.usecases.trust import Trust

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class TrustWiring(LearningWiring):
    """Trust and fading, from environment variables."""

    @cached_property
    def trust(self) -> Trust:
        """What admission, review, audit and forgetting share."""
        from hindwise.adapters.dynamodb.reviews import DynamoReviews

        return Trust(
            rules=self.rules.trust,
            records=self._records,
            reviews=DynamoReviews(self.table),
            users=self._users,
        )

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
