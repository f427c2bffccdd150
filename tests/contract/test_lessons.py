"""What reviewers turned away: kept by tenant and memory, a bounded number, nothing else."""

from datetime import timedelta

from hindwise.domain.lessons import Lesson
from tests.builders import NOW, new_id
from tests.contract.backends import LESSONS, Backend


def lesson(*sketch: str) -> Lesson:
    return Lesson(memory_id=new_id(NOW), sketch=sketch)


def test_a_lesson_is_kept_once_by_tenant_and_let_go_of(backend: Backend) -> None:
    one = lesson("aa", "bb")
    assert [*backend.lessons.all("acme")] == []
    for _ in range(2):
        backend.lessons.learn("acme", one)
    assert [*backend.lessons.all("acme")] == [one]
    assert [*backend.lessons.all("other")] == []
    backend.lessons.unlearn("other", one.memory_id)
    backend.lessons.unlearn("acme", "none")
    backend.lessons.learn("acme", one.model_copy(update={"sketch": ("cc",)}))
    assert [each.sketch for each in backend.lessons.all("acme")] == [("cc",)]
    backend.lessons.unlearn("acme", one.memory_id)
    assert [*backend.lessons.all("acme")] == []


def test_those_of_the_newest_memories_are_kept_newest_first(backend: Backend) -> None:
    made = [lesson(str(number)) for number in range(LESSONS + 2)]
    for one in made:
        backend.lessons.learn("acme", one)
    assert [*backend.lessons.all("acme")] == made[::-1][:LESSONS]
    backend.clock.forward(seconds=timedelta(minutes=2).total_seconds())
    assert [*backend.lessons.all("acme")] == made[::-1][:LESSONS]
