"""Store what a window taught: its turns as episodes, and the offers that pass the gate.

Every record has an id that follows from the job and its place, and every commit the claim as its
condition. Whoever does it again, from wherever it stopped, arrives at the same; what has been
forgotten in between stays forgotten, and takes what was learnt from it along.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from hindwise.domain.call import Call
from hindwise.domain.changes import Raced, Stands, UnderClaim
from hindwise.domain.conversation import Conversation, Message, turn_id
from hindwise.domain.cues import level
from hindwise.domain.jobs import Job
from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.learnt import (
    Window,
    learnt_id,
    learnt_key,
    offer_draft,
    said_at,
    turn_draft,
)
from hindwise.domain.memory import SemanticMemory, Status
from hindwise.domain.prompts.extracted import Extracted, Learned
from hindwise.domain.scope import Scope
from hindwise.domain.worth import Gate, Judgement, judge
from hindwise.errors import Invalid
from hindwise.usecases.claims import Worker
from hindwise.usecases.corroborate import Said, corroborate
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.write import Written, hold, write

EPOCH = datetime.fromtimestamp(0, UTC)
Offer = tuple[Learned, Judgement]


@dataclass
class Applied:
    """What became of a window; `done` counts by the names of `Counts`, `refused` by reason.

    `gone`: a turn in it has been forgotten, though it was there when the window was read.
    """

    done: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    episodes: dict[int, tuple[Message, str]] = field(default_factory=dict)
    offered: set[str] = field(default_factory=set)
    gone: bool = False


def apply(
    scope: Scope,
    job: Job,
    talk: Conversation,
    window: Window,
    *,
    read: Extracted | None,
    worker: Worker,
) -> Applied:
    """Store a window and what was `read` from it; None where no model has read it.

    Raises `changes.Raced` on the claim where it was lost, Unavailable.
    """
    call = Call(scope=scope, principal=job.principal, now=_now(window, worker))
    under = (UnderClaim(job_id=job.id, token=job.token),)
    rules = worker.learning.rules
    ledger = Ledger(call=call, store=worker.store, tools=worker.tools, under=under, rules=rules)
    applied = Applied(refused=Counter(read.refused if read else {}))
    offers = _judged(read.items if read else (), applied, rules)
    summaries = read.summaries if read else {}
    for message in window.said:
        importance = _importance(message, offers, rules, read=read is not None)
        summary = summaries.get(message.turn or 0)
        _turn(message, talk, importance, summary, applied=applied, ledger=ledger)
    for offer in offers:
        _offer(offer, job, talk, applied=applied, ledger=ledger)
    return applied


def _now(window: Window, worker: Worker) -> datetime:
    """The present, which is not before anything was said: turns come a millisecond apart."""
    return max(worker.clock(), *(one.received for one in window.said if one.received), EPOCH)


def _judged(items: Sequence[Learned], applied: Applied, rules: LearningRules) -> list[Offer]:
    """The offers that pass the gate; the others are counted by why they do not."""
    gate = Gate(floor=rules.confidence_floor, words=rules.drop_words, longest=rules.review_chars)
    passed: list[Offer] = []
    for item in items:
        judgement = judge(item.content, item.confidence, item.worth, gate=gate)
        if judgement.fate == "refuse":
            applied.refused[judgement.reason] += 1
        else:
            passed.append((item, judgement))
    return passed


def _importance(
    message: Message, offers: Sequence[Offer], rules: LearningRules, *, read: bool
) -> float:
    """The highest of what was extracted from a turn; by its words where no model has read it."""
    if not read:
        return rules.cue_importances[level(message.text)]
    own = (item.importance for item, _ in offers if message.turn in item.turns)
    return max(own, default=rules.unextracted_importance)


def _turn(
    message: Message,
    talk: Conversation,
    importance: float,
    summary: str | None,
    *,
    applied: Applied,
    ledger: Ledger,
) -> None:
    draft = turn_draft(message, talk, importance=importance, summary=summary)
    if draft is None:
        applied.refused["unfit"] += 1
        return
    own_id = turn_id(ledger.call.scope, talk.id, message)
    written = write(draft, ledger=ledger, memory_id=own_id)
    applied.gone = applied.gone or written.memory is None
    if written.memory is not None and message.turn is not None:
        applied.episodes[message.turn] = (message, written.id)
        applied.done["turns"] += 1


def _offer(offer: Offer, job: Job, talk: Conversation, *, applied: Applied, ledger: Ledger) -> None:
    """Store one offer, if all the turns that it came from still stand."""
    item, judgement = offer
    sources = [applied.episodes[turn] for turn in item.turns if turn in applied.episodes]
    if len(sources) < len(item.turns):
        applied.refused["forgotten"] += 1
        return
    messages, evidence = [one for one, _ in sources], [one for _, one in sources]
    draft = offer_draft(item, messages, evidence, talk)
    if draft is None:
        applied.refused["unfit"] += 1
        return
    own_id = learnt_id(job, item, ledger.tools.seal)
    key = learnt_key(own_id)
    known = own_id in applied.offered
    if known or ledger.store.claim(ledger.call.scope, key, now=ledger.call.now) is not None:
        applied.done["duplicates"] += 1
        return
    applied.offered.add(own_id)
    standing = tuple(Stands(memory_id=one) for one in evidence)
    ledger = replace(ledger, under=(*ledger.under, *standing))
    try:
        if judgement.fate == "hold":
            written = hold(draft, (judgement.reason,), ledger=ledger, memory_id=own_id)
        else:
            written = write(draft, ledger=ledger, memory_id=own_id)
        if written.outcome == "duplicate":
            said = _said(messages, job)
            corroborate(written.id, evidence, said=said, key=key, ledger=ledger)
    except (Invalid, Raced) as error:
        if isinstance(error, Raced) and not error.on(Stands):
            raise
        applied.refused["forgotten"] += 1  # a moment ago
        return
    if written.memory is None:  # before this was done again
        applied.refused["forgotten"] += 1
    applied.done.update(_outcome(written))


def _said(messages: Sequence[Message], job: Job) -> Said:
    """When turns were said at the latest, and the least authority among them."""
    origin = min(job.principal.ceiling, *(one.origin for one in messages))
    return Said(at=max(map(said_at, messages)), origin=origin)


def _outcome(written: Written) -> list[str]:
    """What one offer is counted as; what it is now may differ where it was stored before."""
    if written.outcome == "duplicate":
        return ["duplicates"]
    memory = written.memory
    if not isinstance(memory, SemanticMemory):
        return []
    if memory.status is Status.QUARANTINED:
        return ["held"]
    contested = ["contested"] if memory.status is Status.CONTESTED else []
    return ["created", *contested, *(["superseded"] * bool(memory.supersedes))]
