"""Whatever is done to an audit row, a record's head or a digest is found; nothing else is."""

from datetime import UTC, timedelta

import pytest

from hindwise.domain.audit import audited, conversation_audited
from hindwise.domain.audit_faults import Wrong
from hindwise.domain.changes import PutConversation
from hindwise.domain.drafts import WorkingDraft
from hindwise.domain.fence import fence_at
from hindwise.domain.scope import Origin
from hindwise.usecases import audit_verify
from hindwise.usecases.audit import Asked, noted
from hindwise.usecases.audit_verify import Verifier, verify_day, verify_user
from hindwise.usecases.digest import Digester, digest
from tests.builders import conversation, principal, scope
from tests.memory_records import InMemoryRecords
from tests.unit.usecases.desk import Desk

ALTERATIONS = {
    "id": "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "memory_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "version": 7,
    "actor": "somebody",
    "origin": Origin.UNKNOWN,
    "decision": "reviewed",
    "rules": ("secret.aws_access_key",),
    "previous": "f" * 64,
    "digest": "f" * 64,
}


class Kept(Desk):
    """A desk whose audit is digested and checked."""

    def __init__(self) -> None:
        super().__init__()
        self.records = InMemoryRecords()
        self.log = self.store.audit_log
        self.log.know("acme")
        seal = self.tools.seal
        self.verifier = Verifier(self.log, self.store, self.records, seal)
        self.digester = Digester(self.log, self.records, seal, self.clock)
        self.day = self.clock().astimezone(UTC).date()

    def work(self) -> list[str]:
        """Three memories: one edited twice, one as written, one forgotten."""
        ids = [self.said(text).memory.id for text in ("one", "two", "three")]
        for text in ("uno", "eins"):
            self.edit(ids[0], content=text)
        self.forget(ids[2])
        return ids

    def rows(self, memory_id: str, user: str = "ada"):
        return self.store.world.home(scope(user)).audits[memory_id]

    def note(self, **given):
        asked = Asked(principal(), self.clock(), "writeMemories", **given)
        return noted(asked, "refused", log=self.log, tools=self.tools, code="refused")

    def digested(self):
        return digest(self.digester, until=self.clock() + timedelta(seconds=45))

    def faults(self, day=None, user="ada"):
        """All faults of a day or of a user, and the pieces they were found in."""
        found, after = [], None
        while True:
            if day is None:
                piece = verify_user(scope(user), verifier=self.verifier, after=after)
            else:
                piece = verify_day("acme", day, verifier=self.verifier, after=after)
            found.append(piece)
            if (after := piece.after) is None:
                return [fault for one in found for fault in one.faults], found


@pytest.fixture
def kept():
    return Kept()


def test_what_nobody_touched_is_whole(kept):
    kept.work()
    kept.note(user="ada")
    kept.clock.forward(days=1)
    assert kept.digested().rows == 7
    for day in (None, kept.day):
        faults, pieces = kept.faults(day)
        assert faults == []
        assert sum(piece.checked for piece in pieces) >= 6
    assert {piece.digest for piece in pieces} == {"whole"}


@pytest.mark.parametrize("field", ALTERATIONS)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_an_altered_field_of_any_row_is_found(kept, field, place):
    memory_id = kept.work()[0]
    kept.clock.forward(days=1)
    kept.digested()
    rows = kept.rows(memory_id)
    rows[place] = rows[place].model_copy(update={field: ALTERATIONS[field]})
    assert kept.faults()[0], field
    assert kept.faults(kept.day)[0], field


@pytest.mark.parametrize("field", ["at"])
def test_an_altered_time_is_found(kept, field):
    memory_id = kept.work()[0]
    rows = kept.rows(memory_id)
    rows[1] = rows[1].model_copy(update={field: rows[1].at + timedelta(seconds=1)})
    assert [fault.wrong for fault in kept.faults()[0]] == [Wrong.ALTERED]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_missing_row_is_found_by_chain_and_by_digest(kept, place):
    memory_id = kept.work()[0]
    kept.clock.forward(days=1)
    kept.digested()
    gone = kept.rows(memory_id).pop(place)
    faults, _ = kept.faults()
    assert [(fault.wrong, fault.chain) for fault in faults] == [(Wrong.MISSING, memory_id)]
    faults, _ = kept.faults(kept.day)
    assert [(f.wrong, f.id, f.chain) for f in faults] == [(Wrong.MISSING, gone.id, memory_id)]


def test_a_chain_that_is_gone_as_a_whole_is_missed_by_its_record(kept):
    one, two, three = kept.work()
    kept.rows(one).clear()
    kept.rows(three).pop()
    faults, _ = kept.faults()
    assert [(f.wrong, f.chain) for f in faults] == [(Wrong.MISSING, three), (Wrong.MISSING, one)]
    assert kept.rows(two)


def test_a_row_that_was_put_in_is_found(kept):
    memory_id, other, _ = kept.work()
    kept.clock.forward(days=1)
    kept.digested()
    rows = kept.rows(memory_id)
    forged = rows[1].model_copy(update={"actor": "mallory", "id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"})
    rows.append(forged)
    assert {Wrong.ALTERED, Wrong.INSERTED} == {fault.wrong for fault in kept.faults()[0]}
    assert [(f.wrong, f.id) for f in kept.faults(kept.day)[0]] == [(Wrong.INSERTED, forged.id)]
    rows.remove(forged)
    rows.append(kept.rows(other)[0])
    assert kept.faults()[0] and kept.faults(kept.day)[0]


