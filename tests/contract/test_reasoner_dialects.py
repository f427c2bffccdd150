"""Servers that know less of a request than OpenAI does: what they refuse is asked more plainly."""

import pytest

from hindwise.adapters.reasoners.openai import OpenAIReasoner
from hindwise.domain.ports.learning import Question
from hindwise.errors import Misconfigured
from infra.local.fake_llm import FakeLlm, Said

QUESTION = Question(shape="extract", system='"memories"', user="u", schema_={"type": "object"})


@pytest.fixture
def ask():
    made = []

    def connect(llm):
        made.append(OpenAIReasoner("some-model", key="k", base_url=llm.url))
        return made[-1].ask

    yield connect
    for one in made:
        one.close()


@pytest.mark.parametrize("explains", [True, False])
@pytest.mark.parametrize(
    ("unsupported", "formats"),
    [
        ({"json_schema"}, ["json_schema", "json_object"]),
        ({"json_schema", "json_object"}, ["json_schema", "json_object", None]),
        ({"response_format"}, ["json_schema", "json_object", None]),
    ],
)
def test_a_demand_for_json_is_given_up_step_by_step_once(ask, explains, unsupported, formats):
    with FakeLlm(unsupported=frozenset(unsupported), explains=explains) as llm:
        llm.always("extract", "[]")
        asked = ask(llm)
        assert asked(QUESTION).calls == len(formats)
        assert [one.format for one in llm.asked()] == formats
        assert asked(QUESTION).calls == 1
        assert [one.format for one in llm.asked()] == [*formats, formats[-1]]


@pytest.mark.parametrize(
    ("unsupported", "kept", "gone"),
    [
        ({"max_tokens"}, "max_completion_tokens", "max_tokens"),
        ({"temperature"}, "max_tokens", "temperature"),
    ],
)
def test_a_parameter_that_is_named_is_given_up_and_json_still_demanded(
    ask, unsupported, kept, gone
):
    with FakeLlm(unsupported=frozenset(unsupported)) as llm:
        llm.always("extract", "[]")
        asked = ask(llm)
        assert (asked(QUESTION).calls, asked(QUESTION).calls) == (2, 1)
        last = llm.asked()[-1]
        assert last.format == "json_schema"
        assert kept in last.body
        assert gone not in last.body


def test_it_asks_for_no_more_tokens_than_a_model_gives(ask):
    said = "max_tokens is too large: 8000. This model supports at most 4096 completion tokens."
    with FakeLlm() as llm:
        llm.say("extract", Said(status=400, text=said), "[]", "[]")
        asked = ask(llm)
        assert asked(QUESTION.model_copy(update={"max_tokens": 8_000})).calls == 2
        assert asked(QUESTION.model_copy(update={"max_tokens": 500})).calls == 1
        assert [one.body["max_tokens"] for one in llm.asked()] == [8_000, 4_096, 500]


def test_one_refusal_for_another_reason_leaves_no_mark(ask):
    with FakeLlm() as llm:
        llm.say("extract", *[Said(status=400)] * 3, "[]")
        asked = ask(llm)
        with pytest.raises(Misconfigured):
            asked(QUESTION)
        assert [one.format for one in llm.asked()] == ["json_schema", "json_object", None]
        assert asked(QUESTION).calls == 1
        assert llm.asked()[-1].format == "json_schema"


def test_a_server_that_refuses_everything_is_not_asked_for_ever(ask):
    everything = frozenset({"max_tokens", "max_completion_tokens", "temperature", "messages"})
    with FakeLlm(unsupported=everything) as llm:
        with pytest.raises(Misconfigured):
            ask(llm)(QUESTION)
        assert len(llm.asked()) <= 6


def test_a_question_that_a_filter_stops_is_filtered_not_misconfigured(ask):
    with FakeLlm() as llm:
        llm.say("extract", Said(status=400, text="ResponsibleAIPolicyViolation"))
        assert ask(llm)(QUESTION).finish == "filtered"
        assert len(llm.asked()) == 1


def test_without_a_schema_any_object_will_do(ask):
    with FakeLlm() as llm:
        llm.say("extract", "[]")
        ask(llm)(QUESTION.model_copy(update={"schema_": {}}))
        assert llm.asked()[0].format == "json_object"
