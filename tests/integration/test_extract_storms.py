"""Bad days: models that say no, poison, used up budgets; everything accepted is accounted for."""

from collections import Counter
from datetime import timedelta

import pytest

from hindwise.domain.jobs import JobState
from hindwise.domain.ports import QueueName
from hindwise.usecases.extract import extract
from hindwise.usecases.job_actions import redrive
from infra.local.fake_llm import FakeLlm, Said
from tests.builders import principal, scope
from tests.integration.talks import Reader, item, reasoner, shown
from tests.lab import Lab

READER = Reader(DOGS=[item("The user has two dogs")], LONG=[item("x" * 201)], SMALL=[])


@pytest.fixture
def llm():
    with FakeLlm() as running:
        running.always("extract", READER)
        yield running


@pytest.fixture
def lab(llm):
    model = reasoner(llm)
    yield Lab(model)
    model.close()


def asked(llm):
    return len(llm.asked("extract"))


def bring_back(lab):
    lab.clock.forward(minutes=1)
    return redrive(
        QueueName.EXTRACT, principal(), learning=lab.learning, store=lab.store, now=lab.clock()
    )


def states(lab, *users):
    return Counter(job.state for user in users for job in lab.jobs(user))


def test_a_storm_of_refusals_passes_and_nothing_is_lost_or_doubled(llm, lab):
    """Forty conversations, and a model that turns away the first two hundred requests."""
    llm.say("extract", Said(status=429, headers={"retry-after": "7"}), times=200)
    users = [f"u{number}" for number in range(40)]
    for name in users:
        lab.say("DOGS I have two dogs", user=name)
    lab.settle()
    assert states(lab, *users) == {JobState.SUCCEEDED: 40}
    assert all(lab.contents(name) == ["The user has two dogs"] for name in users)
    assert asked(llm) == 200 + 40
    assert all(job.broken == job.waits == 0 for name in users for job in lab.jobs(name))


def test_a_host_is_not_asked_again_before_it_wants_to_be(llm, lab):
    llm.say("extract", Said(status=429, headers={"retry-after": "100"}))
    taken = lab.say("DOGS I have two dogs")
    lab.deliver()
    job = lab.job(taken)
    assert (job.state, job.reason, job.waits) == (JobState.ACCEPTED, "rate_limited", 1)
    lab.clock.forward(seconds=97)
    assert extract(scope(), job.id, worker=lab.worker) is None
    lab.sweep()
    assert lab.deliver() == 0 and asked(llm) == 1
    lab.clock.forward(seconds=24)
    assert lab.deliver() == 1 and lab.job(taken).state is JobState.SUCCEEDED


def test_waits_grow_and_end(llm, lab):
    llm.always("extract", Said(status=503))
    taken, waits = lab.say("DOGS I have two dogs"), []
    for _ in range(20):
        before = lab.clock()
        lab.deliver()
        job = lab.job(taken)
        if not job.open:
            break
        waits.append((job.next_at - before).total_seconds())
        lab.clock.now = job.next_at + timedelta(seconds=1)
    least = [2, 6, 18, 54, 162, 486, 900]
    assert all(low <= wait <= low * 1.2 for low, wait in zip(least, waits, strict=True))
    assert (job.state, job.reason, job.waits) == (JobState.FAILED, "unavailable", 8)
    assert lab.buried() == [job.id] and asked(llm) == 8 == job.waits


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("no JSON", "not_json"), ('{"a": 1}', "wrong_shape"), (Said(""), "empty"),
        (Said(None, refusal="no"), "refused"),
        (Said('{"memories": [', finish="length"), "truncated"),
    ],
)  # fmt: skip
def test_three_broken_deliveries_leave_a_letter_and_a_redrive_does_it_once(llm, lab, said, reason):
    llm.always("extract", said)
    taken = lab.say("DOGS I have two dogs", "Lovely")
    lab.settle()
    job = lab.job(taken)
    assert (job.state, job.reason, job.broken) == (JobState.FAILED, reason, 3)
    assert asked(llm) == 6 == job.counts.llm_calls
    assert lab.buried() == [job.id] and lab.memories() == []
    assert [one.text for one in lab.turns()] == ["DOGS I have two dogs", "Lovely"]
    llm.always("extract", READER)
    assert bring_back(lab) == 1
    lab.settle()
    assert bring_back(lab) == 0
    assert lab.job(taken).state is JobState.SUCCEEDED
    assert lab.contents() == ["The user has two dogs"] and len(lab.episodes()) == 2
    assert asked(llm) == 7


