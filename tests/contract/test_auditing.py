"""The audit over all records: rows by day and by chain, heads, notes, tenants; and its neighbours,
the counters of limits and the recalls that are watched.
"""

from datetime import timedelta

from hindwise.domain import changes as c
from hindwise.domain.audit import audited, conversation_audited
from hindwise.domain.audit_notes import Note
from hindwise.domain.ids import ulid
from hindwise.domain.memory import millis
from hindwise.domain.ports.auditing import NOTES, SHARDS
from hindwise.domain.ports.recalls import Place, Recall
from tests import builders
from tests.builders import NOW, principal, scope
from tests.contract.backends import Backend
from tests.fakes import FixedSeal

SEAL = FixedSeal()
DAY = NOW.date()


def wrote(backend: Backend, user="ada", *, at=NOW, tenant="acme"):
    memory = builders.fact(at=at)
    memory, row = audited(memory, "created", principal=principal(), at=at, seal=SEAL)
    backend.store.commit(scope(user, tenant), [c.Create(memory=memory), row])
    return memory, row.entry


def note(at=NOW, **given):
    own = ulid(millis(at), builders.new_id().encode()[-10:])
    return Note(id=own, at=at, actor="bot", call="writeMemories", decision="refused", **given)


def of_day(backend, shard, *, day=DAY, newest=True, limit=50, tenant="acme"):
    """All rows of a shard, page by page."""
    rows, after = [], None
    while True:
        page = backend.audit.day(tenant, day, shard, after=after, limit=limit, newest=newest)
        assert len(page.rows) <= limit
        rows += page.rows
        if (after := page.after) is None:
            return rows


def test_a_days_rows_are_read_from_either_end_page_by_page(backend: Backend):
    made = [wrote(backend, at=NOW + timedelta(seconds=n))[1] for n in range(5)]
    wrote(backend, at=NOW - timedelta(days=1))
    wrote(backend, tenant="acme-2")
    shard = backend.audit.shard_of(scope())
    for limit in (1, 2, 5, 6):
        rows = of_day(backend, shard, limit=limit)
        assert [row.entry for row in rows] == made[::-1]
        assert all(row.user == "ada" and row.listed and row.chained for row in rows)
        assert of_day(backend, shard, limit=limit, newest=False) == rows[::-1]
    others = [row for n in range(SHARDS) if n != shard for row in of_day(backend, n)]
    assert others == []


def test_notes_are_of_their_tenant_and_day(backend: Backend):
    own = [note(NOW + timedelta(minutes=n), user="ada" if n else None) for n in range(3)]
    midnight = NOW.replace(hour=0, minute=0, second=0, microsecond=0)
    first, last = note(midnight), note(midnight + timedelta(days=1, milliseconds=-1))
    for one in (*own, first, last, note(midnight + timedelta(days=1))):
        backend.audit.note("acme", one)
    backend.audit.note("acme-2", note())
    rows = of_day(backend, NOTES, newest=False, limit=2)
    assert [row.entry for row in rows] == [first, *own, last]
    assert [row.user for row in rows][1:3] == [None, "ada"]
    assert backend.audit.tenants() == ["acme", "acme-2"]
    backend.audit.know("zeta")
    backend.audit.know("zeta")
    assert backend.audit.tenants() == ["acme", "acme-2", "zeta"]


def test_chains_are_read_whole_in_pieces_of_any_size(backend: Backend):
    memories = [wrote(backend)[0] for _ in range(3)]
    after = builders.newer(memories[0], content="The user drinks coffee.")
    after, row = audited(after, "edited", principal=principal(), at=NOW, seal=SEAL)
    backend.store.commit(scope(), [c.Replace(before=memories[0], after=after), row])
    wrote(backend, "bob")
    for limit in (1, 2, 4, 5):
        rows, position = [], None
        while True:
            page = backend.audit.chains(scope(), after=position, limit=limit)
            rows += page.rows
            if (position := page.after) is None:
                break
        assert [row.chain for row in rows] == sorted([memories[0].id, *(m.id for m in memories)])
        assert {row.user for row in rows} == {"ada"}
        assert all(row.entry is not None and row.entry.id == row.id for row in rows)


def test_heads_are_what_records_hold_and_none_for_tombstones(backend: Backend):
    kept, gone = wrote(backend)[0], wrote(backend)[0]
    backend.store.commit(scope(), [c.Forget(memory=gone, at=NOW)])
    talk, row = conversation_audited(
        builders.conversation("chat/一"), "received", at=NOW, seal=SEAL
    )
    backend.store.commit(scope(), [c.PutConversation(conversation=talk), row])
    missing = builders.new_id()
    asked = [kept.id, gone.id, row.entry.memory_id, missing]
    assert backend.audit.heads(scope(), asked) == {
        kept.id: kept.audit_head,
        gone.id: None,
        row.entry.memory_id: row.entry.digest,
    }
    assert kept.audit_head and backend.audit.heads(scope("bob"), asked) == {}


def test_counters_are_of_a_tenant_and_minute_or_day(backend: Backend):
    rates = backend.rates
    one = rates.add("acme", {"requests": 2, "writes": 1}, now=NOW)
    assert one == {"requests": 2, "searches": 0, "writes": 1}
    two = rates.add("acme", {"requests": 1, "searches": 1}, now=NOW + timedelta(seconds=29))
    assert two == {"requests": 3, "searches": 1, "writes": 1}
    later = rates.add("acme", {"requests": 1}, now=NOW + timedelta(seconds=60))
    assert later == {"requests": 1, "searches": 0, "writes": 0}
    assert rates.add("acme-2", {"requests": 1}, now=NOW)["requests"] == 1
    assert [rates.embed("acme", 5, now=NOW), rates.embed("acme", -2, now=NOW)] == [5, 3]
    assert rates.embed("acme", 1, now=NOW + timedelta(days=1)) == 1


def test_recalls_are_read_newest_first_until_they_expire(backend: Backend):
    made = []
    for n, user in enumerate(("ada", "bob", "ada", "ada")):
        at = NOW + timedelta(seconds=n)
        recall = Recall(
            id=builders.new_id(at), at=at, actor="bot", call="search", query="x",
            results=(Place(id="m", rank=1, arms={"keyword": 2}, score=0.5),),
            degraded=("embedder",), expires=at + timedelta(days=7),
        )  # fmt: skip
        backend.recalls.put(scope(user), recall)
        made.append((scope(user), recall))
    backend.recalls.put(scope("ada"), made[0][1].model_copy(update={"actor": "other"}))

    def walk(read, whose, now=NOW):
        found, after = [], None
        while True:
            page, after = read(whose, after=after, limit=2, now=now)
            found += page
            if after is None:
                return found

    assert walk(backend.recalls.of_tenant, "acme") == made[::-1]
    ada = [one for who, one in reversed(made) if who == scope("ada")]
    assert walk(backend.recalls.of_user, scope("ada")) == ada
    assert walk(backend.recalls.of_user, scope("eve")) == []
    assert walk(backend.recalls.of_tenant, "acme-2") == []
    soon = NOW + timedelta(days=7, seconds=1)
    assert walk(backend.recalls.of_tenant, "acme", soon) == made[:1:-1]
