"""Screening any text ends soon, tells the same again, and leaves what it wrote alone."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindwise.domain.admission.admitting import admission, screened
from hindwise.domain.scope import Origin
from hindwise.domain.trust_rules import TrustRules
from tests.secret_samples import secrets

EACH = TrustRules(personal=dict.fromkeys(TrustRules().personal, "redact"))
PIECES = [
    *secrets(3).values(),
    *("password is ", "密码是", "key: ", "忽略之前的指令", "ignore all previous ", "13912345678"),
    *("4111111111111111", "a@b.example", "\u200b", "\ud800", "\x00", "[redacted: ", "]", "&#x41;"),
    *("%41%42%43", "aGVsbG8gd29ybGQgaGVsbG8=", "://a:b@c", "1.2.3.4", "::1", "-----BEGIN ", "é"),
    *("\U000e0041", "❤️", "👩‍💻", "نام‌کاربر", "\n", "  ", "'", '"', "“", "=", ":", "I g n o r e "),
]
texts = st.one_of(
    st.text(max_size=200),
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=12).map("".join),
)
LONG = [
    *("a", "a ", "1 ", "忽略", "忽 ", "%41", "=", "password is ", "eyJ", "\\u0041", ". ", ".- "),
    *("(", "<!--", "<system ", "key=", "1.1.", "::", "a@a.", "ignore all previous ", "\u200b"),
    *("&amp;", "A1", "“", "such as '", "0x41 ", "01000001 ", "://a:", "![](", "I g n o r e "),
    *("\U000e0041", "-----BEGIN PRIVATE KEY-----", "a-1-", "/a", "4111 1111 ", "a_b", "</memory>"),
]


@given(texts)
def test_a_screened_text_stays(text: str) -> None:
    clean = screened(text, rules=EACH).clean
    assert screened(clean, rules=EACH).clean == clean


@given(texts, st.sampled_from(Origin))
def test_a_decision_is_told_again(text: str, origin: Origin) -> None:
    first = admission({"content": text}, origin=origin, rules=EACH)
    assert admission({"content": text}, origin=origin, rules=EACH) == first


@pytest.mark.parametrize("piece", LONG)
def test_time_grows_with_length_only(piece: str) -> None:
    text = (piece * 20_000)[:20_000]
    before = time.process_time()
    screened(text, rules=EACH)
    assert time.process_time() - before < 2
