import json
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindwise.domain.analysis import (
    QUERY_TERMS,
    STOP_QUERY,
    composed,
    identifiers,
    index_words,
    language,
    length,
    query_words,
    speaks_chinese,
    stem,
)

ROOT = Path(__file__).parents[3]
SAMPLE = [
    json.loads(line)
    for line in (ROOT / "tests/data/analysis_sample.jsonl").read_text("utf-8").split("\n")
    if line
]


def test_the_sample_is_rich():
    assert len(SAMPLE) > 250


@pytest.mark.parametrize("row", SAMPLE, ids=lambda row: ascii(row["text"][:24]))
def test_terms_are_those_of_a_real_node(row):
    assert index_words(row["text"]) == row["index"]
    assert query_words(row["text"]) == row["query"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("caress", "caress"),
        ("cats", "cat"),
        ("feed", "feed"),
        ("agreed", "agre"),
        ("plastered", "plaster"),
        ("sing", "sing"),
        ("conflated", "conflat"),
        ("troubled", "troubl"),
        ("sized", "size"),
        ("hopping", "hop"),
        ("falling", "fall"),
        ("filing", "file"),
        ("happy", "happi"),
        ("sky", "sky"),
        ("relational", "relat"),
        ("rational", "ration"),
        ("vietnamization", "vietnam"),
        ("triplicate", "triplic"),
        ("goodness", "good"),
        ("adjustable", "adjust"),
        ("adoption", "adopt"),
        ("onion", "onion"),
        ("probate", "probat"),
        ("cease", "ceas"),
        ("controll", "control"),
        ("roll", "roll"),
        ("possibly", "possibl"),
        ("biology", "biologi"),
        ("analogically", "analog"),
        ("us", "us"),
        ("yes", "ye"),
        ("toy", "toi"),
        ("", ""),
    ],
)
def test_stems(word, expected):
    assert stem(word) == expected


def test_martin_porters_departures():
    assert stem("visibly") == "visibl"
    assert stem("archaeology") == "archaeolog"


@given(st.text("abcdefghijklmnopqrstuvwxyz", max_size=20))
def test_a_stem_is_never_longer_than_one_added_e(word):
    assert len(stem(word)) <= len(word) + 1


def test_one_character_queries_hit_and_longer_ones_use_bigrams_alone():
    stored = index_words("我不吃辣")
    assert "辣" in stored and query_words("辣") == ["辣"]
    assert query_words("不吃辣") == ["不吃", "吃辣"]


@pytest.mark.parametrize(
    "text", ["café", "Zürich", "Việt Nam", "ガラス", "서울", "naïve résumé", "йога", "أحمد"]
)
def test_a_word_is_the_same_with_its_marks_joined_or_apart(text):
    apart = unicodedata.normalize("NFD", text)
    assert apart != text
    assert index_words(apart) == index_words(text)
    assert query_words(apart) == query_words(text)
    assert composed(apart) == text == composed(text)


def test_joining_marks_keeps_what_a_node_keeps_apart():
    assert composed("\uf900\u212b") == "\uf900\u212b"
    assert len(composed("e" + "\u0301" * 100)) == 100


def test_stop_words_are_dropped_from_queries_alone():
    assert query_words("What did you do?") == []
    assert index_words("What did you do?") == ["what", "did", "you", "do"]
    assert {"what", "when", "the", "you"} <= STOP_QUERY


def test_queries_are_cut():
    assert len(query_words("word " * 1000)) == QUERY_TERMS


def test_a_bigram_takes_no_place_of_its_own():
    assert length("") == 0
    assert length(" ".join(index_words("one two two"))) == 3
    assert length(" ".join(index_words("我不吃辣"))) == 4
    assert length(" ".join(index_words("买了T恤 for 我"))) == 6
    assert length(" ".join(index_words("한국 ab 👍🏽 カタカナ"))) == 8


@given(st.text())
def test_terms_hold_no_blank_and_are_never_empty(text):
    for term in index_words(text) + query_words(text):
        assert term and " " not in term and "\n" not in term


@given(st.text(alphabet="不吃辣abc '。👍", max_size=40))
def test_every_query_term_of_a_text_is_in_its_index_terms(text):
    assert set(query_words(text)) <= set(index_words(text))


@given(st.text(alphabet="ab1_:.,;'- \n", max_size=30) | st.text(st.characters(max_codepoint=127)))
def test_ascii_is_cut_as_any_other_text(text):
    assert index_words(text) == index_words(text + " 。")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see /etc/nginx/nginx.conf", ("etc/nginx/nginx.conf",)),
        ("https://Example.com/A?b=1", ("https://example.com/a",)),
        ("版本v2.1.3失败，重试3次", ("v2.1.3",)),
        ("ｖ２．１．３发布", ("v2.1.3",)),
        ("ABC-1234 and #4521", ("abc-1234", "#4521")),
        ("mail jane.doe+x@example.co.uk.", ("jane.doe+x@example.co.uk",)),
        ("C:\\Users\\jane\\a.txt", ("c:\\users\\jane\\a.txt",)),
        ("user_42 user_42", ("user_42",)),
        ("550e8400-e29b-41d4-a716-446655440000", ("550e8400-e29b-41d4-a716-446655440000",)),
        ("Python 3.12 at 10:30", ("3.12", "10:30")),
        ("Moss-Garden and blue-harbor", ("moss-garden", "blue-harbor")),
        ("C#, C++ (F#) and g++; C", ("c#", "c++", "f#", "g++")),
        ("用Ｃ＃写", ("c#",)),
        ("yes--no, -no- and C+++ or a+b", ()),
        ("a fact, e.g. the 3rd of 12 at 5pm in the 90s", ()),
        ("x" * 600 + "_1", ()),
        ("", ()),
    ],
)
def test_identifiers(text, expected):
    assert identifiers(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I love Beijing", "en"),
        ("don’t", "en"),
        ("我喜欢北京", "zh"),
        ("我用 Python 写代码", "zh"),
        ("The word 好 means good in this language", "en"),
        ("I love 北京 and 上海", "mixed"),
        ("こんにちは世界", "und"),
        ("привет", "und"),
        ("123 !", "und"),
        ("", "und"),
    ],
)
def test_language(text, expected):
    assert language(text) == expected


def test_chinese_is_told_by_its_characters():
    assert speaks_chinese("我") and not speaks_chinese("me, カナ")


def test_importing_compiles_nothing():
    code = (
        "import re, sys; real = re.compile\n"
        "def watched(*a, **k): raise AssertionError(a)\n"
        "re.compile = watched\n"
        "import hindwise.domain.analysis"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, env={"PYTHONPATH": "layers"})
