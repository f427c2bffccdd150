"""Puts into an emulated AWS what the events of `tests/events` speak of.

That is a key, one memory, a conversation that waits to be learnt from, and a consolidation that was
asked for.

The events name them, and they are read from there: an authorizer's event its credential, a stream's
event a memory and its change row. With them every event succeeds on an empty table.
"""

import json
from datetime import UTC, datetime
from typing import Any

from hindwise.adapters.dynamodb import keys
from hindwise.adapters.dynamodb.store import DynamoStore
from hindwise.domain.call import Call
from hindwise.domain.changes import PutJob
from hindwise.domain.conversation import SpeakerRole
from hindwise.domain.drafts import EpisodeDraft
from hindwise.domain.jobs import Job, JobKind
from hindwise.domain.ports import ApiKey
from hindwise.domain.scope import Principal, Role
from hindwise.domain.talk import Sent, Talk
from hindwise.runtime import credentials
from hindwise.runtime.wiring import Wiring
from hindwise.usecases.converse import converse
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.write import write
from infra.local.emulator import ROOT
from infra.local.keys import TENANT

EVENTS = ROOT / "tests" / "events"
CONTENT = "The deploy of 2.4.0 to prod failed: the disk was full."
HAPPENED = datetime(2026, 3, 13, 18, 30, tzinfo=UTC)
LAPTOP = Principal(tenant=TENANT, name="laptop", role=Role.WRITER)
TALK = Talk(
    id="standup-2026-03-13",
    end=True,
    messages=(
        Sent(
            role=SpeakerRole.USER, text="The deploy failed again, the disk was full.", at=HAPPENED
        ),
        Sent(role=SpeakerRole.ASSISTANT, text="I have doubled it to 40 GB.", at=HAPPENED),
    ),
)
"""What the event of `extract` is about; a job's id follows from conversation, turn and moment."""
COUNTED = 4
"""Digits at the end of an id that another memory of the same kind differs in."""


def event(name: str, number: int = 0) -> dict[str, Any]:
    """The sample event of a function, e.g. `write`; a `number` makes it speak of another memory."""
    text = (EVENTS / f"{name}.json").read_text()
    for known in _row(0)["sk"]["S"].split("#")[1:] if number else ():
        text = text.replace(known, f"{known[:-COUNTED]}{number:0{COUNTED}d}")
    read: dict[str, Any] = json.loads(text)
    return read


def seed(wiring: Wiring) -> None:
    """Store the key and the memory, through the product's own adapters."""
    secret = event("authorize")["identitySource"][0].removeprefix("Bearer ")
    wiring.keys.add(
        ApiKey(
            id="01KKM7CT20F45T3X78B8AZAE7K",
            digest=credentials.digest(secret),
            principal=LAPTOP,
            created_at=HAPPENED,
            label="of the sample events",
        )
    )
    remember(wiring)
    call = Call(scope=keys.scope_of(_row(0)["pk"]["S"]), principal=LAPTOP, now=HAPPENED)
    ledger = Ledger(call=call, store=wiring.store, tools=wiring.tools)
    converse(TALK, ledger=ledger, learning=wiring.learning)
    asked = json.loads(event("consolidate")["Records"][0]["body"])
    job = Job(
        id=asked["id"],
        kind=JobKind.CONSOLIDATE,
        principal=LAPTOP,
        domain="ops",
        next_at=HAPPENED,
        created_at=HAPPENED,
        updated_at=HAPPENED,
    )
    wiring.store.commit(call.scope, [PutJob(job=job)])


def remember(wiring: Wiring, number: int = 0) -> None:
    """Store the memory that the events with this number speak of, with its change row."""
    row = _row(number)
    _, change, memory_id = row["sk"]["S"].split("#")
    call = Call(scope=keys.scope_of(row["pk"]["S"]), principal=LAPTOP, now=wiring.clock())
    first, new_id = [change], wiring.tools.new_id
    store = DynamoStore(
        wiring.table,
        clock=wiring.clock,
        new_id=lambda moment: first.pop() if first else new_id(moment),
    )
    content = f"{CONTENT} ({number})" if number else CONTENT
    draft = EpisodeDraft(content=content, task_id="release-2.4.0", event_time=HAPPENED)
    write(draft, ledger=Ledger(call=call, store=store, tools=wiring.tools), memory_id=memory_id)


def _row(number: int) -> dict[str, Any]:
    keys_of: dict[str, Any] = event("index", number)["Records"][0]["dynamodb"]["Keys"]
    return keys_of
