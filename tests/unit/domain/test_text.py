"""Admissible text: what hides is refused, what people write is kept."""

import pytest

from hindwise.domain.text import first_sentences, flaw, normalised, speaks


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("nul \x00 inside", "control"),
        ("bell \x07", "control"),
        ("half \ud800 pair", "surrogate"),
        ("evil \u202etxt.exe", "bidirectional"),
        ("hi\U000e0049\U000e0067\U000e006e", "tag"),
        ("a\ufe01\ufe02\ufe03 b", "variation"),
        ("a\u200b\u200c\u200b\u200c b", "invisible"),
        ("non\uffffcharacter", "noncharacter"),
        ("a" + "\u0301\u0323" * 20, "combining"),
    ],
)
def test_what_hides_is_named(text: str, named: str) -> None:
    found = flaw(text)
    assert found is not None and named in found


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "多行\n文字\t制表",
        "hedgehog 🦔 and family 👨‍👩‍👧",
        "flag 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "heart ❤️ and keycap 1️⃣",
        "عربي \u200f مع علامات",
        "می\u200cخواهم",
        "soft\u00adhyphen",
        "z\u0301\u0323\u0308a\u0327lgo e\u0301",
        "葛\U000e0100城",
        "ＡＢＣ １２３ 𝔘𝔫𝔦",
    ],
)
def test_what_people_write_is_kept(text: str) -> None:
    assert flaw(text) is None


def test_texts_are_compared_without_case_and_blanks_but_with_every_word() -> None:
    assert normalised("  The  Cat\n sat ") == normalised("the cat sat")
    assert normalised("不吃辣") != normalised("吃辣")
    assert normalised("cafe\u0301") == normalised("café")
    assert normalised("10²") != normalised("102")


def test_first_sentences_are_whole_where_they_fit() -> None:
    text = "第一句。第二句！" + "很长" * 200
    assert first_sentences(text, 20) == "第一句。第二句！"
    assert first_sentences("x" * 50, 10) == "x" * 9 + "…"


def test_punctuation_says_nothing() -> None:
    assert not speaks("*~[ …！？🦔")
    assert speaks("辣") and speaks("C++")
