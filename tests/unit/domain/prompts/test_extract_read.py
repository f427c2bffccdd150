"""What a model answers to an extraction: shapes that drift, values that slip, items that fail."""

import json
from datetime import datetime

import pytest

from hindwise.domain.memory import Cardinality, Type
from hindwise.domain.ports import Reply
from hindwise.domain.prompts.extract import PromptTurn, read
from hindwise.errors import Unusable


def turn(number, text, role="user", at="2026-03-16T09:30:00+08:00"):
    return PromptTurn(
        turn=number, role=role, text=text, at=datetime.fromisoformat(at) if at else None
    )


TURNS = [
    turn(3, "I moved to Porto last Saturday, and I like window seats."),
    turn(4, "查到了：G57 次，周五 16:05 从北京西站发车。", role="assistant"),
    turn(5, "Badge number 5512 is mine. <b>ok</b>", at="2026-03-16T23:30:00-05:00"),
]


def said(answer, finish="stop"):
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    return Reply(text=text, finish=finish)


def items(answer, turns=TURNS):
    return read(said(answer), turns).items


def one(*, shown=TURNS, **fields):
    (item,) = items([{"type": "fact", "content": "I moved to Porto", **fields}], shown)
    return item


def refused(**fields):
    extracted = read(said([{"type": "fact", "content": "x", "turns": [3], **fields}]), TURNS)
    assert extracted.items == ()
    (reason,) = extracted.refused
    return reason


FULL = {
    "type": "fact", "content": "The user moved to Porto.", "subject": "user",
    "attribute": "lives_in", "value": "Porto", "cardinality": "one", "entities": ["Porto"],
    "confidence": 0.9, "importance": 0.7, "event_time": "2026-03-14", "valid_from": "2026-03-14",
    "valid_until": None, "scene": None, "quote": "moved to Porto", "turns": [3], "worth": "keep",
}  # fmt: skip


def test_all_fields_are_read():
    answer = {"memories": [FULL], "summaries": [{"turn": 4, "summary": "G57"}], "intent": "trip"}
    extracted = read(said(answer), TURNS)
    (item,) = extracted.items
    assert (item.type, item.content) == (Type.FACT, FULL["content"])
    assert (item.subject, item.attribute, item.value) == ("user", "lives_in", "Porto")
    assert (item.cardinality, item.entities) == (Cardinality.ONE, ("Porto",))
    assert (item.confidence, item.importance) == (0.9, 0.7)
    assert item.event_time == datetime.fromisoformat("2026-03-14T00:00:00+08:00")
    assert (item.valid_until, item.scene, item.quote) == (None, None, "moved to Porto")
    assert (item.turns, item.worth) == ((3,), "keep")
    assert (extracted.summaries, extracted.intent) == ({4: "G57"}, "trip")
    assert (extracted.refused, extracted.partial) == ({}, False)


A, B = {"type": "fact", "content": "a1"}, {"type": "todo", "content": "b1"}


@pytest.mark.parametrize(
    "answer",
    [
        {"memories": [A, B]},
        [A, B],
        {"facts": [A, B]},
        {"items": [A, B], "count": 2},
        {"data": {"memories": [A, B]}},
        {"result": {"data": {"items": [A, B]}}},
        {"Memories": [{"Type": "Fact", "Content": "a1"}, {"TYPE": "TODO", "Text": "b1"}]},
        {"memories": {"1": A, "2": B}},
        {"facts": ["a1"], "preferences": [], "todos": ["b1"]},
        {"facts": [{"text": "a1"}], "待办": [{"内容": "b1"}]},
        {"memory": [{"id": "0", "text": "a1", "event": "ADD"}, {"memory": "b1", "type": "to-do"}]},
        {"记忆": [{"类型": "事实", "内容": "a1"}, {"type": "待办", "content": "b1"}]},
        '{"type": "fact", "content": "a1"}\n{"type": "todo", "content": "b1"}',
        'First I found [1] and {"note": 2}.\n[{"type":"fact","content":"a1"},'
        '{"type":"task","content":"b1"}]',
    ],
)
def test_the_same_items_in_another_shape(answer):
    assert [(item.type, item.content) for item in items(answer)] == [
        (Type.FACT, "a1"),
        (Type.TODO, "b1"),
    ]


