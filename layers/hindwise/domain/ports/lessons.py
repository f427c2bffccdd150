"""What the reviewers of a tenant turned away, without a word of it."""

from collections.abc import Sequence
from typing import Protocol

from hindwise.domain.lessons import Lesson


class Lessons(Protocol):
    """The lessons of a tenant; those of the newest memories are kept, a bounded number."""

    def learn(self, tenant: str, lesson: Lesson) -> None:
        """Keep a lesson, in the place of an older one of the same memory."""

    def unlearn(self, tenant: str, memory_id: str) -> None:
        """Let go of the lesson of a memory, if there is one."""

    def all(self, tenant: str) -> Sequence[Lesson]:
        """Read the lessons; what was learnt elsewhere may be missing for a minute."""
