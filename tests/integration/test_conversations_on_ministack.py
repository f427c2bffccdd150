"""Conversations over the real wiring on the emulated AWS: crowds, outages, what lies where."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

import pytest

from hindwise.domain.ports import QueueName
from hindwise.domain.scope import Role
from hindwise.runtime.wiring import Wiring, use_wiring
from tests.builders import principal
from tests.integration.http_client import Client
from tests.ministack import MiniStack, create_table

pytestmark = pytest.mark.ministack
ADA = {"user_id": "ada/张三"}
NAMES = tuple(QueueName)


@dataclass
class Stage:
    """A running stage and what it is made of."""

    s3: Any
    sqs: Any
    table: Any
    bucket: str
    urls: dict[str, str]

    def say(self, path: str, **body: Any) -> Any:
        headers = {"idempotency_key": body.pop("key")} if "key" in body else {}
        return Client().send("POST", path, {**ADA, **body}, **headers)

    def get(self, path: str, **query: Any) -> Any:
        reply = Client().send("GET", path, query={**ADA, **query})
        assert reply.status == 200, reply.body
        return reply.body

    def objects(self) -> list[str]:
        found = self.s3.list_objects_v2(Bucket=self.bucket).get("Contents", [])
        return [one["Key"] for one in found]

    def rows(self) -> list[Any]:
        return list(self.table.scan()["Items"])


@pytest.fixture(scope="module")
def stage(ministack: MiniStack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    session, run = ministack.session, token_hex(4)
    kept: Any = session.get_credentials()
    region: Any = session.region_name

    def client(name: str) -> Any:
        return session.client(name, endpoint_url=ministack.endpoint)  # type: ignore[call-overload]

    table, bucket = f"talks-{run}", f"talks-{run}"
    create_table(client("dynamodb"), table)
    where = {"LocationConstraint": region}
    client("s3").create_bucket(Bucket=bucket, CreateBucketConfiguration=where)
    urls = {
        name: client("sqs").create_queue(QueueName=f"{run}-{name}")["QueueUrl"]
        for one in NAMES
        for name in (one, f"{one}-dlq")
    }
    env = {"STAGE": "test", "MEMORY_TABLE": table, "EMBEDDER": "hashed", "MEMORY_BUCKET": bucket,
           "SECRET_FILE": str(tmp_path_factory.mktemp("talks") / "secret"),
           "AWS_ENDPOINT_URL": ministack.endpoint}  # fmt: skip
    env["WORK_QUEUES"] = urls["extract"].removesuffix("extract")
    process = {"AWS_ACCESS_KEY_ID": kept.access_key, "AWS_SECRET_ACCESS_KEY": kept.secret_key,
               "AWS_DEFAULT_REGION": region, "POWERTOOLS_METRICS_DISABLED": "true"}  # fmt: skip
    resource = session.resource("dynamodb", endpoint_url=ministack.endpoint)
    with pytest.MonkeyPatch.context() as patch, use_wiring(Wiring(env)):
        for name, value in process.items():
            patch.setenv(name, value)
        yield Stage(client("s3"), client("sqs"), resource.Table(table), bucket, urls)


def read(stage: Stage, conversation_id: str) -> list[Any]:
    found: list[Any] = []
    more: dict[str, Any] = {}
    while True:
        page = stage.get(f"/v1/conversations/{conversation_id}", limit=20, **more)
        found += page["messages"]
        if page["next"] is None:
            return found
        more = {"cursor": page["next"]}


def test_many_append_at_once_and_nothing_is_lost_or_doubled(stage: Stage) -> None:
    def say(number: int) -> Any:
        messages = [{"role": "user", "content": f"w{number} {one}"} for one in "ab"]
        reply = stage.say("/v1/conversations/crowd/messages", messages=messages)
        return say(number) if reply.status == 503 else reply  # then nothing was taken in

    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(say, range(24)))
    assert {reply.status for reply in replies} == {202}, [reply.body for reply in replies]
    told = read(stage, "crowd")
    assert [one["number"] for one in told] == [one["turn"] for one in told] == [*range(1, 49)]
    assert {one["content"] for one in told} == {f"w{n} {one}" for n in range(24) for one in "ab"}
    assert stage.say("/v1/conversations/crowd/messages", end=True).status == 202
    jobs = stage.get("/v1/jobs", conversation_id="crowd", limit=100)["results"]
    runs = sorted((job["first_turn"], job["last_turn"]) for job in jobs)
    covered = [turn for first, last in runs for turn in range(first, last + 1)]
    assert covered == [*range(1, 49)]
    assert len(stage.objects()) == 24


def test_the_same_conversation_by_many_at_once_is_one(stage: Stage) -> None:
    messages = [{"role": "user", "content": "我五月去成都"}, {"role": "assistant", "content": "好"}]

    def say(number: int) -> Any:
        key = {"key": "same"} if number % 2 else {}
        return stage.say("/v1/conversations", id="one", messages=messages, **key)

    before = len(stage.objects())
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(say, range(12)))
    assert {reply.status for reply in replies} == {202}, [reply.body for reply in replies]
    assert len({reply.body["job_id"] for reply in replies}) == 1
    assert [one["content"] for one in read(stage, "one")] == ["我五月去成都", "好"]
    assert len(stage.objects()) == before + 1
    assert len(stage.get("/v1/jobs", conversation_id="one")["results"]) == 1


def test_words_lie_in_the_bucket_alone_and_pointers_in_the_queue(stage: Stage) -> None:
    word = "rutabaga"
    reply = stage.say("/v1/conversations", id="secret", messages=word, key="k")
    assert reply.status == 202
    assert word not in json.dumps(stage.rows(), default=str)
    held = [stage.s3.get_object(Bucket=stage.bucket, Key=key) for key in stage.objects()]
    assert sum(word.encode() in one["Body"].read() for one in held) == 1
    bodies: list[str] = []
    while found := stage.sqs.receive_message(
        QueueUrl=stage.urls["extract"], MaxNumberOfMessages=10
    ).get("Messages"):
        for message in found:
            bodies.append(message["Body"])
            stage.sqs.delete_message(
                QueueUrl=stage.urls["extract"], ReceiptHandle=message["ReceiptHandle"]
            )
    assert any(reply.body["job_id"] in body for body in bodies)
    assert not any(word in body for body in bodies)
    again = stage.say("/v1/conversations", id="secret", messages=word, key="k")
    assert again.body == reply.body


def test_a_bucket_that_is_gone_takes_nothing_in(stage: Stage, monkeypatch: Any) -> None:
    rows = len(stage.rows())
    gone = Client()
    monkeypatch.setattr("hindwise.adapters.s3.S3Blobs.put", _down)
    reply = gone.send("POST", "/v1/conversations", {**ADA, "id": "gone", "messages": "hello"})
    assert reply.status == 503 and int(reply.headers["retry-after"]) >= 1
    assert len(stage.rows()) == rows


def _down(*_: Any, **__: Any) -> bool:
    from hindwise.errors import Unavailable

    raise Unavailable("S3 does not answer")


def test_jobs_and_queues_over_the_real_parts(stage: Stage) -> None:
    job_id = stage.say("/v1/conversations", id="work", messages="hello").body["job_id"]
    dismissed = stage.say(f"/v1/jobs/{job_id}/dismiss")
    assert (dismissed.status, dismissed.body["state"]) == (200, "dismissed")
    assert stage.say(f"/v1/jobs/{job_id}/retry").body["state"] == "accepted"
    assert stage.get(f"/v1/jobs/{job_id}")["state"] == "accepted"
    states = {one["state"] for one in stage.get("/v1/jobs", state="accepted")["results"]}
    assert states == {"accepted"}
    admin = Client(principal(role=Role.ADMIN))
    queues = {one["name"]: one for one in admin.send("GET", "/v1/queues").body["queues"]}
    assert queues["extract"]["waiting"] >= 1 and queues["extract"]["dead"] == 0
    body = json.dumps({"tenant": "acme", "user": ADA["user_id"], "id": job_id})
    stage.sqs.send_message(QueueUrl=stage.urls["extract-dlq"], MessageBody=body)
    reply = admin.send("POST", "/v1/queues/extract/redrive", {})
    assert reply.body == {"name": "extract", "sent": 1}
    assert admin.send("POST", "/v1/queues/extract/redrive", {}).body["sent"] == 0
