"""What may be sent: every limit is named, nothing is coerced silently."""

from typing import Any

import pytest
from pydantic import ValidationError

from hindwise.domain.drafts import Edit, EpisodeDraft, SemanticDraft, WorkingDraft

BAD: list[tuple[dict[str, Any], str]] = [
    ({"content": ""}, "content"),
    ({"content": "  \n "}, "content"),
    ({"content": "x" * 20_001}, "content"),
    ({"content": "汉" * 20_000 + "x" * 1}, "content"),
    ({"content": "nul \x00"}, "content"),
    ({"content": 7}, "content"),
    ({"content": "x", "importance": 1.2}, "importance"),
    ({"content": "x", "importance": "高"}, "importance"),
    ({"content": "x", "importance": float("nan")}, "importance"),
    ({"content": "x", "metadata": "text"}, "metadata"),
    ({"content": "x", "metadata": {"k": "v" * 9_000}}, "metadata"),
    ({"content": "x", "metadata": {"k": ["a\u202eb"]}}, "metadata"),
    ({"content": "x", "metadata": {"k": float("inf")}}, "metadata"),
    ({"content": "x", "task_id": "t" * 65}, "task_id"),
    ({"content": "x", "event_type": "e" * 33}, "event_type"),
    ({"content": "x", "event_time": "2026-01-15T10:30:00"}, "event_time"),
    ({"content": "x", "event_time": "15/01/2026 25:99"}, "event_time"),
    ({"content": "x", "tags": ["t"] * 65}, "tags"),
    ({"content": "x", "session_id": "汉" * 86}, "session_id"),
    ({"content": "x", "seq": -1}, "seq"),
    ({"content": "x", "nonsense": 1}, "nonsense"),
]


@pytest.mark.parametrize(("body", "field"), BAD)
def test_each_bad_field_is_named(body: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as caught:
        EpisodeDraft.model_validate(body)
    assert {str(error["loc"][0]) for error in caught.value.errors()} == {field}


def test_times_keep_their_offset() -> None:
    draft = EpisodeDraft.model_validate({"content": "x", "event_time": "2026-01-15T18:30:00+08:00"})
    zulu = EpisodeDraft.model_validate({"content": "x", "event_time": "2026-01-15T10:30:00Z"})
    assert draft.event_time == zulu.event_time
    assert draft.event_time is not None and draft.event_time.hour == 18


def test_a_scratch_value_needs_its_task_and_key() -> None:
    with pytest.raises(ValidationError):
        WorkingDraft.model_validate({"content": "x", "task_id": "t"})


def test_an_edit_needs_a_reason() -> None:
    with pytest.raises(ValidationError) as caught:
        Edit.model_validate({"content": "x"})
    assert caught.value.errors()[0]["loc"] == ("reason",)


def test_types_are_those_of_the_contract() -> None:
    with pytest.raises(ValidationError):
        SemanticDraft.model_validate({"content": "x", "type": "mood"})
