"""What happens between two steps of the worker, and what no memory can hold."""

import pytest

from hindwise.domain.changes import PutConversation, Raced, Replace, Stands
from hindwise.domain.jobs import JobState
from hindwise.errors import Unavailable
from hindwise.usecases.extract import extract
from hindwise.usecases.forget import forget
from hindwise.usecases.job_actions import dismiss, retry
from hindwise.usecases.transcript import Transcript
from infra.local.fake_llm import FakeLlm, Said
from tests.builders import scope
from tests.fakes import NoPatience
from tests.integration.talks import Reader, item, reasoner
from tests.lab import Killed, Lab, die

DOGS = Reader(DOGS=[item("The user has two dogs")])


@pytest.fixture(scope="module")
def running():
    with FakeLlm() as llm:
        model = reasoner(llm)
        yield llm, model
        model.close()


@pytest.fixture
def llm(running):
    running[0].hush()
    running[0].always("extract", DOGS)
    return running[0]


@pytest.fixture
def lab(running, llm):
    return Lab(running[1])


def test_what_no_memory_can_hold_is_counted_and_in_nobodys_way(lab):
    taken = lab.say("DOGS", "a" * 20_001, "b")
    lab.settle()
    job = lab.job(taken)
    assert (job.state, job.counts.turns, job.counts.refused) == (
        JobState.SUCCEEDED, 2, {"unfit": 1},
    )  # fmt: skip
    assert lab.contents() == ["The user has two dogs"]
    odd = lab.say("DOGS", id="c2", domain="d" * 65, user="bob")
    lab.settle()
    assert lab.job(odd, "bob").counts.refused == {"unfit": 1, "forgotten": 1}
    assert lab.memories("bob") == []


def test_an_offer_of_a_turn_that_was_forgotten_in_between_is_not_taken(llm, lab):
    """The worker dies after it has stored the turns; its message comes again."""
    taken = lab.say("DOGS", "Lovely")
    turn = lab.turn_ids()[0]
    worker = lab.fragile()
    for number in range(1, 40):
        lab.wire.arm(number, die)
        try:
            extract(scope(), taken.job_id, worker=worker)
        except Killed:
            lab.clock.forward(seconds=241)
        if turn in {one.id for one in lab.episodes()}:
            break
        lab.store.world.home(scope()).jobs[taken.job_id] = lab.job(taken).model_copy(
            update={"lost": 0}
        )
    forget(turn, ledger=lab.ledger())
    lab.wire.disarm()
    lab.settle()
    assert lab.job(taken).counts.refused == {"forgotten": 1}
    assert lab.learnt() == [] and [one.content for one in lab.episodes()] == ["Lovely"]


def test_a_job_all_of_whose_offers_were_held_asks_anew_when_it_is_tried_again(llm, lab):
    llm.say("extract", [{**item("x" * 201), "turns": [1]}])
    taken = lab.say("DOGS")
    lab.settle()
    assert (lab.job(taken).state, lab.job(taken).reason) == (JobState.QUARANTINED, "review")
    retry(taken.job_id, ledger=lab.ledger(), learning=lab.learning)
    lab.settle()
    assert lab.job(taken).state is JobState.SUCCEEDED
    assert lab.contents() == ["The user has two dogs", "x" * 201] and len(lab.episodes()) == 1


def test_of_a_turn_that_is_forgotten_while_a_model_reads_it_no_answer_stays(running, llm):
    """It is read again, so that there is something to forget; whenever that happens."""
    seen = 0
    for number in range(1, 80):
        lab = Lab(running[1])
        llm.say("extract", [{**item("x" * 201), "turns": [1]}])
        taken = lab.say("DOGS")
        lab.settle()
        retry(taken.job_id, ledger=lab.ledger(), learning=lab.learning)

        def gone(lab=lab):
            said = Transcript(lab.learning.conversations, lab.blobs)
            forget(lab.turn_ids()[0], ledger=lab.ledger(), said=said)

        lab.wire.arm(number, gone)
        extract(scope(), taken.job_id, worker=lab.fragile())
        if lab.wire.armed is not None:
            break
        seen += 1
        assert "two dogs" not in str(lab.store.world.home(scope()).answers), number
    assert seen > 10


