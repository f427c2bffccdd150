"""The turns of stored conversations that a memory came from, and taking their words out of them.

A caller may name any conversation as the source of what it writes, and any place in a session. Only
an episode whose id is the one that a turn of the stored conversation becomes is that turn.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from hindwise.domain.conversation import turn_id
from hindwise.domain.memory import Episode, LongTermMemory, place_of
from hindwise.errors import Unreadable
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.transcript import Transcript, redact

READ = 100
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Turn:
    """A turn of a stored conversation, and the episode that it became."""

    conversation_id: str
    turn: int
    episode: Episode


def turns_behind(memory: LongTermMemory, *, ledger: Ledger, said: Transcript) -> tuple[Turn, ...]:
    """The turns that a memory is, or was learnt from; none for what came from no conversation.

    Those that have been forgotten already are not among them.
    """
    if isinstance(memory, Episode):
        found = _turn(memory, ledger=ledger, said=said)
        return () if found is None else (found,)
    if memory.source is None or memory.source.conversation_id is None:
        return ()
    episodes = _episodes(memory.evidence_ids, ledger=ledger)
    turns = (_turn(one, ledger=ledger, said=said) for one in episodes)
    return tuple(one for one in turns if one is not None)


def _episodes(ids: Sequence[str], *, ledger: Ledger) -> list[Episode]:
    episodes: list[Episode] = []
    for start in range(0, len(ids), READ):
        found = ledger.store.get(ledger.call.scope, ids[start : start + READ])
        episodes += [one for one in found.values() if isinstance(one, Episode)]
    return episodes


def _turn(episode: Episode, *, ledger: Ledger, said: Transcript) -> Turn | None:
    place, scope = place_of(episode), ledger.call.scope
    if place is None or episode.source is None or episode.source.conversation_id != place[0]:
        return None
    try:
        messages = said.turns(scope, *place, place[1])
    except Unreadable as error:
        _log.error("a turn cannot be read: %s", error)
        return None
    if not any(turn_id(scope, place[0], one) == episode.id for one in messages):
        return None
    return Turn(conversation_id=place[0], turn=place[1], episode=episode)


def silence(turn: Turn, *, ledger: Ledger, said: Transcript) -> None:
    """Take the words of a turn out of its conversation; what cannot be read is left as it is.

    Doing it again changes nothing. Raises Unavailable.
    """
    try:
        redact(turn.conversation_id, turn.turn, turn.turn, ledger=ledger, said=said)
    except Unreadable as error:
        _log.error("a turn cannot be redacted: %s", error)
