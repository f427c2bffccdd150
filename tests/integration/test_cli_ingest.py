"""`hindwise ingest` and `hindwise jobs` against the real handlers over HTTP."""

import json
import re
from typing import Any

import pytest

from hindwise.cli import ingest as module
from hindwise.domain.changes import PutJob
from hindwise.domain.jobs import Counts, JobState
from hindwise.domain.scope import Scope
from tests.builders import principal
from tests.integration.http_client import Client
from tests.unit.cli.stub import Asked, serving

ME = Scope(tenant="acme", user="me")


class Service(dict[Any, Any]):
    """Answers every call as the handlers do; a job that is looked at ends as `ends` says."""

    def __init__(self, world):
        super().__init__()
        self.world, self.ends, self.calls, self.break_at = world, {}, [], None

    def get(self, key, default=None):
        return [(0, self.answer, {})]

    def answer(self, asked: Asked):
        self.calls.append((asked.method, asked.path, asked.body))
        if len(self.calls) == self.break_at:
            return 400, {"error": {"code": "invalid", "message": "no more", "details": {}}}
        if asked.method == "GET" and asked.path.startswith("/v1/jobs/"):
            self.end(asked.path.rsplit("/", 1)[1])
        key = asked.headers.get("idempotency-key")
        headers = {"idempotency_key": key} if key else {}
        raw = json.dumps(asked.body) if asked.body is not None else None
        reply = Client(principal()).send(
            asked.method, asked.path, raw=raw, query=asked.query, **headers
        )
        return reply.status, reply.body

    def end(self, job_id):
        job = self.world.learning.jobs.get(ME, job_id)
        if self.ends and job is not None and job.open:
            after = job.model_copy(update={**self.ends, "version": job.version + 1})
            self.world.store.commit(ME, [PutJob(job=after, before=job)])


@pytest.fixture
def service(world):
    with serving() as stub:
        stub.answers = made = Service(world)
        made.run = stub.run
        yield made


