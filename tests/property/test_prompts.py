"""No answer, however broken, does anything but be read or be unusable; what is cut loses its end
only."""

import json
from datetime import datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from hindwise.adapters.reasoners.completions import reply_of
from hindwise.domain.ports import Reply
from hindwise.domain.prompts import consolidate, extract, judge, rewrite
from hindwise.domain.prompts.salvage import found
from hindwise.errors import Unavailable, Unusable

TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=40)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT
    | st.sampled_from(["fact", "update", "90%", "2026-02-30", "2026-03-13T10:00", "01A", "3-9"])
)  # fmt: skip
NAMES = TEXT | st.sampled_from(
    ["memories", "facts", "type", "content", "confidence", "turns", "quote", "event_time",
     "entities", "valid_until", "decisions", "id", "verdict", "action", "patterns",
     "evidence_ids", "conflicts", "query", "summaries", "worth", "subject", "attribute", "data"]
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=6),
    max_leaves=24,
)
BROKEN = st.lists(
    TEXT | st.sampled_from(list("[]{}\",:'\\")) | st.sampled_from(['{"memories": [', "<think>",
    "</think>", "```json\n", "//", "null", "-1e9", '"content": "x"', '{"verdict": "update"}'])
).map("".join)  # fmt: skip
ANSWERS = BROKEN | VALUES.map(json.dumps) | VALUES.map(lambda value: f"{json.dumps(value)[:-3]}")
FINISH = st.sampled_from(["stop", "length", "refused", "filtered", "empty"])
TURNS = [
    extract.PromptTurn(
        turn=number, role="user", text=text, at=datetime.fromisoformat("2026-03-16T09:30:00+08:00")
    )
    for number, text in ((3, "I moved to Porto."), (4, "上周五我去补了牙"))
]


@settings(max_examples=400)
@given(ANSWERS, FINISH)
def test_whatever_is_said_is_read_or_unusable(text, finish):
    reply = Reply(text=text, finish=finish)
    for read in (
        lambda: extract.read(reply, TURNS),
        lambda: judge.read(reply, ["01A", "01B"]),
        lambda: consolidate.read(reply, ["01A", "01B"], known=["01P"]),
        lambda: rewrite.read(reply),
    ):
        try:
            read()
        except Unusable as unusable:
            assert unusable.problem
            assert text not in str(unusable) or len(text) < 20


@given(VALUES.map(lambda value: {"memories": [value]}))
def test_what_is_taken_can_be_stored_and_comes_from_turns_that_were_shown(answer):
    try:
        extracted = extract.read(Reply(text=json.dumps(answer)), TURNS)
    except Unusable:
        return
    again = extract.Extracted.model_validate_json(extracted.model_dump_json())
    assert again == extracted
    for item in extracted.items:
        assert set(item.turns) <= {3, 4}
        assert item.content.strip() == item.content != ""


SENTENCES = st.text(min_size=1, max_size=30).filter(lambda text: any(map(str.isalnum, text)))
ITEMS = st.lists(
    st.fixed_dictionaries(
        {"content": SENTENCES, "type": st.sampled_from(["fact", "todo"])},
        optional={"entities": st.lists(SENTENCES, max_size=3), "confidence": st.floats(0, 1),
                  "quote": st.none() | SENTENCES, "turns": st.just([3])},
    ),
    max_size=5,
)  # fmt: skip
SHAPES = st.sampled_from(
    [lambda items: items, lambda items: {"memories": items},
     lambda items: {"data": {"facts": items}},
     lambda items: {"memories": items, "summaries": [], "intent": "x"}]
)  # fmt: skip


@settings(max_examples=300)
@given(ITEMS, SHAPES, st.booleans(), st.data())
def test_of_a_valid_answer_that_is_cut_the_items_before_the_cut_remain(items, shape, plain, data):
    text = json.dumps(shape(items), ensure_ascii=plain)
    whole = [item["content"] for item in items]
    kept = data.draw(st.integers(0, len(text)))
    cut = found(text[:kept])
    read = _contents(cut[0].value) if cut else []
    assert read == whole[: len(read)]
    ends = [text.index(part) + len(part) for part in _parts(items, plain, text)]
    assert len(read) == sum(end <= kept for end in ends)
    assert all(each.whole for each in cut) == (kept == len(text) or not cut)


def _parts(items, plain, text):
    """How each item is written, with all that comes before it."""
    start = text.index("[")
    written = [json.dumps(item, ensure_ascii=plain) for item in items]
    return [text[:start] + "[" + ", ".join(written[: n + 1]) for n in range(len(items))]


def _contents(value):
    while isinstance(value, dict):
        value = next((value[name] for name in ("memories", "data", "facts") if name in value), [])
    return [item["content"] for item in value]


@given(st.text(max_size=300), st.text(max_size=40))
def test_a_conversation_cannot_leave_its_block(text, name):
    turn = extract.PromptTurn(turn=1, role="user", text=text, name=name or None)
    now = datetime.fromisoformat("2026-03-16T09:30:00+08:00")
    asked = extract.question([turn], context=[turn], now=now).user
    lines = asked.splitlines()
    for block in ("earlier", "conversation"):
        start, end = lines.index(f"<{block}>"), lines.index(f"</{block}>")
        assert end == start + 2
        assert asked.count(f"<{block}>") == asked.count(f"</{block}>") == 1


BODIES = st.dictionaries(
    st.sampled_from(["choices", "usage", "error"]),
    VALUES | st.lists(st.dictionaries(
        st.sampled_from(["message", "finish_reason", "delta"]),
        VALUES | st.dictionaries(
            st.sampled_from(["content", "refusal", "reasoning_content", "reasoning"]), VALUES,
        ),
    ), max_size=2),
)  # fmt: skip


@given(BODIES)
def test_whatever_a_server_answers_is_a_reply_or_unavailable(body):
    try:
        reply = reply_of(json.loads(json.dumps(body)), "some-model")
    except Unavailable:
        assert body["error"] is not None
        return
    assert bool(reply.text.strip()) == (reply.finish in ("stop", "length")) or not reply.text
    assert reply.input_tokens >= 0
