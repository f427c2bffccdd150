"""Learn from what reviewers turn away, and know the like of it again."""

from hindwise.domain.lessons import known, lesson_of, sketch_of
from hindwise.domain.memory import LongTermMemory
from hindwise.usecases.ledger import Ledger


def learn_lesson(memory: LongTermMemory, *, ledger: Ledger) -> None:
    """Remember that a memory was turned away; doing it again changes nothing."""
    if ledger.trust.lessons is None:
        return
    tenant = ledger.call.scope.tenant
    lesson = lesson_of(memory.id, memory.content, tenant=tenant, seal=ledger.tools.seal)
    ledger.trust.lessons.learn(tenant, lesson)


def unlearn_lesson(memory_id: str, *, ledger: Ledger) -> None:
    """Let go of what a memory had taught, for it is let in after all."""
    if ledger.trust.lessons is not None:
        ledger.trust.lessons.unlearn(ledger.call.scope.tenant, memory_id)


def taught(content: str, *, ledger: Ledger) -> bool:
    """Tell whether reviewers have turned away a text that this one is, or is near to."""
    if ledger.trust.lessons is None:
        return False
    tenant = ledger.call.scope.tenant
    lessons = ledger.trust.lessons.all(tenant)
    if not lessons:
        return False
    sketch = sketch_of(content, tenant=tenant, seal=ledger.tools.seal)
    return known(sketch, lessons, least=ledger.trust.rules.lesson_likeness)
