"""What of a model's offers is taken."""

import pytest

from hindwise.domain.worth import Gate, guessed, judge, length

GUESSES = [
    "用户可能比较喜欢安静的座位", "用户有可能去柏林", "用户也许会去", "用户大概喜欢茶",
    "用户应该是老师", "用户似乎很累", "看起来用户不吃肉", "Maybe the user likes tea",
    "User may prefer tea", "The user seems happy", "It might rain on Friday",
    "用户八成会去", "用户没准喜欢茶", "用户大概率会去", "The user appears to be tired",
    "User probably lives in Brno", "The user is likely vegetarian", "Perhaps. User may be vegan",
]  # fmt: skip
STATEMENTS = [
    "用户不可能周一开会", "尽可能简短地回答用户", "大概需要三天", "用户研究气候变化的可能性",
    "应该先备份再发布", "User will be away in May and June", "User's team is called Might",
    'The user\'s favourite song is "Call Me Maybe"', "用户最喜欢的歌是《可能》",
    "八成用户用 iOS", "用户没准备好", "用户研究大概念教学", "用户估计会议要三小时",
    "The logo appears to the left", "The user is not sure which school to choose",
    "用户不确定去哪所学校", "Team meets in Oslo", "User dislikes May",
    "The gym may not open before 6",
]  # fmt: skip


@pytest.mark.parametrize("text", GUESSES)
def test_a_guess_is_refused(text):
    assert judge(text, 0.9, "keep", gate=Gate()).reason == "guess"


@pytest.mark.parametrize("text", STATEMENTS)
def test_a_statement_is_none(text):
    assert not guessed(text)


@pytest.mark.parametrize(("confidence", "fate"), [(0.29, "refuse"), (0.3, "keep"), (1, "keep")])
def test_what_the_model_doubts_itself_is_refused(confidence, fate):
    assert judge("用户属龙", confidence, "keep", gate=Gate()).fate == fate


def test_a_tenants_words_keep_what_holds_them_out_whatever_their_case():
    gate = Gate(words=("Project  X", "工资", ""))
    assert judge("User works on project x", 1, "keep", gate=gate).reason == "word_list"
    assert judge("用户的工资是一万", 1, "review", gate=gate).reason == "word_list"
    assert judge("User works on project y", 1, "keep", gate=gate).fate == "keep"


def test_the_model_has_a_word_too():
    assert judge("User said hello", 0.9, "drop", gate=Gate()).reason == "not_worth"
    review = judge("User earns 9000", 0.9, "review", gate=Gate())
    assert (review.fate, review.reason) == ("hold", "review")


def test_what_is_too_long_to_be_a_statement_waits_for_a_person():
    assert judge("a" * 200, 0.9, "keep", gate=Gate()).fate == "keep"
    assert judge("a" * 201, 0.9, "keep", gate=Gate()).reason == "too_long"
    assert judge("用" * 50, 0.9, "keep", gate=Gate()).fate == "keep"
    assert judge("用" * 51, 0.9, "keep", gate=Gate()).reason == "too_long"
    assert length("用 a") == 6


def test_what_says_nothing_is_refused():
    assert judge(" …!? ", 0.9, "keep", gate=Gate()).reason == "blank"
