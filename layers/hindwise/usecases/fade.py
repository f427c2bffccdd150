"""Let time do what it has to do to one memory: decided on the record as it is, done under that.

A record that was changed or accessed in between is decided on anew, so that a sweep may come twice,
late, or beside another one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from hindwise.domain.archived import Why
from hindwise.domain.base import Model
from hindwise.domain.call import Call, Tools
from hindwise.domain.changes import Action, Forget, Raced, Replace
from hindwise.domain.fading import SWEEPS, Fate, Sweep, due_at, fate, with_time
from hindwise.domain.fading_changes import Looked
from hindwise.domain.memory import LongTermMemory, WorkingMemory
from hindwise.domain.ports import BlobStore, FadingList, MemoryStore, Queues
from hindwise.domain.retention import Retention
from hindwise.domain.scope import Principal, Role, Scope
from hindwise.usecases.archive import archivable, archive, unkept
from hindwise.usecases.evidence import disowned
from hindwise.usecases.latest import unpointed
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.placing import following, unclaimed
from hindwise.usecases.winning import until_won

KEPT = timedelta(days=30)
"""After which what had to stay is looked at again."""
WHY: dict[Fate, Why] = {
    Fate.UNIMPORTANT: "unimportant",
    Fate.DONE: "done",
    Fate.COLD: "cold",
}


@dataclass(frozen=True)
class Fading:
    """What fading works with, over all scopes."""

    store: MemoryStore
    blobs: BlobStore
    listed: FadingList
    queues: Queues
    tools: Tools
    clock: Callable[[], datetime]
    rules: Retention

    def ledger(self, scope: Scope) -> Ledger:
        """The schedule's way to a scope."""
        who = Principal(tenant=scope.tenant, name="schedule", role=Role.WRITER, users=(scope.user,))
        call = Call(scope=scope, principal=who, now=self.clock())
        return Ledger(call=call, store=self.store, tools=self.tools)


class Seen(Model):
    """What became of a memory: its fate where it was this sweep's to bring about, else None.

    `kept` where it would go and has to stay: it has too many old versions.
    """

    memory_id: str
    fate: Fate | None = None
    memory: LongTermMemory | None = None
    kept: bool = False


def planned(
    memory: LongTermMemory, *, ledger: Ledger, rules: Retention
) -> tuple[Fate | None, bool]:
    """What is to become of a memory now, and whether others rest on it (looked up where it counts).

    Changes nothing.
    """
    how = fate(memory, ledger.call.now, rules)
    if how is not Fate.PURGE:
        return how, False
    rests = bool(ledger.store.dependants(ledger.call.scope, memory.id))
    return fate(memory, ledger.call.now, rules, rests=rests), rests


def fade(memory_id: str, sweep: Sweep, *, ledger: Ledger, fading: Fading) -> Seen:
    """Do to a memory what this sweep has to do, or note when there is something to do next.

    What another sweep has to do waits for that one. Raises Unavailable.
    """

    def attempt(ledger: Ledger) -> Seen:
        memory = ledger.read(memory_id)
        if memory is None or isinstance(memory, WorkingMemory):
            return Seen(memory_id=memory_id)
        how, rests = planned(memory, ledger=ledger, rules=fading.rules)
        if how is None:
            return _looked(memory, rests, ledger=ledger, fading=fading)
        if SWEEPS[how] is not sweep or how is Fate.TREND:
            ours = how if SWEEPS[how] is sweep else None
            return Seen(memory_id=memory_id, fate=ours, memory=memory)
        return _done(memory, how, ledger=ledger, fading=fading)

    return until_won(attempt, "a memory", ledger=ledger, final=())


def _done(memory: LongTermMemory, how: Fate, *, ledger: Ledger, fading: Fading) -> Seen:
    if how is Fate.PURGE:
        purge(memory, ledger=ledger, blobs=fading.blobs)
    elif how is Fate.TURN:
        after, row = ledger.recorded(with_time(memory, ledger.call.now, fading.rules), "faded")
        ledger.commit([Replace(before=memory, after=after), row])
    else:
        versions = ledger.store.versions(ledger.call.scope, memory.id)
        if not archivable(versions):
            put_off(memory, ledger.call.now + KEPT, ledger=ledger)
            return Seen(memory_id=memory.id, memory=memory, kept=True)
        stub = archive(memory, versions, WHY[how], ledger=ledger, blobs=fading.blobs)
        return Seen(memory_id=memory.id, fate=how, memory=stub)
    return Seen(memory_id=memory.id, fate=how, memory=memory)


def _looked(memory: LongTermMemory, rests: bool, *, ledger: Ledger, fading: Fading) -> Seen:
    """Note when there is something to do next; who changed it meanwhile has noted that already."""
    due = due_at(memory, fading.rules, after=ledger.call.now, rests=rests)
    put_off(memory, due, ledger=ledger)
    return Seen(memory_id=memory.id, memory=memory)


def put_off(memory: LongTermMemory, due: datetime | None, *, ledger: Ledger) -> None:
    """Have a memory looked at at its next date; it may have been changed, or wait for no date."""
    try:
        ledger.commit([Looked(memory=memory, due=due)])
    except Raced:
        return


def purge(memory: LongTermMemory, *, ledger: Ledger, blobs: BlobStore) -> None:
    """Replace a memory by a tombstone, unless it was accessed; the turn it came from stays as said.

    Raises Raced.
    """
    ended = memory.model_copy(update={"version": memory.version + 1})
    _, row = ledger.recorded(ended, "purged")
    gone = Forget(memory=memory, at=ledger.call.now, hits=memory.access_count)
    actions: list[Action] = [gone, row, *unclaimed(memory, memory.claims)]
    actions += following(memory, ledger=ledger)
    actions += unpointed(memory, ledger=ledger)
    unkept(memory, ledger=ledger, blobs=blobs)
    ledger.commit(actions)
    unkept(memory, ledger=ledger, blobs=blobs)
    disowned(memory.id, ledger=ledger, sparing="")
