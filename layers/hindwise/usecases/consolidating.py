"""What recurs in a domain's episodes: asked of a model, or read off their vectors without one.

The finding is kept under its job before any of it is stored, so that whoever is interrupted stores
the same again, and is dropped once the job is done: it holds words of what may be forgotten later.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import Field, JsonValue

from hindwise.domain.base import Model
from hindwise.domain.changes import UnderClaim
from hindwise.domain.clusters import clustered, threshold_of
from hindwise.domain.document import Vector
from hindwise.domain.memory import Episode
from hindwise.domain.patterns import Proposal, enough
from hindwise.domain.ports import Projections, Question, Reply, Ripening
from hindwise.domain.prompts import consolidate as prompt
from hindwise.usecases.learning import Learning
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.patterns import Domain, Stored, Taking, store_patterns
from hindwise.usecases.reasoning import ask

KNOWN_SHOWN = 20
"""Patterns of the domain that a model is shown, the newest."""
READ = 100


@dataclass(frozen=True)
class Consolidation:
    """What a consolidation works with, for one scope.

    `embedder_id` names whose vectors are stored.
    """

    ledger: Ledger
    learning: Learning
    projections: Projections
    ripening: Ripening
    embedder_id: str
    clock: Callable[[], datetime]

    @property
    def method(self) -> Literal["llm", "extractive"]:
        """How patterns are found here."""
        return "extractive" if self.learning.reasoner is None else "llm"


class Spent(Model):
    """What finding has cost."""

    llm_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def and_for(self, reply: Reply) -> "Spent":
        """With one more call."""
        return Spent(
            llm_calls=self.llm_calls + 1,
            input_tokens=self.input_tokens + reply.input_tokens,
            output_tokens=self.output_tokens + reply.output_tokens,
        )


class Finding(Model):
    """What was found among the episodes `shown`, and what had to be refused in reading it."""

    method: Literal["llm", "extractive"]
    shown: tuple[str, ...]
    proposals: tuple[Proposal, ...] = ()
    refused: dict[str, int] = Field(default_factory=dict)
    partial: bool = False
    spent: Spent = Spent()


class Broken(Exception):
    """A model answered twice in a way that cannot be used; `spent` is what that has cost."""

    def __init__(self, spent: Spent) -> None:
        super().__init__("the answer cannot be used")
        self.spent = spent


class Outcome(Model):
    """What came of a consolidation, without content: what a job keeps of it.

    `partial`: something that was offered could not be taken.
    """

    status: Literal["created", "skipped", "partial"]
    reason: str = ""
    method: Literal["llm", "extractive"]
    patterns: tuple[str, ...] = ()
    weakened: tuple[str, ...] = ()
    refused: dict[str, int] = Field(default_factory=dict)
    source_count: int = 0
    llm_calls: int = 0
    tokens: int = 0

    def kept(self) -> dict[str, JsonValue]:
        """As a job keeps it."""
        return self.model_dump(mode="json")


def skipped(reason: str, domain: Domain, parts: Consolidation) -> Outcome:
    """Nothing was done, and why."""
    count = len(domain.fresh)
    return Outcome(status="skipped", reason=reason, method=parts.method, source_count=count)


def too_few(fresh: Sequence[Episode], least: int) -> str | None:
    """Why there is nothing to be found yet, None where there may be."""
    if len(fresh) < least:
        return f"too few: {len(fresh)} of at least {least} episodes"
    if not enough(fresh):
        return "one source: all episodes go back to the same conversation or document"
    return None


def find(domain: Domain, *, parts: Consolidation, seconds: float, repair: bool = True) -> Finding:
    """Look for patterns in the newest episodes of a domain.

    A model has `seconds` for each of at most two answers, the second one to repair the first.
    Raises Broken; `errors.Unavailable` and `errors.Misconfigured` like `reasoning.ask`.
    """
    shown = domain.fresh[: parts.learning.rules.consolidation_newest]
    if parts.learning.reasoner is None:
        threshold = threshold_of(parts.embedder_id)
        found = clustered(shown, _vectors(shown, parts), threshold=threshold)
        return Finding(method="extractive", shown=_ids(shown), proposals=found)
    return _asked(domain, shown, parts=parts, seconds=seconds, repair=repair)


def _asked(
    domain: Domain, shown: Sequence[Episode], *, parts: Consolidation, seconds: float, repair: bool
) -> Finding:
    known = domain.standing[:KNOWN_SHOWN]
    question = prompt.question(domain.name, shown, known)
    question = question.model_copy(update={"seconds": min(question.seconds, seconds)})
    reply = _ask(question, parts)
    spent = Spent().and_for(reply)
    ids, known_ids = set(_ids(shown)), {one.id for one in known}
    try:
        read = prompt.read(reply, ids, known=known_ids)
    except prompt.Unusable as problem:
        if not repair:
            raise Broken(spent) from problem
        reply = _ask(prompt.repaired(question, reply, problem.problem), parts)
        spent = spent.and_for(reply)
        try:
            read = prompt.read(reply, ids, known=known_ids)
        except prompt.Unusable as again:
            raise Broken(spent) from again
    return Finding(
        method="llm",
        shown=_ids(shown),
        proposals=_proposals(read),
        refused=read.refused,
        partial=read.partial,
        spent=spent,
    )


def _ask(question: Question, parts: Consolidation) -> Reply:
    return ask(parts.learning, parts.ledger.call.scope, question, now=parts.clock())


def _proposals(read: prompt.PatternsRead) -> tuple[Proposal, ...]:
    """The patterns; what the episodes speak against as a whole is laid to the first of them."""
    found = [
        Proposal(
            content=one.content,
            evidence_ids=one.evidence_ids,
            cited=one.cited,
            conflicts=one.conflicts,
        )
        for one in read.patterns
    ]
    named = {other for one in found for other in one.conflicts}
    loose = tuple(other for other in read.conflicts if other not in named)
    if found and loose:
        conflicts = (*found[0].conflicts, *loose)
        found[0] = found[0].model_copy(update={"conflicts": conflicts})
    return tuple(found)


def _vectors(shown: Sequence[Episode], parts: Consolidation) -> Mapping[str, Vector]:
    scope, ids = parts.ledger.call.scope, _ids(shown)
    return {
        one: document.vector
        for start in range(0, len(ids), READ)
        for one, document in parts.projections.documents(scope, ids[start : start + READ]).items()
        if document.vector is not None
    }


def _ids(episodes: Sequence[Episode]) -> tuple[str, ...]:
    return tuple(one.id for one in episodes)


def take(
    finding: Finding, domain: str, *, parts: Consolidation, under: UnderClaim | None = None
) -> Outcome:
    """Store what was found, as far as it holds; doing so again stores nothing twice.

    Raises Raced where the job is no longer held, and Unavailable.
    """
    taking = Taking(
        domain=domain,
        method=finding.method,
        ledger=parts.ledger,
        rules=parts.learning.rules,
        under=under,
    )
    stored = store_patterns(finding.proposals, finding.shown, taking=taking)
    return _outcome(finding, stored)


def _outcome(finding: Finding, stored: Stored) -> Outcome:
    refused = dict(finding.refused)
    for reason, count in stored.refused.items():
        refused[reason] = refused.get(reason, 0) + count
    patterns = (*stored.made, *stored.known)
    status: Literal["created", "skipped", "partial"] = "created"
    reason = ""
    if not patterns:
        status, reason = "skipped", "no pattern held" if refused else "nothing recurs"
    if finding.partial or (patterns and refused):
        status = "partial"
    return Outcome(
        status=status,
        reason=reason,
        method=finding.method,
        patterns=patterns,
        weakened=stored.weakened,
        refused=refused,
        source_count=len(finding.shown),
        llm_calls=finding.spent.llm_calls,
        tokens=finding.spent.input_tokens + finding.spent.output_tokens,
    )
