"""What a reviewer has read is these words: others by somebody else have not been read."""

import pytest

from hindwise.domain.drafts import SemanticDraft
from hindwise.domain.memory import Mark
from hindwise.domain.scope import Role
from tests.unit.usecases.desk import Desk
from tests.unit.usecases.reviewing import held, says


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({"content": "The door code is on floor 9"}, False),
        ({"attribute": "floor", "subject": "door"}, False),
        ({"importance": 0.9}, True),
        ({"tags": ("door",)}, True),
    ],
)
def test_other_words_by_a_writer_are_unread(
    desk: Desk, change: dict[str, object], kept: bool
) -> None:
    one = held(desk, "The door code is on floor 5")
    assert says(desk, "approve", one).marks == (Mark.REVIEWED,)
    after = desk.edit(one, **change)
    assert (Mark.REVIEWED in after.marks, after.reviewed_at is not None) == (kept, kept)


def test_a_reviewers_own_words_are_read(desk: Desk) -> None:
    one = held(desk, "The door code is on floor 5")
    after = says(desk, "edit", one, change={"content": "The door is on floor 6"})
    assert after.marks == (Mark.REVIEWED,) and after.reviewed_at is not None


def test_a_secret_in_a_reviewers_words_is_not_kept(desk: Desk) -> None:
    one = held(desk, "The door code is on floor 5")
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    after = says(desk, "edit", one, change={"content": f"Deploys use {key} now"}, reason=key)
    assert key not in after.model_dump_json()
    assert "[redacted: aws access key]" in after.content


def test_writing_again_under_a_name_of_ones_own_is_an_edit(desk: Desk) -> None:
    draft = SemanticDraft(content="The door is on floor 5", external_id="door")
    one = desk.write(draft).id
    says(desk, "approve", one)
    desk.write(draft.model_copy(update={"content": "The door is on floor 6"}))
    assert desk.read(one).marks == () and desk.read(one).reviewed_at is None
    assert Role.WRITER is desk.call().principal.role
