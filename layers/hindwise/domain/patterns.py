"""From episodes to patterns: which episodes are looked at, and what a pattern must rest on.

All of it is pure. A pattern is never more than its evidence: it needs two episodes that do not go
back to the same source, its authority is the least of theirs, and its id follows from them, so that
finding it twice stores it once.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta

from hindwise.domain.analysis import language
from hindwise.domain.base import Model
from hindwise.domain.call import Call
from hindwise.domain.consensus import doubts
from hindwise.domain.ids import derived_id
from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.memory import (
    Episode,
    LongTermMemory,
    SemanticMemory,
    Status,
    Type,
    Verdict,
)
from hindwise.domain.query import View
from hindwise.domain.scope import Origin
from hindwise.domain.supersession import LESS_SURE
from hindwise.domain.text import normalised
from hindwise.domain.visibility import visible
from hindwise.domain.yielding import ROUNDING

GENERAL = "general"
"""The domain whose episodes join every other one."""
LEAST_EVIDENCE = 2
MOST_EVIDENCE = 60
"""Episodes of one finding, the newest: each is a row of a transaction, which has a hundred."""
MOST_GATHERED = 1_000
"""Episodes that a pattern gathers over time; it is proven then."""
EVIDENCE_CHANGED = "evidence_changed"
"""The flag of what lost some of its evidence."""


class Proposal(Model):
    """A pattern as it was found, and the episodes that it rests on.

    `cited` counts the different ones that were named, those that do not exist among them.
    `conflicts` are older patterns that it contradicts.
    """

    content: str
    evidence_ids: tuple[str, ...]
    cited: int
    conflicts: tuple[str, ...] = ()


class Grounded(Model):
    """A proposal whose evidence was looked at: `standing` of the `cited` ones are there to be seen.

    `evidence` are the newest of them, oldest first; `origin` is the least of all.
    """

    content: str
    evidence: tuple[Episode, ...]
    origin: Origin
    cited: int
    standing: int
    conflicts: tuple[str, ...] = ()

    def confidence(self, rules: LearningRules) -> float:
        """How sure such a pattern is at most, times the share of what was cited that exists."""
        share = self.standing / max(self.cited, self.standing)
        return round(rules.pattern_confidence * share, 4)


def joins(episode: Episode, domain: str) -> bool:
    """Tell whether an episode is of a domain, or of all."""
    return episode.domain in (domain, GENERAL)


def important(memory: LongTermMemory, rules: LearningRules) -> bool:
    """Tell whether a memory is an episode that consolidation would look at."""
    return isinstance(memory, Episode) and memory.importance > rules.consolidation_importance


def eligible(
    records: Iterable[LongTermMemory], domain: str, *, call: Call, rules: LearningRules
) -> tuple[Episode, ...]:
    """The episodes that may become evidence in a domain, newest first by event time.

    Active, valid now, important, and in no pattern of the domain yet. A pattern that went down with
    its evidence lets go of what was left of it, so that another can be found there.
    """
    found = list(records)
    used = {
        one
        for pattern in patterns_of(found, domain)
        if pattern.status is not Status.OBSOLETE or EVIDENCE_CHANGED not in pattern.flags
        for one in pattern.evidence_ids
    }
    fresh = [
        one
        for one in found
        if isinstance(one, Episode)
        and important(one, rules)
        and joins(one, domain)
        and one.status is Status.ACTIVE
        and visible(one, View(), call.now)
        and one.id not in used
    ]
    return tuple(sorted(fresh, key=_when, reverse=True))


def patterns_of(records: Iterable[LongTermMemory], domain: str) -> tuple[SemanticMemory, ...]:
    """The patterns of a domain, whatever their state."""
    return tuple(
        one
        for one in records
        if isinstance(one, SemanticMemory) and one.type is Type.PATTERN and one.domain == domain
    )


def _when(episode: Episode) -> tuple[float, str]:
    return episode.event_time.timestamp(), episode.id


def too_little(episodes: Sequence[Episode], rules: LearningRules) -> str | None:
    """Why episodes are not yet worth a consolidation that nobody asked for, None where they are."""
    least, hours = rules.consolidation_ripe, rules.consolidation_hours
    if len(episodes) < least:
        return f"too few: {len(episodes)} of at least {least} episodes"
    moments = [one.event_time for one in episodes]
    if max(moments) - min(moments) <= timedelta(hours=hours):
        return f"too short: all within {hours:g} hours"
    return None


def source_of(memory: LongTermMemory) -> tuple[str, ...]:
    """What a memory goes back to: its conversation, its document, or nothing but itself.

    The same words at the same moment are one source however often they were written down. What is
    only reported goes back to the key that brought it, whatever it names: who writes fifty times,
    from fifty documents, is one.
    """
    source = memory.source
    if memory.origin < Origin.AGENT:
        return ("reported", memory.principal)
    if source is not None and source.conversation_id is not None:
        return ("conversation", source.conversation_id)
    if source is not None and source.document is not None:
        return ("document", source.document)
    return ("said", normalised(memory.content), str(memory.event_time.timestamp()))


def grounded(proposal: Proposal, shown: Mapping[str, Episode]) -> Grounded | str:
    """Hold a proposal against the episodes that were shown; a word says why it is refused.

    `evidence` where fewer than two of those it cites exist, `one_source` where they go back to one.
    """
    named = dict.fromkeys(proposal.evidence_ids)
    evidence = sorted((shown[one] for one in named if one in shown), key=_when)
    if len(evidence) < LEAST_EVIDENCE:
        return "evidence"
    if not enough(evidence):
        return "one_source"
    return Grounded(
        content=proposal.content,
        evidence=tuple(evidence[-MOST_EVIDENCE:]),
        cited=max(proposal.cited, len(named)),
        standing=len(evidence),
        origin=min(one.origin for one in evidence),
        conflicts=tuple(dict.fromkeys(proposal.conflicts)),
    )


def enough(evidence: Collection[LongTermMemory]) -> bool:
    """Tell whether a pattern can rest on this evidence."""
    return len({source_of(one) for one in evidence}) >= LEAST_EVIDENCE


def pattern_id(domain: str, evidence: Sequence[Episode]) -> str:
    """The id of what a domain's evidence shows: the same evidence in any order gives the same."""
    newest = max(one.created_at for one in evidence)
    return derived_id(newest, "pattern", domain, *sorted(one.id for one in evidence))


