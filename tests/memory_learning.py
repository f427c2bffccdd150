"""What learning stores, in memory; use it through `tests.fakes`.

The conditions and effects of its actions in a commit, and the ports that read what they wrote.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from zlib import crc32

from hindwise.domain import changes as c
from hindwise.domain.conversation import Chunk, Conversation
from hindwise.domain.fence import before as old
from hindwise.domain.fence import require_after
from hindwise.domain.ids import key_hash
from hindwise.domain.jobs import Job, JobState
from hindwise.domain.memory import LongTermMemory, PairVerdict, SemanticMemory, Status, said_in
from hindwise.domain.ports import Due
from hindwise.domain.scope import Scope
from tests.memory_store import Home, World

BUCKETS = 16
ANSWER_LASTS = timedelta(days=14)


def learning_may(home: Home, action: c.Action) -> bool:
    """Tell whether an action's condition holds; true for those that have none."""
    match action:
        case c.PutConversation(conversation=new, before=before):
            return _unchanged(home.standing(home.conversations.get(new.id)), before)
        case c.PutChunk(chunk=chunk, before=before):
            there = home.chunks.get((chunk.conversation_id, chunk.first))
            there = None if there is None or old(there.at, home.fence) else there
            if there is None or before is None:
                return there is before
            return there.blob == before.blob
        case c.PutJob(job=job, before=before):
            return _unchanged(home.jobs.get(job.id), before)
        case c.UnderClaim(job_id=job_id, token=token):
            claimed = home.jobs.get(job_id)
            return claimed is not None and (claimed.state, claimed.token) == (
                JobState.RUNNING,
                token,
            )
        case c.PutVerdict(pair=pair, before=before):
            there = home.verdicts.get(frozenset((pair.one, pair.other)))
            return there is None or (before is not None and there.pair.basis == before.basis)
        case c.Settled(memory=memory):
            current = home.memories.get(memory.id)
            return current is not None and current.version == memory.version
        case c.PutOff(memory_id=memory_id):
            waits = home.memories.get(memory_id)
            return waits is not None and not waits.settled and waits.status is Status.ACTIVE
    return True


def _unchanged(there: Conversation | Job | None, before: Conversation | Job | None) -> bool:
    if there is None or before is None:
        return there is before
    return there.version == before.version


def learning_do(home: Home, action: c.Action) -> None:
    """Do what an action of learning says."""
    match action:
        case c.PutConversation(conversation=conversation):
            home.conversations[conversation.id] = conversation
        case c.PutChunk(chunk=chunk):
            home.chunks[chunk.conversation_id, chunk.first] = chunk
        case c.PutJob(job=job):
            home.jobs[job.id] = job
        case c.PutVerdict(pair=pair):
            home.verdicts[frozenset((pair.one, pair.other))] = action
        case c.Settled(memory=memory):
            current = home.memories[memory.id]
            home.memories[memory.id] = current.model_copy(update={"settled": True})
        case c.PutOff(memory_id=memory_id, since=since):
            home.put_off[memory_id] = (home.memories[memory_id].version, since)


def unlearn(home: Home, memory: LongTermMemory) -> None:
    """Drop the verdicts on a memory, and what was said about the turns that it came from."""
    for pair in [pair for pair in home.verdicts if memory.id in pair]:
        del home.verdicts[pair]
    said = said_in(memory)
    if said is None:
        return
    conversation_id, first, last = said
    told = {
        job.id
        for job in home.jobs.values()
        if job.conversation_id == conversation_id
        and job.first_turn <= last
        and first <= job.last_turn
    }
    for key in [key for key in home.answers if key[0] in told]:
        del home.answers[key]


class InMemoryConversations:
    """Conversations and where their messages are, in memory."""

    def __init__(self, world: World) -> None:
        self._world = world

    def get(
        self, scope: Scope, conversation_id: str, *, now: datetime | None = None
    ) -> Conversation | None:
        with self._world.lock:
            self._world.faults.called("conversation", 1)
            self._world.faults.read(conversation_id)
            home = self._world.home(scope)
            if now is not None:
                require_after(home.fence, now)
            return home.standing(home.conversations.get(conversation_id))

    def page(self, scope: Scope, *, after: str | None, limit: int) -> list[Conversation]:
        with self._world.lock:
            self._world.faults.called("conversations")
            home = self._world.home(scope)
            ids = sorted(home.conversations, key=key_hash)
            later = [one for one in ids if after is None or key_hash(one) > key_hash(after)]
            standing = (home.standing(home.conversations[one]) for one in later)
            return [one for one in standing if one is not None][:limit]

    def chunks(
        self,
        scope: Scope,
        conversation_id: str,
        *,
        after: int = 0,
        limit: int | None = None,
        latest: bool = False,
    ) -> list[Chunk]:
        with self._world.lock:
            self._world.faults.called("chunks")
            home = self._world.home(scope)
            held = sorted(home.chunks.items())
            found = [chunk for (owner, _), chunk in held if owner == conversation_id]
            found = [chunk for chunk in found if not old(chunk.at, home.fence)]
            found = [chunk for chunk in found if chunk.first > after]
            return found if limit is None else found[-limit:] if latest else found[:limit]


