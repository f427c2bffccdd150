"""What tells two similar statements apart, in English and Chinese."""

import json
from pathlib import Path
from time import perf_counter

import pytest

from hindwise.domain.guards import conflicts, differences, same_words
from hindwise.domain.guards_reading import reading
from hindwise.domain.memory import SemanticMemory, Type
from tests.builders import NOW, fact

PAIRS = Path(__file__).parents[3] / "bench" / "dedup_pairs.jsonl"


def pair(one: str, other: str) -> tuple[SemanticMemory, SemanticMemory]:
    return fact(one), fact(other)


@pytest.mark.parametrize(
    ("guard", "one", "other"),
    [
        ("polarity", "I can drive", "I can't drive"),
        ("polarity", "The build is green", "The build is no longer green"),
        ("polarity", "He eats meat", "He stopped eating meat"),
        ("polarity", "我对花生过敏", "我对花生不过敏"),
        ("polarity", "会议需要录音", "会议无需录音"),
        ("polarity", "我抽烟", "我戒烟"),
        ("condition", "I like coffee", "I like coffee only if it is decaf"),
        ("condition", "我喝酒", "如果是周末我喝酒"),
        ("numbers", "The limit is 500 requests", "The limit is 800 requests"),
        ("numbers", "The limit is five requests", "The limit is nine requests"),
        ("numbers", "我的月薪是两万", "我的月薪是两万五"),
        ("dates", "The meeting is on Wednesday", "The meeting is on Thursday"),
        ("dates", "Her exam is on 3 May", "Her exam is on 3 June"),
        ("dates", "会议在周三", "会议在周四"),
        ("dates", "去年去了三亚", "今年去了三亚"),
        ("units", "The parcel weighs 5 kg", "The parcel weighs 5 lbs"),
        ("units", "预算是五百元", "预算是五百美元"),
        ("owner", "My son is named Tom", "My daughter is named Tom"),
        ("owner", "我爸爸对花生过敏", "我妈妈对花生过敏"),
        ("entity", "The office is in Boston", "The office is in Denver"),
        ("entity", "他在读《三体》", "他在读《活着》"),
        ("wording", "The user prefers dark mode", "The user prefers light mode"),
        ("wording", "用户喜欢喝咖啡", "用户喜欢喝茶"),
        ("wording", "I like green tea", "I like tea"),
        ("wording", "the cat chases the dog", "the dog chases the cat"),
        ("wording", "I write C", "I write C++"),
        ("wording", "latency < 5 ms", "latency > 5 ms"),
        ("wording", "I like 🍎", "I like 🍊"),
        ("wording", "I like tea", "I like tea?"),
        ("wording", "The room has 10² tiles", "The room has 102 tiles"),
        ("wording", "Users like tea", "The user likes tea"),
        ("wording", "The room is hot", "The room is too hot"),
        ("wording", "他在北京", "他在北京吧"),
        ("wording", "我结婚", "我结婚了"),
        ("wording", "Она любит чай", "Она любила чай"),
    ],
)
def test_a_guard_tells_two_statements_apart(guard: str, one: str, other: str) -> None:
    assert guard in differences(*pair(one, other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user loves coffee.", "I really like coffee"),
        ("The deploy takes 5 minutes", "the deploy takes five minutes"),
        ("我喜欢喝咖啡", "用户爱喝咖啡。"),
        ("I repaint the kitchen", "I repaint the kitchen; it is done every spring term"),
        ("ＵＳＥＲ lives in Oslo", "user lives in\u00a0oslo!"),
        ("The user\u2019s desk is oak", "The user's de\u200bsk is oak"),
    ],
)
def test_the_same_said_otherwise_passes(one: str, other: str) -> None:
    assert differences(*pair(one, other)) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("My daughter is six years old", "I have a six-year-old daughter"),
        ("The deadline is the end of June", "It's due by June 30"),
        ("我老婆的生日是三月十二号", "我太太3月12日过生日"),
        ("My wife's birthday is March 12", "My wife was born on the 12th of March"),
        ("我住在北京", "I live in Beijing"),
        ("repaint the kitchen", "repaint the kitchen; it is done every five years"),
    ],
)
def test_a_paraphrase_is_no_conflict(one: str, other: str) -> None:
    assert conflicts(*pair(one, other)) == ()


def test_what_a_judge_may_not_merge() -> None:
    assert "numbers" in conflicts(*pair("My budget is $500", "My budget is now $800"))
    assert "owner" in conflicts(*pair("My wife likes tea", "I like tea"))
    assert "polarity" in conflicts(*pair("我会开车", "我不会开车"))
    assert "entity" in conflicts(*pair("I work at Google", "I work at Stripe"))


def test_other_type_scene_slot_or_validity_is_not_the_same() -> None:
    one = fact("drinks tea", subject="user", attribute="drink")
    assert differences(one, fact("drinks tea", subject="User", attribute="Drink")) == ()
    for name, other in (
        ("type", fact("drinks tea", type=Type.PREFERENCE)),
        ("scene", fact("drinks tea", scene="work")),
        ("slot", fact("drinks tea", subject="user", attribute="breakfast")),
        ("validity", fact("drinks tea", valid_until=NOW)),
        ("done", fact("drinks tea", done_at=NOW)),
        ("name", fact("drinks tea", external_id="b")),
    ):
        mine = one.model_copy(update={"external_id": "a"})
        assert differences(mine, other) == differences(other, mine) == (name,)


def test_a_full_stop_and_the_case_are_no_difference_but_a_question_is() -> None:
    assert same_words("Uses pnpm.", "uses  PNPM")
    assert not same_words("uses pnpm", "uses pnpm?")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("两万五", "25000"),
        ("一百零五", "105"),
        ("三百五十", "350"),
        ("八千二", "8200"),
        ("$1,500.50", "1500.5"),
        ("3.5k", "3500"),
        ("1.2万", "12000"),
        ("-5", "-5"),
        ("seventy", "70"),
    ],
)
def test_numbers_are_read_however_they_are_written(text: str, numbers: str) -> None:
    assert reading(f"it is {text}").numbers == (numbers,)


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("3pm on Friday", ("h:15", "w:4")),
        ("周五下午三点", ("w:4", "part:afternoon", "h:3")),
        ("六月底", ("end:底", "m:6")),
        ("2026-03-14", ("d:14", "m:3", "y:2026")),
        ("last year", ("year:-1",)),
        ("简洁一点", ()),
    ],
)
def test_dates_are_read_however_they_are_written(text: str, dates: tuple[str, ...]) -> None:
    assert reading(text).dates == dates


def test_no_pair_that_is_not_the_same_passes_the_guards() -> None:
    pairs = [json.loads(line) for line in PAIRS.read_text().splitlines()]
    assert len(pairs) == 75
    passing = [one for one in pairs if not differences(*pair(one["older"], one["newer"]))]
    assert {one["kind"] for one in passing} == {"duplicate"}


def test_no_text_is_too_long_to_be_read() -> None:
    assert reading("一二" * 5_000).numbers == ("12" * 5_000,)
    for part in ("a", "a.", "字", "1", "《", "a@", "May ", "一百"):
        begin = perf_counter()
        reading(part * (20_000 // len(part)))
        assert perf_counter() - begin < 2.0, part


def test_midnight_is_not_noon() -> None:
    assert conflicts(*pair("The alarm rings at 12 am", "The alarm rings at 12 pm")) == ("dates",)
    assert not conflicts(*pair("The alarm rings at 12:30 pm", "The alarm rings at 12:30"))
