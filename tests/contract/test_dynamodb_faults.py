"""The adapter when the table is crowded, slow, cut short or not there."""

import pytest
from botocore.exceptions import EndpointConnectionError

from hindwise.adapters.dynamodb import keys
from hindwise.adapters.dynamodb.calls import ATTEMPTS
from hindwise.adapters.dynamodb.projections import DynamoProjections
from hindwise.adapters.dynamodb.store import DynamoStore
from hindwise.adapters.dynamodb.table import Table
from hindwise.domain import changes as c
from hindwise.errors import Invalid, Misconfigured, Unavailable
from tests import builders
from tests.builders import NOW, Clock, new_id
from tests.contract.flaky import Flaky, lost, refusal

pytestmark = pytest.mark.ministack
SCOPE = builders.scope()


@pytest.fixture
def flaky(dynamodb) -> Flaky:
    return Flaky(dynamodb)


@pytest.fixture
def bound(flaky: Flaky, table: str) -> Table:
    return Table(flaky, table, pause=lambda attempt: None)


@pytest.fixture
def store(bound: Table) -> DynamoStore:
    return DynamoStore(bound, clock=Clock(), new_id=new_id)


@pytest.mark.parametrize(
    "error",
    [
        refusal("TransactionCanceledException", "TransactionConflict", "None"),
        refusal("TransactionCanceledException", "None", "ThrottlingError"),
        refusal("TransactionInProgressException"),
        refusal("ThrottlingException"),
        refusal("ProvisionedThroughputExceededException"),
    ],
    ids=["conflict", "throttled row", "in progress", "throttled", "throughput"],
)
def test_a_crowded_transaction_is_tried_again_with_the_same_token(store, flaky: Flaky, error):
    memory = builders.fact()
    flaky.refuse("transact_write_items", *[error] * (ATTEMPTS - 1))
    store.commit(SCOPE, [c.Create(memory=memory)])
    assert store.get(SCOPE, [memory.id]) == {memory.id: memory}
    tokens = {one["ClientRequestToken"] for one in flaky.sent if "TransactItems" in one}
    assert len(tokens) == 1
    flaky.refuse("transact_write_items", *[error] * ATTEMPTS)
    other = builders.fact()
    with pytest.raises(Unavailable):
        store.commit(SCOPE, [c.Create(memory=other)])
    assert store.get(SCOPE, [other.id]) == {}


def test_a_commit_whose_answer_is_lost_is_no_conflict_with_itself(store, flaky: Flaky):
    def answer_is_lost(real, request):
        real(**request)
        raise refusal("TransactionInProgressException")

    memory = builders.fact()
    after = builders.newer(memory, content="edited")
    for actions in ([c.Create(memory=memory)], [c.Replace(before=memory, after=after)]):
        flaky.plan("transact_write_items", answer_is_lost)
        store.commit(SCOPE, actions)
    assert store.get(SCOPE, [memory.id]) == {memory.id: after}
    assert len(store.backlog(SCOPE, 9).changes) == 2


def test_a_condition_that_fails_in_a_crowd_is_a_lost_race(store, flaky: Flaky):
    codes = ("TransactionConflict", "None", "ConditionalCheckFailed")
    flaky.refuse("transact_write_items", refusal("TransactionCanceledException", *codes))
    create, claim = c.Create(memory=builders.fact()), c.Claim(key="k", memory_id="a", now=NOW)
    with pytest.raises(c.Raced) as lost_race:
        store.commit(SCOPE, [create, claim])
    assert lost_race.value.actions == (claim,)
    assert flaky.calls["transact_write_items"] == 1


@pytest.mark.parametrize(
    ("error", "ours"),
    [
        (lost(), Unavailable),
        (EndpointConnectionError(endpoint_url="http://table"), Unavailable),
        (refusal("InternalServerError"), Unavailable),
        (refusal("ValidationException"), Invalid),
        (refusal("TransactionCanceledException", "ValidationError"), Invalid),
        (refusal("ResourceNotFoundException"), Misconfigured),
        (refusal("AccessDeniedException"), Misconfigured),
    ],
    ids=["timeout", "no connection", "server", "malformed", "cancelled", "no table", "denied"],
)
def test_errors_of_the_sdk_become_ours(store, flaky: Flaky, error, ours):
    for method in ("transact_write_items", "batch_get_item", "query", "update_item"):
        flaky.refuse(method, error)
    touch = c.Touch(memory_id=new_id(), times=1, at=NOW)
    for call in (
        lambda: store.commit(SCOPE, [c.Create(memory=builders.fact())]),
        lambda: store.get(SCOPE, ["a"]),
        lambda: store.backlog(SCOPE, 9),
        lambda: store.touch(SCOPE, [touch]),
    ):
        with pytest.raises(ours) as raised:
            call()
        assert raised.value.__cause__ is error


