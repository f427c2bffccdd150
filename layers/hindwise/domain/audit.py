"""The audit chain: one entry a change, each hashed over its predecessor with a key, the head kept
on the record.

No content and no free text enters an entry: who, when, what was decided, by which rules.
"""

from datetime import datetime

from hindwise.domain.changes import Audited, AuditEntry
from hindwise.domain.conversation import Conversation
from hindwise.domain.ids import derived_id, key_hash
from hindwise.domain.memory import MemoryBase
from hindwise.domain.ports import Seal
from hindwise.domain.scope import Principal

PURPOSE = "audit"


def statement(entry: AuditEntry) -> str:
    """What an entry's digest is made over: every field but the digest, in a fixed order."""
    return "\x1f".join(
        (
            entry.memory_id,
            str(entry.version),
            entry.actor,
            entry.origin.label,
            entry.decision,
            ",".join(entry.rules),
            entry.at.isoformat(),
            entry.previous,
        )
    )


def audited[M: MemoryBase](
    memory: M,
    decision: str,
    *,
    principal: Principal,
    at: datetime,
    seal: Seal,
    rules: tuple[str, ...] = (),
) -> tuple[M, Audited]:
    """Append `decision` to the chain; returns the memory with its new head, and the row."""
    bare = AuditEntry(
        id=derived_id(at, memory.id, str(memory.version), decision),
        memory_id=memory.id,
        version=memory.version,
        actor=principal.name,
        origin=memory.origin,
        decision=decision,
        rules=rules,
        at=at,
        previous=memory.audit_head,
        digest="",
    )
    entry = _sealed(bare, seal)
    return memory.model_copy(update={"audit_head": entry.digest}), Audited(entry=entry)


def chain_of(conversation_id: str) -> str:
    """What stands for a conversation in the audit, where memories stand by their ids."""
    return f"conversation-{key_hash(conversation_id)}"


def conversation_audited(
    conversation: Conversation,
    decision: str,
    *,
    at: datetime,
    seal: Seal,
    rules: tuple[str, ...] = (),
) -> tuple[Conversation, Audited]:
    """Append `decision`, which its sender made, to the chain of a conversation."""
    chain = chain_of(conversation.id)
    bare = AuditEntry(
        id=derived_id(at, chain, str(conversation.version), decision),
        memory_id=chain,
        version=conversation.version,
        actor=conversation.sender.name,
        origin=conversation.sender.ceiling,
        decision=decision,
        rules=rules,
        at=at,
        previous=conversation.audit_head,
        digest="",
    )
    entry = _sealed(bare, seal)
    return conversation.model_copy(update={"audit_head": entry.digest}), Audited(entry=entry)


def _sealed(bare: AuditEntry, seal: Seal) -> AuditEntry:
    return bare.model_copy(update={"digest": seal.digest(PURPOSE, statement(bare))})


def unbroken(chain: list[AuditEntry], head: str, seal: Seal) -> bool:
    """Tell whether a chain, oldest first, is complete and unaltered and ends in `head`."""
    previous = ""
    for entry in chain:
        if entry.previous != previous:
            return False
        if not seal.matches(PURPOSE, statement(entry), entry.digest):
            return False
        previous = entry.digest
    return previous == head
