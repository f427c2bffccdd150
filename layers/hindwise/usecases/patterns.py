"""Look through a domain for episodes that say the same, and store what they show.

Each pattern is one transaction, under an id that follows from its evidence: whoever is interrupted
does it again and finds those that are there. Evidence that goes while a pattern is being written is
taken out of it at once, so a pattern never outlives what it rests on.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import Field

from hindwise.domain.base import Model
from hindwise.domain.changes import (
    Action,
    Create,
    Edge,
    PutVerdict,
    Raced,
    Replace,
    Stands,
    UnderClaim,
)
from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.memory import (
    Episode,
    LongTermMemory,
    Memory,
    PairVerdict,
    SemanticMemory,
    Status,
)
from hindwise.domain.patterns import (
    Grounded,
    Proposal,
    disagreement,
    eligible,
    grounded,
    joined,
    pattern_from,
    patterns_of,
)
from hindwise.domain.query import View
from hindwise.domain.repeats import text_key
from hindwise.domain.visibility import visible
from hindwise.errors import Unavailable
from hindwise.usecases.contradict import contradict
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.pattern_admission import (
    let_in_pattern,
    own_word,
    sayable,
    verified,
    withdrawn,
    words_stand,
)
from hindwise.usecases.placing import claim

EXAMINED = 2_000
"""The newest records of a scope, among which episodes and patterns are sought."""
PAGE = 1_000
READ = 100
CONTRADICTED = 4
"""Older patterns that one may contradict at once: a transaction has 100 actions."""


class Domain(Model):
    """What is known of a domain: `fresh` may become evidence, newest first.

    `standing` are its patterns that can be seen, newest first.
    """

    name: str
    fresh: tuple[Episode, ...]
    standing: tuple[SemanticMemory, ...]


class Stored(Model):
    """What became of proposals; `refused` counts those that were not taken, by reason.

    `made` are new patterns, `known` those that were there already or now rest on more, `weakened`
    those that a new one contradicts.
    """

    made: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    weakened: tuple[str, ...] = ()
    refused: dict[str, int] = Field(default_factory=dict)


@dataclass(frozen=True)
class Taking:
    """What proposals are stored with: the domain, the method that found them, and the rules."""

    domain: str
    method: str
    ledger: Ledger
    rules: LearningRules


def look(domain: str, *, ledger: Ledger, rules: LearningRules) -> Domain:
    """Read a domain from the scope's newest 2,000 records."""
    call = ledger.call
    records = list(_newest(ledger))
    seen = [one for one in patterns_of(records, domain) if visible(one, View(), call.now)]
    return Domain(
        name=domain,
        fresh=eligible(records, domain, call=call, rules=rules),
        standing=tuple(one for one in seen if one.status is Status.ACTIVE),
    )


def _newest(ledger: Ledger) -> Iterator[LongTermMemory]:
    after, left = None, EXAMINED
    while left > 0:
        examine = min(PAGE, left)
        page = ledger.store.page(ledger.call.scope, after=after, examine=examine)
        yield from page.memories
        after, left = page.after, left - max(page.examined, 1)
        if after is None:
            return


def store_patterns(
    proposals: Sequence[Proposal],
    shown: Sequence[str],
    *,
    against: Sequence[str] = (),
    taking: Taking,
) -> Stored:
    """Store those proposals that rest on enough of what was `shown` and can still be seen.

    What the episodes are `against` as a whole, the first new pattern contradicts; where there is
    none, the episodes do. Raises Raced where the job is no longer held, and Unavailable.
    """
    there = _there(shown, taking)
    evidence, gone = _visible(there, taking), withdrawn(shown, there)
    made, known, weakened = list[str](), list[str](), list[str]()
    refused: Counter[str] = Counter()
    for proposal in proposals:
        if gone & {*proposal.evidence_ids}:  # its words may be those that are to go
            refused["forgotten"] += 1
            continue
        found = grounded(proposal, evidence)
        if not isinstance(found, str):
            found = own_word(proposal, found, there)
        if isinstance(found, str):
            refused[found] += 1
            continue
        if not sayable(found.content):
            refused["content"] += 1
            continue
        if not made:
            conflicts = tuple(dict.fromkeys((*found.conflicts, *against)))
            found = found.model_copy(update={"conflicts": conflicts})
        how, pattern, changed = _stored(found, taking)
        if how not in ("made", "known"):
            refused[how] += 1
            continue
        (made if how == "made" else known).append(pattern)
        weakened += changed
        verified(found.evidence, ledger=taking.ledger)
    weakened += contradict(
        against,
        evidence,
        factor=taking.rules.weaken_factor,
        settled_by=(*made, *known),
        ledger=taking.ledger,
    )
    return Stored(
        made=tuple(dict.fromkeys(made)),
        known=tuple(dict.fromkeys(known)),
        weakened=tuple(dict.fromkeys(weakened)),
        refused=dict(refused),
    )


