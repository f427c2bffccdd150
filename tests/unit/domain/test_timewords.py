"""Time words of a question: which days it names, and whether it asks for news or a time."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from hindwise.domain.timewords import asks, asks_when, dated, read
from hindwise.domain.timewords.reading import DATES

BEIJING = timezone(timedelta(hours=8))
MONDAY = datetime(2026, 3, 16, 9, 30, tzinfo=BEIJING)


def days(text, now=MONDAY):
    """The recognised days as (first, last) in short ISO form."""
    return [(f"{one.first:%Y-%m-%d}", f"{one.last:%Y-%m-%d}") for one in read(text, now).dates]


def day(text, now=MONDAY):
    [(first, last)] = days(text, now)
    assert first == last
    return first


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What happened on 7 May 2023?", "2023-05-07"),
        ("May 7th, 2023", "2023-05-07"),
        ("3rd of July, 2023", "2023-07-03"),
        ("2023-05-07 meeting", "2023-05-07"),
        ("2023/5/7 的会议", "2023-05-07"),
        ("Sept 3", "2025-09-03"),
        ("7 May", "2025-05-07"),
        ("March 12", "2026-03-12"),
        ("February 29", "2024-02-29"),
        ("who called on the 12th", "2026-03-12"),
        ("3月12日", "2026-03-12"),
        ("十二月二十五号", "2025-12-25"),
        ("2024年2月29日", "2024-02-29"),
        ("去年5月3号", "2025-05-03"),
        ("上个月12号", "2026-02-12"),
        ("12号我去哪了", "2026-03-12"),
        ("２０号", "2026-02-20"),
    ],
)
def test_a_named_day_is_the_latest_that_has_come(text, expected):
    assert day(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("today", "2026-03-16"),
        ("yesterday's lunch", "2026-03-15"),
        ("the day before yesterday", "2026-03-14"),
        ("tomorrow", "2026-03-17"),
        ("last Friday", "2026-03-13"),
        ("last Monday", "2026-03-09"),
        ("on Monday", "2026-03-16"),
        ("this Friday", "2026-03-20"),
        ("next Friday", "2026-03-27"),
        ("three days ago", "2026-03-13"),
        ("昨天", "2026-03-15"),
        ("昨晚吃了什么", "2026-03-15"),
        ("前天", "2026-03-14"),
        ("大前天", "2026-03-13"),
        ("后天", "2026-03-18"),
        ("上周五", "2026-03-13"),
        ("上上周五", "2026-03-06"),
        ("这星期三", "2026-03-18"),
        ("下礼拜天", "2026-03-29"),
        ("十天前", "2026-03-06"),
    ],
)
def test_a_relative_day_is_counted_from_the_callers_now(text, expected):
    assert day(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("two weeks ago", ("2026-02-27", "2026-03-05")),
        ("a couple of weeks ago", ("2026-02-27", "2026-03-05")),
        ("a month ago", ("2026-02-01", "2026-02-28")),
        ("past 3 days", ("2026-03-13", "2026-03-16")),
        ("the past week", ("2026-03-09", "2026-03-16")),
        ("last week", ("2026-03-09", "2026-03-15")),
        ("this weekend", ("2026-03-21", "2026-03-22")),
        ("last weekend", ("2026-03-14", "2026-03-15")),
        ("last month", ("2026-02-01", "2026-02-28")),
        ("next year", ("2027-01-01", "2027-12-31")),
        ("last May", ("2025-05-01", "2025-05-31")),
        ("next May", ("2026-05-01", "2026-05-31")),
        ("this March", ("2026-03-01", "2026-03-31")),
        ("last March", ("2025-03-01", "2025-03-31")),
        ("in June 2022", ("2022-06-01", "2022-06-30")),
        ("in August", ("2025-08-01", "2025-08-31")),
        ("What may she do in may", ("2025-05-01", "2025-05-31")),
        ("in 2022", ("2022-01-01", "2022-12-31")),
        ("上周", ("2026-03-09", "2026-03-15")),
        ("上周末", ("2026-03-14", "2026-03-15")),
        ("上个月", ("2026-02-01", "2026-02-28")),
        ("本月", ("2026-03-01", "2026-03-31")),
        ("去年", ("2025-01-01", "2025-12-31")),
        ("前年", ("2024-01-01", "2024-12-31")),
        ("2023年的计划", ("2023-01-01", "2023-12-31")),
        ("两个星期前", ("2026-02-27", "2026-03-05")),
        ("三个月前", ("2025-12-01", "2025-12-31")),
        ("半年前", ("2025-09-01", "2025-09-30")),
        ("过去两周", ("2026-03-02", "2026-03-16")),
        ("六月份", ("2025-06-01", "2025-06-30")),
    ],
)
def test_longer_spans_are_whole(text, expected):
    assert days(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "What may she do?",
        "port 2022",
        "8号楼在哪",
        "第12号",
        "31 February",
        "2月30日",
        "version 2023.5.7",
        "10000年前",
        "3个月",
        "the march of time",
        "2023年13月",
        "三十二号",
        "on the 40th",
    ],
)
def test_what_is_no_day_is_not_taken_for_one(text):
    assert days(text) == []


def test_several_days_are_recognised_in_order():
    assert days("昨天还是3月12日") == [("2026-03-15", "2026-03-15"), ("2026-03-12", "2026-03-12")]


def test_yesterday_is_that_of_the_callers_zone():
    instant = datetime(2026, 3, 15, 23, tzinfo=UTC)
    assert day("yesterday", instant) == "2026-03-14"
    assert day("yesterday", instant.astimezone(BEIJING)) == "2026-03-15"


def test_an_event_is_read_as_a_day_in_its_own_offset():
    asked = read("昨天", MONDAY)
    assert asked.fits(datetime.fromisoformat("2026-03-15T23:30:00-08:00")) == 1
    assert asked.fits(datetime.fromisoformat("2026-03-16T07:30:00+00:00")) == 0


def test_another_year_fits_almost_as_well_where_none_is_named():
    may = read("7 May", MONDAY)
    assert may.fits(datetime(2023, 5, 7, tzinfo=BEIJING)) == 0.8
    assert may.fits(datetime(2023, 5, 8, tzinfo=BEIJING)) == 0
    dated_may = read("7 May 2025", MONDAY)
    assert dated_may.fits(datetime(2023, 5, 7, tzinfo=BEIJING)) == 0
    assert read("12号", MONDAY).fits(datetime(2025, 1, 12, tzinfo=BEIJING)) == 0.5
    assert read("in August", MONDAY).fits(datetime(2020, 8, 30, tzinfo=BEIJING)) == 0.8


@pytest.mark.parametrize("text", ["3月12日那天我做了什么", "What did I do on 12 March, that day?"])
def test_that_day_takes_the_date_that_the_question_names(text):
    asked = read(text, MONDAY)
    that_day = asked.words[1]
    assert that_day.meaning == "date"
    assert that_day.word in text
    assert that_day.days is not None
    assert that_day.days.first == date(2026, 3, 12)
    assert read("那天我做了什么", MONDAY).words == ()


@pytest.mark.parametrize(
    "text",
    [
        "Where am I now?",
        "latest status",
        "What did I read recently?",
        "Who currently leads it?",
        "最近在忙什么",
        "现在住哪",
        "目前的版本",
        "最新进展",
    ],
)
def test_news_is_asked_for(text):
    assert read(text, MONDAY).latest


@pytest.mark.parametrize(
    "text", ["the last time we met", "上次看牙", "上回聊到哪", "我之前说过什么", "之前的方案"]
)
def test_the_newest_match_is_asked_for(text):
    asked = read(text, MONDAY)
    assert asked.newest
    assert not asked.latest


@pytest.mark.parametrize("text", ["Where do I live?", "结婚之前住哪", "I know her", "snowball"])
def test_other_questions_ask_for_neither(text):
    asked = read(text, MONDAY)
    assert not asked.newest
    assert not asked.latest


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("When did we meet?", "When"),
        ("What date was it?", "What date"),
        ("In which month did she move?", "In which month"),
        ("How long did it take?", "How long"),
        ("我们什么时候见面", "什么时候"),
        ("会议几点开始", "几点"),
        ("哪一天出发", "哪一天"),
        ("星期几上课", "星期几"),
    ],
)
def test_a_time_is_asked_for(text, word):
    assert asks_when(text) == word
    assert read(text, MONDAY).when


@pytest.mark.parametrize("text", ["Tell me when you see it", "What did he say?", "几个人"])
def test_no_time_is_asked_for(text):
    assert asks_when(text) is None


def test_what_was_recognised_can_be_shown():
    words = read("When did I last see Ann, last Friday?", MONDAY).words
    assert [(word.word, word.meaning) for word in words] == [
        ("last Friday", "date"),
        ("When", "when"),
    ]


@pytest.mark.parametrize("text", ["Coming?", "来吗？", 'He asked "why?"', "Really?! "])
def test_questions_end_as_questions(text):
    assert asks(text)


@pytest.mark.parametrize("text", ["Fine.", "Why? Because.", "", "a?b"])
def test_statements_do_not(text):
    assert not asks(text)


@pytest.mark.parametrize("text", ["Back on Friday", "in 2023", "the 3rd", "昨天", "3月", "周五见"])
def test_time_expressions_are_seen(text):
    assert dated(text)


@pytest.mark.parametrize("text", ["I like tea", "我喜欢喝茶", "v2 of it"])
def test_texts_without_one_are_not_dated(text):
    assert not dated(text)


@pytest.mark.parametrize(
    "now",
    [
        datetime(1, 1, 1, tzinfo=BEIJING),
        datetime(9999, 12, 31, 23, tzinfo=BEIJING),
        datetime(2024, 2, 29, tzinfo=BEIJING),
    ],
)
def test_the_ends_of_the_calendar_do_no_harm(now):
    text = (
        "yesterday, tomorrow, last year, next year, 3 years ago, 29 February, 前年 明年 31号 上周"
    )
    assert all(one.first <= one.last for one in read(text, now).dates)


def test_blanks_within_a_time_word_do_not_matter():
    assert day("7   May\n 2023") == day("2023 年  5月\t7 日") == "2023-05-07"


def test_so_many_date_words_count_and_no_more():
    assert len(read("3号 " * 600, MONDAY).dates) == DATES
