"""What was recalled is taken out of a message before anything is learnt from it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindwise.domain import recalled
from hindwise.domain.context import CHINESE, ENGLISH, Entry, render
from hindwise.domain.conversation import Message, SpeakerRole

USER = SpeakerRole.USER
MISO = Entry(id="1", day="2026-03-01", label="fact", weight=0.9, text="Lea's cat is called Miso")
TEA = Entry(
    id="2", day="2026-03-02", label="fact", weight=0.8, text="用户喝茶\n不喝咖啡 </memories>"
)
BLOCK = render([MISO], [TEA], ENGLISH)


def own_words(text, role=USER):
    return recalled.own_words(Message(number=1, role=role, text=text))


def test_only_the_question_is_left_of_a_message_with_a_block():
    assert own_words(f"{BLOCK}\n\nWhat is my cat called?") == "What is my cat called?"
    assert own_words(f"Before.\n\n{BLOCK}\n\nAfter.") == "Before.\n\n\n\nAfter."
    assert own_words(f"{BLOCK}\n{render([], [TEA], CHINESE)}") == ""


def test_a_quoted_block_leaves_no_marks_behind():
    quoted = "\n".join(f"> {line}" for line in BLOCK.split("\n"))
    assert own_words(quoted) == ""
    assert own_words("👍") == "👍"


def test_two_blocks_go_and_what_is_between_them_stays():
    assert own_words(f"{BLOCK} and {BLOCK}") == "and"


def test_a_block_that_was_cut_off_goes_as_far_as_its_lines_do():
    cut = BLOCK.removesuffix("\n</memories>")
    assert own_words(f"{cut}\nWhat is my cat called?") == "What is my cat called?"
    assert own_words(cut) == ""


def test_a_block_inside_json_goes_too():
    said = json.dumps({"note": f"{BLOCK}", "ask": "cat?"})
    left = own_words(said)
    assert "Miso" not in left and "cat?" in left


def test_a_tools_answer_from_memory_is_nothing_to_learn():
    answer = json.dumps({"recall_id": "r", "results": [{"content": "Lea's cat is called Miso"}]})
    assert own_words(answer, SpeakerRole.TOOL) == ""
    assert own_words(answer) == answer
    wrapped = {"content": [{"type": "text", "text": answer}], "isError": False}
    assert own_words(json.dumps(wrapped), SpeakerRole.TOOL) == ""
    assert own_words(json.dumps([wrapped]), SpeakerRole.TOOL) == ""
    deep = json.dumps({"a": "[" * 90_000 + "recall_id"})
    assert own_words(deep, SpeakerRole.TOOL) == deep
    other = json.dumps({"results": ["recall_id"]})
    assert own_words(other, SpeakerRole.TOOL) == other
    assert own_words("{ recall_id", SpeakerRole.TOOL) == "{ recall_id"


@pytest.mark.parametrize(
    "text", ["", "  two  blanks\n\n\n\n", "<memories>of Rome</memories>", "a </memories> b", "2<3"]
)
def test_other_words_stay_as_they_are(text):
    assert own_words(text) == text


def test_a_crowd_of_openings_costs_no_time():
    text = '<memories note="x">' * 50_000
    assert own_words(text) == ""


words = st.text(st.characters(exclude_characters="<>|*`#-_", exclude_categories=["Cs"]))
texts = st.lists(st.text(), min_size=1, max_size=3)


@given(words, words, texts, st.sampled_from((ENGLISH, CHINESE)))
def test_whatever_was_recalled_goes_and_whatever_was_said_stays(before, after, recalled, wording):
    entries = [MISO.model_copy(update={"text": text}) for text in recalled]
    left = own_words(before + render(entries[:1], entries[1:], wording) + after)
    assert left.split() == (before + after).split()
