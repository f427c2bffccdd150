"""What learning needs beside the store: conversations, jobs, their messages, and a reasoner."""

from dataclasses import dataclass, field

from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.ports import BlobStore, Budget, Conversations, Jobs, Queues, Reasoner


@dataclass(frozen=True)
class Learning:
    """The parts that taking in, extracting, settling and consolidating share.

    `reasoner` is None where there is no language model, and in functions that never ask one.
    """

    conversations: Conversations
    jobs: Jobs
    blobs: BlobStore
    queues: Queues
    reasoner: Reasoner | None
    budget: Budget
    rules: LearningRules = field(default_factory=LearningRules)
