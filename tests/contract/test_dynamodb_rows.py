"""What only the table shows: indexes, ttl, key sizes, and how many calls a piece of work takes."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hindwise.adapters.dynamodb import fading_keys, keys
from hindwise.domain import changes as c
from hindwise.domain.fading import due_at
from hindwise.domain.memory import Status, Type
from hindwise.domain.scope import Scope
from tests import builders
from tests.builders import NOW
from tests.contract.backends import Backend, on_dynamodb

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

pytestmark = pytest.mark.ministack
SCOPE = builders.scope("张三")
LAYERS = str(Path(__file__).parents[2] / "layers")


@pytest.fixture
def backend(dynamodb: "DynamoDBClient", table: str) -> Backend:
    return on_dynamodb(dynamodb, table)


@pytest.fixture
def listed(dynamodb: "DynamoDBClient", table: str):
    """Reads the sort keys under a partition of an index."""

    def read(index: str, pk: str) -> list[str]:
        answer = dynamodb.query(
            TableName=table,
            IndexName=index,
            KeyConditionExpression=f"{index[0]}_pk = :pk",
            ExpressionAttributeValues={":pk": {"S": pk}},
        )
        return [item["sk"]["S"] for item in answer["Items"]]

    return read


def items(dynamodb: "DynamoDBClient", table: str) -> Iterator[dict[str, Any]]:
    yield from dynamodb.scan(TableName=table)["Items"]


def test_lists_hold_what_is_active_or_waits_for_a_reviewer(backend: Backend, listed):
    known = builders.fact(type=Type.TODO)
    held = builders.episode(status=Status.QUARANTINED)
    lost = builders.fact(status=Status.CONTESTED)
    memories = (known, held, lost, builders.episode())
    backend.store.commit(SCOPE, [c.Create(memory=one) for one in memories])
    assert listed("list", keys.of_type(SCOPE, "todo")) == [f"M#{known.id}"]
    assert listed("list", keys.of_type(SCOPE, "fact")) == []
    waiting = sorted(f"M#{one.id}" for one in (held, lost))
    assert sorted(listed("list", keys.review("acme"))) == waiting
    done = builders.newer(known, status=Status.OBSOLETE)
    released = builders.newer(held, status=Status.ACTIVE)
    replaced = [c.Replace(before=known, after=done), c.Replace(before=held, after=released)]
    backend.store.commit(SCOPE, [*replaced, c.Forget(memory=lost, at=NOW)])
    assert listed("list", keys.of_type(SCOPE, "todo")) == []
    assert listed("list", keys.review("acme")) == []


def test_a_memory_is_due_when_the_rules_say_so(backend: Backend, dynamodb, table: str):
    memory = builders.fact(importance=0.1)
    backend.store.commit(SCOPE, [c.Create(memory=memory)])
    pk, sk = keys.memory(SCOPE, memory.id)
    row = dynamodb.get_item(TableName=table, Key={"pk": {"S": pk}, "sk": {"S": sk}})["Item"]
    due = due_at(memory)
    assert due is not None
    assert row["w_pk"]["S"] == fading_keys.due(memory.id)
    assert row["w_sk"]["S"] == keys.moment(due)
    ended = builders.newer(memory, status=Status.REJECTED)
    backend.store.commit(SCOPE, [c.Replace(before=memory, after=ended)])
    row = dynamodb.get_item(TableName=table, Key={"pk": {"S": pk}, "sk": {"S": sk}})["Item"]
    assert not {"w_pk", "w_sk", "l_pk", "l_sk"} & set(row)
    assert row["status"]["S"] == "rejected"


def test_a_tombstone_holds_no_word_of_the_memory(backend: Backend, dynamodb, table: str):
    memory = builders.fact("a secret", entities=("someone",), importance=0.1)
    backend.store.commit(SCOPE, [c.Create(memory=memory)])
    backend.store.touch(SCOPE, [c.Touch(memory_id=memory.id, times=1, at=NOW)])
    after = builders.newer(memory, content="another secret")
    backend.store.commit(SCOPE, [c.Replace(before=memory, after=after)])
    backend.projections.put(SCOPE, [builders.document(after, words="secret")], {}, now=NOW)
    backend.store.commit(SCOPE, [c.Forget(memory=after, at=NOW)])
    rows = list(items(dynamodb, table))
    assert "secret" not in repr(rows)
    assert "someone" not in repr(rows)
    (row,) = (row for row in rows if row["sk"]["S"] == f"M#{memory.id}")
    assert set(row) == {"pk", "sk", "status", "version", "forgotten_at"}
    assert row["version"]["N"] == "3"


def test_what_ends_has_a_ttl_not_before_its_end(backend: Backend, dynamodb, table: str):
    ends = NOW + timedelta(seconds=10, microseconds=1)
    scratch = builders.working(expires_at=ends)
    claim = c.Claim(key="k", memory_id="a", until=ends, now=NOW)
    answer = c.Answered(request=builders.request(expires=ends))
    backend.store.commit(SCOPE, [c.PutWorking(memory=scratch), claim, answer])
    memory = builders.fact()
    backend.store.commit(SCOPE, [c.Create(memory=memory)])
    ttls = [row["ttl"]["N"] for row in items(dynamodb, table) if "ttl" in row]
    assert ttls == [str(int(NOW.timestamp()) + 11)] * 3


def test_every_key_fits(backend: Backend, dynamodb, table: str):
    scope = Scope(tenant="t" * 40, user="界" * 85)
    long = "名" * 85
    memory = builders.episode(session_id=long, seq=1, task_id=long[:64], claims=(long,))
    request = builders.request(tenant=scope.tenant, principal=long, key_hash="f" * 64)
    backend.store.commit(
        scope,
        [
            c.Create(memory=memory),
            c.Claim(key=long, memory_id=memory.id, now=NOW),
            c.Edge(source=long, kind="turns", dependant=memory.id),
            c.Answered(request=request),
            c.Audited(entry=builders.entry(memory)),
        ],
    )
    backend.projections.put(scope, [builders.document(memory)], {}, now=NOW)
    rows = list(items(dynamodb, table))
    assert len(rows) == 10
    assert max(len(row["pk"]["S"]) for row in rows) <= 2048
    assert max(len(row["sk"]["S"]) for row in rows) <= 1024
    found = {keys.scope_of(row["pk"]["S"]) for row in rows if "#U#" in row["pk"]["S"]}
    assert found == {scope}


def test_audit_rows_of_a_day_are_listed_by_tenant(backend: Backend, listed):
    entries = [builders.entry(builders.fact()) for _ in range(3)]
    backend.store.commit(SCOPE, [c.Audited(entry=one) for one in entries])
    found = listed("list", keys.audit_day(SCOPE, NOW))
    assert found == [f"{one.memory_id}#{one.id}" for one in entries]
    assert keys.audit_day(SCOPE, NOW).startswith("T#acme#AUDIT#2026-03-13#")


def test_each_piece_of_work_takes_few_calls(backend: Backend):
    store, calls = backend.store, backend.calls
    memory = builders.fact()
    after = builders.newer(memory, content="edited")

    def taken() -> dict[str, int]:
        done = {name: count for name, count in calls.items() if name != "rows"}
        calls.clear()
        return done

    audit = c.Audited(entry=builders.entry(memory))
    store.commit(SCOPE, [c.Create(memory=memory), audit])
    assert taken() == {"transact": 1}
    store.commit(SCOPE, [c.Replace(before=memory, after=after)])
    assert taken() == {"transact": 1}
    store.get(SCOPE, [memory.id])
    assert taken() == {"batch_get": 1}
    store.get(SCOPE, [str(number) for number in range(250)])
    assert taken() == {"batch_get": 3}
    store.backlog(SCOPE, 100)
    store.turns(SCOPE, "s", first=1, last=5)
    assert taken() == {"query": 2}
    backend.projections.put(SCOPE, [builders.document(after)], {}, now=NOW)
    assert taken() == {"put": 2, "batch_get": 1}
    store.commit(SCOPE, [c.Forget(memory=after, at=NOW)])
    assert taken() == {"query": 4, "transact": 1}


def test_neither_the_write_path_nor_an_import_loads_numpy():
    modules = ("store", "requests", "api_keys", "projections")
    lines = [f"import hindwise.adapters.dynamodb.{name}" for name in modules]
    script = "; ".join([*lines, "import sys", "sys.exit('numpy' in sys.modules)"])
    subprocess.run([sys.executable, "-c", script], check=True, env={"PYTHONPATH": LAYERS})


@pytest.mark.parametrize("document", ["d" * 2_048, "文" * 2_048, "d" * 400, "a#b/%"])
def test_a_memory_of_a_document_with_a_long_name_can_be_forgotten(document: str):
    source, memory_id = document, "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    _, sk = keys.edge(SCOPE, source, memory_id)
    assert len(sk.encode()) <= 1_024
    assert sk.startswith(keys.edge(SCOPE, source, "")[1])
    assert keys.dependant(sk) == memory_id
    assert sk != keys.edge(SCOPE, source + "x", memory_id)[1]
