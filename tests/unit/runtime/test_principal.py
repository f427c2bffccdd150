import json

import pytest

from hindwise.domain.ports import ApiKey
from hindwise.domain.scope import Origin, Role, Scope
from hindwise.errors import Forbidden, Invalid, Unauthorized, Unavailable
from hindwise.runtime import credentials
from hindwise.runtime.principal import context_of, principal_of, require_role, scope_of
from tests.builders import NOW, principal
from tests.fakes import InMemoryStore

ODD = ["a", "a#b", "a:b", "a/b", "a|b", "a b", "a%2Fb", "A", "张三", "a.b", "aé", " a", "🦔", "'--"]


@pytest.mark.parametrize("form", [lambda context: {"lambda": context}, lambda context: context])
def test_the_authorizer_hands_a_principal_over(form):
    who = principal(role=Role.REVIEWER, users=("张三", 'a"b,c'), ceiling=Origin.TOOL)
    context = json.loads(json.dumps(context_of(who)))
    assert all(isinstance(value, str) for value in context.values())
    assert principal_of({"requestContext": {"authorizer": form(context)}}) == who


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"requestContext": None},
        {"requestContext": {"authorizer": {}}},
        {"requestContext": {"authorizer": {"lambda": {"tenant": "acme"}}}},
        {"requestContext": {"authorizer": {"lambda": {**context_of(principal()), "role": "king"}}}},
        {"requestContext": {"authorizer": {"lambda": {**context_of(principal()), "users": "{"}}}},
        {"requestContext": {"authorizer": {"lambda": {**context_of(principal()), "ceiling": "x"}}}},
    ],
)
def test_without_an_authorizer_nobody_is_in(event):
    with pytest.raises(Unauthorized):
        principal_of(event)


@pytest.mark.parametrize("user", ODD)
def test_odd_users_stay_as_they_are(user):
    assert scope_of(principal(), user) == Scope(tenant="acme", user=user)


@pytest.mark.parametrize(
    "user",
    ["", "x" * 257, "é" * 129, "a\x00b", "a\nb", "a\tb", "e\u0301", "a\u202eb", "\ud800", 5, ["a"]],
)
def test_users_that_could_be_confused_are_refused(user):
    with pytest.raises(Invalid) as caught:
        scope_of(principal(), user)
    assert caught.value.details["field"] == "user_id"


def test_a_key_acts_for_its_users_only():
    two = principal(users=("ada", "bob"))
    assert scope_of(two, "bob").user == "bob"
    for user in ("eve", "Ada", "*"):
        with pytest.raises(Forbidden):
            scope_of(two, user)
    with pytest.raises(Invalid, match="user_id is missing"):
        scope_of(two, None)


def test_a_key_of_one_user_need_not_name_it():
    assert scope_of(principal(users=("ada",)), None).user == "ada"
    with pytest.raises(Invalid, match="user_id is missing"):
        scope_of(principal(users=("*",)), None)


def test_roles_grow():
    require_role(principal(role=Role.ADMIN), Role.WRITER)
    with pytest.raises(Forbidden, match="writer"):
        require_role(principal(role=Role.READER), Role.WRITER)


SECRET = "hw_test_" + "k" * 43


@pytest.fixture
def ring():
    ring = InMemoryStore().keys
    ring.add(
        ApiKey(id="1", digest=credentials.digest(SECRET), principal=principal(), created_at=NOW)
    )
    return ring


def test_a_key_is_known_by_its_hash(ring):
    for header in (f"Bearer {SECRET}", f"bearer  {SECRET}"):
        assert credentials.known(header, stage="test", ring=ring).principal == principal()


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", f"Basic {SECRET}", SECRET, f"Bearer {SECRET}x", f"Bearer {SECRET} ",
     "Bearer " + SECRET.replace("test", "prod"), "Bearer hw_test_short", "Bearer hw__" + "k" * 43,
     "Bearer " + "x" * 100_000, f"Bearer {SECRET}\n"],
)  # fmt: skip
def test_what_is_no_key_of_this_stage_is_nobody(ring, header):
    assert credentials.known(header, stage="test", ring=ring) is None


def test_another_stage_does_not_know_the_key(ring):
    assert credentials.known(f"Bearer {SECRET}", stage="prod", ring=ring) is None


def test_a_revoked_key_is_nobody(ring):
    ring.revoke("acme", "1", at=NOW)
    assert credentials.known(f"Bearer {SECRET}", stage="test", ring=ring) is None


def test_a_silent_table_lets_nobody_in():
    store = InMemoryStore()
    store.faults.fail_next(on="find_key")
    with pytest.raises(Unavailable):
        credentials.known(f"Bearer {SECRET}", stage="test", ring=store.keys)


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({"identitySource": ["Bearer a"]}, "Bearer a"),
        ({"headers": {"Authorization": "Bearer b"}}, "Bearer b"),
        ({"identitySource": [], "headers": {"authorization": "Bearer c"}}, "Bearer c"),
        ({"headers": None}, ""),
        ({}, ""),
    ],
)
def test_where_the_credential_stands(event, expected):
    assert credentials.presented(event) == expected
