"""How much a turn seems to matter, without a model."""

import pytest

from hindwise.domain.cues import level

LITTLE = [
    "早上好", "早，有什么可以帮您？", "没事，随便聊聊", "好的，祝您愉快", "要不要自己写排队系统？",
    "Thanks!", "ok", "Lovely!", "Do you remember my cat?", "lol that's funny", "", "？？",
]  # fmt: skip
STATED = [
    "自己写要两个人做一个月", "买现成的一年八千块", "预算批了一万", "我车停B2十七号。",
    "查到了：G57 次，周五 16:05 从北京西站发车，12 车 3F。", "The deploy finished at 5.",
    "I have two dogs.", "My badge number is 5512.", "Do you know what we did last Friday?",
]  # fmt: skip
LASTING = [
    "那就买现成的，不自己写了", "别再叫我老板了，叫小杨就行", "以后请讲细一点，把步骤都写出来",
    "上周末搬完家了，现在住成都", "我对花生过敏", "Remember that I am allergic to nuts.",
    "I'm allergic to nuts. What can I eat?", "We meet in Oslo; I like window seats.",
    "From now on, use pnpm.", "We decided to go with MariaDB", "My name is Ivo",
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [(text, number) for number, texts in enumerate((LITTLE, STATED, LASTING)) for text in texts],
)
def test_a_turn_matters_by_its_words(text, expected):
    assert level(text) == expected


def test_one_sentence_that_matters_is_enough():
    assert level("你好！今天天气不错，是吧？ 记住我不吃香菜。谢谢") == 2


def test_pasted_text_costs_no_time():
    assert level("记住 " * 200_000) == 2
    assert level("a." * 200_000) in (0, 1)
    assert level("a" * 1_000_000 + "?") == 0
