"""The functions of learning as Lambda calls them: batches, logs, metrics."""

import json

import pytest

from functions.extract.app import handler as extract
from functions.sweep.app import handler as sweep
from hindwise.adapters import pointers
from hindwise.domain.ports import QueueName
from infra.local.fake_llm import Said
from tests.builders import scope
from tests.expanded import of_type, parsed
from tests.integration.learning_stage import fact, facts, learning_stage, user
from tests.integration.test_metrics import emitted, heard

SECRET = "My badge number is 5512."


@pytest.fixture
def stage(monkeypatch):
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "hindwise-test")
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "hindwise")
    with learning_stage() as made:
        yield made


def records(*bodies):
    return {"Records": [{"messageId": f"m{n}", "body": one} for n, one in enumerate(bodies)]}


def pointed(job_id, who="u"):
    return pointers.written(scope(who), job_id)


def test_each_message_succeeds_or_comes_back_on_its_own(stage, capsys):
    stage.llm.always("extract", facts(fact("Badge number is 5512")))
    job = stage.ingest("u", "s", user(SECRET))
    event = records("no pointer", pointed("unknown"), pointed(job), '{"tenant": "acme"}')
    capsys.readouterr()
    answer = extract(event, None)
    assert answer == {"batchItemFailures": [{"itemIdentifier": "m0"}, {"itemIdentifier": "m3"}]}
    assert stage.job(job, "u")["state"] == "succeeded"
    assert extract(records(pointed(job)), None) == {"batchItemFailures": []}


def test_a_silent_table_gives_the_message_back(stage):
    job = stage.ingest("u", "s", user(SECRET))
    stage.world.store.faults.fail_next(on="job")
    assert extract(records(pointed(job)), None) == {"batchItemFailures": [{"itemIdentifier": "m0"}]}
    stage.world.store.faults.fail_next(2, on="commit")
    assert extract(records(pointed(job)), None) == {"batchItemFailures": [{"itemIdentifier": "m0"}]}


def test_nothing_that_was_said_reaches_a_log_or_a_metric(stage, capfd):
    stage.llm.say("extract", "no JSON 5512", Said(status=500), f"[{SECRET}", "5512")
    stage.llm.always("extract", facts(fact("Badge number is 5512", confidence="5512")))
    job = stage.ingest("u", "s", user(SECRET))
    stage.world.store.faults.fail_next(on="claim")
    stage.drain()
    stage.sweep(minutes=10)
    assert stage.job(job, "u")["state"] == "succeeded_empty"
    printed = "".join(capfd.readouterr())
    assert "5512" not in printed and "badge" not in printed.lower()


def test_what_became_of_a_message_is_counted(stage, capsys):
    stage.llm.say("extract", Said(status=429), [])
    job = stage.ingest("u", "s", user(SECRET))
    capsys.readouterr()
    extract(records(pointed(job)), None)
    extract(records(pointed(job)), None)
    stage.world.clock.forward(minutes=1)
    extract(records(pointed(job)), None)
    said = [one for one in emitted(capsys.readouterr().out) if one["operation"] == "extract"]
    names = [next(iter({"JobsWaiting", "Echoes", "JobsDone"} & one.keys())) for one in said]
    assert names == ["JobsWaiting", "Echoes", "JobsDone"]


def test_the_alarm_of_the_jobs_hears_the_sweep(stage, capsys):
    job = stage.ingest("u", "s", user(SECRET))
    stage.world.queues.waiting[QueueName.EXTRACT].clear()
    stage.world.clock.forward(minutes=61)
    capsys.readouterr()
    sweep({}, None)
    printed = capsys.readouterr().out
    (said,) = emitted(printed)
    alarm = of_type(parsed("infra/alarms.yaml"), "AWS::CloudWatch::Alarm")["OldestJobAlarm"]
    assert heard(said, alarm) == pytest.approx(3_660, abs=1)
    assert alarm["Threshold"] < 3_660 and alarm["EvaluationPeriods"] == 1
    assert said["Resent"] == [1]
    assert json.dumps(job) not in printed
    assert stage.deliver() == 1
