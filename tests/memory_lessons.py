"""Lessons in memory; they pass the same contract suite as the adapter."""

from collections import defaultdict
from collections.abc import Sequence

from hindwise.domain.lessons import Lesson
from tests.memory_store import World


class InMemoryLessons:
    """What reviewers turned away, by tenant and memory."""

    def __init__(self, world: World, *, most: int = 1_000) -> None:
        self._world = world
        self._most = most
        self._lessons: dict[str, dict[str, Lesson]] = defaultdict(dict)

    def learn(self, tenant: str, lesson: Lesson) -> None:
        with self._world.lock:
            self._world.faults.called("learn")
            own = self._lessons[tenant]
            own[lesson.memory_id] = lesson
            for gone in sorted(own, reverse=True)[self._most :]:
                del own[gone]

    def unlearn(self, tenant: str, memory_id: str) -> None:
        with self._world.lock:
            self._world.faults.called("unlearn")
            self._lessons[tenant].pop(memory_id, None)

    def all(self, tenant: str) -> Sequence[Lesson]:
        with self._world.lock:
            self._world.faults.called("lessons")
            own = self._lessons[tenant]
            return tuple(own[one] for one in sorted(own, reverse=True))