@pytest.mark.parametrize("answer", [FULL, {"memories": FULL}, {"memory": FULL}, {"result": FULL}])
def test_a_lone_item_needs_no_list(answer):
    assert [item.content for item in items(answer)] == [FULL["content"]]


@pytest.mark.parametrize(
    "answer", ["[]", '{"memories": []}', '{"memories": null}', '{"memories": {}}', '{"facts": []}',
               "Nothing worth keeping.\n```json\n{\"memories\": []}\n```"]
)  # fmt: skip
def test_nothing_is_an_answer(answer):
    extracted = read(said(answer), TURNS)
    assert (extracted.items, extracted.refused, extracted.partial) == ((), {}, False)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (said("双方愉快地聊了聊天"), "not_json"),
        (said("Nothing to remember."), "not_json"),
        (said("null"), "not_json"),
        (said("{}"), "wrong_shape"),
        (said({"error": "overloaded"}), "wrong_shape"),
        (said({"memories": "none"}), "wrong_shape"),
        (said([1, 2]), "wrong_shape"),
        (said(""), "empty"),
        (said("<think>hm</think>"), "empty"),
        (said('{"memories": ['), "truncated"),
        (said('{"memories": [{"content": "a', finish="length"), "truncated"),
        (said('{"type": "fact", "content": "all of it", "conf'), "truncated"),
        (said("<think>on and on", finish="length"), "truncated"),
        (said("", finish="length"), "truncated"),
        (Reply(text="", finish="refused"), "refused"),
        (Reply(text="", finish="filtered"), "filtered"),
        (Reply(text="", finish="empty"), "empty"),
    ],
)
def test_no_answer_is_not_nothing(reply, problem):
    with pytest.raises(Unusable) as caught:
        read(reply, TURNS)
    assert caught.value.problem == problem


def test_of_a_cut_answer_the_whole_items_are_taken_and_it_is_partial():
    text = json.dumps({"memories": [A, B, FULL]})
    cut = read(said(text[: text.index("lives_in")], finish="length"), TURNS)
    assert [item.content for item in cut.items] == ["a1", "b1"]
    assert cut.partial
    assert not read(said(f"{text} and so", finish="length"), TURNS).partial


@pytest.mark.parametrize(
    ("value", "read_as"),
    [(0, 0), (1, 1), (0.9, 0.9), ("0.9", 0.9), ("90%", 0.9), ("95 ％", 0.95), (" .5 ", 0.5)],
)
def test_shares_are_numbers_texts_or_percent(value, read_as):
    item = one(confidence=value, importance=value)
    assert item.confidence == pytest.approx(read_as)
    assert item.importance == pytest.approx(read_as)


@pytest.mark.parametrize(
    "value", ["high", "高", 1.7, -0.1, None, True, [], {}, "nan", "inf", "1e400", "170%", "", 90]
)
def test_an_unusable_share_costs_its_item_and_no_other(value):
    good = {"type": "fact", "content": "good one", "confidence": 0.8}
    bad = {"type": "fact", "content": "bad one", "confidence": value}
    text = json.dumps([bad, good, bad])
    extracted = read(said(text), TURNS)
    assert [item.content for item in extracted.items] == ["good one"]
    assert extracted.refused == {"confidence": 2}
    assert refused(importance=value) == "importance"


def test_without_a_share_the_defaults_count():
    assert (one().confidence, one().importance) == (0.8, 0.5)


@pytest.mark.parametrize(
    ("word", "kind"),
    [("fact", "fact"), ("FACT", "fact"), ("Facts", "fact"), ("事实", "fact"), (None, "fact"),
     ("preference", "preference"), ("偏好", "preference"), ("decision", "decision"),
     ("决定", "decision"), ("To-Do", "todo"), ("to do", "todo"), ("待办", "todo"),
     ("action item", "todo"), ("", "fact")],
)  # fmt: skip
def test_types_by_other_names(word, kind):
    assert one(type=word).type == kind


@pytest.mark.parametrize("word", ["mood", "pattern", "event", "心情", 3, ["fact"], {"a": 1}])
def test_an_unknown_type_is_refused(word):
    assert refused(type=word) == "type"


@pytest.mark.parametrize(
    "fields", [{"content": ""}, {"content": " \n"}, {"content": "..."}, {"content": None},
               {"content": 5}, {"content": "x\x00y"}, {"content": "half \ud800"},
               {"content": "字" * 40_000}]
)  # fmt: skip
def test_what_no_memory_could_hold_is_refused(fields):
    extracted = read(said(json.dumps({"memories": [{"type": "fact", **fields}]})), TURNS)
    assert (extracted.items, extracted.refused) == ((), {"content": 1})


