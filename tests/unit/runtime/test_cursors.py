import string
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
