"""The nightly sweeps over memories of any age: what goes, what stays, what comes back."""

from dataclasses import replace
from datetime import timedelta

import pytest

from hindwise.domain import changes as c
from hindwise.domain.drafts import SemanticDraft
from hindwise.domain.fading import Fate, Sweep
from hindwise.domain.memory import Cardinality, Mark, Status, Type
from hindwise.errors import Conflict
from hindwise.usecases.forget import forget
from hindwise.usecases.sweeping import look, run
from hindwise.usecases.transcript import Transcript
from hindwise.usecases.write import write
from tests.builders import episode, fact, newer, scope
from tests.fading_lab import SWEEPS, TONIGHT, FadingLab, ago
from tests.lab import Port

ONE = "01KVS52GC0000000000000000A"


@pytest.fixture
def lab() -> FadingLab:
    return FadingLab()


def test_des_50_purge_and_archive_go_by_importance_hits_and_age(lab: FadingLab):
    given = {"a": (0.2, 0, 8), "b": (0.2, 1, 8), "c": (0.3, 0, 8), "d": (0.2, 0, 6),
             "e": (0.2, 1, 31), "f": (0.3, 1, 31), "g": (0.2, 1, 29)}  # fmt: skip
    ids = {
        name: lab.happened(days, importance, hits)
        for name, (importance, hits, days) in given.items()
    }
    ids["h"] = lab.happened(0, 0.2, event_time=ago(900))
    known = lab.plant(fact(at=ago(8), importance=0.2, confidence=0.2))
    before = lab.states()
    assert lab.foretold(Sweep.PURGE) == {Fate.PURGE: {ids["a"]}}
    assert lab.foretold(Sweep.ARCHIVE) == {Fate.UNIMPORTANT: {ids["e"]}}
    assert lab.states() == before
    lab.sweep(Sweep.PURGE)
    lab.sweep(Sweep.ARCHIVE)
    after = lab.states()
    assert before.keys() - after.keys() == {ids["a"]}
    assert [one for one, status in after.items() if status == "archived"] == [ids["e"]]
    assert (after[ids["h"]], after[known]) == ("active", "active")
    picture = lab.picture()
    for sweep in (Sweep.PURGE, Sweep.ARCHIVE):
        assert lab.sweep(sweep).counts == {}
    assert lab.picture() == picture


def test_des_29_what_is_cold_is_archived_and_comes_back_as_it_was(lab: FadingLab):
    given = {"a": (10, 0), "b": (90, 12), "c": (200, 0), "d": (400, 0), "e": (400, 3)}
    ids = {name: lab.happened(days, hits=hits) for name, (days, hits) in given.items()}
    picture, record = lab.picture(), lab.record(ids["d"])
    assert lab.foretold(Sweep.TIERS) == {Fate.COLD: {ids["d"]}}
    assert lab.picture() == picture
    assert lab.sweep(Sweep.TIERS).counts == {Fate.COLD: 1}
    assert lab.states() == dict.fromkeys(ids.values(), "active") | {ids["d"]: "archived"}
    picture = lab.picture()
    for _ in range(2):
        assert lab.sweep(Sweep.TIERS).counts == {}
    assert lab.picture() == picture
    back = lab.restore(ids["d"])
    new = {"version", "updated_at", "restored_at", "audit_head"}
    assert back.model_dump(exclude=new) == record.model_dump(exclude=new)
    assert back == lab.record(ids["d"])
    lab.night()
    assert lab.states()[ids["d"]] == "active"


def test_a_stub_says_nothing_and_the_object_says_all(lab: FadingLab):
    canary = "CANARY-7"
    made = fact(f"{canary} is it", at=ago(400), subject=canary, value=canary, tags=(canary,),
                entities=(canary,), metadata={"k": canary}, external_id=canary)  # fmt: skip
    lab.plant(made)
    second = newer(made, content=f"{canary} twice", updated_at=ago(390))
    lab.store.commit(scope(), [c.Replace(before=made, after=second)])
    lab.sweep(Sweep.TIERS)
    stub = lab.record(made.id)
    assert stub.status is Status.ARCHIVED
    assert canary not in stub.model_dump_json()
    assert (stub.type, stub.created_at, stub.importance) == (made.type, made.created_at, 0.5)
    assert lab.store.versions(scope(), made.id) == []
    back = lab.restore(made.id)
    assert (back.content, back.metadata) == (second.content, second.metadata)
    assert lab.store.versions(scope(), made.id) == [made]
    decisions = [row.decision for row in lab.store.audit(scope(), made.id)]
    assert decisions == ["created", "archived", "restored"]


