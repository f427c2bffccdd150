"""What carrying a scope away and back needs: conversations listed, old versions that come late."""

import pytest

from hindwise.domain import changes as c
from hindwise.domain.portable import PutVersion
from tests import builders
from tests.builders import NOW
from tests.contract.backends import Backend

SCOPE = builders.scope("张三#1")
OTHER = builders.scope("张三")


def test_conversations_are_listed_each_once_past_their_chunks(backend: Backend):
    names = {f"对话-{number}" for number in range(5)}
    for name in names:
        put: list[c.Action] = [c.PutConversation(conversation=builders.conversation(name))]
        put += [c.PutChunk(chunk=builders.chunk(first, of=name)) for first in (1, 40)]
        put.append(c.PutJob(job=builders.job(conversation_id=name, first_turn=1, last_turn=2)))
        backend.store.commit(SCOPE, put)
    found: list[str] = []
    while page := backend.conversations.page(SCOPE, after=found[-1] if found else None, limit=2):
        assert len(page) <= 2
        found += [one.id for one in page]
    assert (set(found), len(found)) == (names, 5)
    assert backend.conversations.page(OTHER, after=None, limit=2) == []


def test_an_old_version_that_comes_late_is_kept_once_and_in_order(backend: Backend):
    old = [builders.fact("one", at=NOW)]
    old.append(builders.newer(old[0], content="two"))
    now = builders.newer(old[1], content="three")
    backend.store.commit(SCOPE, [c.Create(memory=now)])
    stands = c.Stands(memory_id=now.id)
    for one in reversed(old):
        backend.store.commit(SCOPE, [stands, PutVersion(memory=one)])
    with pytest.raises(c.Raced) as raced:
        backend.store.commit(SCOPE, [stands, PutVersion(memory=old[0])])
    assert raced.value.on(PutVersion)
    assert backend.store.versions(SCOPE, now.id) == old


def test_an_old_version_of_what_was_forgotten_is_not_kept(backend: Backend):
    old = builders.fact("one")
    now = builders.newer(old, content="two")
    backend.store.commit(SCOPE, [c.Create(memory=now)])
    backend.store.commit(SCOPE, [c.Forget(memory=now, at=NOW)])
    with pytest.raises(c.Raced) as raced:
        backend.store.commit(SCOPE, [c.Stands(memory_id=now.id), PutVersion(memory=old)])
    assert raced.value.on(c.Stands)
    assert backend.store.versions(SCOPE, now.id) == []
