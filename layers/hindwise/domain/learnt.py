"""From what was said, and what a model made of it, to what is written down.

A turn becomes an episode in its own words, an offer that passed the gate a semantic memory with its
turns as evidence. Each goes by the time at which it was said, unless the model named another.
"""

from collections.abc import Sequence
from datetime import datetime

from pydantic import ValidationError

from hindwise.domain.base import Model
from hindwise.domain.conversation import Conversation, Message
from hindwise.domain.drafts import EpisodeDraft, SemanticDraft
from hindwise.domain.ids import derived_id, key_hash
from hindwise.domain.jobs import Job
from hindwise.domain.memory import Cardinality, Source
from hindwise.domain.ports import Seal
from hindwise.domain.prompts.extracted import Extracted, Learned, PromptTurn

ROUND = 1_000_000
"""Windows of a job are named by their first turn; each further round counts on from here."""


class Answer(Model):
    """What a model made of a window that ends with the turn `last`."""

    last: int
    extracted: Extracted


class Window(Model):
    """Turns of a conversation that are worked on at once, and some before them.

    It covers the turns `first..last`; `said` has those of them that have words of their own, and
    no others, in order; so has `before`. `doubted` are turns that a second opinion is against.
    """

    first: int
    last: int
    said: tuple[Message, ...]
    before: tuple[Message, ...] = ()
    doubted: frozenset[int] = frozenset()


def window_key(job: Job) -> int:
    """The number under which the answer for the window that a job goes on at is kept."""
    return job.round * ROUND + job.next_turn


def learnt_id(job: Job, offer: Learned, seal: Seal) -> str:
    """The id of what an offer of a job's present window becomes, whenever it does.

    It follows from what is said, not from its place: where a turn was forgotten in between, a model
    is asked again, and what it then says in the same place may be something else.
    """
    about = (offer.type, offer.subject, offer.attribute, offer.value, offer.scene)
    said = "\x1f".join((offer.content, *(each or "" for each in about)))
    digest = seal.digest("learnt", said)
    return derived_id(job.created_at, "learnt", job.id, str(job.next_turn), digest)


def learnt_key(memory_id: str) -> str:
    """The key under which it is kept that an offer turned out to be known already."""
    return key_hash("learnt", memory_id)


def said_at(message: Message) -> datetime:
    """When a turn was said, as far as is known: else when it came."""
    moment = message.at or message.received
    assert moment is not None
    return moment


def prompt_turn(message: Message) -> PromptTurn:
    """A turn as a model is shown it."""
    return PromptTurn(
        turn=message.turn or 0,
        role=message.role.value,
        name=message.name,
        text=message.text,
        at=said_at(message),
    )


def speaker(message: Message) -> str:
    """Who speaks: a name, else the role."""
    return message.name or message.role.value


def turn_draft(
    message: Message, talk: Conversation, *, importance: float, summary: str | None = None
) -> EpisodeDraft | None:
    """The episode that a turn becomes; None where no memory could hold it."""
    given = {
        "content": message.text,
        "importance": importance,
        "origin": message.origin.label,
        "source": _source(talk, (message,)),
        "event_time": said_at(message),
        "event_type": "message",
        "session_id": talk.id,
        "seq": message.turn,
        "speaker": speaker(message),
        "summary": summary,
        **_about(talk),
        "scene": talk.scene,
    }
    return _valid(EpisodeDraft, given)


def offer_draft(
    offer: Learned, sources: Sequence[Message], evidence: Sequence[str], talk: Conversation
) -> SemanticDraft | None:
    """The memory that an offer becomes; `sources` are its turns and `evidence` their episodes.

    None where no memory could hold it.
    """
    given = {
        **offer.model_dump(exclude={"turns", "worth", "quote", "event_time"}),
        "event_time": happened(offer, max(map(said_at, sources))),
        "evidence_ids": tuple(evidence),
        "source": _source(talk, sources),
        "session_id": talk.id,
        **_about(talk),
        "scene": offer.scene or talk.scene,
    }
    return _valid(SemanticDraft, given)


def happened(offer: Learned, said: datetime) -> datetime:
    """The event time of an offer that was said at a moment.

    What the model names; else the beginning of what it says, where that is past; else the moment.
    Values of a slot compete by when they were said: who says in May where he has lived since 2020
    corrects who said otherwise in April.
    """
    if offer.event_time is not None:
        return offer.event_time
    slot = offer.subject and offer.attribute and offer.cardinality is not Cardinality.MANY
    begins = offer.valid_from
    return said if slot or begins is None or begins > said else begins


def _about(talk: Conversation) -> dict[str, object]:
    return {"agent_id": talk.agent_id, "task_id": talk.task_id, "domain": talk.domain}


def _source(talk: Conversation, turns: Sequence[Message]) -> Source:
    numbers = [one.turn or 0 for one in turns]
    speakers = {speaker(one) for one in turns}
    return Source(
        conversation_id=talk.id,
        first_turn=min(numbers),
        last_turn=max(numbers),
        author=speakers.pop() if len(speakers) == 1 else None,
    )


def _valid[D: (EpisodeDraft, SemanticDraft)](kind: type[D], given: dict[str, object]) -> D | None:
    try:
        return kind.model_validate(given)
    except ValidationError:
        return None