def test_what_was_accessed_while_it_was_decided_about_stays(lab: FadingLab):
    doomed = lab.happened(8, 0.2, id=ONE)
    touch = c.Touch(memory_id=doomed, times=1, at=TONIGHT)
    commit = next(number for number, name in enumerate(_calls(), 1) if name.endswith(".commit"))
    lab.wire.arm(commit, lambda: lab.store.touch(scope(), [touch]))
    assert lab.sweep(Sweep.PURGE, lab.fragile()).counts == {}
    assert lab.states() == {doomed: "active"}


def _calls() -> list[str]:
    """The calls of a sweep that purges one memory."""
    lab = FadingLab()
    lab.happened(8, 0.2, id=ONE)
    lab.wire.arm(10_000, lambda: None)
    lab.sweep(Sweep.PURGE, lab.fragile())
    return lab.wire.names


def test_what_others_rest_on_is_kept_until_it_is_archived(lab: FadingLab):
    proof = lab.happened(8, 0.2)
    rests = lab.plant(fact(at=ago(8), evidence_ids=(proof,)))
    lab.store.commit(scope(), [c.Edge(source=proof, kind="evidence", dependant=rests)])
    lab.night()
    assert lab.states()[proof] == "active"
    lab.clock.forward(days=23)
    lab.night()
    assert lab.states()[proof] == "archived"
    assert lab.record(rests).evidence_ids == (proof,)


def test_a_look_that_finds_nothing_to_do_costs_nothing_until_the_next_date(lab: FadingLab):
    lab.happened(8, 0.2, hits=1)
    assert lab.sweep(Sweep.PURGE).looked == 1
    for sweep in SWEEPS:
        assert lab.sweep(sweep).looked == 0
    lab.clock.forward(days=22, hours=1)
    assert lab.sweep(Sweep.ARCHIVE).counts == {Fate.UNIMPORTANT: 1}


def test_what_another_sweep_has_to_do_waits_for_that_one(lab: FadingLab):
    lab.happened(31, 0.2, hits=1)
    for sweep in (Sweep.PURGE, Sweep.DECAY, Sweep.TIERS):
        assert lab.sweep(sweep).counts == {}
    assert lab.sweep(Sweep.ARCHIVE).counts == {Fate.UNIMPORTANT: 1}


def test_decay_turns_time_into_flags(lab: FadingLab):
    over = lab.plant(fact(at=ago(5), valid_until=ago(1)))
    due = lab.plant(fact(at=ago(5), type=Type.DECISION, review_at=ago(1)))
    faded = lab.plant(fact(at=ago(310)))
    assert lab.sweep(Sweep.DECAY).counts == {Fate.TURN: 3}
    flags = {one: lab.record(one).flags for one in (over, due, faded)}
    assert flags == {over: ("expired",), due: ("decision_review",), faded: ("faded",)}
    assert lab.record(faded).confidence == 0.8
    waiting = lab.store.reviews.waiting("acme", after=None, limit=10)
    assert [one.memory_id for one in waiting.entries] == [due]
    assert lab.sweep(Sweep.DECAY).looked == 0


def test_a_closed_todo_is_archived_and_its_words_are_free_again(lab: FadingLab):
    todo = fact("call Bob", at=ago(90), type=Type.TODO, done_at=ago(31), claims=("k",))
    lab.plant(todo)
    lab.store.commit(scope(), [c.Claim(key="k", memory_id=todo.id, now=TONIGHT)])
    assert lab.sweep(Sweep.ARCHIVE).counts == {Fate.DONE: 1}
    assert lab.store.claim(scope(), "k", now=TONIGHT) is None


@pytest.mark.parametrize("mark", [Mark.PINNED])
def test_what_is_pinned_stays(lab: FadingLab, mark: Mark):
    lab.happened(400, 0.1, marks=(mark,))
    picture = lab.picture()[:2]
    lab.night()
    assert lab.picture()[:2] == picture


def test_a_memory_with_countless_versions_is_kept(lab: FadingLab):
    now = episode("v1", at=ago(400), confidence=0.2)
    lab.plant(now)
    for number in range(61):
        after = newer(now, content=f"v{number + 2}")
        lab.store.commit(scope(), [c.Replace(before=now, after=after)])
        now = after
    assert lab.sweep(Sweep.TIERS).kept == 1
    assert lab.states() == {now.id: "active"}
    lab.clock.forward(days=1)
    assert lab.sweep(Sweep.TIERS).looked == 0
    lab.clock.forward(days=30)
    assert lab.sweep(Sweep.TIERS).kept == 1


