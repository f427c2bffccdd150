"""The worker of extraction on the real table: what it relies on is what DynamoDB does."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from hindwise.domain.jobs import JobState
from hindwise.usecases.extract import extract
from infra.local.fake_llm import FakeLlm, Said
from tests.contract.backends import on_dynamodb
from tests.contract.conftest import a_table
from tests.integration.talks import reasoner
from tests.integration.test_extract_crashes import READER, TALK, told, work
from tests.lab import Lab, die

pytestmark = pytest.mark.ministack
EVERY = 11


@pytest.fixture(scope="module")
def model():
    with FakeLlm() as llm:
        llm.always("extract", READER)
        found = reasoner(llm)
        yield found
        found.close()


def learnt(model, backend=None, *, number=0, after=False, meanwhile=None):
    """What is stored of the talk where the worker is disturbed at a call, and its calls."""
    lab = Lab(model, backend=backend, window_turns=3, context_turns=1)
    lab.worker = lab.fragile()
    taken = lab.say(*TALK)
    lab.wire.arm(number, (lambda: meanwhile(lab)) if meanwhile else die, after=after)
    work(lab)
    lab.wire.disarm()
    lab.clock.forward(minutes=20)
    lab.settle()
    job = lab.job(taken)
    assert job.state is JobState.SUCCEEDED
    return told(lab), job.counts.model_dump(exclude={"llm_calls", "input_tokens", "output_tokens"})


def overtaken(lab):
    """Another worker comes when the first one's claim is over."""
    lab.clock.forward(seconds=lab.learning.rules.lease_seconds + 1)
    lab.sweep()
    lab.deliver(1)


@pytest.fixture(scope="module")
def undisturbed(model):
    return learnt(model)


def test_the_table_ends_as_the_memory_does(model, undisturbed, dynamodb):
    with a_table(dynamodb) as table:
        assert learnt(model, on_dynamodb(dynamodb, table)) == undisturbed


@pytest.mark.parametrize("how", ["dies before", "dies after", "overtaken"])
def test_a_disturbed_worker_ends_as_an_undisturbed_one_does(model, undisturbed, dynamodb, how):
    for number in range(2, 70, EVERY):
        with a_table(dynamodb) as table:
            seen = learnt(
                model, on_dynamodb(dynamodb, table), number=number, after=how == "dies after",
                meanwhile=overtaken if how == "overtaken" else None,
            )  # fmt: skip
        assert seen == undisturbed, number


def test_of_many_workers_at_once_one_asks_and_all_is_stored_once(dynamodb):
    slow = Said('[{"type": "fact", "content": "The user has two dogs", "turns": [1]}]', delay=0.3)
    with FakeLlm() as llm, a_table(dynamodb) as table:
        llm.always("extract", slow)
        model = reasoner(llm)
        lab = Lab(model, backend=on_dynamodb(dynamodb, table))
        taken = lab.say("I have two dogs", "Lovely")
        message = lab.take()
        with ThreadPoolExecutor(6) as pool:
            done = list(pool.map(lambda _: extract(*message, worker=lab.worker), range(6)))
        model.close()
        assert sum(one is not None for one in done) == 1
        assert len(llm.asked("extract")) == 1
        assert (lab.contents(), len(lab.episodes())) == (["The user has two dogs"], 2)
        assert lab.job(taken).state is JobState.SUCCEEDED
