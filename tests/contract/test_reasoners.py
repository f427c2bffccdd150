"""What a reasoner owes, against a real server on loopback: answers, refusals, errors, waits."""

import time
from email.utils import formatdate

import pytest

from hindwise.adapters.reasoners.openai import OpenAIReasoner
from hindwise.domain.ports.learning import Question
from hindwise.errors import Misconfigured, Unavailable
from infra.local.fake_llm import FakeLlm, Said

QUESTION = Question(
    shape="extract",
    system='Answer with JSON: {"memories": []}',
    user="[1] 我住在北京",
    schema_={"type": "object"},
    max_tokens=1_000,
    seconds=5,
)


@pytest.fixture
def llm():
    with FakeLlm() as running:
        yield running


@pytest.fixture
def reasoner(llm):
    one = OpenAIReasoner("some-model", key="secret", base_url=llm.url)
    yield one
    one.close()


def failed(reasoner, question=QUESTION):
    with pytest.raises(Unavailable) as caught:
        reasoner.ask(question)
    assert "北京" not in f"{caught.value} {caught.value.details}"
    return caught.value


def test_it_sends_model_key_prompt_limit_and_schema(llm, reasoner):
    llm.say("extract", {"memories": []})
    assert reasoner.id == "some-model"
    reply = reasoner.ask(QUESTION)
    assert (reply.text, reply.finish, reply.calls) == ('{"memories": []}', "stop", 1)
    (asked,) = llm.asked()
    assert asked.key == "secret"
    assert asked.body["model"] == "some-model"
    assert (asked.system, asked.user) == (QUESTION.system, QUESTION.user)
    assert asked.body["max_tokens"] == 1_000
    schema = asked.body["response_format"]["json_schema"]
    assert (schema["name"], schema["schema"]) == ("extract", {"type": "object"})
    assert asked.headers["content-type"] == "application/json"


def test_it_tells_what_was_used_and_zero_where_nobody_counted(llm, reasoner):
    counted = {"prompt_tokens": 70, "completion_tokens": 9}
    llm.say("extract", Said("{}", usage=counted), Said("{}", usage=None))
    llm.say("extract", Said("{}", usage={"prompt_tokens": None, "completion_tokens": "many"}))
    used = [reasoner.ask(QUESTION) for _ in range(3)]
    assert [(each.input_tokens, each.output_tokens) for each in used] == [(70, 9), (0, 0), (0, 0)]


@pytest.mark.parametrize(
    ("said", "text", "finish"),
    [
        (Said("[1"), "[1", "stop"),
        (Said("[1", finish="length"), "[1", "length"),
        (Said("", finish="length"), "", "length"),
        (Said("[]", parts=True), "[]", "stop"),
        (Said("[]", reasoning="let me think"), "[]", "stop"),
        (Said(None, reasoning="[]"), "[]", "stop"),
        (Said(None, refusal="I can't help with that."), "", "refused"),
        (Said(None, finish="content_filter"), "", "filtered"),
        (Said("half a", finish="content_filter"), "", "filtered"),
        (Said(""), "", "empty"),
        (Said(" \n"), "", "empty"),
        (Said(None), "", "empty"),
        (Said(body={"choices": []}), "", "empty"),
        (Said(body={"choices": None}), "", "empty"),
        (Said(body={}), "", "empty"),
        (Said(body={"choices": [{"message": None}]}), "", "empty"),
        (Said(body={"choices": ["x"]}), "", "empty"),
        (Said(body={"choices": [{"message": {"content": "[]"}}]}), "[]", "stop"),
        (Said(body={"choices": [{"message": {"content": {"odd": 1}}}]}), "", "empty"),
    ],
)
def test_what_a_server_says_is_read_for_what_it_is(llm, reasoner, said, text, finish):
    llm.say("extract", said)
    reply = reasoner.ask(QUESTION)
    assert (reply.text, reply.finish) == (text, finish)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (Said(status=429), "rate_limited"),
        (Said(status=500), "unavailable"),
        (Said(status=503), "unavailable"),
        (Said(status=529), "unavailable"),
        (Said(status=408), "timeout"),
        (Said(status=504), "timeout"),
        (Said(ends="dropped"), "unavailable"),
        (Said("[]", ends="short"), "unavailable"),
        (Said(body={"error": {"message": "overloaded"}}), "unavailable"),
        (Said(body=["odd"]), "unavailable"),
    ],
)
def test_a_failure_is_unavailable_is_not_retried_and_the_next_question_works(
    llm, reasoner, said, reason
):
    llm.say("extract", said, "[]")
    assert failed(reasoner).details["reason"] == reason
    assert len(llm.asked()) == 1
    assert reasoner.ask(QUESTION).text == "[]"


def test_a_page_in_place_of_an_answer_is_unavailable(llm, reasoner, monkeypatch):
    monkeypatch.setattr("infra.local.fake_llm.json.dumps", lambda *_, **__: "<html>busy</html>")
    llm.say("extract", "[]")
    assert failed(reasoner).details["reason"] == "unavailable"


def test_a_slow_answer_is_a_timeout(llm, reasoner):
    llm.say("extract", Said("[]", delay=4.0))
    start = time.monotonic()
    slow = QUESTION.model_copy(update={"seconds": 0.2})
    assert failed(reasoner, slow).details["reason"] == "timeout"
    assert time.monotonic() - start < 3


def test_an_answer_that_trickles_is_a_timeout_all_the_same(llm, reasoner):
    llm.say("extract", Said("[]", trickle=4.0), Said("[]", trickle=0.2))
    start = time.monotonic()
    slow = QUESTION.model_copy(update={"seconds": 0.6})
    assert failed(reasoner, slow).details["reason"] == "timeout"
    assert time.monotonic() - start < 3
    assert reasoner.ask(QUESTION).text == "[]"


def test_an_answer_without_end_is_none(llm, reasoner):
    llm.say("extract", Said("x" * 5_000_000))
    assert failed(reasoner).details["reason"] == "unavailable"


def test_no_server_is_unavailable(llm):
    with FakeLlm() as gone:
        url = gone.url
    reasoner = OpenAIReasoner("some-model", key="", base_url=url)
    assert failed(reasoner).details["reason"] == "unavailable"
    reasoner.close()


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "3"}, 3),
        ({"Retry-After": "1.5"}, 1.5),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "Retry-After": "9"}, 0.25),
        ({"Retry-After": "-5"}, 0),
        ({"Retry-After": "9e99"}, 86_400),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": ""}, None),
        ({}, None),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_the_wait_that_is_asked_for_is_passed_on(llm, reasoner, headers, wait, status):
    llm.say("extract", Said(status=status, headers=headers))
    error = failed(reasoner)
    assert error.details.get("retry_after") == wait
    assert error.retry_after >= 1


def test_a_wait_may_be_a_date(llm, reasoner):
    headers = {"Retry-After": formatdate(time.time() + 60, usegmt=True)}
    llm.say("extract", Said(status=429, headers=headers))
    assert 55 < failed(reasoner).details["retry_after"] <= 60


@pytest.mark.parametrize("status", [401, 403, 404, 402, 413])
def test_what_will_never_work_names_the_settings_and_no_content(llm, reasoner, status):
    llm.say("extract", Said(status=status))
    with pytest.raises(Misconfigured, match=f"LLM_MODEL.*{status}") as caught:
        reasoner.ask(QUESTION)
    assert "北京" not in str(caught.value)
    assert "secret" not in str(caught.value)
    assert len(llm.asked()) == 1
