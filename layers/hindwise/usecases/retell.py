"""Tell a conversation again, message by message, with what was learnt from each; and find jobs."""

from collections import defaultdict

from hindwise.domain.base import Model
from hindwise.domain.call import Call
from hindwise.domain.conversation import Conversation, Message
from hindwise.domain.jobs import Job, JobKind, JobState
from hindwise.domain.memory import LongTermMemory
from hindwise.domain.ports import Jobs, MemoryStore
from hindwise.domain.scope import Role
from hindwise.errors import NotFound
from hindwise.usecases.learning import Learning
from hindwise.usecases.lineage import as_told, lesson
from hindwise.usecases.transcript import Transcript, silenced

EXAMINED = 1_000
"""Jobs that one call looks at, at most."""


class Retold(Model):
    """A message, the episode that it became, if it has, and what was learnt from it."""

    message: Message
    episode_id: str | None = None
    learnt: tuple[LongTermMemory, ...] = ()


class Retelling(Model):
    """A page of a conversation; `after` continues it and is None only at its end."""

    conversation: Conversation
    messages: tuple[Retold, ...]
    after: str | None


def retell(
    conversation_id: str, *, call: Call, learning: Learning, store: MemoryStore, limit: int,
    after: str | None = None,
) -> Retelling:  # fmt: skip
    """A page of up to `limit` messages, in order; raises NotFound, and Unreadable.

    The words of what is held for review are told to reviewers only.
    """
    head = learning.conversations.get(call.scope, conversation_id)
    if head is None:
        raise NotFound("there is no such conversation")
    transcript = Transcript(learning.conversations, learning.blobs)
    said = transcript.page(call.scope, conversation_id, after=after, limit=limit)
    messages = as_told(said.messages, conversation_id, call=call, store=store)
    if head.withheld and not call.principal.role.covers(Role.REVIEWER):
        messages = tuple(map(silenced, messages))
    turns = [one.turn for one in messages if one.turn is not None]
    learnt: dict[int, list[LongTermMemory]] = defaultdict(list)
    episodes: dict[int, str] = {}
    if turns:
        found = lesson(conversation_id, first=turns[0], last=turns[-1], call=call, store=store)
        episodes = {turn: episode.id for turn, episode in found.episodes.items()}
        for one in found.learnt:
            for turn in one.turns:
                learnt[turn].append(one.memory)
    retold = (
        Retold(
            message=one,
            episode_id=episodes.get(one.turn or 0),
            learnt=tuple(learnt.get(one.turn or 0, ())),
        )
        for one in messages
    )
    return Retelling(conversation=head, messages=tuple(retold), after=said.after)


class Sought(Model):
    """Which jobs are meant; what is empty or None leaves all through."""

    states: tuple[JobState, ...] = ()
    conversation_id: str | None = None
    kind: JobKind | None = None

    def passes(self, job: Job) -> bool:
        """Tell whether a job is one of them."""
        return (
            (not self.states or job.state in self.states)
            and self.conversation_id in (None, job.conversation_id)
            and self.kind in (None, job.kind)
        )


class Worklist(Model):
    """A page of jobs, newest first; `after` continues it and is None only at the end."""

    jobs: tuple[Job, ...]
    after: str | None


def worklist(
    sought: Sought, *, call: Call, jobs: Jobs, limit: int, after: str | None = None
) -> Worklist:
    """The newest jobs that pass; examines at most 1,000 a call, so a page may be short."""
    kept: list[Job] = []
    for _ in range(0, EXAMINED, 100):
        page = jobs.page(call.scope, after=after, limit=100)
        for job in page:
            after = job.id
            if sought.passes(job):
                kept.append(job)
                if len(kept) == limit:
                    return Worklist(jobs=tuple(kept), after=after)
        if len(page) < 100:
            return Worklist(jobs=tuple(kept), after=None)
    return Worklist(jobs=tuple(kept), after=after)
