"""What waits for a reviewer, and which users there are; on the fakes and on the table."""

from datetime import timedelta

from hindwise.domain.changes import Create, Forget, Replace
from hindwise.domain.memory import Status, Type
from hindwise.domain.ports import Waiting
from hindwise.domain.reviews import CONSENSUS, PERIODIC
from hindwise.domain.scope import Scope
from tests.builders import NOW, episode, fact, newer, scope
from tests.contract.backends import Backend

WEEK = timedelta(days=7)


def ids(backend: Backend, tenant: str = "acme") -> list[str]:
    return [one.memory_id for one in backend.reviews.waiting(tenant, after=None, limit=100).entries]


def due(backend: Backend) -> set[Scope]:
    now = backend.clock()
    return {one for b in range(16) for one in backend.users.due(b, now=now, limit=100)}


def test_hidden_and_flagged_memories_of_a_tenant_are_listed_newest_first(backend: Backend) -> None:
    held = episode("rm -rf it", status=Status.QUARANTINED)
    lost = fact("tea", status=Status.CONTESTED)
    often = fact("coffee", flags=(PERIODIC,))
    plain, foreign = fact("milk"), fact("beer", status=Status.QUARANTINED)
    backend.store.commit(scope("ada"), [Create(memory=held), Create(memory=often)])
    backend.store.commit(scope("李 四/#"), [Create(memory=lost), Create(memory=plain)])
    backend.store.commit(scope("ada", tenant="other"), [Create(memory=foreign)])
    page = backend.reviews.waiting("acme", after=None, limit=10)
    assert page.entries == (
        Waiting(scope=scope("ada"), memory_id=often.id),
        Waiting(scope=scope("李 四/#"), memory_id=lost.id),
        Waiting(scope=scope("ada"), memory_id=held.id),
    )
    assert page.after is None


def test_the_list_is_read_page_by_page(backend: Backend) -> None:
    made = [fact(f"fact {n}", status=Status.QUARANTINED) for n in range(5)]
    backend.store.commit(scope(), [Create(memory=one) for one in made])
    seen, after = [], None
    for _ in range(3):
        page = backend.reviews.waiting("acme", after=after, limit=2)
        seen += [one.memory_id for one in page.entries]
        after = page.after
    assert (seen, after) == ([one.id for one in reversed(made)], None)


def test_a_memory_leaves_the_list_when_it_is_decided_about_or_forgotten(backend: Backend) -> None:
    often, odd = fact("coffee", flags=(PERIODIC,)), fact("tea", flags=(CONSENSUS,))
    held = fact("milk", status=Status.QUARANTINED)
    backend.store.commit(scope(), [Create(memory=one) for one in (often, odd, held)])
    done = newer(often, reviewed_at=NOW)
    let = newer(held, status=Status.ACTIVE)
    backend.store.commit(scope(), [Replace(before=often, after=done)])
    backend.store.commit(scope(), [Replace(before=held, after=let)])
    assert ids(backend) == [odd.id]
    backend.store.commit(scope(), [Forget(memory=odd, at=NOW)])
    assert ids(backend) == []


def test_a_memory_enters_the_list_when_it_is_flagged(backend: Backend) -> None:
    plain = fact("coffee")
    backend.store.commit(scope(), [Create(memory=plain)])
    assert ids(backend) == []
    flagged = newer(plain, flags=(PERIODIC,))
    backend.store.commit(scope(), [Replace(before=plain, after=flagged)])
    assert ids(backend) == [plain.id]
    gone = newer(flagged, status=Status.REJECTED)
    backend.store.commit(scope(), [Replace(before=flagged, after=gone)])
    assert ids(backend) == []


def test_current_memories_of_a_type_are_listed_newest_first(backend: Backend) -> None:
    facts = [fact(f"fact {n}") for n in range(3)]
    other = fact("do it", type=Type.TODO)
    past = fact("long ago", status=Status.SUPERSEDED)
    backend.store.commit(scope(), [Create(memory=one) for one in (*facts, other, past)])
    found = backend.reviews.current(scope(), Type.FACT, limit=2)
    assert list(found) == [facts[2].id, facts[1].id]
    assert list(backend.reviews.current(scope("bob"), Type.FACT, limit=2)) == []


def test_users_are_listed_by_prefix_and_page_within_their_tenant(backend: Backend) -> None:
    for user in ("ann", "anna", "bob", "李四", "李 五", "*", "a#b/c"):
        backend.users.note(scope(user), now=NOW)
        backend.users.note(scope(user), now=NOW + WEEK)
    backend.users.note(scope("anders", tenant="other"), now=NOW)
    found = backend.users.page("acme", prefix="", after=None, limit=100)
    assert sorted(found) == sorted(["ann", "anna", "bob", "李四", "李 五", "*", "a#b/c"])
    first = backend.users.page("acme", prefix="", after=None, limit=3)
    rest = backend.users.page("acme", prefix="", after=first[-1], limit=100)
    assert [*first, *rest] == list(found)
    assert list(backend.users.page("acme", prefix="an", after=None, limit=10)) == ["ann", "anna"]
    assert list(backend.users.page("acme", prefix="an", after="ann", limit=10)) == ["anna"]
    assert set(backend.users.page("acme", prefix="李", after=None, limit=10)) == {"李四", "李 五"}
    assert list(backend.users.page("acme", prefix="z", after=None, limit=10)) == []


def test_a_dropped_user_is_noted_again_by_what_comes_next(backend: Backend) -> None:
    backend.users.drop(scope("ann"))
    backend.users.note(scope("ann"), now=NOW)
    backend.users.drop(scope("ann"))
    assert list(backend.users.page("acme", prefix="", after=None, limit=10)) == []
    backend.users.note(scope("ann"), now=NOW)
    assert list(backend.users.page("acme", prefix="", after=None, limit=10)) == ["ann"]


def test_a_scope_is_due_until_somebody_has_looked_and_again_a_week_later(backend: Backend) -> None:
    backend.users.note(scope("ann"), now=NOW)
    backend.users.note(scope("ann", tenant="other"), now=NOW)
    assert due(backend) == {scope("ann"), scope("ann", tenant="other")}
    assert backend.users.looked(scope("ann"), again=NOW + WEEK, now=NOW)
    assert not backend.users.looked(scope("ann"), again=NOW + WEEK, now=NOW)
    assert not backend.users.looked(scope("nobody"), again=NOW + WEEK, now=NOW)
    assert due(backend) == {scope("ann", tenant="other")}
    backend.clock.forward(days=7)
    assert due(backend) == {scope("ann"), scope("ann", tenant="other")}
