"""A question is read back with the secret, unaltered and in its own place, or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindwise.domain.ciphering import decrypted, encrypted
from tests.fakes import FixedSeal

SEAL, NONCE = FixedSeal(), bytes(range(16))


@given(st.text(max_size=200), st.binary(min_size=16, max_size=16))
def test_what_is_encrypted_is_read_back(text, nonce):
    given_ = encrypted(text, nonce=nonce, context="a", seal=SEAL)
    assert decrypted(given_, context="a", seal=SEAL) == text


def test_nothing_of_it_shows_and_a_nonce_makes_all_the_difference():
    text = "哪里有 kettle " * 10
    one = encrypted(text, nonce=NONCE, context="a", seal=SEAL)
    other = encrypted(text, nonce=NONCE[::-1], context="a", seal=SEAL)
    assert "kettle" not in one and one.split(".")[1][24:] != other.split(".")[1][24:]
    assert len({one[n : n + 16] for n in range(70, len(one) - 16, 16)}) > 5


@pytest.mark.parametrize("place", [0, 5, 63, 66, 90])
def test_an_altered_or_exchanged_one_is_not_read(place):
    made = encrypted("where is it?", nonce=NONCE, context="a", seal=SEAL)
    altered = made[:place] + ("A" if made[place] != "A" else "B") + made[place + 1 :]
    assert decrypted(altered, context="a", seal=SEAL) is None
    assert decrypted(made, context="b", seal=SEAL) is None
    assert decrypted(made, context="a", seal=FixedSeal(b"another")) is None
    assert decrypted("", context="a", seal=SEAL) is None


def test_a_nonce_of_another_length_is_refused():
    with pytest.raises(ValueError, match="16 bytes"):
        encrypted("x", nonce=b"short", context="a", seal=SEAL)