@pytest.fixture
def file(tmp_path):
    def write(text, name="chat.txt"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def told(world, conversation_id):
    query = {"user_id": "me", "limit": 100}
    reply = Client().send("GET", f"/v1/conversations/{conversation_id}", query=query)
    assert reply.status == 200, reply.body
    return [(one["role"], one["content"]) for one in reply.body["messages"]]


LEARNT = {"state": JobState.SUCCEEDED, "next_at": None,
          "counts": Counts(turns=2, created=3, duplicates=1, refused={"guess": 2})}  # fmt: skip
CHAT = "me: I have two dogs.\nThey bark.\nassistant: Lovely!\n"


def test_a_transcript_is_taken_in_and_waited_for(service, file, world):
    service.ends = LEARNT
    result = service.run("ingest", file(CHAT), "--session", "c")
    assert result.exit_code == 0, result.stderr
    assert "c · 2 new of 2 messages · succeeded" in result.stdout
    assert "3 learnt, 1 known already, 2 refused" in result.stdout
    assert "no language model" in result.stderr
    assert told(world, "c") == [("user", "I have two dogs.\nThey bark."), ("assistant", "Lovely!")]


def test_a_file_that_has_grown_brings_only_what_is_new(service, file):
    service.ends = LEARNT
    assert service.run("ingest", file(CHAT)).exit_code == 0
    grown = service.run("ingest", file(CHAT + "me: I moved to Brno.\n"), "--json")
    [one] = json.loads(grown.stdout)["conversations"]
    assert (one["added"], one["messages"]) == (1, 3)
    assert re.fullmatch(r"chat-[0-9a-f]{8}", one["conversation_id"])
    again = service.run("ingest", file(CHAT + "me: I moved to Brno.\n"))
    assert "0 new of 3 messages" in again.stdout
    assert "  nothing new; before: 3 learnt" in again.stdout


def test_a_line_without_a_time_has_that_of_the_line_before(service, file):
    text = "me: Hi.\n[2026-04-14 09:05] me: I moved.\nassistant: Noted.\n"
    assert service.run("ingest", file(text), "--zone", "+08:00", "--no-wait").exit_code == 0
    [(_, _, body)] = service.calls
    at = "2026-04-14T09:05:00+08:00"
    assert [one.get("at") for one in body["messages"]] == [None, at, at]


def test_nobody_has_to_wait(service, file):
    result = service.run("ingest", file(CHAT), "--no-wait", "--session", "c")
    assert result.exit_code == 0
    assert re.search(r"job [0-9A-Z]{26}", result.stdout)
    assert [method for method, _, _ in service.calls] == ["POST"]


def test_what_failed_is_said(service, file):
    service.ends = {"state": JobState.FAILED, "reason": "unusable", "next_at": None}
    result = service.run("ingest", file(CHAT))
    assert result.exit_code == 1 and "failed (unusable)" in result.stdout
    assert "unusable: `hindwise jobs retry ID` tries again" in result.stderr


@pytest.mark.parametrize(("reason", "said"), [("misconfigured", "check LLM_MODEL"),
                                              ("unavailable", "does not answer")])  # fmt: skip
def test_a_model_that_is_not_there_is_said(service, file, reason, said):
    service.ends = {"reason": reason}
    result = service.run("ingest", file(CHAT), "--timeout", "0", "--session", "c")
    assert f"accepted ({reason})" in result.stdout and said in result.stderr
    for words in (["list"], ["show", service.run("jobs", "list", "--json").stdout.split('"')[5]]):
        shown = service.run("jobs", *words)
        assert said in shown.stdout + shown.stderr


def test_what_is_late_is_said(service, file):
    result = service.run("ingest", file(CHAT), "--timeout", "0")
    assert result.exit_code == 1
    assert "accepted" in result.stdout and "jobs list" in result.stderr


LONG = [{"role": "user", "content": f"turn {number}"} for number in range(25)]


def test_a_long_file_goes_in_several_requests_and_goes_on_where_it_broke_off(
    service, file, world, monkeypatch
):
    monkeypatch.setattr(module, "MESSAGES", 4)
    path = file(json.dumps({"id": "long", "messages": LONG}), "x.json")
    service.break_at = 3
    broken = service.run("ingest", path, "--no-wait")
    assert broken.exit_code == 2, broken.stdout
    assert len(told(world, "long")) == 8
    service.break_at = None
    result = service.run("ingest", path, "--no-wait", "--json")
    [one] = json.loads(result.stdout)["conversations"]
    assert (one["added"], one["messages"], one["waiting"]) == (17, 25, 0)
    assert [text for _, text in told(world, "long")] == [one["content"] for one in LONG]
    again = service.run("ingest", path, "--no-wait", "--json")
    assert json.loads(again.stdout)["conversations"][0]["added"] == 0
    assert len(told(world, "long")) == 25


def test_a_long_file_is_not_mixed_with_another(service, file, monkeypatch):
    monkeypatch.setattr(module, "MESSAGES", 4)
    body = {"user_id": "me", "id": "long", "messages": [LONG[9], *LONG[:4]]}
    assert Client().send("POST", "/v1/conversations", body).status == 202
    result = service.run("ingest", file(json.dumps({"id": "long", "messages": LONG}), "x.json"))
    assert result.exit_code == 1 and "other messages" in result.stderr


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (json.dumps(LONG[:2]), "a.json"),
        ("\n".join(map(json.dumps, LONG[:2])), "a.jsonl"),
        (json.dumps({"id": "c", "messages": LONG[:2]}, indent=1), "a.json"),
        (json.dumps([{"session_id": "c", "messages": LONG[:2]}]), "a.json"),
        ("\ufeff" + json.dumps({"messages": LONG[:2], "user_id": "x", "end": False}), "a"),
        ("user: turn 0\n用户：turn 1\n", "a.txt"),
    ],
)
def test_each_form_says_the_same(service, file, world, text, name):
    result = service.run("ingest", file(text, name), "--session", "c", "--no-wait")
    assert result.exit_code == 0, result.stderr
    assert told(world, "c") == [("user", "turn 0"), ("user", "turn 1")]


