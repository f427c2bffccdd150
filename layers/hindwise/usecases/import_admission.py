"""Admission of the lines of an export: a file is what somebody wrote, whoever wrote it first.

What a reviewer had let stand stays so where a reviewer brings it back. Everything else that must
not be trusted is held, for a file can say of itself whatever it likes.
"""

from hindwise.domain.admission import Decision
from hindwise.domain.admission.records import let_in
from hindwise.domain.admission.talks import message_let_in
from hindwise.domain.archived import unpacked
from hindwise.domain.conversation import Conversation
from hindwise.domain.memory import LongTermMemory, Status
from hindwise.domain.scope import Origin, Role
from hindwise.domain.talk import Sent
from hindwise.domain.visibility import withheld
from hindwise.usecases.admit import admitted, flagged, refusal
from hindwise.usecases.importing import Held, Object, Words
from hindwise.usecases.ledger import Ledger

Line = Held | Object | Conversation | Words | LongTermMemory


def let_in_line(line: Line, *, ledger: Ledger) -> Line:
    """The line as it may be taken in; raises Refused."""
    match line:
        case Held():
            return _memory(line, ledger=ledger)
        case Conversation():
            clean, decided = let_in(line, origin=Origin.OWNER, rules=ledger.trust.rules)
            if decided.decision is Decision.REFUSE:
                raise refusal(decided)
            return clean
        case Words():
            return _words(line, ledger=ledger)
        case Object():
            _untouched(line, ledger=ledger)
            return line
    clean_version, _ = admitted(line, origin=_origin(line, ledger), ledger=ledger)
    return clean_version


def _memory(line: Held, *, ledger: Ledger) -> Held:
    memory = line.memory
    clean, decided = admitted(memory, origin=_origin(memory, ledger), ledger=ledger)
    clean = flagged(clean, decided)
    by_reviewer = ledger.call.principal.role.covers(Role.REVIEWER)
    stands = by_reviewer and memory.reviewed_at is not None
    if decided.decision is not Decision.QUARANTINE or withheld(memory) or stands:
        return Held(memory=clean, holds=line.holds)
    held = {"status": Status.QUARANTINED, "held": True, "claims": (), "settled": True}
    return Held(memory=clean.model_copy(update=held))


def _untouched(line: Object, *, ledger: Ledger) -> None:
    """Raise Refused where an archive would have to be changed: its bytes are what is kept."""
    inside = unpacked(line.data, line.archive, line.memory_id)
    if inside is None:
        return
    for memory in (inside.memory, *inside.versions):
        _, decided = let_in(memory, origin=_origin(memory, ledger), rules=ledger.trust.rules)
        seen = decided.decision is Decision.QUARANTINE and memory.reviewed_at is not None
        if decided.decision is not Decision.ADMIT and not seen:
            raise refusal(decided)


def _words(line: Words, *, ledger: Ledger) -> Words:
    ceiling = min(line.chunk.ceiling, ledger.call.principal.ceiling)
    kept = []
    for one in line.messages:
        sent = Sent(role=one.role, text=one.text, name=one.name, at=one.at, extra=one.extra)
        clean, decided = message_let_in(sent, ceiling, ledger.trust.rules)
        if decided.decision is Decision.REFUSE:
            raise refusal(decided)
        changes = {"text": clean.text, "name": clean.name, "extra": clean.extra}
        kept.append(one.model_copy(update=changes))
    return line.model_copy(update={"messages": tuple(kept)})


def _origin(memory: LongTermMemory, ledger: Ledger) -> Origin:
    return min(memory.origin, ledger.call.principal.ceiling)