def test_a_repair_may_succeed(llm, lab):
    llm.say("extract", "Sure! Here you go", READER)
    taken = lab.say("DOGS I have two dogs")
    lab.settle()
    assert lab.job(taken).state is JobState.SUCCEEDED and lab.job(taken).counts.llm_calls == 2
    first, second = llm.asked("extract")
    assert second.user.startswith(first.user) and "Sure! Here you go" in second.user


def test_poison_keeps_nobody_waiting_and_is_found_in_the_end(llm, lab):
    """A conversation whose worker always dies, between others."""
    lab.say("DOGS I have two dogs", id="before")
    taken = lab.say("DOGS poison", id="poison")
    lab.say("DOGS I have two dogs", id="after", user="bob")

    class Exploding:
        def answer(self, *args):
            if args[1] == taken.job_id:
                raise ZeroDivisionError
            return lab.store.jobs.answer(*args)

        def __getattr__(self, name):
            return getattr(lab.store.jobs, name)

    healthy = lab.worker
    learning = type(lab.learning)(**{**vars(lab.learning), "jobs": Exploding()})
    lab.worker = type(healthy)(learning, lab.store, lab.tools, lab.clock)
    deaths = 0
    for _ in range(60):
        try:
            lab.deliver()
        except ZeroDivisionError:
            deaths += 1
        lab.clock.forward(minutes=1)
        lab.sweep()
    assert lab.contents("bob") == ["The user has two dogs"]
    job = lab.job(taken)
    assert (job.state, job.reason, job.lost, deaths) == (JobState.FAILED, "lost", 5, 5)
    assert lab.buried() == [job.id]
    lab.worker = healthy
    assert bring_back(lab) == 1
    lab.settle()
    assert lab.job(taken).state is JobState.SUCCEEDED


def test_a_used_up_budget_waits_for_the_next_day_and_counts_as_nothing(llm, lab):
    lab = Lab(lab.learning.reasoner, daily_calls=2)
    jobs = [lab.say("DOGS I have two dogs", id=f"c{number}") for number in range(5)]
    lab.deliver()
    waiting = [lab.job(one) for one in jobs if lab.job(one).open]
    assert len(waiting) == 3 and asked(llm) == 2
    assert {(one.state, one.reason, one.waits) for one in waiting} == {
        (JobState.ACCEPTED, "budget", 0)
    }
    midnight = {one.next_at.isoformat() for one in waiting}
    assert midnight == {"2026-03-14T00:00:00+00:00"}
    lab.settle()
    assert states(lab, "ada") == {JobState.SUCCEEDED: 5}
    assert lab.clock().day == 15 and asked(llm) == 5


def test_all_that_was_accepted_ends_in_one_of_five_ways(llm, lab):
    cut = '[{"type": "fact", "content": "The user has a boat", "turns": [1]}, {"type": "fa'

    def mixed(question):
        text = shown(question)[0][1]
        said = {"CUT": Said(cut, finish="length"), "BROKEN": "no JSON", "DOWN": Said(status=500)}
        return next((what for mark, what in said.items() if mark in text), READER(question))

    llm.always("extract", mixed)
    marks = ["DOGS", "SMALL", "CUT", "BROKEN", "DOWN", "LONG"]
    for number in range(30):
        lab.say(f"{marks[number % 6]} {number}", id=f"c{number}")
    lab.settle()
    assert states(lab, "ada") == {
        JobState.SUCCEEDED: 5, JobState.SUCCEEDED_EMPTY: 5, JobState.PARTIAL: 5,
        JobState.FAILED: 10, JobState.QUARANTINED: 5,
    }  # fmt: skip
    assert len(lab.buried()) == 10
    assert len(lab.episodes()) == 20
    held = [one for one in lab.learnt() if one.status == "quarantined"]
    assert [one.flags for one in held] == [("too_long",)]  # the same words: shown to a person once
    assert len(held[0].evidence_ids) == 5


def test_what_is_held_waits_for_a_person_however_often_it_is_said(llm, lab):
    llm.always("extract", Reader(LONG=[item("x" * 201), item("x" * 201)]))
    lab.say("LONG", "so it is")
    lab.settle()
    assert states(lab, "ada") == {JobState.QUARANTINED: 1}
    assert [one.status for one in lab.learnt()] == ["quarantined"]