def _there(ids: Sequence[str], taking: Taking) -> dict[str, Memory]:
    """Those of the episodes that have not been forgotten."""
    call, store = taking.ledger.call, taking.ledger.store
    found: dict[str, Memory] = {}
    for start in range(0, len(ids), READ):
        found |= store.get(call.scope, ids[start : start + READ])
    return found


def _visible(found: Mapping[str, Memory], taking: Taking) -> dict[str, Episode]:
    """Those of the episodes that can be seen."""
    return {
        one: memory
        for one, memory in found.items()
        if isinstance(memory, Episode)
        and memory.status is Status.ACTIVE
        and visible(memory, View(), taking.ledger.call.now)
    }


def _stored(found: Grounded, taking: Taking) -> tuple[str, str, tuple[str, ...]]:
    """How a pattern came to be (`made`, `known`), or why it did not; its id; whom it weakens."""
    ledger = taking.ledger
    patience = ledger.tools.patience()
    pattern = pattern_from(
        found, taking.domain, method=taking.method, call=ledger.call, rules=taking.rules
    )
    pattern, kept_out = let_in_pattern(pattern, ledger=ledger)
    if kept_out:
        return kept_out, pattern.id, ()
    while True:
        try:
            return _attempt(pattern, found, taking)
        except Raced as raced:
            if raced.on(UnderClaim):
                raise
            if raced.on(Stands) or (raced.on(Create) and ledger.read(pattern.id) is None):
                return "forgotten", pattern.id, ()
            if not patience.again():
                raise Unavailable("too many writers at once on a pattern; try again") from raced


def _attempt(
    pattern: SemanticMemory, found: Grounded, taking: Taking
) -> tuple[str, str, tuple[str, ...]]:
    ledger = taking.ledger
    scope = ledger.call.scope
    if ledger.read(pattern.id) is not None:
        return "known", pattern.id, ()
    key = text_key(pattern, dated=True)
    standing = ledger.store.claim(scope, key, now=ledger.call.now)
    same = ledger.read(standing) if standing else None
    if isinstance(same, SemanticMemory) and _goes_on(same, pattern):
        return "known", _grown(same, found, taking), ()
    new, changed = _against(pattern, found.conflicts, taking)
    claimed = claim(key, new.id, expected=standing, until=None, ledger=ledger)
    new, row = ledger.recorded(new.model_copy(update={"claims": (key,)}), "consolidated")
    actions: list[Action] = [Create(memory=new), row, claimed, *_links(new, new.evidence_ids)]
    actions += words_stand(new, found.evidence)
    for before, after in changed:
        after, row = ledger.recorded(after, "contradicted")
        actions += [Replace(before=before, after=after), row]
        actions += _decided(new, before, taking)
    ledger.commit(actions)
    weaker = (before.id for before, after in changed if after.confidence < before.confidence)
    return "made", new.id, tuple(weaker)


def _goes_on(same: SemanticMemory, pattern: SemanticMemory) -> bool:
    """Tell whether a pattern of the same words in the same domain stands."""
    return same.status is Status.ACTIVE and same.domain == pattern.domain


def _grown(same: SemanticMemory, found: Grounded, taking: Taking) -> str:
    """Let a pattern that is found again rest on the new evidence too, if that counts as much."""
    after = joined(same, found, call=taking.ledger.call, rules=taking.rules)
    if after is not None:
        after, row = taking.ledger.recorded(after, "found again")
        added = tuple(one for one in after.evidence_ids if one not in same.evidence_ids)
        actions = [Replace(before=same, after=after), row, *_links(after, added)]
        taking.ledger.commit(actions)
    return same.id


def _against(
    pattern: SemanticMemory, conflicts: Sequence[str], taking: Taking
) -> tuple[SemanticMemory, tuple[tuple[SemanticMemory, SemanticMemory], ...]]:
    """The pattern beside those standing ones of its domain that it contradicts."""
    call = taking.ledger.call
    named = [one for one in conflicts if one != pattern.id][:CONTRADICTED]
    found = taking.ledger.store.get(call.scope, named) if named else {}
    olds = [
        one
        for one in patterns_of(
            (one for one in found.values() if isinstance(one, SemanticMemory)), taking.domain
        )
        if one.status is Status.ACTIVE
    ]
    return disagreement(pattern, olds, factor=taking.rules.weaken_factor, call=call)


def _links(pattern: SemanticMemory, evidence: Sequence[str]) -> list[Action]:
    return [Edge(source=one, kind="evidence", dependant=pattern.id) for one in evidence]


def _decided(new: SemanticMemory, old: SemanticMemory, taking: Taking) -> list[Action]:
    winner = new.id if new.status is Status.ACTIVE else old.id
    pair = PairVerdict(
        one=new.id,
        other=old.id,
        verdict="contradiction",
        winner=winner,
        by="consolidation",
        at=taking.ledger.call.now,
    )
    return [PutVerdict(pair=pair)]