def test_several_conversations_of_a_file_stay_apart(service, file, world):
    lines = [json.dumps({"id": f"c{n}", "messages": [LONG[n]]}) for n in range(2)]
    result = service.run("ingest", file("\n".join(lines), "a.jsonl"), "--no-wait")
    assert result.exit_code == 0
    assert told(world, "c0") == [("user", "turn 0")] and told(world, "c1") == [("user", "turn 1")]
    shared = service.run("ingest", file("\n".join(lines), "a.jsonl"), "--session", "c")
    assert shared.exit_code == 2 and "--session" in shared.stderr


def test_standard_input_and_who_speaks(service, world):
    bob = "[2026-04-14T09:06+02:00] Bob Lee: see http://x.example:80/a"
    text = f"[2026-04-14 09:05] Ann: hi\n{bob}\n"
    options = ("--session", "c", "--zone", "+08:00", "--me", "ann", "--no-wait", "--verbatim")
    result = service.run("ingest", "-", *options, stdin=text)
    assert result.exit_code == 0, result.stderr
    assert "kept as they are" in result.stderr
    query = {"user_id": "me"}
    found = Client().send("GET", "/v1/conversations/c", query=query).body["messages"]
    assert [one["name"] for one in found] == ["Ann", "Bob Lee"]
    assert [one["at"] for one in found] == [
        "2026-04-14T09:05:00+08:00",
        "2026-04-14T09:06:00+02:00",
    ]
    assert {one["origin"] for one in found} == {"document"}
    assert found[1]["content"] == "see http://x.example:80/a"


@pytest.mark.parametrize(
    ("text", "options", "code", "said"),
    [
        ("", (), 3, "no message"),
        ("[]", (), 3, "no message"),
        ("just words\nand more", (), 2, "who speaks"),
        ('[{"role": "user", "content": "x"', (), 2, "not JSON"),
        ('{"role": "user"}\n{"role"', (), 2, "line 2"),
        ("[1]", (), 2, "JSON object"),
        ('{"id": "c", "turns": []}', (), 2, "hindwise import"),
        ("[2026-04-14 09:05] me: x", (), 2, "--zone"),
        ("me: x", ("--zone", "Nowhere"), 2, "no zone"),
        ('[{"role": "alien", "content": "x"}]', (), 2, "alien"),
        ('{"kind": "episodic", "content": "x"}', (), 2, "hindwise import"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(service, file, text, options, code, said):
    result = service.run("ingest", file(text), *options)
    assert result.exit_code == code, result.stdout
    assert said in result.stderr


def test_a_file_that_is_not_there_is_wrong_usage(service):
    assert service.run("ingest", "/no/such/file").exit_code == 2


def test_jobs_are_listed_shown_tried_again_and_let_go(service, file, world):
    run = service.run
    assert run("jobs", "list").exit_code == 3
    assert run("ingest", file(CHAT), "--no-wait", "--session", "c").exit_code == 0
    [job] = world.learning.jobs.page(ME, after=None, limit=9)
    service.ends = {"state": JobState.FAILED, "reason": "unusable", "next_at": None}
    shown = run("jobs", "show", job.id)
    assert "failed · unusable" in shown.stdout and "conversation c · turns 1-2" in shown.stdout
    listed = run("jobs", "list", "--state", "failed", "--conversation", "c")
    assert job.id in listed.stdout and "unusable" in listed.stdout
    assert run("jobs", "list", "--state", "partial").exit_code == 3
    assert run("jobs", "list", "--state", "odd").exit_code == 2
    service.ends = {}
    again = run("jobs", "retry", job.id, "--json")
    assert json.loads(again.stdout)["state"] == "accepted"
    assert run("jobs", "retry", job.id).exit_code == 1
    assert "dismissed" in run("jobs", "dismiss", job.id).stdout
    assert run("jobs", "show", "01ARZ3NDEKTSV4RRFFQ69G5FAV").exit_code == 3


def test_an_outage_is_said_with_what_to_do(service, file, world, monkeypatch):
    world.blobs.down = True
    monkeypatch.setattr("hindwise.client.wire.LONGEST_WAIT", 0.0)
    result = service.run("ingest", file(CHAT))
    assert result.exit_code == 1 and "blobs" in result.stderr