def test_a_head_that_was_put_back_is_found(kept):
    memory_id = kept.work()[0]
    home = kept.store.world.home(scope())
    memory = home.memories[memory_id]
    older = kept.rows(memory_id)[0].digest
    home.memories[memory_id] = memory.model_copy(update={"audit_head": older})
    assert [(f.wrong, f.chain) for f in kept.faults()[0]] == [(Wrong.HEAD, memory_id)]
    del home.memories[memory_id]
    assert [(f.wrong, f.chain) for f in kept.faults()[0]] == [(Wrong.HEAD, memory_id)]


@pytest.mark.parametrize(
    "field", ["id", "at", "actor", "call", "decision", "code", "rules", "user", "subject"]
)
def test_an_altered_note_is_found_and_so_is_one_that_is_gone(kept, field):
    note = kept.note(user="ada", subject="x")
    kept.clock.forward(days=1)
    kept.digested()
    own = {"at": note.at + timedelta(seconds=1), "rules": ("lesson",), "user": None}
    notes = kept.log.notes["acme"]
    notes[0] = note.model_copy(update={field: own.get(field, "0" * 26)})
    assert kept.faults(kept.day)[0][0].wrong in (Wrong.ALTERED, Wrong.INSERTED)
    notes.clear()
    assert [(f.wrong, f.id) for f in kept.faults(kept.day)[0]] == [(Wrong.MISSING, note.id)]


@pytest.mark.parametrize("name", ["head", "part"])
def test_a_digest_that_was_altered_is_found(kept, name):
    kept.work()
    kept.clock.forward(days=1)
    kept.digested()
    keys = [key for key in kept.records.held if (key.count("/") > 2) == (name == "part")]
    assert len(keys) == 1
    data = kept.records.held[keys[0]]
    kept.records.held[keys[0]] = data.replace(b'"rows":6', b'"rows":5').replace(
        b'"digest":"', b'"digest":"0', 1
    )
    faults, pieces = kept.faults(kept.day)
    assert Wrong.DIGEST in {fault.wrong for fault in faults}
    assert "broken" in {piece.digest for piece in pieces}
    kept.records.held[keys[0]] = b"{"
    assert Wrong.DIGEST in {fault.wrong for fault in kept.faults(kept.day)[0]}


def test_a_chain_sealed_anew_by_whoever_has_the_secret_is_found_by_the_digest(kept):
    memory_id = kept.work()[1]
    kept.clock.forward(days=1)
    kept.digested()
    home = kept.store.world.home(scope())
    bare = home.memories[memory_id].model_copy(update={"audit_head": ""})
    at = kept.rows(memory_id)[0].at
    who = principal(name="mallory")
    memory, row = audited(bare, "created", principal=who, at=at, seal=kept.tools.seal)
    home.memories[memory_id], kept.rows(memory_id)[:] = memory, [row.entry]
    assert kept.faults()[0] == []
    faults, _ = kept.faults(kept.day)
    assert [(f.wrong, f.chain) for f in faults] == [(Wrong.ALTERED, memory_id)]


def test_a_user_who_was_erased_leaves_chains_that_end(kept):
    one, _, _ = kept.work()
    home = kept.store.world.home(scope())
    home.memories.clear()
    home.tombstones.clear()
    assert {f.wrong for f in kept.faults()[0]} == {Wrong.HEAD}
    home.fence = fence_at(kept.clock())
    assert kept.faults()[0] == []
    kept.rows(one).pop(1)
    assert [(f.wrong, f.chain) for f in kept.faults()[0]] == [(Wrong.MISSING, one)]


def test_a_day_without_a_digest_is_checked_by_its_rows_alone(kept):
    memory_id = kept.work()[0]
    assert {piece.digest for piece in kept.faults(kept.day)[1]} == {"absent"}
    rows = kept.rows(memory_id)
    rows[0] = rows[0].model_copy(update={"actor": "mallory"})
    assert [f.wrong for f in kept.faults(kept.day)[0]] == [Wrong.ALTERED]


@pytest.mark.parametrize("rows", [1, 2, 4])
def test_a_check_in_small_pieces_finds_the_same(kept, monkeypatch, rows):
    monkeypatch.setattr(audit_verify, "ROWS", rows)
    monkeypatch.setattr(audit_verify, "RECORDS", 1)
    one, two, three = kept.work()
    kept.write(WorkingDraft(task_id="t", key="k", content="scratch"))
    talk, row = conversation_audited(
        conversation("chat"), "received", at=kept.clock(), seal=kept.tools.seal
    )
    kept.store.commit(scope(), [PutConversation(conversation=talk), row])
    kept.clock.forward(days=1)
    kept.digested()
    assert kept.faults()[0] == kept.faults(kept.day)[0] == []
    kept.rows(one).pop(1)
    kept.rows(two)[0] = kept.rows(two)[0].model_copy(update={"actor": "mallory"})
    kept.rows(three).pop()
    wrong = {(Wrong.MISSING, one), (Wrong.ALTERED, two), (Wrong.MISSING, three)}
    for day in (None, kept.day):
        assert {(fault.wrong, fault.chain) for fault in kept.faults(day)[0]} == wrong
