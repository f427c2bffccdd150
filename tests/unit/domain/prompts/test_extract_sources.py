"""Which turns an item came from, and which day its dates mean."""

from datetime import UTC, datetime

import pytest

from tests.unit.domain.prompts.test_extract_read import TURNS, one, refused, turn


def at(text):
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("given", "turns"),
    [
        ({"turns": [3]}, (3,)),
        ({"turns": [5, 3, 3]}, (3, 5)),
        ({"turns": 4}, (4,)),
        ({"turns": "turn 4"}, (4,)),
        ({"turns": "3-5"}, (3, 4, 5)),
        ({"turns": ["[3]", "#5"]}, (3, 5)),
        ({"turn": 5.0}, (5,)),
        ({"source_turns": ["4"]}, (4,)),
        ({"turns": [3, 99]}, (3,)),
    ],
)
def test_turns_that_are_named(given, turns):
    assert one(**given).turns == turns


@pytest.mark.parametrize(
    "turns", [[99], ["one"], [True], [{"n": 3}], [3.5], "4-2000", [-1], [1e300], "9" * 5_000]
)
def test_turns_that_nobody_was_shown_are_refused(turns):
    assert refused(turns=turns) == "turn"


@pytest.mark.parametrize(
    ("content", "turns"),
    [
        ("The user moved to Porto.", (3,)),
        ("G57 次 16:05 从北京西站发车", (4,)),
        ("Badge number is 5512", (5,)),
        ("用户属龙", (3, 4, 5)),
        ("Entirely different", (3, 4, 5)),
    ],
)
def test_where_none_is_named_words_tell_and_else_all_count(content, turns):
    assert one(content=content).turns == turns
    assert one(content=content, turns=[]).turns == turns


def test_a_quote_tells_whose_words_they_were_whatever_turn_is_named():
    claimed = one(turns=[3], quote="16:05 从北京西站发车")
    assert claimed.turns == (3, 4)
    assert one(turns=[3], quote="MOVED  to porto").turns == (3,)
    assert one(quote="mine. <b>ok</b>").turns == (5,)


def test_words_of_another_turn_do_not_gain_its_authority_by_being_put_in_ones_mouth():
    assert one(turns=[3], content="G57 次 16:05 从北京西站发车").turns == (3, 4)
    assert one(turns=[3], content="Something in other words").turns == (3,)
    assert one(turns=[3, 4], content="Badge number 5512 and Porto").turns == (3, 4)


@pytest.mark.parametrize(
    ("said", "answer", "content", "turns"),
    [
        ("I live in Porto now", "How do you like living in Porto?", "Lives in Porto", (1,)),
        ("我现在住在成都。", "好的，住在成都，记住了。", "用户住在成都", (1,)),
        ("I like Porto", "You live in Porto.", "Lives in Porto", (2,)),
        ("Do I live in Porto?", "Yes, in Porto.", "Lives in Porto", (1, 2)),
        ("我住在成都吗", "你住在成都", "用户住在成都", (1, 2)),
        ("I do not live in Porto", "You do live in Porto", "Lives in Porto", (1, 2)),
        ("Porto is nice", "in Porto", "Lives in Porto", (2,)),
    ],
)
def test_who_repeats_what_the_user_stated_is_not_where_it_is_from(said, answer, content, turns):
    shown = [turn(1, said), turn(2, answer, role="assistant")]
    assert one(shown=shown, content=content).turns == turns


def test_nobody_repeats_what_is_said_only_later():
    shown = [turn(1, "You live in Porto", role="assistant"), turn(2, "I live in Porto")]
    assert one(shown=shown, content="Lives in Porto").turns == (1, 2)


@pytest.mark.parametrize("quote", ["never said", "", None, 8, "x" * 2_000])
def test_a_quote_that_nobody_said_is_left_out(quote):
    item = one(turns=[3], quote=quote)
    assert (item.quote, item.turns) == (None, (3,))


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2026-03-13", "2026-03-13T00:00:00+08:00"),
        ("2026/3/13", "2026-03-13T00:00:00+08:00"),
        ("2026年3月13日", "2026-03-13T00:00:00+08:00"),
        ("2026-03", "2026-03-01T00:00:00+08:00"),
        ("2026年3月", "2026-03-01T00:00:00+08:00"),
        ("2026", "2026-01-01T00:00:00+08:00"),
        ("2026-03-13T16:05:00+09:00", "2026-03-13T16:05:00+09:00"),
        ("2026-03-13T16:05", "2026-03-13T16:05:00+08:00"),
        ("2026-03-13 16:05", "2026-03-13T16:05:00+08:00"),
        ("2026-03-13T16:05:00Z", "2026-03-13T16:05:00+00:00"),
    ],
)
def test_a_day_is_one_where_it_was_said(value, moment):
    item = one(turns=[3], event_time=value)
    assert item.event_time == at(moment)
    assert item.event_time.utcoffset() == at(moment).utcoffset()
    assert one(turns=[3], date=value).event_time == at(moment)


def test_each_item_goes_by_the_offset_of_its_own_turn():
    assert one(turns=[5], event_time="2026-03-16").event_time == at("2026-03-16T00:00:00-05:00")
    undated = [turn(1, "hi", at=None)]
    assert one(shown=undated, event_time="2026-03-16").event_time == datetime(
        2026, 3, 16, tzinfo=UTC
    )


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2026-05-03", "2026-05-04T00:00:00+08:00"),
        ("2026-12-31", "2027-01-01T00:00:00+08:00"),
        ("2026-02", "2026-03-01T00:00:00+08:00"),
        ("2026", "2027-01-01T00:00:00+08:00"),
        ("2026-05-03T12:00", "2026-05-03T12:00:00+08:00"),
    ],
)
def test_an_end_is_the_end_of_its_day(value, moment):
    assert one(turns=[3], valid_until=value).valid_until == at(moment)


@pytest.mark.parametrize("value", [None, "", "null", "None", "unknown", "无", "9999-12-31"])
def test_no_end_is_none(value):
    assert one(turns=[3], valid_until=value).valid_until is None


@pytest.mark.parametrize("name", ["event_time", "valid_from", "valid_until"])
@pytest.mark.parametrize(
    "value", ["2026-02-30", "2026-13-01", "2026-00-10", "next Friday", "上周五", "0000-01-01",
              "0026-03-13", 1_773_000_000, True, ["2026-03-13"], "2026-03-13T25:00:00",
              "2026-03-13T10:00:00+99:00"]
)  # fmt: skip
def test_an_impossible_date_is_refused(name, value):
    assert refused(**{name: value}) == "date"


def test_what_ends_before_it_begins_is_refused():
    assert refused(valid_from="2026-05-03", valid_until="2026-05-02") == "date"
    same = one(turns=[3], valid_from="2026-05-03", valid_until="2026-05-03")
    assert same.valid_until - same.valid_from == at("2026-05-04T00:00") - at("2026-05-03T00:00")


def test_the_turns_of_these_tests_are_as_they_say():
    assert [each.turn for each in TURNS] == [3, 4, 5]
