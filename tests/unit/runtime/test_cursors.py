import string
from base64 import urlsafe_b64decode
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindwise.adapters.seal import HmacSeal
from hindwise.domain.call import Call
from hindwise.errors import Invalid
from hindwise.runtime.cursors import LIFETIME, Cursors
from tests.builders import NOW, principal, scope
from tests.fakes import FixedSeal


def cursors(**given):
    call = Call(
        scope=scope(given.get("user", "ada"), given.get("tenant", "acme")),
        principal=principal(name=given.get("name", "tester"), tenant=given.get("tenant", "acme")),
        now=given.get("now", NOW),
    )
    seal = FixedSeal(given.get("secret", b"secret"))
    return Cursors(seal, given.get("stage", "test"), call, given.get("asked", "list kind=a"))


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_a_position_comes_back(position):
    mine = cursors()
    assert mine.opened(mine.sealed(position)) == position


def test_a_cursor_shows_nothing_of_its_position():
    sealed = [cursors().sealed(one) for one in ("somebody-else", "somebody-new", "somebody-else")]
    assert sealed[0] == sealed[2] != sealed[1]
    for one in sealed:
        for begin in range(4):
            readable = one[begin : begin + (len(one) - begin) // 4 * 4].replace(".", "A")
            assert b"somebody" not in urlsafe_b64decode(readable)


def test_a_cursor_is_read_while_the_secret_rotates():
    old, new = b"o" * 32, b"n" * 32
    before, during, after = (
        replace(cursors(), seal=HmacSeal("test", Secrets(*held)))
        for held in ((old,), (new, old), (new,))
    )
    sealed = before.sealed("01ABC")
    assert during.opened(sealed) == "01ABC" == after.opened(during.sealed("01ABC"))
    with pytest.raises(Invalid):
        after.opened(sealed)


class Secrets:
    """Versions of a secret that change no more."""

    def __init__(self, *held):
        self._held = held

    def versions(self):
        return self._held

    def refresh(self):
        return False


def test_the_end_has_no_cursor():
    assert cursors().sealed(None) is None
    assert cursors().opened(None) is None


@pytest.mark.parametrize(
    "other",
    [
        {"user": "bob"},
        {"tenant": "other"},
        {"name": "someone"},
        {"stage": "prod"},
        {"secret": b"another"},
        {"asked": "list kind=b"},
    ],
)
def test_a_cursor_is_bound_to_who_asked_for_what(other):
    sealed = cursors().sealed("01ABC")
    with pytest.raises(Invalid) as caught:
        cursors(**other).opened(sealed)
    assert caught.value.details["field"] == "cursor"


def test_a_cursor_ends_after_a_quarter_of_an_hour():
    sealed = cursors().sealed("01ABC")
    assert cursors(now=NOW + LIFETIME - timedelta(seconds=1)).opened(sealed) == "01ABC"
    with pytest.raises(Invalid, match="expired"):
        cursors(now=NOW + LIFETIME).opened(sealed)


@given(
    place=st.integers(0, 400),
    put=st.sampled_from(string.ascii_letters + string.digits + "-_=+/ é\x00"),
)
def test_no_single_character_can_be_changed(place, put):
    sealed = cursors().sealed("01ARZ3NDEKTSV4RRFFQ69G5FAV")
    place %= len(sealed)
    forged = sealed[:place] + put + sealed[place + 1 :]
    if forged != sealed:
        with pytest.raises(Invalid):
            cursors().opened(forged)


@given(st.text(max_size=200))
def test_whatever_is_sent_is_no_cursor_and_no_fault(text):
    with pytest.raises(Invalid):
        cursors().opened(text)


def test_a_long_text_is_no_cursor():
    with pytest.raises(Invalid):
        cursors().opened("A" * 100_000)
