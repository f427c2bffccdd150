"""What a person does with a job."""

from datetime import timedelta

import pytest

from hindwise.domain.changes import PutJob
from hindwise.domain.jobs import Counts, Job, JobKind, JobState
from hindwise.domain.ports import QueueName
from hindwise.errors import Conflict, NotFound, Unavailable
from hindwise.usecases.job_actions import dismiss, redrive, retry
from hindwise.usecases.learning import Learning
from tests.builders import principal, scope
from tests.contract.blobs_fake import FakeBlobs
from tests.fakes import NoPatience
from tests.memory_queues import InMemoryBudget, InMemoryQueues


@pytest.fixture
def learning(desk):
    return Learning(
        conversations=desk.store.conversations,
        jobs=desk.store.jobs,
        blobs=FakeBlobs(),
        queues=InMemoryQueues(desk.clock),
        reasoner=None,
        budget=InMemoryBudget(10, 10_000),
    )


@pytest.fixture
def job(desk):
    def put(state, **given):
        now = desk.clock()
        fields = {
            "id": "j1", "kind": JobKind.EXTRACT, "state": state, "principal": principal(),
            "conversation_id": "c1", "first_turn": 1, "last_turn": 40, "next_turn": 21,
            "created_at": now, "updated_at": now,
        }  # fmt: skip
        made = Job(**{**fields, **given})
        desk.store.commit(scope(), [PutJob(job=made)])
        return made

    return put


FAILED = {"reason": "not_json", "broken": 3, "waits": 2, "lost": 1}


@pytest.mark.parametrize("state", [JobState.FAILED, JobState.DISMISSED])
def test_an_ended_job_goes_on_where_it_failed(desk, learning, job, state):
    job(state, counts=Counts(turns=20, created=3), **FAILED)
    again = retry("j1", ledger=desk.ledger(), learning=learning)
    assert again == learning.jobs.get(scope(), "j1")
    assert (again.state, again.reason, again.next_turn) == (JobState.ACCEPTED, "", 21)
    assert (again.broken, again.waits, again.lost, again.counts.created) == (0, 0, 0, 3)
    assert again.next_at > desk.clock()
    assert learning.queues.take(QueueName.EXTRACT) == (scope(), "j1")


@pytest.mark.parametrize("state", [JobState.PARTIAL, JobState.QUARANTINED])
def test_one_done_badly_begins_anew_and_keeps_what_it_cost(desk, learning, job, state):
    job(state, counts=Counts(turns=40, created=3, llm_calls=4))
    again = retry("j1", ledger=desk.ledger(), learning=learning)
    assert (again.round, again.next_turn) == (1, 1)
    assert again.counts == Counts(llm_calls=4)


@pytest.mark.parametrize(
    "state",
    [JobState.ACCEPTED, JobState.RUNNING, JobState.SUCCEEDED, JobState.SUCCEEDED_EMPTY],
)
def test_others_are_not_tried_again(desk, learning, job, state):
    job(state)
    with pytest.raises(Conflict) as refused:
        retry("j1", ledger=desk.ledger(), learning=learning)
    assert refused.value.details == {"state": state.value}


def test_a_job_is_dismissed_while_it_runs_or_waits_or_has_failed(desk, learning, job):
    before = job(JobState.RUNNING, token="t", claimed_until=desk.clock())
    ended = dismiss("j1", ledger=desk.ledger(), learning=learning)
    assert (ended.state, ended.token, ended.next_at) == (JobState.DISMISSED, "", None)
    assert ended.version == before.version + 1
    assert dismiss("j1", ledger=desk.ledger(), learning=learning) == ended


def test_what_has_succeeded_is_not_dismissed(desk, learning, job):
    job(JobState.SUCCEEDED)
    with pytest.raises(Conflict):
        dismiss("j1", ledger=desk.ledger(), learning=learning)


def test_a_job_of_another_scope_is_not_there(desk, learning, job):
    job(JobState.FAILED)
    for act in (retry, dismiss):
        with pytest.raises(NotFound):
            act("j1", ledger=desk.ledger("bob"), learning=learning)


@pytest.mark.parametrize("act", [retry, dismiss])
def test_a_lost_race_is_read_again_and_not_for_ever(desk, learning, job, act):
    job(JobState.FAILED)
    desk.store.faults.race_next(2, on=PutJob)
    act("j1", ledger=desk.ledger(), learning=learning)
    job(JobState.FAILED, id="j2")
    desk.tools = type(desk.tools)(desk.tools.new_id, desk.tools.seal, NoPatience)
    desk.store.faults.race_next(on=PutJob)
    with pytest.raises(Unavailable):
        act("j2", ledger=desk.ledger(), learning=learning)


def test_dead_letters_bring_back_what_failed_and_nothing_else(desk, learning, job):
    job(JobState.FAILED, **FAILED)
    job(JobState.DISMISSED, id="j2")
    job(JobState.SUCCEEDED, id="j3")
    job(JobState.ACCEPTED, id="j4")
    for one in ("j1", "j2", "j3", "j4", "gone"):
        learning.queues.bury(QueueName.EXTRACT, scope(), one)
    name, store = QueueName.EXTRACT, desk.store
    assert redrive(name, principal(), learning=learning, store=store, now=desk.clock()) == 2
    assert [pointed for _, _, pointed, _ in learning.queues.sent] == ["j1", "j4"]
    states = {one.id: one.state for one in learning.jobs.page(scope(), after=None, limit=9)}
    assert states["j1"] is JobState.ACCEPTED and states["j2"] is JobState.DISMISSED
    desk.clock.now += timedelta(minutes=1)
    assert redrive(name, principal(), learning=learning, store=store, now=desk.clock()) == 0


def test_a_job_that_cannot_be_read_keeps_its_letter_and_nobody_waiting(desk, learning, job, caplog):
    for one in ("j1", "j2", "j3"):
        job(JobState.FAILED, id=one)
        learning.queues.bury(QueueName.EXTRACT, scope(), one)
    desk.store.faults.unreadable.add("j1")
    given = {"learning": learning, "store": desk.store, "now": desk.clock()}
    assert redrive(QueueName.EXTRACT, principal(), **given) == 2
    assert [pointed for _, _, pointed, _ in learning.queues.sent] == ["j2", "j3"]
    desk.clock.now += timedelta(minutes=1)
    assert [one.id for one in learning.queues.letters(QueueName.EXTRACT, 10)] == ["j1"]
    assert caplog.messages == ["the job of a dead letter cannot be read: j1"]


@pytest.mark.parametrize("name", [QueueName.SETTLE, QueueName.FORGET, QueueName.FADE])
def test_a_redrive_ends_after_as_many_letters_as_it_may(desk, learning, name):
    for number in range(15):
        learning.queues.bury(name, scope(), f"m{number}")
    kwargs = {"learning": learning, "store": desk.store, "now": desk.clock()}
    assert redrive(name, principal(), most=12, **kwargs) == 12
    desk.clock.now += timedelta(minutes=1)
    assert redrive(name, principal(), most=12, **kwargs) == 3
