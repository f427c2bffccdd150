"""Idempotency rows and API keys."""

from datetime import timedelta

import pytest

from hindwise.domain.changes import Raced
from hindwise.domain.scope import Origin, Role
from tests import builders
from tests.builders import NOW
from tests.contract.backends import Backend


def test_a_request_row_goes_from_open_to_done(backend: Backend):
    row = builders.request(principal="key/张三#1")
    backend.requests.record(row)
    found = backend.requests.find("acme", row.principal, row.key_hash, now=NOW)
    assert found == row
    with pytest.raises(Raced):
        backend.requests.record(row)
    other_body = row.model_copy(update={"state": "done", "digest": "e" * 64})
    with pytest.raises(Raced):
        backend.requests.record(other_body)
    done = row.model_copy(update={"state": "done", "answer": '{"0": ["id", "created"]}'})
    backend.requests.record(done)
    assert backend.requests.find("acme", row.principal, row.key_hash, now=NOW) == done
    for late in (row, done):
        with pytest.raises(Raced) as lost:
            backend.requests.record(late)
        assert lost.value.actions[0].request == late


def test_a_request_row_is_of_one_tenant_and_principal(backend: Backend):
    row = builders.request()
    backend.requests.record(row)
    for tenant, principal, key in (
        ("acme-2", "tester", row.key_hash),
        ("acme", "tester2", row.key_hash),
        ("acme", "tester", row.key_hash + "0"),
    ):
        assert backend.requests.find(tenant, principal, key, now=NOW) is None
    backend.requests.record(row.model_copy(update={"principal": "tester2"}))


def test_a_request_row_that_is_over_is_none(backend: Backend):
    row = builders.request(expires=NOW + timedelta(seconds=1))
    backend.requests.record(row)
    over = backend.clock.forward(seconds=1)
    assert backend.requests.find("acme", "tester", row.key_hash, now=over) is None
    again = row.model_copy(update={"digest": "e" * 64, "expires": over + timedelta(hours=1)})
    backend.requests.record(again)
    assert backend.requests.find("acme", "tester", row.key_hash, now=over) == again


def test_keys_are_found_by_hash_listed_and_revoked(backend: Backend):
    narrow = builders.principal(
        name="bot", role=Role.READER, users=("张三", "a#b"), ceiling=Origin.AGENT
    )
    keys = [builders.api_key(), builders.api_key(principal=narrow), builders.api_key(label="")]
    foreign = builders.api_key(principal=builders.principal(tenant="acme-2"))
    for key in (*keys, foreign):
        backend.keys.add(key)
    assert [backend.keys.find(key.digest) for key in keys] == keys
    assert backend.keys.find("unknown") is None
    assert backend.keys.all("acme") == keys[::-1]
    assert backend.keys.all("acm") == []
    at = NOW + timedelta(days=1, microseconds=7)
    assert not backend.keys.revoke("acme-2", keys[1].id, at=at)
    assert not backend.keys.revoke("acme", "01MISSING", at=at)
    assert backend.keys.revoke("acme", keys[1].id, at=at)
    assert not backend.keys.revoke("acme", keys[1].id, at=at + timedelta(days=1))
    revoked = backend.keys.find(keys[1].digest)
    assert revoked == keys[1].model_copy(update={"revoked_at": at})
    assert revoked in backend.keys.all("acme")


def test_a_hash_is_stored_once(backend: Backend):
    key = builders.api_key()
    backend.keys.add(key)
    with pytest.raises(Raced):
        backend.keys.add(builders.api_key(digest=key.digest, label="other"))
    assert backend.keys.find(key.digest) == key
