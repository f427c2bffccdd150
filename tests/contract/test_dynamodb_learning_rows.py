"""What only the table shows of learning: indexes, ttl, no content where none belongs, few calls."""

import json
import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from hindwise.adapters.dynamodb import fading_keys, keys
from hindwise.adapters.dynamodb.learning import ANSWER_BYTES
from hindwise.domain import changes as c
from hindwise.domain.fading import due_at
from hindwise.domain.jobs import JobState
from hindwise.errors import TooLarge, Unreadable
from tests import builders
from tests.builders import NOW
from tests.contract.backends import Backend, on_dynamodb

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

pytestmark = pytest.mark.ministack
SCOPE = builders.scope("张三")
WORK = [f"{kind}#{number}" for kind in ("JOB", "SETTLE") for number in range(16)]


@pytest.fixture
def backend(dynamodb: "DynamoDBClient", table: str) -> Backend:
    return on_dynamodb(dynamodb, table)


@pytest.fixture
def rows(dynamodb: "DynamoDBClient", table: str):
    """Reads all rows, and those that the index `work` has under a partition of learning."""

    def read(index: str = "") -> list[dict[str, Any]]:
        given: dict[str, Any] = {"IndexName": index} if index else {}
        found = dynamodb.scan(TableName=table, **given)["Items"]
        return [one for one in found if not index or one["w_pk"]["S"] in WORK]

    return read


def damage(dynamodb: "DynamoDBClient", table: str, row: dict[str, Any], body: str) -> None:
    dynamodb.put_item(TableName=table, Item={**row, "body": {"S": body}})


def test_a_row_is_in_the_index_of_work_while_there_is_work(backend: Backend, rows):
    memory = builders.fact(settled=False)
    job = builders.job(conversation_id="chat-1", first_turn=1, last_turn=2)
    talk = builders.conversation(idle_at=NOW)
    put = [c.PutJob(job=job), c.PutConversation(conversation=talk), c.Create(memory=memory)]
    backend.store.commit(SCOPE, put)
    assert len(rows("work")) == 3
    ended = job.model_copy(update={"state": JobState.SUCCEEDED, "version": 2})
    quiet = talk.model_copy(update={"idle_at": None, "version": 2})
    put = [c.PutJob(job=ended, before=job), c.PutConversation(conversation=quiet, before=talk)]
    backend.store.commit(SCOPE, [*put, c.Settled(memory=memory)])
    assert rows("work") == []
    [row] = [row for row in rows() if row["sk"]["S"] == f"M#{memory.id}"]
    assert row["w_pk"]["S"] == fading_keys.due(memory.id)
    assert row["w_sk"]["S"] == keys.moment(due_at(memory))
    assert "unsettled" not in row
    assert "settled" not in json.loads(row["body"]["S"])


def test_forgetting_leaves_an_unsettled_memory_in_no_index(backend: Backend, rows):
    memory = builders.fact(settled=False)
    backend.store.commit(SCOPE, [c.Create(memory=memory)])
    backend.store.commit(SCOPE, [c.Forget(memory=memory, at=NOW)])
    assert rows("work") == []
    [row] = [row for row in rows() if row["sk"]["S"] == f"M#{memory.id}"]
    assert not {"unsettled", "body", "w_pk"} & row.keys()


def test_only_answers_and_counters_end_by_themselves(backend: Backend, rows):
    job = builders.job(conversation_id="chat-1")
    put = [c.PutJob(job=job), c.PutConversation(conversation=builders.conversation())]
    put += [c.PutChunk(chunk=builders.chunk()), c.PutVerdict(pair=builders.pair("A", "B"))]
    backend.store.commit(SCOPE, put)
    assert [row for row in rows() if "ttl" in row] == []
    backend.jobs.keep_answer(SCOPE, job.id, 0, "said", now=NOW)
    assert backend.budget.reserve(SCOPE.tenant, 1, now=NOW)
    ends = {row["sk"]["S"]: int(row["ttl"]["N"]) for row in rows() if "ttl" in row}
    answered = keys.answer(SCOPE, job.id, 0)[1]
    assert ends.keys() == {answered, "LLM"}
    assert ends[answered] == int((NOW + timedelta(days=14)).timestamp())
    assert ends["LLM"] > int((NOW + timedelta(days=1)).timestamp())


