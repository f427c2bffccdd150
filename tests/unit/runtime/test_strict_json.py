import base64
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindwise.errors import HindwiseError, Invalid, TooLarge
from hindwise.runtime.strict_json import (
    MAX_BYTES,
    MAX_DEPTH,
    body_text,
    parse_object,
    refuse_flaws,
)


@pytest.mark.parametrize(
    ("text", "field", "says"),
    [
        ("", "body", "empty"),
        ("  \n", "body", "empty"),
        ("not json", "body", "line 1 column 1"),
        ("[]", "body", "object"),
        ("null", "body", "object"),
        ('"text"', "body", "object"),
        ('{"a": 1} trailing', "body", "Extra data"),
        ('{"a": NaN}', "a", "NaN"),
        ('{"metadata": {"x": [1, Infinity]}}', "metadata.x.1", "Infinity"),
        ('{"metadata": {"x": -Infinity}}', "metadata.x", "-Infinity"),
        ('{"metadata": {"x": 1e999}}', "metadata.x", "too large"),
        ('{"metadata": {"x": ' + "9" * 301 + "}}", "metadata.x", "300 digits"),
        ('{"content": "a", "content": "b"}', "content", "twice"),
        ('{"metadata": {"k": 1, "k": 2}}', "k", "twice"),
        ('{"a": "tab\there"}', "body", "control character"),
        ('{"a": 01}', "body", "line 1"),
        ("{'a': 1}", "body", "line 1"),
        ("\ufeff{}", "body", "BOM"),
    ],
)
def test_what_is_no_honest_object_is_refused_by_name(text, field, says):
    with pytest.raises(Invalid) as caught:
        parse_object(text)
    assert caught.value.details["field"] == field
    assert says in str(caught.value)


def test_depth_is_counted_outside_of_strings_only():
    brackets = {"content": '[[[[[[[[[[[[[[[[[[[[{"\\"[['}
    assert parse_object(json.dumps(brackets)) == brackets


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_depth_is_limited(opening):
    closing = "]" if opening == "[" else "}"

    def nested(levels):
        return '{"x":' + opening * (levels - 1) + "1" + closing * (levels - 1) + "}"

    assert parse_object(nested(MAX_DEPTH))
    with pytest.raises(Invalid, match=f"deeper than {MAX_DEPTH}"):
        parse_object(nested(MAX_DEPTH + 1))


@pytest.mark.parametrize(
    "bomb",
    [
        "[" * 200_000,
        '{"a":' * 40_000,
        '"\\"' * 60_000 + "[" * 20,
        '{"a":"' + '\\"' * 100_000 + "[" * 20,
        "{" + '"' * 200_000,
        "[]" * 120_000,
    ],
)
def test_a_bomb_is_refused_without_recursion(bomb):
    limit = sys.getrecursionlimit()
    with pytest.raises(Invalid):
        parse_object(bomb)
    assert sys.getrecursionlimit() == limit


@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8"), max_size=5),
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers(-(10**299), 10**299)
            | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(st.characters(codec="utf-8"), max_size=8),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=4), inner)
            ),
            max_leaves=10,
        ),
        max_size=5,
    )
)
def test_honest_json_comes_out_as_it_went_in(value):
    try:
        assert parse_object(json.dumps(value)) == value
    except Invalid as refused:
        assert "deeper" in str(refused)


@given(st.text())
def test_any_text_is_an_object_or_an_error_of_ours(text):
    try:
        assert isinstance(parse_object(text), dict)
    except HindwiseError as refused:
        assert refused.status == 400


def test_whole_numbers_stay_whole_and_exact():
    parsed = parse_object('{"big": 12345678901234567890, "seven": 7, "half": 0.5, "neg": -0.0}')
    assert parsed["big"] == 12345678901234567890
    assert isinstance(parsed["seven"], int)
    assert repr(parsed["neg"]) == "-0.0"


def test_bodies_are_decoded_and_measured_in_bytes():
    assert body_text(None, base64=False) == ""
    assert body_text("你好", base64=False) == "你好"
    assert body_text(base64.b64encode("你好".encode()).decode(), base64=True) == "你好"
    assert len(body_text("a" * MAX_BYTES, base64=False)) == MAX_BYTES
    for body, encoded in [
        ("a" * (MAX_BYTES + 1), False),
        ("你" * (MAX_BYTES // 3 + 1), False),
        (base64.b64encode(b"a" * (MAX_BYTES + 1)).decode(), True),
        ("A" * 1_000_000, True),
    ]:
        with pytest.raises(TooLarge, match=str(MAX_BYTES)):
            body_text(body, base64=encoded)


@pytest.mark.parametrize(
    ("body", "encoded"),
    [
        (base64.b64encode(b"\xff{}").decode(), True),
        ("not base64!", True),
        ("\ud800", False),
        ("e30", True),
    ],
)
def test_bodies_that_are_no_text_are_refused(body, encoded):
    with pytest.raises(Invalid) as caught:
        body_text(body, base64=encoded)
    assert caught.value.details["field"] == "body"


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"content": "nul \x00 inside"}, "content"),
        ({"metadata": {"a": ["fine", "half \ud800"]}}, "metadata.a.1"),
        ({"metadata": {"ke\u202ey": 1}}, "metadata"),
        ({"\ud83d": 1}, "body"),
        ({"source": {"author": "a\u200b\u200bb"}}, "source.author"),
    ],
)
def test_inadmissible_text_is_named_by_its_path(value, field):
    with pytest.raises(Invalid) as caught:
        refuse_flaws(value)
    assert caught.value.details["field"] == field


def test_honest_invisible_characters_pass():
    refuse_flaws({"content": "👩‍👩‍👧 می‌خواهم \u200fשלום line\nbreak\ttab", "tags": ["🏴󠁧󠁢󠁳󠁣󠁴󠁿"]})
