"""A question costs what it costs, is paid in advance, and is not asked by who cannot pay."""

from datetime import UTC, datetime

import pytest

from hindwise.domain.ports import Question, Reply, Spent
from hindwise.domain.tokens import tokens
from hindwise.errors import Misconfigured, Unavailable
from hindwise.usecases.learning import Learning
from hindwise.usecases.reasoning import ask
from tests.builders import NOW, scope
from tests.memory_queues import InMemoryBudget

QUESTION = Question(shape="extract", system="four words of system", user="你好", max_tokens=100)
SIZE = tokens(QUESTION.system) + tokens(QUESTION.user)


class Reasoner:
    id = "scripted"

    def __init__(self, reply):
        self.reply = reply
        self.asked = 0

    def ask(self, question):
        self.asked += 1
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply


def failure(reason):
    return Unavailable("down", details={"reason": reason})


@pytest.fixture
def learn():
    def made(reply, *, calls=10, allowed=1_000):
        parts = dict.fromkeys(("conversations", "jobs", "blobs", "queues"))
        reasoner = None if reply is None else Reasoner(reply)
        return Learning(**parts, reasoner=reasoner, budget=InMemoryBudget(calls, allowed))

    return made


def spent(learning):
    return learning.budget.spent("acme", now=NOW)


def test_what_was_used_is_paid_and_what_was_set_aside_comes_back(learn):
    learning = learn(Reply(text="[]", input_tokens=30, output_tokens=5))
    assert ask(learning, scope(), QUESTION, now=NOW).text == "[]"
    assert spent(learning) == Spent(calls=1, tokens=35)


def test_where_nobody_counts_it_is_estimated(learn):
    learning = learn(Reply(text="[1, 2]"))
    reply = ask(learning, scope(), QUESTION, now=NOW)
    assert (reply.input_tokens, reply.output_tokens) == (SIZE, tokens("[1, 2]"))
    assert spent(learning).tokens == SIZE + tokens("[1, 2]")


def test_a_second_request_counts_as_a_call(learn):
    learning = learn(Reply(text="[]", input_tokens=30, calls=2))
    ask(learning, scope(), QUESTION, now=NOW)
    assert spent(learning) == Spent(calls=2, tokens=30)


@pytest.mark.parametrize(
    ("error", "calls", "used"),
    [
        (failure("rate_limited"), 0, 0),
        (failure("unavailable"), 0, 0),
        (failure("timeout"), 1, SIZE),
        (Misconfigured("no such model"), 0, 0),
        (RuntimeError("a fault of ours"), 1, SIZE),
    ],
)
def test_a_failure_is_passed_on_and_costs_what_it_may_have(learn, error, calls, used):
    learning = learn(error)
    with pytest.raises(type(error)) as caught:
        ask(learning, scope(), QUESTION, now=NOW)
    assert caught.value is error
    assert spent(learning) == Spent(calls=calls, tokens=used)


def test_a_host_that_is_down_for_an_hour_does_not_use_up_the_day(learn):
    learning = learn(failure("unavailable"), calls=2)
    for _ in range(100):
        with pytest.raises(Unavailable, match="down"):
            ask(learning, scope(), QUESTION, now=NOW)
    learning.reasoner.reply = Reply(text="[]")
    assert ask(learning, scope(), QUESTION, now=NOW).text == "[]"


@pytest.mark.parametrize(("calls", "allowed"), [(0, 1_000), (10, SIZE + 99)])
def test_who_cannot_pay_is_told_to_come_back_tomorrow_and_nothing_is_asked(learn, calls, allowed):
    learning = learn(Reply(text="[]"), calls=calls, allowed=allowed)
    evening = datetime(2026, 3, 13, 23, 59, 30, tzinfo=UTC)
    with pytest.raises(Unavailable) as caught:
        ask(learning, scope(), QUESTION, now=evening)
    assert caught.value.details == {"reason": "budget", "retry_after": 30}
    assert caught.value.retry_after == 30
    assert learning.reasoner.asked == 0
    assert spent(learning) == Spent()


def test_each_tenant_pays_for_itself(learn):
    learning = learn(Reply(text="[]", input_tokens=900), calls=1)
    ask(learning, scope(tenant="acme"), QUESTION, now=NOW)
    ask(learning, scope(tenant="other"), QUESTION, now=NOW)
    with pytest.raises(Unavailable):
        ask(learning, scope(tenant="acme"), QUESTION, now=NOW)


def test_without_a_model_there_is_nobody_to_ask(learn):
    with pytest.raises(Misconfigured, match="LLM_MODEL"):
        ask(learn(None), scope(), QUESTION, now=NOW)
