"""JSON is found in whatever surrounds it, small slips are read as meant, nothing is made up."""

import json
import time

import pytest

from hindwise.domain.prompts.salvage import found, spoken

ITEMS = [{"type": "fact", "content": 'Says "hi"', "sure": 0.9}, {"content": "二", "names": ["a"]}]
TEXT = json.dumps(ITEMS, ensure_ascii=False)


def values(text):
    return [each.value for each in found(text)]


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "```json\n{}\n```",
        "```\n{}\n```\nI extracted two facts.",
        "Here are the facts I found:\n{}\nHope this helps!",
        "\ufeff  {}  \n",
        "<think>Is it [1] or {{2}}? maybe [{{</think>{}",
        "<thinking>[]</thinking>\n\n```json\n{}```",
        "no tag opens this thought []</think>{}",
        "以下是结果：\n{}\n希望有帮助。",
        "{},",
        "// found two\n{} // that is all",
    ],
)
def test_what_stands_around_it_does_not_matter(around):
    (one,) = found(around.format(TEXT))
    assert one.value == ITEMS
    assert one.whole


def test_several_values_come_in_order():
    assert values('see [1]: {"a": 1}\n{"a": 2} [not json] and []') == [[1], {"a": 1}, {"a": 2}, []]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2,], "b": {"c": 3,},}', {"a": [1, 2], "b": {"c": 3}}),
        ("{'a': 'it''s', b: None, 'c': True}", {"a": "it''s", "b": None, "c": True}),
        ('{"a": "He said "hi" to me", "b": 1}', {"a": 'He said "hi" to me', "b": 1}),
        ('{"a": "two\nlines\tand tabs"}', {"a": "two\nlines\tand tabs"}),
        ('{"a": 1, // two\n "b": 2}', {"a": 1, "b": 2}),
        ('[{"a": 1} {"a": 2}]', [{"a": 1}, {"a": 2}]),
        ('{"a": NaN, "b": 1e999, "c": undefined, "d": -Infinity}'.replace("-", ""),
         {"a": None, "b": None, "c": None, "d": None}),
        ('{"a": "\\ud83e\\udd94", }', {"a": "🦔"}),
        ('{"a": "\\ud83e \\udd94 \\u4e2d", }', {"a": "\ufffd \ufffd 中"}),
        ('{"a": "C:\\_x \\n \\/", }', {"a": "C:_x \n /"}),
        ('{"a": .5, "b": +3, "c": 7.0, "d": 12345678901234567890, }',
         {"a": 0.5, "b": 3, "c": 7.0, "d": 12345678901234567890.0}),
        ('{"link": "https://x.y/z // no comment", }', {"link": "https://x.y/z // no comment"}),
    ],
)  # fmt: skip
def test_small_slips_are_read_as_they_were_meant(text, value):
    assert values(text) == [value]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('[{"a": "one"}, {"a": "tw', [{"a": "one"}]),
        ('[{"a": "one"}, {"a": "two"}', [{"a": "one"}, {"a": "two"}]),
        ('{"items": [{"a": 1, "n": ["x"]}, {"a": 2, "n": ["y"', {"items": [{"a": 1, "n": ["x"]}]}),
        ('{"items": [{"a": 1}], "note": "unfin', {"items": [{"a": 1}]}),
        ('{"data": {"items": [{"a": 1}, {"a"', {"data": {"items": [{"a": 1}]}}),
        ("[1, 2, 3", [1, 2]),
        ("[true, fals", [True]),
        ('```json\n[{"a": 1},\n', [{"a": 1}]),
        ('{"items": [', {"items": []}),
        ("[", []),
        ('[{"a": "back\\', []),
    ],
)
def test_of_what_was_cut_the_whole_items_are_kept(text, value):
    (one,) = found(text)
    assert one.value == value
    assert not one.whole


def test_an_item_that_cannot_be_read_costs_only_itself():
    (one,) = found('[{"a": 1}, {"a": "x "y", z"}, {"a" 3}, {"a": 4}]')
    assert one.value == [{"a": 1}, {"a": 4}]
    assert not one.whole


@pytest.mark.parametrize(
    "text",
    ["", "   ", "双方愉快地聊了聊天", "Nothing to remember.", '"just text"', "12", "null",
     "<think>[1, 2]", "<think>{\"a\": 1}</think>", "[some words]", "{oops", ":-] }{"],
)  # fmt: skip
def test_what_is_no_json_gives_nothing(text):
    assert [each for each in found(text) if each.whole] == []


def test_a_thought_is_not_what_was_said():
    assert spoken("<think>a</think> b <think>c") == "b"
    assert spoken("a</THINK>b") == "b"
    assert values('<think>[{"a": 1}]</think>') == []
    assert values('[{"a": "<think>b</think>"}]') == [[{"a": "<think>b</think>"}]]


@pytest.mark.parametrize(
    "text",
    ["[" * 50_000, '{"' * 50_000, '{"a":' * 50_000, '["' + "a" * 200_000, "[{" * 50_000,
     '["a" ' * 50_000, "[//" * 50_000, "<think>" * 50_000, '["' + '" x' * 60_000,
     "[" + "[]," * 99_999],
)  # fmt: skip
def test_hostile_text_is_done_with_soon(text):
    start = time.process_time()
    found(text)
    assert time.process_time() - start < 3
