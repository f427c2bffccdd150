"""Whatever dies, comes twice or comes late: every conversation ends in one state, learnt once."""

from datetime import timedelta
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindwise.domain.drafts import SemanticDraft
from hindwise.domain.jobs import JobState
from hindwise.domain.ports import QueueName
from hindwise.usecases.extract import extract
from hindwise.usecases.forget import forget
from hindwise.usecases.job_actions import dismiss
from hindwise.usecases.transcript import Transcript
from hindwise.usecases.write import write
from infra.local.fake_llm import FakeLlm
from tests.builders import scope
from tests.integration.talks import Reader, item, reasoner
from tests.lab import Killed, Lab, die

HIDDEN = timedelta(minutes=18)
TALK = (
    "MOVE We live in Oslo now.", "Noted.", "DOGS I have two dogs.",
    "BOOKED Done: the train leaves at 16:05.", "AGAIN As I said, two dogs. And we moved to Bergen.",
)  # fmt: skip
HOME = {"subject": "user", "attribute": "lives_in", "cardinality": "one"}
READER = Reader(
    MOVE=[item("The user lives in Oslo", value="Oslo", **HOME), item("The user may like tea")],
    DOGS=[item("The user has two dogs", importance=0.8)],
    BOOKED=[item("The train leaves at 16:05"), item("x" * 201)],
    AGAIN=[item("The user has two dogs"), item("The user lives in Bergen", value="Bergen", **HOME)],
)
WINDOWS = 2
LOST_REPLY = {
    ("OpenAIReasoner.ask", True), ("InMemoryBudget.settle", False), ("InMemoryBudget.settle", True),
    ("InMemoryJobs.keep_answer", False),
}  # fmt: skip


@pytest.fixture(scope="module")
def llm():
    with FakeLlm() as running:
        running.always("extract", READER)
        yield running


@pytest.fixture(scope="module")
def model(llm):
    found = reasoner(llm)
    yield found
    found.close()


@pytest.fixture
def laboratory(model):
    def new(**rules):
        lab = Lab(model, **{"window_turns": 3, "context_turns": 1, **rules})
        lab.worker = lab.fragile()
        return lab

    return new


def work(lab, *, redeliver=True):
    """Work on what has arrived; a message whose worker dies comes back, or is lost."""
    while message := lab.take():
        try:
            extract(*message, worker=lab.worker)
        except Killed:
            if redeliver:
                lab.queues.waiting[QueueName.EXTRACT].append((lab.clock() + HIDDEN, *message))


FACTS = {
    "content", "status", "importance", "origin", "evidence_ids", "event_time", "superseded_by",
    "seq", "last_seen_at", "version",
}  # fmt: skip


def told(lab):
    """All that was stored, but for when."""
    return {one.id: one.model_dump(include=FACTS) for one in lab.memories()}


def asked(llm):
    return len(llm.asked("extract"))


@pytest.fixture
def undisturbed(laboratory):
    lab = laboratory()
    taken = lab.say(*TALK)
    lab.wire.arm(0, die)
    work(lab)
    job = lab.job(taken)
    assert job.state is JobState.SUCCEEDED
    return told(lab), job, lab.wire.names


def test_a_conversation_is_learnt_from(undisturbed):
    stored, job, _ = undisturbed
    contents = [one["content"] for one in stored.values()]
    assert sorted(contents) == sorted({*TALK, "The user lives in Oslo", "The user has two dogs",
        "The train leaves at 16:05", "x" * 201, "The user lives in Bergen"})  # fmt: skip
    counts = job.counts
    assert (counts.windows, counts.turns, counts.created, counts.duplicates) == (2, 5, 4, 1)
    assert (counts.superseded, counts.held, counts.refused) == (1, 1, {"guess": 1})


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_worker_may_die_around_any_call(llm, laboratory, undisturbed, after):
    """Its message comes back, or, every other time, is lost with it and sent again by the sweep."""
    stored, ended, names = undisturbed
    assert len(names) > 60
    for number, name in enumerate(names, 1):
        lab, before, redeliver = laboratory(), asked(llm), number % 2 == after
        taken = lab.say(*TALK)
        lab.wire.arm(number, die, after=after)
        for _ in range(40):
            work(lab, redeliver=redeliver)
            if not redeliver:
                lab.sweep()
            lab.clock.forward(minutes=1)
        lab.settle()
        where = f"{number} {name}"
        assert told(lab) == stored, where
        job = lab.job(taken)
        assert (job.state, job.lost) == (ended.state, 0), where
        once = job.counts.model_dump(exclude={"llm_calls", "input_tokens", "output_tokens"})
        assert once == ended.counts.model_dump(include=set(once)), where
        wanted = WINDOWS + ((name, after) in LOST_REPLY)
        assert asked(llm) - before == wanted, where


def test_a_second_worker_may_come_while_one_works_on(llm, laboratory, undisturbed):
    """The first one's lease is over, the second one does it all, then the first goes on."""
    stored, ended, names = undisturbed
    for number in range(1, len(names) + 1):
        lab = laboratory()
        taken = lab.say(*TALK)

        def meanwhile(lab=lab):
            lab.clock.forward(seconds=lab.learning.rules.lease_seconds + 1)
            lab.sweep()
            lab.deliver(1)

        lab.wire.arm(number, meanwhile)
        work(lab)
        lab.settle()
        assert told(lab) == stored, number
        job = lab.job(taken)
        assert (job.state, job.counts.created) == (ended.state, ended.counts.created), number
        assert job.counts.windows == ended.counts.windows, number


