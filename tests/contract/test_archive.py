"""An archive and back: stub and versions in the store, the object in the bucket."""

from dataclasses import dataclass, replace

import pytest

from hindwise.adapters.dynamodb.fading import DynamoFadingList
from hindwise.adapters.dynamodb.store import DynamoStore
from hindwise.adapters.dynamodb.table import Table
from hindwise.adapters.s3 import S3Blobs
from hindwise.domain import changes as c
from hindwise.domain.fading import Fate, Sweep
from hindwise.domain.memory import Status
from hindwise.domain.ports import BlobStore
from hindwise.usecases.archive import restore
from hindwise.usecases.fade import Fading, fade
from tests.builders import episode, new_id, newer, scope
from tests.fading_lab import FadingLab, ago

NEW = {"version", "updated_at", "restored_at", "audit_head"}


@dataclass
class Night:
    """The parts of fading on one backend."""

    fading: Fading
    blobs: BlobStore

    def objects(self) -> list[str]:
        return [*self.blobs.names(scope("ada"), "archive/")]


@pytest.fixture(params=["memory", pytest.param("ministack", marks=pytest.mark.ministack)])
def night(request: pytest.FixtureRequest) -> Night:
    lab = FadingLab()
    if request.param == "memory":
        return Night(lab.fading, lab.blobs)
    table = Table(request.getfixturevalue("dynamodb"), request.getfixturevalue("table"))
    client, name = request.getfixturevalue("bucket")
    blobs = S3Blobs(lambda: (client, name))
    store = DynamoStore(table, clock=lab.clock, new_id=new_id)
    parts = replace(lab.fading, store=store, blobs=blobs, listed=DynamoFadingList(table))
    return Night(parts, blobs)


def test_what_is_archived_leaves_the_table_and_comes_back_as_it_was(night: Night) -> None:
    ledger = night.fading.ledger(scope("ada"))
    first = episode("去年的会议 🗂 <b>", at=ago(60), importance=0.2, metadata={"n": 1.5})
    first, row = ledger.recorded(first, "created")
    ledger.commit([c.Create(memory=first), row])
    before, row = ledger.recorded(newer(first, tags=("旧",), at=ago(59)), "edited")
    ledger.commit([c.Replace(before=first, after=before), row])
    ledger.store.touch(scope("ada"), [c.Touch(memory_id=first.id, times=1, at=ago(50))])
    kept = ledger.need(first.id)

    done = fade(first.id, Sweep.ARCHIVE, ledger=ledger, fading=night.fading)
    stub = ledger.need(first.id)
    assert done.fate is Fate.UNIMPORTANT
    assert (stub.status, stub.content, stub.metadata) == (Status.ARCHIVED, "", {})
    assert len(night.objects()) == 1
    assert ledger.store.versions(scope("ada"), first.id) == []

    back = restore(first.id, ledger=ledger, blobs=night.blobs)
    assert back.model_dump(exclude=NEW) == kept.model_dump(exclude=NEW)
    assert ledger.need(first.id) == back
    tags = [one.tags for one in ledger.store.versions(scope("ada"), first.id)]
    assert () in tags
