"""Many writers at once, on the emulated table.

One truth comes out, and nothing that was accepted is lost.
"""

import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from hindwise.adapters.dynamodb.client import connect
from hindwise.adapters.dynamodb.store import DynamoStore
from hindwise.adapters.dynamodb.table import Table
from hindwise.domain.call import Call, Tools
from hindwise.domain.drafts import SemanticDraft
from hindwise.domain.memory import LongTermMemory, Status
from hindwise.errors import Unavailable
from hindwise.runtime.tools import Backoff, Ulids, utc_now
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.write import write
from hindwise.usecases.written import Written
from tests.builders import principal, scope
from tests.fakes import FixedSeal
from tests.ministack import MiniStack, create_table

WRITERS = 100
START = datetime(2026, 1, 1, tzinfo=UTC)
ULIDS = Ulids()


@pytest.fixture
def store(ministack: MiniStack) -> Iterator[DynamoStore]:
    client = connect(ministack.endpoint, session=ministack.session)
    name = f"crowd-{uuid4().hex[:8]}"
    create_table(client, name)
    yield DynamoStore(Table(client, name), clock=utc_now, new_id=ULIDS)
    client.close()


def ledger(store: DynamoStore, user: str = "ada") -> Ledger:
    call = Call(scope=scope(user), principal=principal(), now=utc_now())
    return Ledger(call=call, store=store, tools=Tools(ULIDS, FixedSeal(), Backoff))


def all_of(store: DynamoStore, user: str = "ada") -> list[LongTermMemory]:
    found: list[LongTermMemory] = []
    after = None
    while True:
        page = store.page(scope(user), after=after, examine=1_000)
        found += page.memories
        after = page.after
        if after is None:
            return found


def crowd(store: DynamoStore, drafts: list[SemanticDraft]) -> list[Written]:
    """Write all at once; who is told to come back does, as a client would."""

    def one(draft: SemanticDraft) -> Written:
        for _ in range(20):
            try:
                return write(draft, ledger=ledger(store))
            except Unavailable:
                continue
        raise AssertionError("never accepted")

    with ThreadPoolExecutor(WRITERS) as pool:
        return list(pool.map(one, drafts))


def homes(when: list[datetime]) -> list[SemanticDraft]:
    return [
        SemanticDraft(
            content=f"lives in city {n}", subject="ada", attribute="home", event_time=moment
        )
        for n, moment in enumerate(when)
    ]


@pytest.mark.ministack
def test_a_hundred_writers_to_one_slot_leave_the_newest_and_lose_nothing(
    store: DynamoStore,
) -> None:
    when = [START + timedelta(hours=n) for n in range(WRITERS)]
    random.Random(7).shuffle(when)
    written = crowd(store, homes(when))
    records = {one.id: one for one in all_of(store)}
    assert set(records) == {one.id for one in written} and len(records) == WRITERS
    states = Counter(one.status for one in records.values())
    assert states == {Status.ACTIVE: 1, Status.SUPERSEDED: WRITERS - 1}
    current = next(one for one in records.values() if one.status is Status.ACTIVE)
    assert current.event_time == max(when)
    for one in records.values():
        seen = {one.id}
        while one.superseded_by is not None:
            one = records[one.superseded_by]
            assert one.id not in seen
            seen.add(one.id)
        assert one.id == current.id


@pytest.mark.ministack
def test_the_same_event_time_leaves_one_current_value(store: DynamoStore) -> None:
    written = crowd(store, homes([START] * 40))
    states = Counter(one.status for one in all_of(store))
    assert states == {Status.ACTIVE: 1, Status.SUPERSEDED: 39}
    current = next(one for one in all_of(store) if one.status is Status.ACTIVE)
    assert current.id == max(one.id for one in written)


@pytest.mark.ministack
def test_a_hundred_exact_repeats_are_one_memory(store: DynamoStore) -> None:
    drafts = [SemanticDraft(content="locker code hint is 'lighthouse'")] * WRITERS
    written = crowd(store, drafts)
    assert len({one.id for one in written}) == 1
    assert len(all_of(store)) == 1
    assert Counter(one.outcome for one in written)["created"] == 1


@pytest.mark.ministack
def test_every_change_of_a_crowd_has_its_change_row(store: DynamoStore) -> None:
    crowd(store, homes([START + timedelta(hours=n) for n in range(30)]))
    waiting = {change.memory_id for change in store.backlog(scope("ada"), 1_000).changes}
    assert waiting == {one.id for one in all_of(store)}