def test_an_intent_is_not_noted_of_a_turn_that_is_forgotten_meanwhile(running, llm):
    """At whichever call of the worker that happens, up to its last look at the turns."""
    llm.always("extract", {"memories": [], "intent": "hide the ring"})
    seen = 0
    for number in range(1, 80):
        lab = Lab(running[1])
        taken, gone = lab.say("RING", "Noted"), []

        def forgotten(lab=lab, gone=gone):
            turn = lab.turn_ids()[0]
            if lab.ledger().read(turn) is not None:
                said = Transcript(lab.learning.conversations, lab.blobs)
                gone.append(forget(turn, ledger=lab.ledger(), said=said))

        lab.wire.arm(number, forgotten)
        extract(scope(), taken.job_id, worker=lab.fragile())
        if lab.wire.armed is not None:
            break
        late = "InMemoryStore.get" not in lab.wire.names[number - 1 :]
        seen += bool(gone) and not late
        assert late or lab.talk().intent == (None if gone else "hide the ring"), number
    assert seen > 3


def test_an_intent_is_noted_though_turns_come_meanwhile_and_never_at_any_price(llm, lab):
    llm.always("extract", {"memories": [], "intent": "go shopping"})
    lab.say("a", id="raced")
    lab.store.faults.race_next(2, on=PutConversation)
    lab.deliver()
    assert lab.talk("raced").intent == "go shopping"
    lab.tools = type(lab.tools)(lab.tools.new_id, lab.tools.seal, NoPatience)
    lab.worker = type(lab.worker)(lab.learning, lab.store, lab.tools, lab.clock)
    taken = lab.say("a", id="crowded")
    lab.store.faults.race_next(on=PutConversation)
    lab.deliver()
    assert lab.talk("crowded").intent is None
    assert lab.job(taken).state is JobState.SUCCEEDED_EMPTY


def test_who_is_dismissed_while_its_model_fails_says_nothing_of_it(llm, lab):
    for said in (Said(status=503), "no JSON"):
        llm.always("extract", said)
        taken = lab.say("DOGS", id=str(said))

        def gone(taken=taken):
            dismiss(taken.job_id, ledger=lab.ledger(), learning=lab.learning)

        worker = lab.fragile()
        lab.wire.arm(8, gone)
        assert extract(scope(), taken.job_id, worker=worker) is None
        assert "InMemoryBudget.settle" in lab.wire.names
        job = lab.job(taken)
        assert (job.state, job.waits, job.broken) == (JobState.DISMISSED, 0, 0)
        assert lab.buried() == []


def test_a_repeat_that_races_is_counted_once_and_waits_where_it_cannot_be(llm, lab):
    lab.say("DOGS", id="c1")
    lab.settle()
    lab.say("DOGS", id="c2")
    lab.store.faults.race_next(2, on=Replace)
    lab.settle()
    [learnt] = lab.learnt()
    assert len(learnt.evidence_ids) == 2 and learnt.version == 2
    lab.tools = type(lab.tools)(lab.tools.new_id, lab.tools.seal, NoPatience)
    lab.worker = type(lab.worker)(lab.learning, lab.store, lab.tools, lab.clock)
    taken = lab.say("DOGS", id="c3")
    lab.store.faults.race_next(on=Replace)
    lab.deliver()
    assert lab.job(taken).reason == "unavailable"
    lab.settle()
    [learnt] = lab.learnt()
    assert len(learnt.evidence_ids) == 3 and lab.job(taken).counts.duplicates == 1


def test_a_race_that_is_none_of_the_claims_is_not_hidden(lab):
    lab.say("DOGS")

    class Odd:
        def commit(self, where, actions):
            raise Raced((Stands(memory_id="x"),))

        def __getattr__(self, name):
            return getattr(lab.store, name)

    message = lab.take()
    job = lab.learning.jobs.get(*message)
    worker = type(lab.worker)(lab.learning, Odd(), lab.tools, lab.clock)
    assert extract(*message, worker=worker) is None
    assert lab.learning.jobs.get(*message) == job


def test_a_kept_answer_that_cannot_be_read_is_named_and_not_shown(llm, lab, caplog):
    taken = lab.say("DOGS")
    lab.learning.jobs.keep_answer(scope(), taken.job_id, 1, '{"secret": 5512}', now=lab.clock())
    lab.deliver()
    job = lab.job(taken)
    assert (job.reason, job.waits, len(llm.asked())) == ("unreadable", 1, 0)
    assert "5512" not in caplog.text


def test_a_table_that_answers_nothing_gives_the_message_back(lab):
    taken = lab.say("DOGS")
    lab.store.faults.fail_next(40)
    with pytest.raises(Unavailable):
        extract(scope(), taken.job_id, worker=lab.worker)
