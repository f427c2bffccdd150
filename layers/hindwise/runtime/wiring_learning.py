"""The part of the composition root that learning needs.

Clients are opened by the first call that needs one: what takes in a conversation loads no language
model's SDK, what writes a memory neither the bucket's nor the queues'.
"""

from functools import cached_property
from typing import TYPE_CHECKING

from pydantic import ValidationError

from hindwise.domain.ports import BlobStore, MemoryStore, Queues, Reasoner, Ripening
from hindwise.domain.rules import Rules
from hindwise.domain.scope import Scope
from hindwise.errors import Misconfigured
from hindwise.runtime.wiring_store import StoreWiring
from hindwise.settings import BucketSettings, LlmSettings, RuleSettings, WorkSettings
from hindwise.usecases.learning import Learning

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class LearningWiring(StoreWiring):
    """Conversations, jobs, blobs, queues, reasoner and budget, from environment variables."""

    @cached_property
    def store(self) -> MemoryStore:
        """The truth in DynamoDB."""
        from hindwise.adapters.dynamodb.store import DynamoStore

        return DynamoStore(
            self.table, clock=self.clock, new_id=self._ulids, rules=self.rules.fading
        )

    @cached_property
    def learning(self) -> Learning:
        """What taking in, extracting, settling and consolidating share."""
        from hindwise.adapters.dynamodb.budget import DynamoBudget
        from hindwise.adapters.dynamodb.learning import DynamoConversations, DynamoJobs

        rules = self.rules.learning
        return Learning(
            conversations=DynamoConversations(self.table),
            jobs=DynamoJobs(self.table, clock=self.clock),
            blobs=self._blobs,
            queues=self._queues,
            reasoner=self._reasoner,
            budget=DynamoBudget(self.table, calls=rules.daily_calls, tokens=rules.daily_tokens),
            rules=rules,
        )

    @cached_property
    def ripening(self) -> Ripening:
        """Which domains have new episodes."""
        from hindwise.adapters.dynamodb.ripening import DynamoRipening

        return DynamoRipening(self.table, self.rules.learning.consolidation_min)

    @cached_property
    def rules(self) -> Rules:
        """What this stage sets otherwise than usual, of learning, trust, fading and limits."""
        said = RuleSettings.from_env(self._env).rules
        try:
            rules = Rules.model_validate_json(said)
        except ValidationError as error:
            wrong = "; ".join(
                ": ".join(filter(None, (".".join(map(str, one["loc"])), one["msg"])))
                for one in error.errors(include_input=False, include_url=False)
            )
            raise Misconfigured(f"RULES: {wrong}") from error
        told = {"llm_configured": bool(self._llm.llm_model)}
        return rules.model_copy(update={"learning": rules.learning.model_copy(update=told)})

    @cached_property
    def _llm(self) -> LlmSettings:
        return LlmSettings.from_env(self._env)

    @cached_property
    def _reasoner(self) -> Reasoner | None:
        """The model that is set; its package is imported by the first question."""
        if not self._llm.llm_model:
            return None
        from hindwise.adapters.reasoners.openai import OpenAIReasoner

        url, key = self._llm.asked
        return OpenAIReasoner(self._llm.llm_model, key=key.get_secret_value(), base_url=url)

    @cached_property
    def rewriter(self) -> None:
        """Loads the model's package, where every question is rewritten: two seconds are soon over.

        Elsewhere the first question that wants it does.
        """
        if self.rules.learning.rewrite_queries and (load := getattr(self._reasoner, "warm", None)):
            load()

    @cached_property
    def _blobs(self) -> BlobStore:
        from hindwise.adapters.s3 import S3Blobs

        return S3Blobs(self._bucket)

    def _bucket(self) -> "tuple[S3Client, str]":
        from hindwise.adapters.s3 import connect

        settings = BucketSettings.from_env(self._env)
        return connect(settings.aws_endpoint_url), settings.memory_bucket

    @cached_property
    def _queues(self) -> Queues:
        from hindwise.adapters.queues import SqsQueues
        from hindwise.adapters.sqs import connect

        settings = WorkSettings.from_env(self._env)
        return SqsQueues(lambda: connect(settings.aws_endpoint_url), settings.work_queues)

    def pointer_in(self, body: str) -> tuple[Scope, str]:
        """Read a message of a work queue: whose, and the id it points at; raises Invalid."""
        from hindwise.adapters import pointers

        return pointers.read(body)