class InMemoryJobs:
    """Jobs, answers, verdicts, and what is due, in memory."""

    def __init__(self, world: World) -> None:
        self._world = world

    def get(self, scope: Scope, job_id: str) -> Job | None:
        with self._world.lock:
            self._world.faults.called("job", 1)
            self._world.faults.read(job_id)
            home = self._world.home(scope)
            return home.standing(home.jobs.get(job_id))

    def page(self, scope: Scope, *, after: str | None, limit: int) -> list[Job]:
        with self._world.lock:
            self._world.faults.called("jobs")
            return [job for job in self._newest(scope, after) if self._reads(job)][:limit]

    def _reads(self, job: Job) -> bool:
        return job.id not in self._world.faults.unreadable

    def of_conversation(self, scope: Scope, conversation_id: str) -> list[Job]:
        with self._world.lock:
            self._world.faults.called("of_conversation")
            own = self._newest(scope, None)
            return [
                job for job in own if job.conversation_id == conversation_id and self._reads(job)
            ]

    def _newest(self, scope: Scope, after: str | None) -> list[Job]:
        home = self._world.home(scope)
        held = sorted(home.jobs.items(), reverse=True)
        own = [job for job_id, job in held if after is None or job_id < after]
        return [job for job in own if home.standing(job)]

    def due(self, bucket: int, *, now: datetime, limit: int) -> list[Due]:
        with self._world.lock:
            self._world.faults.called("due")
            found = sorted(
                (row for row in self._waiting(bucket) if row[0] <= now), key=lambda row: row[0]
            )
            return [due for _, due in found[:limit]]

    def _waiting(self, bucket: int) -> Iterator[tuple[datetime, Due]]:
        for scope, home in self._world.homes.items():
            for job in home.jobs.values():
                if job.open and job.next_at is not None and bucket_of(job.id) == bucket:
                    yield job.next_at, Due(scope=scope, job_id=job.id)
            for talk in home.conversations.values():
                if talk.idle_at is not None and bucket_of(talk.id) == bucket:
                    yield talk.idle_at, Due(scope=scope, conversation_id=talk.id)

    def answer(self, scope: Scope, job_id: str, window: int) -> str | None:
        with self._world.lock:
            self._world.faults.called("answer", 1)
            return self._standing(scope, job_id, window, self._world.clock())

    def _standing(self, scope: Scope, job_id: str, window: int, now: datetime) -> str | None:
        found = self._world.home(scope).answers.get((job_id, window))
        return found[0] if found is not None and found[1] > now else None

    def keep_answer(
        self, scope: Scope, job_id: str, window: int, answer: str, *, now: datetime
    ) -> str:
        with self._world.lock:
            self._world.faults.called("keep_answer", 1)
            standing = self._standing(scope, job_id, window, now)
            if standing is not None:
                return standing
            self._world.home(scope).answers[job_id, window] = (answer, now + ANSWER_LASTS)
            return answer

    def drop_answer(self, scope: Scope, job_id: str, window: int) -> None:
        with self._world.lock:
            self._world.faults.called("drop_answer", 1)
            self._world.home(scope).answers.pop((job_id, window), None)

    def verdict(self, scope: Scope, one: str, other: str) -> PairVerdict | None:
        with self._world.lock:
            self._world.faults.called("verdict", 1)
            found = self._world.home(scope).verdicts.get(frozenset((one, other)))
            return found and found.pair

    def unsettled(self, bucket: int, *, before: datetime, limit: int) -> list[tuple[Scope, str]]:
        with self._world.lock:
            self._world.faults.called("unsettled")
            found = sorted(
                (since, memory.id, scope)
                for scope, home in self._world.homes.items()
                for memory in home.memories.values()
                if isinstance(memory, SemanticMemory)
                and not memory.settled
                and memory.status is Status.ACTIVE
                and (since := _waiting_since(home, memory)) < before
                and bucket_of(memory.id) == bucket
            )
            return [(scope, memory_id) for _, memory_id, scope in found[:limit]]


def _waiting_since(home: Home, memory: SemanticMemory) -> datetime:
    version, since = home.put_off.get(memory.id, (0, memory.updated_at))
    return since if version == memory.version else memory.updated_at


def bucket_of(word: str) -> int:
    return crc32(word.encode()) % BUCKETS
