"""Nothing waits for ever: jobs are sent for again, idle conversations handed over."""

from datetime import timedelta

import pytest

from hindwise.domain.changes import PutConversation, PutJob
from hindwise.domain.claims import ended, taken, waiting
from hindwise.domain.jobs import Job, JobKind, JobState
from hindwise.domain.ports import QueueName
from hindwise.usecases.resend import ROUND, resend
from tests.builders import principal, scope
from tests.lab import Lab


@pytest.fixture
def lab():
    return Lab()


def sent(lab):
    return [pointed for _, _, pointed, _ in lab.queues.sent]


def job(lab, number, **given):
    now = lab.clock()
    made = Job(
        id=f"j{number:04}", kind=JobKind.EXTRACT, principal=principal(), conversation_id="c",
        created_at=now, updated_at=now, **{"next_at": now, **given},
    )  # fmt: skip
    lab.store.commit(scope(), [PutJob(job=made)])
    return made


def test_a_lost_message_is_sent_again_and_not_every_minute(lab):
    lab.queues.down = True
    told = lab.say("a")
    lab.queues.down = False
    assert lab.sweep().jobs == 0
    lab.clock.forward(minutes=2)
    swept = lab.sweep()
    assert (swept.jobs, swept.idle, swept.oldest_seconds) == (1, 0, 120)
    lab.clock.forward(minutes=1)
    assert lab.sweep().jobs == 0
    lab.clock.forward(minutes=5)
    again = lab.sweep()
    assert (again.jobs, again.oldest_seconds) == (1, 480)
    assert sent(lab) == [told.job_id] * 2


def test_what_is_held_waits_or_has_ended_is_left_alone(lab):
    now = lab.clock()
    held, patient, gone, _ = (job(lab, number) for number in range(1, 5))
    for before, after in (
        (held, taken(held, "t", lease=timedelta(minutes=4), now=now)),
        (patient, waiting(patient, "budget", until=now + timedelta(hours=5), now=now)),
        (gone, ended(gone, JobState.FAILED, "lost", now=now)),
    ):
        lab.store.commit(scope(), [PutJob(job=after, before=before)])
    lab.clock.forward(minutes=1)
    lab.sweep()
    assert sent(lab) == ["j0004"]
    lab.clock.forward(minutes=4)
    lab.sweep()
    assert sent(lab).count("j0001") == 1
    lab.clock.forward(hours=5)
    swept = lab.sweep()
    assert "j0002" in sent(lab)
    assert swept.oldest_seconds >= 300


def test_a_consolidation_goes_to_its_own_queue(lab):
    made = job(lab, 1).model_copy(update={"id": "k", "kind": JobKind.CONSOLIDATE})
    lab.store.commit(scope(), [PutJob(job=made)])
    lab.sweep()
    assert {name: one for name, _, one, _ in lab.queues.sent} == {
        QueueName.EXTRACT: "j0001", QueueName.CONSOLIDATE: "k",
    }  # fmt: skip


def test_more_than_a_round_of_one_bucket_is_sent_and_time_ends_it(lab):
    for number in range(ROUND * 20):
        job(lab, number)
    assert resend(worker=lab.worker, until=lab.clock()).jobs == 0
    assert lab.sweep().jobs == ROUND * 20
    assert len(set(sent(lab))) == ROUND * 20


def test_who_is_quicker_has_it(lab):
    job(lab, 1)
    lab.say("a", id="c9", end=False)
    lab.clock.forward(minutes=11)
    lab.store.faults.race_next(2)
    swept = lab.sweep()
    assert (swept.jobs, swept.idle) == (0, 0)
    swept = lab.sweep()
    assert (swept.jobs, swept.idle) == (1, 1)


def test_an_idle_conversation_is_handed_over_once(lab):
    lab.say("a", "b", end=False)
    lab.clock.forward(minutes=9)
    lab.say("c", end=False)
    lab.clock.forward(minutes=2)
    assert lab.sweep().idle == 0
    lab.clock.forward(minutes=8)
    assert lab.sweep().idle == 1
    [made] = lab.jobs()
    assert (made.first_turn, made.last_turn) == (1, 3)
    lab.clock.forward(hours=1)
    assert lab.sweep().idle == 0
    lab.settle()
    assert lab.job(lab.say(end=True)).state is JobState.SUCCEEDED
    assert [one.content for one in lab.episodes()] == ["a", "b", "c"]


def test_one_that_waits_for_nothing_is_let_be(lab):
    lab.say("a")
    before = lab.talk()
    idle = before.model_copy(update={"idle_at": lab.clock(), "version": before.version + 1})
    lab.store.commit(scope(), [PutConversation(conversation=idle, before=before)])
    lab.clock.forward(seconds=1)
    lab.sweep()
    assert lab.talk().idle_at is None and len(lab.jobs()) == 1
