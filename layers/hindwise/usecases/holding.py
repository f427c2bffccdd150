"""Hold what a person has to look at first: stored, and out of the way of everything else.

A held record has no slot and stands for no text: nothing else is kept from saying the same. What
says its words again is answered with it, so that a reviewer sees them once.
"""

from collections.abc import Callable

from hindwise.domain.changes import Action, Create, Edge, Raced
from hindwise.domain.memory import Episode, LongTermMemory, SemanticMemory, Status, place_of
from hindwise.domain.repeats import held_key
from hindwise.usecases.admit import held_for
from hindwise.usecases.ledger import Ledger, long_term
from hindwise.usecases.placing import claim, placed
from hindwise.usecases.winning import FINAL, until_won
from hindwise.usecases.written import Written

EVIDENCE = 64
"""What a memory may rest on."""


def keep_held(
    memory: LongTermMemory, rules: tuple[str, ...], *, ledger: Ledger, given: bool = False
) -> Written:
    """Store a record quarantined, once; an id that is `given` is what a retry converges on.

    Raises Unavailable when races did not end in time, and `changes.Raced` on the request row and on
    what the ledger is `under`.
    """

    def attempt(ledger: Ledger) -> Written:
        return _attempt(memory, rules, ledger=ledger)

    return stored(attempt, memory, "the same text", ledger=ledger, given=given)[0]


def stored(
    attempt: Callable[[Ledger], Written],
    memory: LongTermMemory,
    on: str,
    *,
    ledger: Ledger,
    given: bool,
) -> tuple[Written, bool]:
    """What an attempt to store a memory came to, and whether it was this one that did it.

    Where the id was `given` and is taken, an earlier one did. Raises like `keep_held`.
    """
    try:
        final = (*FINAL, Create) if given else FINAL
        return until_won(attempt, on, ledger=ledger, final=final), True
    except Raced as raced:
        if raced.on(*FINAL):
            raise
        return Written(id=memory.id, memory=ledger.read(memory.id)), False


def _attempt(memory: LongTermMemory, rules: tuple[str, ...], *, ledger: Ledger) -> Written:
    standing_id, standing = held_for(memory.content, ledger=ledger)
    turn = place_of(memory) is not None  # has a place of its own, whatever it says
    if standing is not None and not turn and memory.origin <= standing.origin:
        ledger.commit([], answer=f"duplicate {standing.id}")
        outcome = "created" if standing.id == memory.id else "duplicate"
        return Written(id=standing.id, outcome=outcome, memory=standing)
    mine = standing is None or not turn
    claims = (held_key(memory.content),) if mine else ()
    flags = tuple(dict.fromkeys((*rules, *memory.flags)))
    state = {
        "status": Status.QUARANTINED,
        "flags": flags,
        "claims": claims,
        "settled": True,
        "held": True,
    }
    memory = placed(memory, ledger=ledger)
    held, row = ledger.recorded(memory.model_copy(update=state), "quarantined", rules)
    claimed = [
        claim(key, held.id, expected=standing_id, until=None, ledger=ledger) for key in claims
    ]
    actions: list[Action] = [Create(memory=held), row, *claimed, *edges_of(held)]
    ledger.commit(actions, answer=f"created {held.id}")
    return Written(id=held.id, memory=held)


def words_held(memory: LongTermMemory, *, ledger: Ledger) -> tuple[tuple[str, ...], list[Action]]:
    """The key under which the words of a memory are held while it is withheld, and how."""
    key = held_key(memory.content)
    standing = ledger.store.claim(ledger.call.scope, key, now=ledger.call.now)
    return (key,), [claim(key, memory.id, expected=standing, until=None, ledger=ledger)]


def keep_edit_held(
    before: LongTermMemory, after: LongTermMemory, rules: tuple[str, ...], *, ledger: Ledger
) -> Written:
    """Hold an edit as a record of its own, which rests on the one it changes; that stands as it is.

    Who must not be trusted changes no current value, neither to other words nor to none.
    """
    now = ledger.call.now
    rests_on = tuple(dict.fromkeys((before.id, *before.evidence_ids)))[:EVIDENCE]
    changes: dict[str, object] = {
        "id": ledger.tools.new_id(now),
        "evidence_ids": rests_on,
        "external_id": None,
        "supersedes": (),
        "superseded_by": None,
        "verdicts": (),
        "access_count": 0,
        "last_access_at": None,
        "created_at": now,
        "version": 1,
        "principal": ledger.call.principal.name,
        "marks": (),
        "flags": (),
        "audit_head": "",
    }
    if isinstance(after, Episode):
        changes["seq"] = None
    else:
        changes["outdates"] = ()
    proposal = long_term(after.model_copy(update=changes))
    return keep_held(proposal, rules, ledger=ledger)


def edges_of(memory: LongTermMemory) -> list[Action]:
    """Links from what a memory rests on; a turn is found in its conversation without one."""
    links: dict[str, str] = dict.fromkeys(memory.evidence_ids, "evidence")
    source = memory.source and memory.source.conversation_id
    if source and isinstance(memory, SemanticMemory):
        links.setdefault(source, "conversation")
    return [Edge(source=one, kind=kind, dependant=memory.id) for one, kind in links.items()]
