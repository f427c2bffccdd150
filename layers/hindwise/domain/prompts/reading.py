"""The values of a model's answer, read with as much patience as keeps their meaning.

A value that cannot be meant raises ValueError, and costs the item that it belongs to.
"""

import calendar
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo

from pydantic import JsonValue

from hindwise.domain.ports.learning import Reply
from hindwise.domain.prompts.salvage import Found, found, spoken
from hindwise.domain.text import flaw
from hindwise.errors import Unusable

Object = dict[str, JsonValue]
FIRST_YEAR, LAST_YEAR = 1000, 2999
"""Years outside of these are slips; a later end of validity means "for ever"."""
_NOTHING = frozenset(
    {
        "",
        "null",
        "none",
        "nil",
        "n/a",
        "na",
        "unknown",
        "undefined",
        "-",
        "无",
        "未知",
        "空",
        "没有",
    }
)
_DATE = re.compile(r"(\d{4})(?:[-/.年](\d{1,2})(?:[-/.月](\d{1,2})日?|月?)|年?)")
_ENDLESS = re.compile(
    r"[3-9]\d{3}-|(?:for ?ever|permanent(?:ly)?|indefinite(?:ly)?|always|never|ongoing|present|"
    r"open[- ]ended|no (?:end|expiry|expiration)(?: date)?|"
    r"永久|永远|长期|一直|无限期|不限|至今)(?:有效)?$",
    re.IGNORECASE,
)
"""Ends that are none: "until now" says that it still holds."""
_MEMBERS = {
    **dict.fromkeys(("置信度", "可信度", "确信度", "信心", "confidence_score"), "confidence"),
    **dict.fromkeys(("重要性", "重要度", "重要程度", "importance_score"), "importance"),
    **dict.fromkeys(("类型", "类别"), "type"),
    **dict.fromkeys(("主体", "主语"), "subject"),
    **dict.fromkeys(("属性",), "attribute"),
    **dict.fromkeys(("值", "取值", "属性值"), "value"),
    **dict.fromkeys(("基数",), "cardinality"),
    **dict.fromkeys(("实体",), "entities"),
    **dict.fromkeys(("有效期至", "有效至", "有效期", "失效时间", "到期时间", "截止时间"),
                    "valid_until"),
    **dict.fromkeys(("有效期自", "生效时间", "开始时间"), "valid_from"),
    **dict.fromkeys(("事件时间", "发生时间", "时间", "日期"), "event_time"),
    **dict.fromkeys(("场景",), "scene"),
    **dict.fromkeys(("原话", "引用", "原文"), "quote"),
    **dict.fromkeys(("轮次", "来源轮次", "来源"), "turns"),
    **dict.fromkeys(("判断", "判定", "结论", "动作", "操作", "关系"), "verdict"),
    **dict.fromkeys(("目标", "目标编号", "编号"), "id"),
    **dict.fromkeys(("理由", "原因"), "reason"),
    **dict.fromkeys(("证据", "依据"), "evidence"),
    **dict.fromkeys(("冲突", "矛盾"), "conflicts"),
}  # fmt: skip
"""What models that think in Chinese, or add a word, call the members that are asked for."""
_PERCENT = re.compile(r"\s*(\d{1,3}(?:\.\d+)?)\s*[%％]\s*")


def answered(reply: Reply) -> list[Found]:
    """The objects and lists of a reply; raises `errors.Unusable` where there are none."""
    if reply.finish in ("refused", "filtered", "empty"):
        raise Unusable(reply.finish)
    if values := found(reply.text):
        return values
    if reply.finish == "length":
        raise Unusable("truncated")
    raise Unusable("not_json" if spoken(reply.text) else "empty")


def misshapen(reply: Reply, values: Sequence[Found]) -> Unusable:
    """The error for a reply in which what was asked for is not found."""
    cut = reply.finish == "length" or not all(each.whole for each in values)
    return Unusable("truncated" if cut else "wrong_shape")


