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
from hindwise.domain.drafts import SemanticDraft
from hindwise.domain.echoing import repeated, vouched
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
from hindwise.domain.memory import Memory, SemanticMemory, Status
from hindwise.domain.prompts.extracted import Extracted, Learned
from hindwise.domain.scope import Origin, Scope
from hindwise.domain.visibility import withheld
from hindwise.domain.worth import Gate, Judgement, judge
from hindwise.errors import Invalid, Refused
from hindwise.usecases.admit import LINEAGE, OPINION
from hindwise.usecases.claims import Worker
from hindwise.usecases.corroborate import Said, corroborate
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.write import hold, write
from hindwise.usecases.written import Written

EPOCH = datetime.fromtimestamp(0, UTC)
Offer = tuple[Learned, Judgement]


@dataclass
class Applied:
    """What became of a window; `done` counts by the names of `Counts`, `refused` by reason.

    `held` are the turns that wait for a person, `doubted` those that a model has doubts about.
    `gone`: a turn in it has been forgotten, though it was there when the window was read.
    """

    done: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    episodes: dict[int, tuple[Message, str]] = field(default_factory=dict)
    offered: set[str] = field(default_factory=set)
    held: list[Message] = field(default_factory=list)
    doubted: frozenset[int] = frozenset()
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
    ledger = Ledger(
        call=call, store=worker.store, tools=worker.tools, under=under, rules=rules,
        trust=worker.trust,
    )  # fmt: skip
    refused = Counter(read.refused if read else {})
    applied = Applied(refused=refused, doubted=window.doubted)
    offers = _judged(read.items if read else (), applied, rules)
    summaries = read.summaries if read else {}
    for message in window.said:
        importance = _importance(message, offers, rules, read=read is not None)
        summary = summaries.get(message.turn or 0)
        _turn(message, talk, importance, summary, applied=applied, ledger=ledger)
    for offer in offers:
        _offer(offer, job, (talk, window), applied=applied, ledger=ledger)
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
    try:
        if message.turn in applied.doubted:
            written = hold(draft, (OPINION,), ledger=ledger, memory_id=own_id)
        else:
            written = write(draft, ledger=ledger, memory_id=own_id)
    except Refused:
        applied.refused["admission"] += 1
        return
    applied.gone = applied.gone or written.memory is None
    if written.memory is not None and message.turn is not None:
        applied.episodes[message.turn] = (message, written.id)
        applied.done["turns"] += 1
        if withheld(written.memory):
            applied.held.append(message)
            applied.done["held"] += 1


def _offer(
    offer: Offer, job: Job, heard: tuple[Conversation, Window], *, applied: Applied, ledger: Ledger
) -> None:
    """Store one offer, if all the turns that it came from still stand."""
    talk, window = heard
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
    draft, reasons = _trusted(draft, messages, window, applied=applied)
    if judgement.fate == "hold":
        reasons = (judgement.reason, *reasons)
    own_id = learnt_id(job, item, ledger.tools.seal)
    key = learnt_key(own_id)
    stored_as = ledger.store.claim(ledger.call.scope, key, now=ledger.call.now)
    if own_id in applied.offered or stored_as is not None:
        applied.done[_repeat(ledger.read(stored_as or own_id))] += 1
        return
    applied.offered.add(own_id)
    standing = tuple(Stands(memory_id=one) for one in evidence)
    ledger = replace(ledger, under=(*ledger.under, *standing))
    try:
        if reasons:
            written = hold(draft, reasons, ledger=ledger, memory_id=own_id)
        else:
            written = write(draft, ledger=ledger, memory_id=own_id)
        if written.outcome == "duplicate":
            said = _said(messages, draft, job)
            corroborate(written.id, evidence, said=said, key=key, ledger=ledger)
    except Refused:
        applied.refused["admission"] += 1
        return
    except (Invalid, Raced) as error:
        if isinstance(error, Raced) and not error.on(Stands):
            raise
        applied.refused["forgotten"] += 1  # a moment ago
        return
    if written.memory is None:  # before this was done again
        applied.refused["forgotten"] += 1
    applied.done.update(_outcome(written))


def _trusted(
    draft: SemanticDraft, sources: Sequence[Message], window: Window, *, applied: Applied
) -> tuple[SemanticDraft, tuple[str, ...]]:
    """The draft with the authority of those whose words it repeats, and why it is to be held."""
    heard = (*window.before, *window.said)
    origin = vouched(draft.content, sources, heard)
    draft = draft.model_copy(update={"origin": origin.label})
    others = [one for one in applied.held if one not in sources]
    held = bool(others) and repeated(draft.content, sources, others, heard)
    return draft, (LINEAGE,) if held else ()


def _said(messages: Sequence[Message], draft: SemanticDraft, job: Job) -> Said:
    """When turns were said at the latest, and the authority of what is said."""
    origin = min(job.principal.ceiling, Origin.of(draft.origin or Origin.UNKNOWN.label))
    return Said(at=max(map(said_at, messages)), origin=origin)


def _outcome(written: Written) -> list[str]:
    """What one offer is counted as; what it is now may differ where it was stored before."""
    memory = written.memory
    if written.outcome == "duplicate":
        return [_repeat(memory)]
    if not isinstance(memory, SemanticMemory):
        return []
    if memory.status is Status.QUARANTINED:
        return ["held"]
    contested = ["contested"] if memory.status is Status.CONTESTED else []
    return ["created", *contested, *(["superseded"] * bool(memory.supersedes))]


def _repeat(said: Memory | None) -> str:
    """What an offer that says the same is counted as: it waits where that waits for a person."""
    return "held" if said is not None and said.status is Status.QUARANTINED else "duplicates"