def pattern_from(
    found: Grounded, domain: str, *, method: str, call: Call, rules: LearningRules
) -> SemanticMemory:
    """The record of a pattern. `method` is `llm` or `extractive`."""
    evidence = found.evidence
    scenes = {one.scene for one in evidence}
    shared = set.intersection(*(set(one.entities) for one in evidence))
    return SemanticMemory(
        id=pattern_id(domain, evidence),
        type=Type.PATTERN,
        domain=domain,
        content=found.content,
        importance=round(sum(one.importance for one in evidence) / len(evidence), 4),
        confidence=found.confidence(rules),
        origin=found.origin,
        principal=call.principal.name,
        entities=tuple(one for one in evidence[-1].entities if one in shared),
        scene=scenes.pop() if len(scenes) == 1 else None,
        metadata={"method": method},
        evidence_ids=tuple(one.id for one in evidence),
        flags=doubts(evidence),
        event_time=evidence[-1].event_time,
        created_at=call.now,
        updated_at=call.now,
        language=language(found.content),
    )


def outweighs(new: SemanticMemory, old: SemanticMemory) -> bool:
    """Tell whether a pattern may weaken an older one: its authority and confidence are no less."""
    return new.origin >= old.origin and old.confidence - new.confidence <= LESS_SURE + ROUNDING


def disagreement(
    new: SemanticMemory, olds: Sequence[SemanticMemory], *, factor: float, call: Call
) -> tuple[SemanticMemory, tuple[tuple[SemanticMemory, SemanticMemory], ...]]:
    """What becomes of a new pattern and of those it contradicts; the verdict stands on all.

    An older one is weakened by `factor` and stays. Where one of them is of higher authority or much
    surer, all stand as they are and the new one is contested: what is hidden weakens nothing.
    """
    won = all(outweighs(new, old) for old in olds)
    if not won:
        new = new.model_copy(update={"status": Status.CONTESTED})
    changed = []
    for old in olds:
        reason = "a newer pattern disagrees" if won else "an older pattern weighs more"
        verdict = Verdict(
            other=old.id, verdict="contradiction", policy="weaken", reason=reason, at=call.now
        )
        new = new.model_copy(update={"verdicts": (*new.verdicts, verdict)})
        after: dict[str, object] = {
            "verdicts": (*old.verdicts, verdict.model_copy(update={"other": new.id})),
            "version": old.version + 1,
            "updated_at": call.now,
        }
        if won:
            after["confidence"] = round(old.confidence * factor, 4)
        changed.append((old, old.model_copy(update=after)))
    return new, tuple(changed)


def contradicted_by(
    old: SemanticMemory,
    against: Sequence[Episode],
    *,
    factor: float,
    settled_by: Collection[str],
    call: Call,
) -> SemanticMemory | None:
    """A pattern that episodes speak against, weakened; None where the newest of them has done so.

    Or one of `settled_by`, new patterns that say so themselves.
    """
    newest = max(against, key=_when)
    if {newest.id, *settled_by} & {one.other for one in old.verdicts}:
        return None
    verdict = Verdict(
        other=newest.id,
        verdict="contradiction",
        policy="weaken",
        reason="newer episodes speak against it",
        at=call.now,
    )
    return old.model_copy(
        update={
            "confidence": round(old.confidence * factor, 4),
            "verdicts": (*old.verdicts, verdict),
            "version": old.version + 1,
            "updated_at": call.now,
        }
    )


def joined(
    old: SemanticMemory, found: Grounded, *, call: Call, rules: LearningRules
) -> SemanticMemory | None:
    """A pattern that was found again on other evidence, with both; None where nothing is new.

    Evidence of less authority than the pattern adds nothing: it would pull it down.
    """
    counting = [one.id for one in found.evidence if one.origin >= old.origin]
    evidence = tuple(dict.fromkeys((*old.evidence_ids, *counting)))[:MOST_GATHERED]
    if evidence == old.evidence_ids:
        return None
    return old.model_copy(
        update={
            "evidence_ids": evidence,
            "confidence": max(old.confidence, found.confidence(rules)),
            "version": old.version + 1,
            "updated_at": call.now,
        }
    )
