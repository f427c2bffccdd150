"""Words that ask, in Chinese: they search for nothing, and words that hold them stay whole."""

import pytest

from hindwise.domain.analysis import asked_words, query_words, without_asking


@pytest.mark.parametrize(
    "text",
    [
        *("那个几点", "他几点", "这个", "它呢", "那个怎么样了", "谁", "我是谁", "怎么了", "那天呢"),
        *("因为什么", "什么时候", "多大了", "他们是谁？", "為什麼？", "那個幾點", "誰呢", "哪一天"),
    ],
)
def test_what_only_asks_searches_for_no_word(text):
    assert asked_words(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("为什么辞职了", ["辞职"]),
        ("我有什么晨练习惯？", ["晨练", "练习", "习惯"]),
        ("我家孩子叫什么名字吗", ["家孩", "孩子", "子叫", "名字"]),
        ("我們什麼時候去過臺北", ["去過", "過臺", "臺北"]),
        ("你给我推荐过哪些画家？", ["推荐", "画家"]),
        ("它的名字是？", ["名字"]),
        ("T恤多少钱", ["t", "恤", "钱"]),
        ("What 咖啡 does 她 drink?", ["咖啡", "drink"]),
    ],
)
def test_what_is_asked_for_stays(text, expected):
    assert asked_words(text) == expected


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("我的吉他呢", "吉他"),
        ("其他人在哪", "其他"),
        ("迷你冰箱在哪里", "迷你"),
        ("附近有酒吧吗？", "酒吧"),
        ("你的目的？", "目的"),
        ("哪吒好看吗", "哪吒"),
        ("外套是毛呢吗", "毛呢"),
        ("他汀谁在吃", "他汀"),
        ("任何时候", "任何"),
        ("自我介绍", "自我"),
        ("茶几在哪", "茶几"),
    ],
)
def test_words_that_hold_such_a_character_stay_whole(text, word):
    assert word in asked_words(text)


@pytest.mark.parametrize("text", ["辣", "在", "When is that?", "天气不错", "worker 日志每周清理"])
def test_a_text_that_asks_nothing_stays_as_it_is(text):
    assert without_asking(text) == text
    assert asked_words(text) == query_words(text)
