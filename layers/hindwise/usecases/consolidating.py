"""What recurs in a domain's episodes: asked of a model, or read off their vectors without one.

The finding is kept under its job before any of it is stored, so that whoever is interrupted stores
the same again, and is dropped once the job is done: it holds words of what may be forgotten later.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import Field, JsonValue

from hindwise.domain.base import Model
from hindwise.domain.changes import UnderClaim
from hindwise.domain.clusters import clustered, threshold_of
from hindwise.domain.document import Vector
from hindwise.domain.jobs import Job
from hindwise.domain.memory import Episode
from hindwise.domain.patterns import Proposal, enough
from hindwise.domain.ports import Projections, Question, Reply, Ripening
from hindwise.domain.prompts import consolidate as prompt
from hindwise.errors import Unusable
from hindwise.usecases.claims import Meter, Worker
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
    worker: Worker
    projections: Projections
    ripening: Ripening
    embedder_id: str

    @property
    def learning(self) -> Learning:
        """The parts of learning."""
        return self.worker.learning

    def under(self, job: Job) -> "Consolidation":
        """The same, with commits that happen only as long as this job is held."""
        claim = (UnderClaim(job_id=job.id, token=job.token),)
        return replace(self, ledger=replace(self.ledger, request=None, under=claim))

    @property
    def method(self) -> Literal["llm", "extractive"]:
        """How patterns are found here."""
        return "extractive" if self.learning.reasoner is None else "llm"


class Asking(Model):
    """How long a model is waited for, in seconds, and whether it may repair its answer."""

    seconds: float
    repair: bool = True


PATIENT = Asking(seconds=60)


class Finding(Model):
    """What was found among the episodes `shown`, and what had to be refused in reading it.

    `against` are known patterns that they contradict as a whole.
    """

    method: Literal["llm", "extractive"]
    shown: tuple[str, ...]
    proposals: tuple[Proposal, ...] = ()
    against: tuple[str, ...] = ()
    refused: dict[str, int] = Field(default_factory=dict)
    partial: bool = False


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


def find(
    domain: Domain, *, parts: Consolidation, meter: Meter, asking: Asking = PATIENT
) -> Finding:
    """Look for patterns in the newest episodes of a domain.

    Raises Unusable, Unavailable, Misconfigured; the meter has what it cost even then.
    """
    shown = domain.fresh[: parts.learning.rules.consolidation_newest]
    if parts.learning.reasoner is None:
        threshold = threshold_of(parts.embedder_id)
        found = clustered(shown, _vectors(shown, parts), threshold=threshold)
        return Finding(method="extractive", shown=_ids(shown), proposals=found)
    known = domain.standing[:KNOWN_SHOWN]
    question = prompt.question(domain.name, shown, known)
    question = question.model_copy(update={"seconds": min(question.seconds, asking.seconds)})
    allowed, standing = set(_ids(shown)), {one.id for one in known}
    reply = _ask(question, parts, meter)
    try:
        read = prompt.read(reply, allowed, known=standing)
    except Unusable as problem:
        if not asking.repair:
            raise
        reply = _ask(prompt.repaired(question, reply, problem.problem), parts, meter)
        read = prompt.read(reply, allowed, known=standing)
    return Finding(
        method="llm",
        shown=_ids(shown),
        proposals=_proposals(read),
        against=_against(read),
        refused=read.refused,
        partial=read.partial,
    )


def _ask(question: Question, parts: Consolidation, meter: Meter) -> Reply:
    scope, now = parts.ledger.call.scope, parts.worker.clock()
    reply = ask(parts.learning, scope, question, now=now)
    meter.add(reply)
    return reply


def _proposals(read: prompt.PatternsRead) -> tuple[Proposal, ...]:
    return tuple(
        Proposal(
            content=one.content,
            evidence_ids=one.evidence_ids,
            cited=one.cited,
            conflicts=one.conflicts,
        )
        for one in read.patterns
    )


def _against(read: prompt.PatternsRead) -> tuple[str, ...]:
    """The known patterns that the episodes speak against, beside what a new pattern says itself."""
    named = {other for one in read.patterns for other in one.conflicts}
    return tuple(other for other in read.conflicts if other not in named)


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


def take(finding: Finding, domain: str, *, parts: Consolidation) -> Outcome:
    """Store what was found, as far as it holds; doing so again stores nothing twice.

    Raises Raced where the job is no longer held, and Unavailable.
    """
    taking = Taking(
        domain=domain,
        method=finding.method,
        ledger=parts.ledger,
        rules=parts.learning.rules,
    )
    stored = store_patterns(
        finding.proposals, finding.shown, against=finding.against, taking=taking
    )
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
        reason = "it only contradicts older patterns" if stored.weakened else reason
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
    )