def key(name: str) -> str:
    """The form in which names of members are compared: `evidenceIds` is `evidence_ids`."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[\s\-]+", "_", split).casefold()


def keyed(given: Object) -> Object:
    """An object with its names in the form of `key`, in English where they are known in Chinese.

    The first of two that become one stays, but what was asked for by its own name goes first.
    """
    read: Object = {}
    for name, value in given.items():
        read.setdefault(key(name), value)
    for name in [one for one in read if one in _MEMBERS]:
        value = read.pop(name)
        read.setdefault(_MEMBERS[name], value)
    return read


def first(given: Object, *names: str) -> JsonValue:
    """The first member that is there and not null."""
    return next((given[name] for name in names if given.get(name) is not None), None)


def optional(value: JsonValue) -> JsonValue:
    """None for the many ways in which a model says that there is nothing."""
    if isinstance(value, str) and value.strip().casefold() in _NOTHING:
        return None
    return None if value in ([], {}) else value


def text(value: JsonValue, limit: int) -> str | None:
    """A text of at most `limit` characters, None for nothing; numbers are written out."""
    value = optional(value)
    if value is None:
        return None
    if isinstance(value, bool | int | float):
        value = str(value)
    if not isinstance(value, str) or len(value.strip()) > limit or flaw(value):
        raise ValueError("text")
    return value.strip()


def texts(value: JsonValue, limit: int, most: int) -> tuple[str, ...]:
    """Up to `most` different texts; one text counts as a list of one, unreadable ones are left out.

    Objects with a `name` count by it.
    """
    read: dict[str, None] = {}
    for each in listed(value):
        named = first(keyed(each), "name", "text", "entity") if isinstance(each, dict) else each
        try:
            if (one := text(named, limit)) is not None:
                read[one] = None
        except ValueError:
            continue
    return tuple(read)[:most]


def listed(value: JsonValue) -> list[JsonValue]:
    """A list as it is, nothing as an empty one, anything else as a list of one."""
    value = optional(value)
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def share(value: JsonValue, default: float) -> float:
    """A number from 0 to 1, also as text or percent; `default` where there is none."""
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("share")
    percent = _PERCENT.fullmatch(value) if isinstance(value, str) else None
    read = float(percent[1]) / 100 if percent else float(value)
    if not 0 <= read <= 1:
        raise ValueError("share")
    return read


def numbers(value: JsonValue) -> list[int]:
    """Whole numbers in a list, in texts such as `turn 3` or `2-4`; raises ValueError for others."""
    read: list[int] = []
    for each in listed(value):
        if isinstance(each, bool) or not isinstance(each, int | float | str):
            raise ValueError("number")
        if not isinstance(each, str):
            if each != int(each):
                raise ValueError("number")
            read.append(int(each))
            continue
        found_numbers = [int(digits) for digits in re.findall(r"\d{1,12}", each)]
        if not found_numbers:
            raise ValueError("number")
        if len(found_numbers) == 2 and re.fullmatch(r"\D*\d+\s*[-–~至到]\s*\D*\d+\D*", each):
            low, high = found_numbers
            if not 0 <= high - low <= 100:
                raise ValueError("number")
            found_numbers = list(range(low, high + 1))
        read += found_numbers
    return read


def moment(value: JsonValue, zone: tzinfo | None, *, ends: bool = False) -> datetime | None:
    """A day or instant as an aware datetime, in `zone` where it names none.

    A day, month or year begins where it begins; where it `ends`, it ends with its last day. Raises
    ValueError for what no calendar has.
    """
    value = optional(value)
    if value is None:
        return None
    if not isinstance(value, str):
        raise ValueError("date")
    said = value.strip()
    if ends and _ENDLESS.match(said):
        return None
    if part := _DATE.fullmatch(said):
        read = _day(part, ends=ends)
    else:
        read = datetime.fromisoformat(said)
    if not FIRST_YEAR <= read.year <= LAST_YEAR:
        raise ValueError("date")
    return read if read.tzinfo else read.replace(tzinfo=zone or UTC)


def _day(part: re.Match[str], *, ends: bool) -> datetime:
    year, month, day = int(part[1]), int(part[2] or 1), int(part[3] or 1)
    start = datetime(year, month, day)
    if not ends:
        return start
    if part[3]:
        return start + timedelta(days=1)
    if part[2]:
        return start + timedelta(days=calendar.monthrange(year, month)[1])
    return datetime(year + 1, 1, 1)


def choice[T](value: JsonValue, words: dict[str, T]) -> T | None:
    """What a word of a model stands for, without regard to case; None for one not in `words`."""
    if not isinstance(value, str):
        return None
    said = key(value)
    return words.get(said) or words.get(said.rstrip("s"))
