"""What is done with a text costs its length and no more, whatever characters it repeats.

CPU of one text is compared with that of one four times as long: four is linear, sixteen quadratic.
"""

import time
from datetime import UTC, datetime

import pytest

from hindwise.domain.analysis import (
    asked_words,
    identifiers,
    index_words,
    language,
    length,
    query_words,
)
from hindwise.domain.context import escaped, unescaped
from hindwise.domain.text import flaw
from hindwise.domain.timewords import asks, asks_when, dated, read
from hindwise.domain.tokens import tokens

NOW = datetime(2026, 5, 1, tzinfo=UTC)
READERS = {
    "index_words": index_words,
    "query_words": query_words,
    "asked_words": asked_words,
    "length": length,
    "identifiers": identifiers,
    "language": language,
    "asks": asks,
    "asks_when": asks_when,
    "dated": dated,
    "read": lambda text: read(text, NOW),
    "flaw": flaw,
    "tokens": tokens,
    "escaped": escaped,
    "unescaped": unescaped,
}
RUNS = [
    *(
        "_",
        "‿",
        "_\u0301",
        "_\u0e31",
        "a_",
        "a_a_",
        "_-",
        "__a",
        "9",
        "９",
        "٣",
        "1,",
        "1.1.",
        "1_",
    ),
    *(
        "一",
        "十",
        "两",
        "一 ",
        "1月",
        "1 月 ",
        "12 ",
        "去年  ",
        "第1",
        "近",
        "上",
        "几",
        "哪一",
        "那一",
    ),
    *(
        "a",
        "A",
        "ab ",
        "a.",
        "a.a.",
        "a'",
        "a:",
        "a-",
        "-",
        "/",
        "a/",
        "1-",
        "1a",
        "a9-",
        "C#",
        "+",
    ),
    *("e\u0301", "\u0301", "\u0301\u0323", "a\u0301\u0323", "我", "ー", "カ", "ｶﾞ", "한", "ᄀ", "ก"),
    *(
        "👍🏽",
        "👨\u200d",
        "\u200d",
        "🏽",
        "🇨",
        "#️⃣",
        "1️⃣",
        " ",
        "\n",
        "?",
        "? ",
        '"',
        "\\",
        "&",
        "the ",
    ),
    *(
        "may ",
        "last ",
        "in the ",
        "1 of ",
        "days ago ",
        "2023-",
        "2023 年 ",
        "什么",
        "是",
        "ing",
        "y",
    ),
]
SHORT = 700


LITTLE = 0.015
"""Seconds that SHORT characters four times over may take whatever they are."""


def cpu(read_text, text, times):
    """The least of some measurements in seconds: noise only ever adds."""
    took = []
    for _ in range(times):
        start = time.process_time()
        read_text(text)
        took.append(time.process_time() - start)
    return min(took)


def growth(read_text, text_of):
    """How often the CPU of SHORT characters that of four times as many is; 0 if that is little."""
    if cpu(read_text, text_of(4 * SHORT), 1) < LITTLE:
        return 0
    return cpu(read_text, text_of(4 * SHORT), 3) / cpu(read_text, text_of(SHORT), 3)


@pytest.mark.parametrize("name", READERS)
def test_four_times_the_text_takes_about_four_times_as_long(name):
    read_text = READERS[name]
    read_text("warm é 我 1月 _a")
    shapes = (lambda run, n: (run * n)[:n], lambda run, n: f"x{(run * n)[:n]}!")
    for run in RUNS:
        for shape in shapes:
            times = (growth(read_text, lambda n, r=run, s=shape: s(r, n)) for _ in range(3))
            assert any(one <= 6 for one in times), ascii(run)
