"""Import lines: what is a memory, what is a conversation, what is refused and at which field."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindwise.cli.lines import BadLine, Entry, entries, parsed, zone_of

SHANGHAI = zone_of("Asia/Shanghai")
TURN = {"id": "0U", "text": "你好", "speaker": "用户", "session": 0, "time": "2023-04-27T20:00:00"}


def talk(*turns: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"id": "张曼婷", "turns": [*turns], **fields}


def refused(said: dict[str, Any]) -> str:
    with pytest.raises(BadLine) as error:
        [*entries(1, said, None)]
    return str(error.value)


def test_turns_become_episodes_at_their_place_in_their_session() -> None:
    said = talk(
        TURN,
        {**TURN, "id": "0A", "speaker": "助手"},
        {**TURN, "id": "1U", "session": 1, "time": "2023-04-28T20:00:00"},
    )
    made = [*entries(7, said, SHANGHAI)]
    assert made[0] == Entry(
        line=7,
        place="turns.0",
        conversation="张曼婷",
        memory={
            "kind": "episodic",
            "content": "你好",
            "external_id": "import:张曼婷/0U",
            "speaker": "用户",
            "event_time": "2023-04-27T20:00:00+08:00",
            "session_id": "张曼婷/0",
            "seq": 1,
        },
    )
    places = [(one.memory["session_id"], one.memory["seq"]) for one in made]
    assert places == [("张曼婷/0", 1), ("张曼婷/0", 2), ("张曼婷/1", 1)]


def test_a_memory_goes_as_it_is_with_an_id_that_says_what_it_says() -> None:
    said = {"content": "Prefers tea", "type": "preference", "tags": ["food"]}
    [first] = entries(1, said, None)
    [again] = entries(9, dict(reversed(said.items())), None)
    [other] = entries(1, {**said, "tags": []}, None)
    assert {**first.memory, "external_id": ""} == {**said, "external_id": ""}
    assert first.memory["external_id"] == again.memory["external_id"]
    assert first.memory["external_id"] != other.memory["external_id"]


def test_an_own_id_stays_and_scratch_values_need_none() -> None:
    [own] = entries(1, {"content": "x", "external_id": "crm-7"}, None)
    assert own.memory["external_id"] == "crm-7"
    for scratch in ({"kind": "working"}, {"key": "plan", "task_id": "t"}):
        [entry] = entries(1, {"content": "x", **scratch}, None)
        assert "external_id" not in entry.memory


def test_times_without_zone_are_refused_or_given_the_zone_that_was_said() -> None:
    said = {"content": "x", "event_time": "2023-07-01T08:00:00"}
    assert "event_time: 2023-07-01T08:00:00 has no zone" in refused(said)
    assert "--zone Asia/Shanghai" in refused(said)
    assert "turns.0.time" in refused(talk(TURN))
    [summer] = entries(1, said, zone_of("Europe/Berlin"))
    [winter] = entries(1, {**said, "event_time": "2023-01-01T08:00"}, zone_of("Europe/Berlin"))
    assert summer.memory["event_time"] == "2023-07-01T08:00:00+02:00"
    assert winter.memory["event_time"] == "2023-01-01T08:00:00+01:00"
    [own] = entries(1, {**said, "event_time": "2023-07-01T08:00:00Z"}, SHANGHAI)
    assert own.memory["event_time"] == "2023-07-01T08:00:00Z"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"content": "x", "event_time": "yesterday"}, "event_time: must be a time"),
        ({"content": "x", "user_id": True}, "user_id: must be a string"),
        ({"turns": [TURN]}, "id: must be a string"),
        (talk(TURN, mood="good"), "mood: is not a known field"),
        ({"id": "a", "turns": {}}, "turns: must be a list"),
        ({"id": "a", "turns": ["hi"]}, "turns.0: must be an object"),
        (talk({"id": "1", "text": 5}), "turns.0.text: must be a string"),
        (talk({"text": "no id"}), "turns.0.id: must be a string"),
        (talk({"id": "1", "text": "x", "mood": 1}), "turns.0.mood: is not a known field"),
        (talk({"id": "1", "text": "x", "speaker": ["a"]}), "turns.0.speaker"),
    ],
)
def test_what_is_wrong_is_named(said: dict[str, Any], words: str) -> None:
    assert words in refused(said)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b'{"content": "x"', "is not JSON"),
        (b"\xff\xfe{}", "is not UTF-8"),
        (b'["x"]', "must be a JSON object"),
        (b"null", ""),
        (b'{"content": "x", "importance": NaN}', "NaN"),
        (b"[" * 100_000, "is not JSON"),
    ],
)
def test_bytes_that_are_no_object(raw: bytes, words: str) -> None:
    if not words:
        assert parsed(raw) is None
        return
    with pytest.raises(BadLine, match=words):
        parsed(raw)


def test_blank_lines_and_byte_order_marks_do_no_harm() -> None:
    assert parsed(b" \r\n") is None
    assert parsed("\ufeff{}\n".encode()) == {}


@given(st.integers(-14 * 60, 14 * 60))
def test_any_offset_is_a_zone(minutes: int) -> None:
    sign, size = "-" if minutes < 0 else "+", abs(minutes)
    zone = zone_of(f"{sign}{size // 60:02}:{size % 60:02}")
    assert datetime(2026, 1, 1, tzinfo=UTC).astimezone(zone).utcoffset() == timedelta(
        minutes=minutes
    )


@pytest.mark.parametrize("name", ["Mars/Base", "+8", "", "+99:99", "../etc/passwd"])
def test_other_words_are_no_zone(name: str) -> None:
    with pytest.raises(ValueError, match=r"zone|offset"):
        zone_of(name)


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=5) | st.integers(), max_size=4))
def test_the_derived_id_is_a_function_of_what_is_said(said: dict[str, Any]) -> None:
    said = {**said, "content": "x"}
    said.pop("event_time", None)
    said.pop("user_id", None)
    if "turns" in said:
        return
    [one] = entries(1, said, None)
    [two] = entries(2, json.loads(json.dumps(said)), None)
    assert one.memory == two.memory


def test_a_file_for_learning_is_sent_to_ingest() -> None:
    said = {"id": "c", "messages": [{"role": "user", "content": "Hi"}]}
    assert "hindwise ingest" in refused(said)
