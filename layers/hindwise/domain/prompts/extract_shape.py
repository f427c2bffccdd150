"""Where in an answer the items are, however a model names and nests them."""

from pydantic import Field, JsonValue

from hindwise.domain.base import Model
from hindwise.domain.memory import Type
from hindwise.domain.prompts.reading import Object, choice, keyed
from hindwise.domain.prompts.salvage import Found

TYPES = {
    **{each.value: each for each in Type if each is not Type.PATTERN},
    **dict.fromkeys(("information", "profile", "事实", "信息"), Type.FACT),
    **dict.fromkeys(("like", "habit", "偏好", "喜好", "习惯"), Type.PREFERENCE),
    **dict.fromkeys(("决定", "决策"), Type.DECISION),
    **dict.fromkeys(
        ("to_do", "task", "action_item", "reminder", "待办", "待办事项", "任务", "提醒"), Type.TODO
    ),
}
CONTENT = ("content", "text", "memory", "fact", "statement", "sentence", "内容", "记忆", "事实")
ITEMS = ("memories", "items", "results", "result", "data", "output", "answer", "response", "memory",
         "extracted", "extracted_memories", "extracted_facts", "list", "记忆", "记忆列表",
         "结果")  # fmt: skip
NESTING = 4


class Offered(Model):
    """Items as a model offered them; `kind` is the type under whose name an item stood."""

    items: tuple[tuple[Type | None, JsonValue], ...]
    whole: bool = True
    rest: dict[str, JsonValue] = Field(default_factory=dict)


def offered(values: list[Found]) -> Offered | None:
    """The items of an answer; None where nothing in it is a list of items, not even an empty one.

    Of several answers the fullest counts; items that stand side by side count together.
    """
    alone = [each.value for each in values if each.whole and _is_item(each.value)]
    options = [found for each in values if (found := _within(each)) is not None]
    if alone:
        every = all(each.whole for each in values)
        options.append(Offered(items=tuple((None, each) for each in alone), whole=every))
    return max(options, key=lambda each: len(each.items), default=None)


def _within(found: Found) -> Offered | None:
    items = _items(found.value, None, NESTING)
    cut = not found.whole and not isinstance(found.value, list)
    if items is None or (cut and _is_lone(found.value)):
        return None
    rest = keyed(found.value) if isinstance(found.value, dict) else {}
    return Offered(items=tuple(items), whole=found.whole, rest=rest)


def _is_item(value: JsonValue) -> bool:
    return isinstance(value, dict) and content_of(keyed(value)) is not None


def _is_lone(value: JsonValue) -> bool:
    """An item that stands in no list; of an answer that was cut it may be a part only."""
    while isinstance(value, dict) and not _is_item(value):
        members = keyed(value)
        value = next((members[name] for name in ITEMS if members.get(name)), None)
    return isinstance(value, dict)


def content_of(item: Object) -> str | None:
    """The sentence of an item, by whichever name; the names are in the form of `key`."""
    for name in CONTENT:
        if isinstance(given := item.get(name), str) and given.strip():
            return given
    return None


def _items(
    value: JsonValue, kind: Type | None, depth: int
) -> list[tuple[Type | None, JsonValue]] | None:
    if isinstance(value, list):
        fits = not value or any(isinstance(each, dict | str) for each in value)
        return [(kind, each) for each in value] if fits else None
    if not isinstance(value, dict) or not depth:
        return None
    if _is_item(value):
        return [(kind, value)]
    members = keyed(value)
    for name in ITEMS:
        if name in members and members[name] in (None, {}):
            return []
        if (inner := _items(members.get(name), kind, depth - 1)) is not None:
            return inner
    if members and all(map(_is_item, members.values())):
        return [(kind, each) for each in members.values()]
    return _by_type(members, depth)


def _by_type(members: Object, depth: int) -> list[tuple[Type | None, JsonValue]] | None:
    """Items in lists that are named after their type: `{"facts": [...], "todos": [...]}`."""
    read: list[tuple[Type | None, JsonValue]] = []
    known = False
    for name, value in members.items():
        kind = choice(name, TYPES)
        inner = _items(value, kind, depth - 1) if kind is not None else None
        if inner is not None:
            known = True
            read += inner
    return read if known else None
