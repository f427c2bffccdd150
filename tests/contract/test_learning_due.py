"""What is to be done: due jobs, idle conversations, memories that wait for comparison."""

from datetime import timedelta

import pytest

from hindwise.domain import changes as c
from hindwise.domain.jobs import JobState
from hindwise.domain.memory import Status
from hindwise.domain.ports import Due
from tests import builders
from tests.builders import NOW
from tests.contract.backends import Backend

SCOPE = builders.scope("张三#1")
BOB = builders.scope("bob", "zeta")
TERMINAL = sorted(set(JobState) - {JobState.ACCEPTED, JobState.RUNNING})


def in_one_bucket(make, count: int):
    """Things whose ids share a bucket, so that they are one list."""
    from tests.memory_learning import bucket_of

    found: dict[int, list] = {}
    while True:
        one = make()
        same = found.setdefault(bucket_of(one.id), [])
        same.append(one)
        if len(same) == count:
            return bucket_of(one.id), same


def test_the_longest_due_come_first_and_no_more_than_wanted(backend: Backend):
    bucket, jobs = in_one_bucket(builders.job, 4)
    for waits, job in zip((3, 1, 2, -1), jobs, strict=True):
        due = job.model_copy(update={"next_at": NOW - timedelta(seconds=waits)})
        backend.store.commit(SCOPE, [c.PutJob(job=due)])
    order = [jobs[0].id, jobs[2].id, jobs[1].id]
    read = backend.jobs.due
    assert [one.job_id for one in read(bucket, now=NOW, limit=9)] == order
    assert [one.job_id for one in read(bucket, now=NOW, limit=2)] == order[:2]
    assert read((bucket + 1) % 16, now=NOW, limit=9) == []
    later = NOW + timedelta(seconds=1)
    assert [one.job_id for one in read(bucket, now=later, limit=9)] == [*order, jobs[3].id]


@pytest.mark.parametrize("state", TERMINAL)
def test_a_job_is_due_until_it_has_ended(backend: Backend, state: JobState):
    job = builders.job(next_at=NOW)
    backend.store.commit(BOB, [c.PutJob(job=job)])
    assert backend.due() == [Due(scope=BOB, job_id=job.id)]
    ended = job.model_copy(update={"state": state, "version": 2})
    backend.store.commit(BOB, [c.PutJob(job=ended, before=job)])
    assert backend.due() == []
    again = ended.model_copy(update={"state": JobState.ACCEPTED, "version": 3})
    backend.store.commit(BOB, [c.PutJob(job=again, before=ended)])
    assert backend.due() == [Due(scope=BOB, job_id=job.id)]


def test_a_claimed_job_is_due_when_its_lease_is_over(backend: Backend):
    job = builders.job()
    ends = NOW + timedelta(seconds=240)
    claimed = {"state": JobState.RUNNING, "token": "t", "next_at": ends, "version": 2}
    backend.store.commit(SCOPE, [c.PutJob(job=job)])
    running = job.model_copy(update=claimed)
    backend.store.commit(SCOPE, [c.PutJob(job=running, before=job)])
    assert backend.due() == []
    backend.clock.forward(seconds=240)
    assert backend.due() == [Due(scope=SCOPE, job_id=job.id)]


@pytest.mark.parametrize("name", ["chat-1", "对话#1 %", "x" * 256])
def test_a_conversation_is_due_while_it_is_idle(backend: Backend, name: str):
    talk = builders.conversation(name, idle_at=NOW + timedelta(minutes=10))
    backend.store.commit(SCOPE, [c.PutConversation(conversation=talk)])
    backend.store.commit(SCOPE, [c.PutChunk(chunk=builders.chunk(of=name))])
    assert backend.due() == []
    backend.clock.forward(minutes=10)
    assert backend.due() == [Due(scope=SCOPE, conversation_id=name)]
    queued = talk.model_copy(update={"idle_at": None, "version": 2})
    backend.store.commit(SCOPE, [c.PutConversation(conversation=queued, before=talk)])
    assert backend.due() == []


