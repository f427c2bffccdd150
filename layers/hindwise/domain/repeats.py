"""When two records say the same: exact texts, callers' own ids, and who says it with more weight.

The same event may happen again, the same fact may not be stored twice (ADR 4).
"""

from datetime import datetime

from hindwise.domain.carried import adds
from hindwise.domain.ids import key_hash
from hindwise.domain.memory import Episode, LongTermMemory, SemanticMemory, Verdict
from hindwise.domain.succession import retired, succeeding
from hindwise.domain.supersession import CURRENT, slot_key
from hindwise.domain.text import normalised


def text_key(memory: LongTermMemory, *, dated: bool) -> str:
    """The key of a memory's exact text.

    Two semantic memories with the same text are one if they agree on type, scene and what they are
    about (subject, attribute). Two episodes are one only if they agree on where they happened
    (session, place in it, task, speaker, agent, type) and, where the caller gave a time (`dated`),
    on that.
    """
    text = normalised(memory.content)
    if isinstance(memory, SemanticMemory):
        about = (memory.scene, memory.subject, memory.attribute)
        return key_hash("semantic", memory.type, *(normalised(one or "") for one in about), text)
    where = (
        memory.session_id,
        memory.seq if memory.session_id else None,
        memory.task_id,
        memory.speaker,
        memory.agent_id,
        memory.event_type,
        memory.event_time.timestamp() if dated else None,
    )
    return key_hash("episodic", repr(where), text)


def held_key(content: str) -> str:
    """The key of the words of what is held for review, which stands for nothing else.

    Whatever they are said to be about: other labels make no other text of them.
    """
    return key_hash("held", normalised(content))


def external_key(external_id: str) -> str:
    """The key under which a caller's own id is claimed."""
    return key_hash("external", external_id)


def repeats(new: LongTermMemory, old: LongTermMemory, *, now: datetime) -> bool:
    """Tell whether `new`, of the text key of `old`, says nothing that `old` does not say already.

    A statement by a higher authority, or one that is to hold when `old` does not, says more; so
    does an episode with something beside its text that `old` lacks.
    """
    return normalised(new.content) == normalised(old.content) and covered(new, old, now=now)


def covered(new: LongTermMemory, old: LongTermMemory, *, now: datetime) -> bool:
    """Tell whether `old`, whose words say what those of `new` do, leaves nothing to add."""
    if old.status not in CURRENT:
        return False
    if isinstance(new, Episode) and isinstance(old, Episode):
        if adds(new, old):
            return False
    elif new.origin > old.origin:
        return False
    if old.valid_from is not None and old.valid_from > max(now, new.valid_from or new.event_time):
        return False
    if old.valid_until is None:
        return True
    return old.valid_until > now and (
        new.valid_until is not None and new.valid_until <= old.valid_until
    )


def outdone(
    new: LongTermMemory, old: LongTermMemory, *, now: datetime
) -> tuple[SemanticMemory, tuple[SemanticMemory, SemanticMemory]] | None:
    """What becomes of a current memory whose text is said again with more weight, outside slots.

    Gives the new record and the old one before and after; None where both are to stand.
    """
    if not isinstance(new, SemanticMemory) or not isinstance(old, SemanticMemory):
        return None
    if old.status not in CURRENT or normalised(new.content) != normalised(old.content):
        return None
    if new.origin < old.origin or slot_key(new) is not None or slot_key(old) is not None:
        return None
    why = "the same words, said with more authority or for longer"
    mine = Verdict(other=old.id, verdict="duplicate", reason=why, at=now)
    current = succeeding(new, old, same=True)
    current = current.model_copy(update={"verdicts": (*new.verdicts, mine)})
    return current, (old, retired(old, new, mine.model_copy(update={"other": new.id})))