def test_keys_left_unread_are_asked_for_again(store, flaky: Flaky):
    memories = [builders.fact(str(number)) for number in range(20)]
    store.commit(SCOPE, [c.Create(memory=one) for one in memories])

    def half(real, request):
        ((name, asked),) = request["RequestItems"].items()
        now, later = asked["Keys"][::2], asked["Keys"][1::2]
        answer = real(RequestItems={name: {**asked, "Keys": now}})
        answer["UnprocessedKeys"] = {name: {"Keys": later, "ConsistentRead": True}}
        return answer

    flaky.plan("batch_get_item", half, half)
    assert list(store.get(SCOPE, [one.id for one in memories]).values()) == memories
    assert flaky.calls["batch_get_item"] == 3

    def nothing(real, request):
        return {"Responses": {}, "UnprocessedKeys": request["RequestItems"]}

    flaky.plan("batch_get_item", *[nothing] * ATTEMPTS)
    with pytest.raises(Unavailable):
        store.get(SCOPE, [memories[0].id])
    flaky.refuse("batch_get_item", refusal("ThrottlingException"))
    assert store.get(SCOPE, [memories[0].id]) == {memories[0].id: memories[0]}


def test_rows_left_unwritten_are_written_again(store, bound: Table, flaky: Flaky):
    projections = DynamoProjections(bound, "a/4", clock=Clock(), new_id=new_id)
    store.commit(SCOPE, [c.Create(memory=builders.fact(str(number))) for number in range(20)])
    rows = store.backlog(SCOPE, 100).changes

    def half(real, request):
        ((name, asked),) = request["RequestItems"].items()
        real(RequestItems={name: asked[::2]})
        return {"UnprocessedItems": {name: asked[1::2]}}

    flaky.plan("batch_write_item", half)
    projections.clear(SCOPE, rows)
    assert store.backlog(SCOPE, 100).changes == ()
    assert flaky.calls["batch_write_item"] == 2

    def nothing(real, request):
        return {"UnprocessedItems": request["RequestItems"]}

    flaky.plan("batch_write_item", *[nothing] * ATTEMPTS)
    with pytest.raises(Unavailable):
        projections.clear(SCOPE, rows)


def test_a_forget_that_broke_off_is_finished_by_the_next(store, flaky: Flaky):
    memory = builders.fact("0")
    store.commit(SCOPE, [c.Create(memory=memory)])
    for number in range(100):
        after = builders.newer(memory, content=str(number))
        store.commit(SCOPE, [c.Replace(before=memory, after=after)])
        memory = after
    flaky.refuse("batch_write_item", lost())
    with pytest.raises(Unavailable):
        store.commit(SCOPE, [c.Forget(memory=memory, at=NOW)])
    assert list(store.get(SCOPE, [memory.id])) == [memory.id], "it can still be asked for again"
    store.commit(SCOPE, [c.Forget(memory=memory, at=NOW)])
    assert store.get(SCOPE, [memory.id]) == {} and store.versions(SCOPE, memory.id) == []


def test_the_backlog_is_as_the_table_has_it_where_its_index_is_late(store, bound, flaky: Flaky):
    projections = DynamoProjections(bound, "a/4", clock=Clock(), new_id=new_id)
    gone, parked, left = (builders.fact(id=f"{number:026d}") for number in (3, 34, 55))
    store.commit(SCOPE, [c.Create(memory=one) for one in (gone, parked, left)])
    rows = {row.memory_id: row for row in store.backlog(SCOPE, 9).changes}

    def late(real, request):
        answer = real(**request)
        projections.clear(SCOPE, [rows[gone.id]])
        projections.failed(SCOPE, rows[parked.id], reason="refused", park=True)
        return answer

    flaky.plan("query", late)
    buckets = {keys.bucket(one.id, keys.DIRTY_BUCKETS) for one in (gone, parked, left)}
    assert len(buckets) == 1
    assert projections.dirty(buckets.pop(), 9) == [(SCOPE, rows[left.id])]