def test_a_memory_waits_until_it_is_settled(backend: Backend):
    memory = builders.fact(settled=False, at=NOW - timedelta(seconds=2), access_count=3)
    backend.store.commit(BOB, [c.Create(memory=memory)])
    assert backend.store.get(BOB, [memory.id]) == {memory.id: memory}
    assert backend.unsettled() == [(BOB, memory.id)]
    assert backend.due() == []
    backlog = backend.store.backlog(BOB, 10)
    backend.store.commit(BOB, [c.Settled(memory=memory)])
    settled = memory.model_copy(update={"settled": True})
    assert backend.store.get(BOB, [memory.id]) == {memory.id: settled}
    assert backend.store.page(BOB, after=None, examine=10).memories == (settled,)
    assert backend.unsettled() == []
    assert backend.store.versions(BOB, memory.id) == []
    assert backend.store.backlog(BOB, 10) == backlog
    backend.store.commit(BOB, [c.Settled(memory=memory)])
    assert backend.store.get(BOB, [memory.id]) == {memory.id: settled}


def test_only_the_version_that_was_compared_is_settled(backend: Backend):
    memory = builders.fact(settled=False)
    backend.store.commit(SCOPE, [c.Create(memory=memory)])
    edited = builders.newer(memory, content="The user drinks milk.")
    backend.store.commit(SCOPE, [c.Replace(before=memory, after=edited)])
    late = c.Settled(memory=memory)
    verdict = c.PutVerdict(pair=builders.pair(memory.id, builders.new_id()))
    for action in (late, c.Settled(memory=builders.fact())):
        with pytest.raises(c.Raced) as raced:
            backend.store.commit(SCOPE, [action, verdict])
        assert raced.value.actions == (action,)
    assert backend.store.get(SCOPE, [memory.id])[memory.id] == edited
    assert backend.jobs.verdict(SCOPE, verdict.pair.one, verdict.pair.other) is None
    compared = builders.newer(edited, settled=True)
    backend.store.commit(SCOPE, [c.Replace(before=edited, after=compared)])
    assert backend.store.get(SCOPE, [memory.id])[memory.id] == compared
    reworded = builders.newer(compared, content="The user drinks tea.", settled=False)
    backend.store.commit(SCOPE, [c.Replace(before=compared, after=reworded)])
    assert backend.store.get(SCOPE, [memory.id])[memory.id] == reworded
    assert backend.store.versions(SCOPE, memory.id) == [memory, edited, compared]


def test_what_waits_may_be_put_off_and_what_does_not_is_let_alone(backend: Backend):
    memory, known = builders.fact(settled=False), builders.fact()
    backend.store.commit(SCOPE, [c.Create(memory=memory), c.Create(memory=known)])
    backend.clock.forward(minutes=1)
    assert backend.unsettled() == [(SCOPE, memory.id)]
    later = c.PutOff(memory_id=memory.id, since=backend.clock.now + timedelta(minutes=4))
    backend.store.commit(SCOPE, [later])
    assert backend.unsettled() == []
    assert backend.store.get(SCOPE, [memory.id]) == {memory.id: memory}
    for other in (known.id, builders.new_id()):
        with pytest.raises(c.Raced):
            backend.store.commit(SCOPE, [later.model_copy(update={"memory_id": other})])
    backend.clock.forward(minutes=5)
    assert backend.unsettled() == [(SCOPE, memory.id)]
    backend.store.commit(SCOPE, [c.Settled(memory=memory)])
    assert backend.unsettled() == []


def test_the_longest_waiting_memories_come_first(backend: Backend):
    bucket, memories = in_one_bucket(lambda: builders.fact(settled=False), 3)
    for waits, memory in zip((1, 3, 2), memories, strict=True):
        written = memory.model_copy(update={"updated_at": NOW - timedelta(seconds=waits)})
        backend.store.commit(SCOPE, [c.Create(memory=written)])
    order = [(SCOPE, memories[n].id) for n in (1, 2, 0)]
    read = backend.jobs.unsettled
    assert read(bucket, before=NOW, limit=9) == order
    assert read(bucket, before=NOW, limit=1) == order[:1]
    assert read(bucket, before=NOW - timedelta(seconds=2), limit=9) == order[:1]


def test_what_is_not_active_waits_until_it_is(backend: Backend):
    held = builders.fact(settled=False, status=Status.QUARANTINED, at=NOW - timedelta(days=1))
    gone = builders.fact(settled=False, at=NOW - timedelta(days=1))
    backend.store.commit(SCOPE, [c.Create(memory=held), c.Create(memory=gone)])
    assert backend.unsettled() == [(SCOPE, gone.id)]
    backend.store.commit(SCOPE, [c.Forget(memory=gone, at=NOW)])
    assert backend.unsettled() == []
    approved = builders.newer(held, status=Status.ACTIVE)
    backend.store.commit(SCOPE, [c.Replace(before=held, after=approved)])
    assert backend.unsettled() == [(SCOPE, held.id)]