def test_a_job_may_be_dismissed_at_any_moment_and_stores_nothing_from_then_on(laboratory):
    for number in count(1):
        lab, seen = laboratory(), []
        taken = lab.say(*TALK)

        def let_go(lab=lab, taken=taken, seen=seen):
            if lab.job(taken).open:
                dismiss(taken.job_id, ledger=lab.ledger(), learning=lab.learning)
                seen.append(set(told(lab)))

        lab.wire.arm(number, let_go)
        work(lab)
        lab.settle()
        if lab.wire.armed is not None:
            assert number > 60
            return
        if seen:
            assert set(told(lab)) == seen[0], number
            assert lab.job(taken).state is JobState.DISMISSED, number
            assert lab.buried() == []


@pytest.mark.parametrize("what", ["turn", "memory"])
def test_what_is_forgotten_at_any_moment_teaches_nothing_from_then_on(laboratory, what):
    """A turn, or what was learnt from it and from no other turn."""
    for number in count(1):
        lab, seen = laboratory(), []
        lab.say(*TALK)
        turn = lab.turn_ids()[3]

        def forgotten(lab=lab, seen=seen, turn=turn):
            learnt = [one.id for one in lab.learnt() if turn in one.evidence_ids]
            gone = [turn] if what == "turn" else learnt[:1]
            if gone and lab.ledger().read(gone[0]) is not None:
                said = Transcript(lab.store.conversations, lab.blobs)
                forget(gone[0], ledger=lab.ledger(), said=said)
                seen.append((gone[0], {one.id for one in lab.learnt()}))

        lab.wire.arm(number, forgotten)
        work(lab)
        lab.settle()
        if lab.wire.armed is not None:
            assert number > 60
            return
        if seen:
            [(gone, before)] = seen
            stored = told(lab)
            assert gone not in stored and turn not in stored, number
            assert all(turn not in one.evidence_ids for one in lab.learnt()), number
            later = [one.content for one in lab.learnt() if one.id not in before]
            assert "The train leaves at 16:05" not in later and "x" * 201 not in later, number
            assert "BOOKED" not in b"".join(lab.blobs.held.values()).decode(), number
            assert "16:05" not in str(lab.store.world.home(scope()).answers), number
            assert len(stored) >= len(TALK) + 2


def test_what_was_known_and_is_forgotten_after_it_was_said_again_does_not_come_back(laboratory):
    """The worker dies in that moment too, and does its window again."""
    tried = 0
    for number in count(1):
        lab, seen = laboratory(), []
        known = write(SemanticDraft(content="The user has two dogs"), ledger=lab.ledger())
        lab.clock.forward(days=1)
        lab.say("DOGS I have two dogs.", "Lovely.")

        def forgotten(lab=lab, seen=seen, known=known):
            if lab.ledger().need(known.id).evidence_ids:
                forget(known.id, ledger=lab.ledger())
                seen.append(known.id)
                die()

        lab.wire.arm(number, forgotten)
        work(lab)
        over = lab.wire.armed is not None
        lab.wire.disarm()
        lab.settle()
        if over:
            assert tried
            return
        if seen:
            tried += 1
            assert lab.contents() == [] and len(lab.episodes()) == 2
        else:
            assert lab.contents() == ["The user has two dogs"]


STEP = st.one_of(
    st.tuples(st.just("deliver"), st.integers(0, 3)),
    st.tuples(st.just("again"), st.integers(0, 3)),
    st.tuples(st.just("forward"), st.sampled_from([1, 30, 241, 1_081])),
    st.tuples(st.just("sweep"), st.just(0)),
    st.tuples(st.just("die"), st.tuples(st.integers(1, 80), st.booleans())),
)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(STEP, max_size=14), st.booleans())
def test_messages_may_come_any_number_of_times_in_any_order(laboratory, undisturbed, steps, swept):
    """Every message from none to three times and more, with deaths in between."""
    stored, ended, _ = undisturbed
    lab = laboratory()
    jobs = [lab.say(*TALK), lab.say("Hello", "Hi", id="c2"), lab.say("DOGS", id="c3", user="bob")]
    owners = ["ada", "ada", "bob"]
    for what, how in steps:
        pointed = [(scope(who), job.job_id) for who, job in zip(owners, jobs, strict=True)]
        try:
            match what:
                case "deliver":
                    lab.deliver(how)
                case "again":
                    extract(*pointed[how % 3], worker=lab.worker)
                case "forward":
                    lab.clock.forward(seconds=how)
                case "sweep":
                    lab.sweep()
                case "die":
                    lab.wire.arm(how[0], die, after=how[1])
        except Killed:
            continue
    lab.wire.disarm()
    if swept:
        lab.queues.waiting.clear()
    lab.settle()
    assert {one: seen for one, seen in told(lab).items() if one in stored} == stored
    states = [lab.job(job, who).state for who, job in zip(owners, jobs, strict=True)]
    assert states == [JobState.SUCCEEDED, JobState.SUCCEEDED_EMPTY, JobState.SUCCEEDED]
    assert len(lab.memories()) == len(stored) + 2
    assert lab.contents("bob") == ["The user has two dogs"] and len(lab.memories("bob")) == 2
    assert ended.counts.created == lab.job(jobs[0]).counts.created