def test_an_answer_that_no_row_takes_is_refused_before_it_is_sent(backend: Backend):
    longest = "文" * (ANSWER_BYTES // 3)
    assert backend.jobs.keep_answer(SCOPE, "job", 0, longest, now=NOW) == longest
    with pytest.raises(TooLarge):
        backend.jobs.keep_answer(SCOPE, "job", 1, longest + "文", now=NOW)
    assert backend.jobs.answer(SCOPE, "job", 1) is None


@pytest.mark.parametrize("body", ["", "{", '{"content": "the door code is 4711"}'])
def test_a_damaged_row_is_named_without_its_content(dynamodb, table, rows, caplog, body):
    backend = on_dynamodb(dynamodb, table)
    jobs = [builders.job(conversation_id="chat-1") for _ in range(2)]
    talk = builders.conversation(idle_at=NOW)
    put = [c.PutConversation(conversation=talk), c.PutChunk(chunk=builders.chunk())]
    backend.store.commit(SCOPE, [*put, *(c.PutJob(job=job) for job in jobs)])
    for row in rows():
        if "body" in row and row["sk"]["S"] != f"J#{jobs[1].id}":
            damage(dynamodb, table, row, body)
    with caplog.at_level(logging.ERROR):
        assert backend.jobs.page(SCOPE, after=None, limit=9) == [jobs[1]]
        assert backend.jobs.of_conversation(SCOPE, "chat-1") == [jobs[1]]
    assert jobs[0].id in caplog.text
    for read in (
        lambda: backend.jobs.get(SCOPE, jobs[0].id),
        lambda: backend.conversations.get(SCOPE, talk.id),
        lambda: backend.conversations.chunks(SCOPE, talk.id),
    ):
        with pytest.raises(Unreadable) as error:
            read()
        assert error.value.__cause__ is None
        assert "4711" not in caplog.text + str(error.value)
    assert len(backend.due()) == 3


def test_a_damaged_job_ends_no_list_of_jobs(dynamodb, table, rows):
    """A page that is short is the last one: what cannot be read is made up for."""
    backend = on_dynamodb(dynamodb, table)
    jobs = [builders.job(at=NOW + timedelta(seconds=number)) for number in range(6)]
    for job in jobs:
        backend.store.commit(SCOPE, [c.PutJob(job=job)])
    for row in rows():
        if row["sk"]["S"] in {f"J#{jobs[4].id}", f"J#{jobs[3].id}"}:
            damage(dynamodb, table, row, "{")
    newest = [jobs[5], *jobs[2::-1]]
    assert backend.jobs.page(SCOPE, after=None, limit=2) == newest[:2]
    assert backend.jobs.page(SCOPE, after=jobs[5].id, limit=2) == newest[1:3]
    assert backend.jobs.page(SCOPE, after=None, limit=9) == newest


def test_each_piece_of_work_takes_few_calls(backend: Backend):
    job = builders.job(conversation_id="chat-1", first_turn=1, last_turn=2)
    talk = builders.conversation(idle_at=NOW)

    def taken() -> dict[str, int]:
        calls = {name: n for name, n in backend.calls.items() if name != "rows"}
        backend.calls.clear()
        return calls

    put = [c.PutConversation(conversation=talk), c.PutChunk(chunk=builders.chunk())]
    backend.store.commit(SCOPE, [*put, c.PutJob(job=job)])
    assert taken() == {"transact": 1}
    backend.jobs.get(SCOPE, job.id)
    backend.conversations.get(SCOPE, talk.id)
    assert taken() == {"batch_get": 2}
    backend.conversations.chunks(SCOPE, talk.id)
    backend.jobs.page(SCOPE, after=None, limit=50)
    assert taken() == {"query": 2, "batch_get": 2}
    backend.jobs.of_conversation(SCOPE, talk.id)
    assert taken() == {"query": 1, "batch_get": 1}
    backend.jobs.keep_answer(SCOPE, job.id, 0, "said", now=NOW)
    assert taken() == {"put": 1}
    backend.jobs.keep_answer(SCOPE, job.id, 0, "said", now=NOW)
    assert taken() == {"put": 1, "get": 1}
    backend.budget.reserve("acme", 1, now=NOW)
    backend.budget.settle("acme", reserved=1, used=1, now=NOW)
    assert taken() == {"update": 1}
    backend.jobs.due(3, now=NOW, limit=9)
    assert taken()["query"] == 1