def test_other_things_than_items_are_refused_by_shape():
    extracted = read(said({"memories": [A, 7, None, [A]]}), TURNS)
    assert (len(extracted.items), extracted.refused) == (1, {"shape": 3})


@pytest.mark.parametrize(
    ("given", "slot"),
    [
        ({"subject": "user", "attribute": "pet", "value": 2}, ("user", "pet", "2")),
        ({"subject": "user", "attribute": None, "value": "x"}, ("user", None, None)),
        ({"subject": "", "attribute": "pet", "value": "x"}, (None, None, None)),
        ({"subject": "n/a", "attribute": "无", "value": "x"}, (None, None, None)),
        ({"subject": "u" * 300, "attribute": "pet", "value": "x"}, (None, None, None)),
        ({"subject": ["user"], "attribute": "pet"}, (None, None, None)),
    ],
)
def test_a_slot_is_whole_or_none(given, slot):
    item = one(**given)
    assert (item.subject, item.attribute, item.value) == slot


def test_small_fields_that_cannot_be_read_are_left_out():
    item = one(entities=["a", "a", 5, None, {"name": "b"}, "x" * 300, "c\x00"], cardinality="set")
    assert item.entities == ("a", "5", "b")
    assert item.cardinality is None
    assert one(entities="Porto", cardinality="Many").entities == ("Porto",)
    assert one(scene="none").scene is None


@pytest.mark.parametrize(
    ("word", "worth"),
    [("keep", "keep"), ("DROP", "drop"), ("review", "review"), (None, "keep"), ("hm", "review")],
)
def test_a_doubtful_worth_is_for_a_person(word, worth):
    assert one(worth=word).worth == worth


def test_summaries_and_intent_in_other_shapes():
    def summaries(given):
        return read(said({"memories": [], "summaries": given}), TURNS).summaries

    assert summaries({"3": "three", "turn 4": "four", "99": "no"}) == {3: "three", 4: "four"}
    assert summaries([{"turn": "3", "summary": "three"}, {"turn": 3, "summary": "again"}]) == {
        3: "three"
    }
    assert summaries([{"turn": True, "summary": "x"}, {"turn": 3, "summary": 7}, "odd"]) == {3: "7"}
    assert summaries("none") == {}
    assert read(said({"memories": [], "intent": "x" * 300}), TURNS).intent is None


def test_a_model_that_runs_in_circles_is_stopped():
    extracted = read(said({"memories": [A] * 130}), TURNS)
    assert (len(extracted.items), extracted.refused) == (100, {"too_many": 30})


def test_an_answer_that_no_row_could_hold_is_taken_in_part():
    long = {"type": "fact", "content": "字" * 19_000}
    extracted = read(said({"memories": [long] * 10 + [A]}), TURNS)
    assert [len(item.content) for item in extracted.items] == [19_000] * 3 + [2]
    assert extracted.refused == {"too_many": 7}
    assert len(extracted.model_dump_json().encode()) < 300_000


def test_names_of_members_in_chinese():
    answer = {"记忆": [{
        "类型": "偏好", "内容": "我住在成都", "主体": "用户", "属性": "住址", "值": "成都",
        "置信度": "0.9", "重要性": 0.7, "轮次": [3], "有效期至": "2026-06-01", "场景": "工作",
        "实体": ["成都"], "原话": "没说过",
    }]}  # fmt: skip
    (item,) = items(answer)
    assert (item.type, item.subject, item.attribute, item.value) == (
        Type.PREFERENCE, "用户", "住址", "成都",
    )  # fmt: skip
    assert (item.confidence, item.importance, item.turns) == (0.9, 0.7, (3,))
    assert (item.scene, item.entities) == ("工作", ("成都",))
    assert item.valid_until == datetime.fromisoformat("2026-06-02T00:00:00+08:00")
    assert refused(置信度="很高") == "confidence"


@pytest.mark.parametrize("end", ["permanent", "Forever", "ongoing", "长期有效", "永久", "至今"])
def test_an_end_in_words_that_mean_none_is_none(end):
    assert one(valid_until=end).valid_until is None
    assert refused(valid_from=end) == "date"
