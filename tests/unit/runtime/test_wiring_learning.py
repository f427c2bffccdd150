"""Learning from the environment: what is set, what is missing, what is loaded when asked."""

import os
import subprocess
import sys
from pathlib import Path

import boto3
import pytest
from moto import mock_aws

from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.memory import Type
from hindwise.domain.ports import QueueName
from hindwise.domain.scope import Scope
from hindwise.errors import Invalid, Misconfigured
from hindwise.runtime.wiring import Wiring
from hindwise.settings import LlmSettings

ROOT = Path(__file__).parents[3]
SCOPE = Scope(tenant="acme", user="ada")
ENV = {"STAGE": "test", "MEMORY_TABLE": "memories", "AWS_ENDPOINT_URL": "http://127.0.0.1:9"}
LOADED = """
import sys
from hindwise.runtime.wiring import Wiring
learning = Wiring({env!r}).learning
print(sorted({{"openai", "httpx", "numpy"}} & set(sys.modules)))
"""


@pytest.fixture
def credentials(monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")


def test_without_a_model_nothing_reasons(credentials):
    learning = Wiring(ENV).learning
    assert learning.reasoner is None
    assert not learning.rules.llm_configured
    assert "llm_model" not in Wiring(ENV | {"EMBEDDER": "hashed"}).features


def test_a_model_is_named_and_asked_for_nothing(credentials):
    built = Wiring(ENV | {"LLM_MODEL": "gpt-4.1-mini", "LLM_API_KEY": "k"})
    assert built.learning.reasoner is not None
    assert built.learning.reasoner.id == "gpt-4.1-mini"
    assert built.learning.rules.llm_configured
    assert built.features["llm_model"] == "gpt-4.1-mini"
    assert "k" not in built.features.values()


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ({}, ("http://embeddings", "e")),
        ({"llm_api_key": "l"}, ("", "l")),
        ({"llm_base_url": "http://llm"}, ("http://llm", "")),
        ({"llm_base_url": "http://llm", "llm_api_key": "l"}, ("http://llm", "l")),
    ],
)
def test_no_key_goes_to_an_address_that_it_was_not_given_for(own, expected):
    given = {"openai_base_url": "http://embeddings", "openai_api_key": "e", "llm_model": "m"}
    url, key = LlmSettings.model_validate({**given, **own}).asked
    assert (url, key.get_secret_value()) == expected


def test_rules_are_set_by_name_and_a_wrong_one_is_named(credentials):
    rules = (
        '{"learning": {"window_turns": 8, "policies": {"fact": "coexist"}, '
        '"drop_words": ["secret"]}, "trust": {"context_floor": "tool"}}'
    )
    wired = Wiring(ENV | {"RULES": rules})
    learned = wired.learning.rules
    assert wired.rules.learning == learned
    assert wired.trust.rules == wired.rules.trust
    assert wired.trust.rules.context_floor == "tool"
    assert learned.window_turns == 8
    said = {type_.value: learned.policy_for(type_) for type_ in Type}
    assert said == LearningRules().policies | {"fact": "coexist"}
    assert said["pattern"] == "weaken"
    for wrong, named in (
        ('{"learning": {"window_turns": 0}}', "^RULES: learning.window_turns: Input should be"),
        ('{"trust": {"no_such_rule": 1}}', "^RULES: trust.no_such_rule: "),
        ('{"no_such_part": {}}', "^RULES: no_such_part: "),
        ("{", "^RULES: Invalid JSON"),
    ):
        with pytest.raises(Misconfigured, match=named):
            _ = Wiring(ENV | {"RULES": wrong}).learning


def test_a_queue_is_found_by_what_all_addresses_begin_with(credentials, caplog):
    learning = Wiring(ENV | {"WORK_QUEUES": "http://127.0.0.1:9/1/hindwise-test-"}).learning
    learning.queues.send(QueueName.FORGET, SCOPE, ["job"])
    assert caplog.messages == ["pointers lost: EndpointConnectionError"]


def test_records_are_kept_beside_the_conversations(credentials):
    with mock_aws():
        boto3.client("s3").create_bucket(
            Bucket="talks-receipts",
            CreateBucketConfiguration={"LocationConstraint": "eu-west-1"},
        )
        records = Wiring(ENV | {"MEMORY_BUCKET": "talks", "AWS_ENDPOINT_URL": ""}).trust.records
        assert records is not None
        assert records.keep("acme", "receipts/1", b"x")
        assert boto3.client("s3").list_objects_v2(Bucket="talks-receipts")["KeyCount"] == 1


def test_a_bucket_is_missed_only_by_what_needs_it(credentials):
    learning = Wiring(ENV).learning
    with pytest.raises(Misconfigured, match="MEMORY_BUCKET"):
        learning.blobs.get(SCOPE, "conversations/x")


def test_a_queue_that_is_not_set_breaks_nothing(credentials, caplog):
    learning = Wiring(ENV).learning
    learning.queues.send(QueueName.EXTRACT, SCOPE, ["job"])
    assert caplog.messages == ["pointers lost: no queue is set for extract"]


def test_messages_are_read_by_their_form(credentials):
    built = Wiring(ENV)
    assert built.pointer_in('{"tenant":"acme","user":"ada","id":"job"}') == (SCOPE, "job")
    with pytest.raises(Invalid):
        built.pointer_in("{}")


def test_building_it_loads_no_model_and_opens_nothing():
    env = ENV | {"LLM_MODEL": "gpt-4.1-mini", "LLM_API_KEY": "k", "MEMORY_BUCKET": "b"}
    aws = dict.fromkeys(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), "test")
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(env=env)],
        capture_output=True,
        text=True,
        check=True,
        env={
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'layers'}",
            **aws,
            "AWS_DEFAULT_REGION": "eu-west-1",
        },
    )
    assert done.stdout.strip() == "[]"