def test_a_slot_that_was_taken_meanwhile_stays_taken(lab: FadingLab):
    slot = {"subject": "user", "attribute": "city", "cardinality": Cardinality.ONE}
    old = lab.plant(fact("lives in Rome", at=ago(400), value="Rome", **slot))
    lab.sweep(Sweep.TIERS)
    draft = SemanticDraft(content="lives in Oslo", value="Oslo", subject="user", attribute="city")
    new = write(draft, ledger=lab.ledger()).id
    back = lab.restore(old)
    assert (back.status, lab.record(new).status) == (Status.SUPERSEDED, Status.ACTIVE)
    assert back.content == "lives in Rome"


def test_an_object_that_is_gone_or_damaged_is_said_so_and_nothing_changes(lab: FadingLab):
    cold = lab.happened(400)
    lab.sweep(Sweep.TIERS)
    stub = lab.record(cold)
    name = stub.archive.name
    data = lab.blobs.get(scope(), name)
    for broken in (data[:-9], b"", None):
        lab.blobs.delete(scope(), name)
        if broken is not None:
            lab.blobs.put(scope(), name, broken)
        with pytest.raises(Conflict):
            lab.restore(cold)
        assert lab.record(cold) == stub
    lab.blobs.put(scope(), name, data)
    assert lab.restore(cold).status is Status.ACTIVE
    assert lab.restore(cold) == lab.record(cold)


def test_a_backward_jump_of_the_clock_harms_nothing(lab: FadingLab):
    ids = [lab.happened(days, 0.2, hits=1) for days in (1, 20, 40)]
    lab.night()
    picture = lab.picture()
    lab.clock.forward(days=-300)
    lab.night()
    assert lab.picture() == picture
    lab.clock.forward(days=300)
    lab.night()
    assert lab.picture() == picture
    assert lab.states()[ids[2]] == "archived"


def test_a_night_that_is_too_short_goes_on_where_it_stopped(lab: FadingLab):
    for number in range(30):
        lab.happened(8 + number / 100, 0.2)
    first = lab.fading.clock
    ticks = iter(range(10_000))

    def ticking():
        return first() + timedelta(seconds=next(ticks) / 10)

    short = replace(lab.fading, clock=ticking)
    reports = []
    while not reports or not reports[-1].done:
        until = ticking() + timedelta(seconds=20)
        reports.append(run(Sweep.PURGE, "one", fading=short, until=until))
        assert len(reports) < 60
    assert len(reports) >= 2
    assert sum(one.counts.get(Fate.PURGE, 0) for one in reports) == 30
    assert lab.states() == {}


@pytest.mark.parametrize("first", range(1, 61, 15))
def test_a_trend_quotes_nothing_that_is_forgotten_while_it_is_made(first: int):
    for at in range(first, first + 15):
        lab = FadingLab()
        ids = [lab.happened(400 + n / 100, content=f"secret {n}") for n in range(4)]
        lab.wire.arm(at, lambda lab=lab, one=ids[1]: forget(one, ledger=lab.ledger()))
        lab.sweep(Sweep.TIERS, lab.fragile())
        lab.clock.forward(days=1)
        lab.sweep(Sweep.TIERS)
        if lab.record(ids[1]) is None:
            assert not any("secret 1" in one for one in lab.contents()), at


def test_a_trend_that_is_made_while_what_it_quotes_goes_goes_with_it():
    for at in range(1, 20):
        lab = FadingLab()
        ids = [lab.happened(400 + n / 100, content=f"secret {n}") for n in range(4)]
        lab.clock.now = ago(32)
        assert lab.sweep(Sweep.TIERS).counts == {Fate.COLD: 4}  # before their month is over
        lab.clock.now = TONIGHT
        lab.wire.arm(at, lambda lab=lab: lab.sweep(Sweep.TIERS))
        said = Transcript(lab.store.conversations, Port(lab.blobs, lab.wire))
        forget(ids[1], ledger=replace(lab.ledger(), store=Port(lab.store, lab.wire)), said=said)
        assert not any("secret 1" in one for one in lab.contents()), at


def test_decay_says_how_much_less_sure_memories_are(lab: FadingLab):
    for days in (10, 31, 32, 95):
        lab.happened(days, confidence=0.9)
    ledger, until = lab.ledger(), TONIGHT + timedelta(seconds=45)
    told = [
        look(one, ledger=ledger, fading=lab.fading, after=None, until=until, dry=True).steps
        for one in (Sweep.DECAY, Sweep.ARCHIVE)
    ]
    assert told == [{1: 2, 3: 1}, {}]
