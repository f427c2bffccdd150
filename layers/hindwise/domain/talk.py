"""What a caller sends of a conversation, and what follows from it: numbers, a new head, jobs.

All of it is a function of what was known before, so that whoever lost a race decides again. Turns
are handed to jobs in runs without gap or overlap: `Conversation.queued` moves in the transaction
that creates the job.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from pydantic import AwareDatetime, Field, JsonValue

from hindwise.domain.base import Model
from hindwise.domain.call import Call
from hindwise.domain.conversation import SPOKEN, Conversation, Message, SpeakerRole
from hindwise.domain.drafts import OriginLabel
from hindwise.domain.ids import derived_id
from hindwise.domain.jobs import Job, JobKind, JobState
from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.making import merged
from hindwise.domain.scope import Origin, Principal, Scope

SENT_AFTER = timedelta(minutes=1)
"""How long the first message of a job is given to arrive before the sweep sends another."""
PARTICIPANTS = 64
_GIVEN = ("agent_id", "task_id", "domain", "scene", "intent", "infer")


class Sent(Model):
    """One message as it was sent; see `conversation.Message`."""

    role: SpeakerRole
    text: str = ""
    name: str | None = None
    at: AwareDatetime | None = None
    extra: dict[str, JsonValue] = Field(default_factory=dict)

    @property
    def spoken(self) -> bool:
        """Tell whether it is a turn: somebody says something."""
        return self.role in SPOKEN and bool(self.text.strip())

    def numbered(self, number: int, turn: int | None) -> Message:
        """The message at its place."""
        return Message(number=number, turn=turn, **dict(self))


class Talk(Model):
    """Messages of a conversation, and what is said of it as a whole; None says nothing.

    `whole` tells that they begin with its first message, as far as they are known already. With
    `end` all its turns are learnt from at once. `origin` lowers whose word it is.
    """

    id: str | None = None
    messages: tuple[Sent, ...] = ()
    whole: bool = False
    end: bool = False
    agent_id: str | None = None
    task_id: str | None = None
    domain: str | None = None
    scene: str | None = None
    intent: str | None = None
    infer: bool | None = None
    origin: OriginLabel | None = None
    participants: tuple[str, ...] = ()
    metadata: dict[str, JsonValue] = Field(default_factory=dict)


class Step(Model):
    """What is to be written: the head, whether it `changed`, new messages, and jobs for turns."""

    head: Conversation
    changed: bool
    messages: tuple[Message, ...] = ()
    jobs: tuple[Job, ...] = ()


def known(sent: Sequence[str], first: Sequence[str], last: Sequence[str], turns: int) -> int:
    """How many messages of a conversation that is sent anew are stored already, from the first on.

    All are marks (see `conversation.mark`): of what is sent, and of what is stored, the `first` and
    the `last` messages, each with at least as many turns as are sent, or all `turns` that there
    are. Only who spoke matters: another system prompt makes no other conversation. A piece from the
    beginning, or up to the end, holds nothing new; what continues nothing is all new.
    """
    said = _spoken(sent)
    if said and not (turns <= len(said) and _spoken(first) == said[:turns]):
        pieces = (_spoken(first)[: len(said)], _spoken(last)[-len(said) :])
        return len(sent) if said in pieces else 0
    places = [place for place, one in enumerate(sent) if not one.startswith("-")]
    at = places[turns - 1] + 1 if said and turns else 0
    for silent in _silence(last):
        at += at < len(sent) and sent[at] == silent
    return at


def resent(sent: Sequence[str], last: Sequence[str]) -> int:
    """How many of the messages that are appended are stored already, from the first on.

    Both are marks; those of `sent` must be of messages whose time was named: who said which words
    when names one message, and an append that was not answered is tried again. All of them, as they
    stand together among the `last`, or so many as these end with.
    """
    size = len(sent)
    if any(tuple(last[at : at + size]) == tuple(sent) for at in range(len(last) - size + 1)):
        return size
    ends = range(min(size, len(last)), 0, -1)
    return next((count for count in ends if [*last[-count:]] == [*sent[:count]]), 0)


def _spoken(marks: Sequence[str]) -> list[str]:
    return [one for one in marks if not one.startswith("-")]


def _silence(marks: Sequence[str]) -> list[str]:
    """The marks after the last turn."""
    spoken = [place for place, one in enumerate(marks) if not one.startswith("-")]
    return [*marks[spoken[-1] + 1 :]] if spoken else [*marks]


def numbered(sent: Sequence[Sent], *, messages: int, turns: int) -> tuple[Message, ...]:
    """The messages in their places after so many messages and turns."""
    made = []
    for number, one in enumerate(sent, messages + 1):
        turns += one.spoken
        made.append(one.numbered(number, turns if one.spoken else None))
    return tuple(made)


def step(
    before: Conversation | None, talk: Talk, fresh: Sequence[Sent], *, call: Call,
    rules: LearningRules, new_id: str,
) -> Step:  # fmt: skip
    """What follows from messages of a talk that are `fresh`; `new_id` names one without a name.

    Turns wait until there are enough, or it ends; those of another ceiling, or that were to be
    learnt from in another way, are handed over on their own.
    """
    now, jobs = call.now, list[Job]()
    head = before or Conversation(
        id=talk.id or new_id, sender=call.principal, created_at=now, updated_at=now, version=0
    )
    other = (head.sender.ceiling, head.infer) != (call.principal.ceiling, _infers(head, talk))
    if other and head.turns > head.queued:
        head, job = taken_up(head, call.scope, now=now)
        jobs.append(job)
    messages = numbered(fresh, messages=head.messages, turns=head.turns)
    head = _joined(head, talk, messages, call=call)
    waiting = head.turns - head.queued
    if waiting and (talk.end or waiting >= rules.trigger_turns):
        head, job = taken_up(head, call.scope, now=now)
        jobs.append(job)
    elif messages and talk.end and not waiting:
        head, job = _without_turns(head, call.scope, now=now)
        jobs.append(job)
    idle = now + timedelta(seconds=rules.idle_seconds) if messages else head.idle_at
    head = head.model_copy(update={"idle_at": idle if head.turns > head.queued else None})
    changed = head != before
    stamp = {"version": head.version + 1, "updated_at": now} if changed else {}
    return Step(
        head=head.model_copy(update=stamp), changed=changed, messages=messages, jobs=tuple(jobs)
    )


def taken_up(head: Conversation, scope: Scope, *, now: datetime) -> tuple[Conversation, Job]:
    """The head without waiting turns, its version as it was, and the job that covers them."""
    return _handed_over(head, scope, head.queued + 1, now=now)


def _handed_over(
    head: Conversation, scope: Scope, first: int, *, now: datetime
) -> tuple[Conversation, Job]:
    parts = ("job", scope.tenant, scope.user, head.id, str(first), str(head.messages))
    job = Job(
        id=derived_id(now, *parts),
        kind=JobKind.EXTRACT,
        principal=head.sender,
        conversation_id=head.id,
        first_turn=first,
        last_turn=head.turns,
        next_turn=first,
        infer=head.infer,
        next_at=now + SENT_AFTER,
        created_at=now,
        updated_at=now,
    )
    taken = {"queued": head.turns, "idle_at": None, "last_job": job.id}
    return head.model_copy(update=taken), job


def _without_turns(head: Conversation, scope: Scope, *, now: datetime) -> tuple[Conversation, Job]:
    """A job that has ended before it began: nobody said anything."""
    head, job = _handed_over(head, scope, 0, now=now)
    ended = {"state": JobState.SUCCEEDED_EMPTY, "reason": "no_words", "next_at": None}
    return head, job.model_copy(update={**ended, "last_turn": 0})


def _infers(head: Conversation, talk: Talk) -> bool:
    return head.infer if talk.infer is None else talk.infer


def _joined(
    head: Conversation, talk: Talk, messages: Sequence[Message], *, call: Call
) -> Conversation:
    """The head with what a talk says and adds."""
    given = {name: value for name in _GIVEN if (value := getattr(talk, name)) is not None}
    names = (*head.participants, *talk.participants, *(one.name for one in messages if one.name))
    turns = sum(one.turn is not None for one in messages)
    sent_by = sender(call.principal, talk) if messages else head.sender
    changes = given | {
        "read": head.read and talk.intent is None,
        "participants": tuple(dict.fromkeys(names))[:PARTICIPANTS],
        "metadata": merged(head.metadata, talk.metadata),
        "messages": head.messages + len(messages),
        "turns": head.turns + turns,
        "ended": talk.end or (head.ended and not messages),
        "sender": sent_by,
    }
    return head.model_copy(update=changes)


def sender(principal: Principal, talk: Talk) -> Principal:
    """Who sends, whose word may count for less than it could."""
    if talk.origin is None:
        return principal
    return principal.model_copy(update={"ceiling": min(principal.ceiling, Origin.of(talk.origin))})
