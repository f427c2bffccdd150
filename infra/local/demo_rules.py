"""What the demo model takes from a turn: a table of sentence forms, English and Chinese.

No language model. It knows "I live in Oslo" and 我住在北京, and nothing that is said less plainly;
it is there so that learning can be seen to work on a laptop without a key.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Literal, NamedTuple

from pydantic import JsonValue

from hindwise.domain import timewords

ONE = frozenset({"lives_in", "works_at", "job_title", "name", "form_of_address", "answer_style"})
"""Attributes that have one value at a time; so has whatever "my ... is" names."""
IMPORTANCE = {"fact": 0.6, "preference": 0.7, "decision": 0.7, "todo": 0.6}


class Form(NamedTuple):
    """A form of sentence.

    `pattern` names its `value`, and its attribute where that is `*`; without an attribute it takes
    no slot, and is looked for in whole sentences instead of clauses. `content` is written with
    both.
    """

    roles: frozenset[str]
    type: Literal["fact", "preference", "decision", "todo"]
    pattern: re.Pattern[str]
    content: str
    attribute: str | None = None


USER, OTHERS = frozenset({"user"}), frozenset({"assistant", "tool"})
_WHEN = r"(?:\s+(?:on|in|last|this|since|yesterday|today)\b.*)?"
_I = r"\bI(?:'ve|'m| have| am)? (?:just |now |recently |currently |really |always )*"


def _form(
    kind: Literal["fact", "preference", "decision", "todo"],
    pattern: str,
    content: str,
    attribute: str | None = None,
    *,
    roles: frozenset[str] = USER,
) -> Form:
    return Form(roles, kind, re.compile(pattern, re.IGNORECASE), content, attribute)


FORMS = (
    _form("fact", rf"{_I}(?:liv(?:e|ing) in|mov(?:ed|ing) to) (?P<value>[^,.;]+?){_WHEN}$",
          "The user lives in {value}.", "lives_in"),
    _form("fact", rf"{_I}(?:work(?:ing)? (?:at|for)|started at|joined) (?P<value>[^,.;]+?){_WHEN}$",
          "The user works at {value}.", "works_at"),
    _form("fact", rf"{_I}allergic to (?P<value>[^,.;]+)", "The user is allergic to {value}.",
          "allergy"),
    _form("preference", r"\b(?:call me|my name is) (?P<value>[^,.;]+)",
          "The user is called {value}.", "form_of_address"),
    _form("preference",
          rf"{_I}(?:do not|don't|no longer|can't|cannot) (?:like|love|stand|enjoy|eat|drink) "
          r"(?P<value>[^,.;]+)", "The user does not like {value}.", "dislikes"),
    _form("preference", rf"{_I}(?:hate|dislike) (?P<value>[^,.;]+)",
          "The user does not like {value}.", "dislikes"),
    _form("preference", rf"{_I}prefer (?P<value>[^,.;]+)", "The user prefers {value}.", "likes"),
    _form("preference", rf"{_I}(?:like|love|enjoy) (?P<value>[^,.;]+)", "The user likes {value}.",
          "likes"),
    _form("preference",
          r"\b(?:answers?|repl(?:y|ies))\b[^,.;]*\b(?P<value>short|brief|long|detailed)\b",
          "The user wants {value} answers.", "answer_style"),
    _form("decision", r"\b(?:we|I)(?:'ve| have)? decided (?:to |on |that )?(?P<value>.+)",
          "It was decided: {value}."),
    _form("decision", r"^decision: *(?P<value>.+)", "It was decided: {value}."),
    _form("todo", r"^to-?do:? *(?P<value>.+)", "To do: {value}."),
    _form("todo", r"\b(?:remind me to|don't forget to|I (?:need|have) to) (?P<value>.+)",
          "To do: {value}."),
    _form("fact", r"\bmy (?P<attribute>[a-z][a-z ]{1,30}?) (?:is|are) (?P<value>[^,;]+)",
          "The user's {attribute} is {value}.", "*"),
    _form("fact",
          r"^(?:done[:,.]? *)?(?P<value>(?:I (?:have |'ve )?)?(?:booked|reserved|found|created|"
          r"deployed|ordered|scheduled|sent|fixed|merged|cancelled)\b.+)",
          "Reported: {value}.", roles=OTHERS),
    _form("fact",
          "我[^，。不没]{0,6}?(?:住在|家在|搬到了?|搬去了?|搬进了?)(?P<value>[^，。；,;了]+)",
          "用户住在{value}", "lives_in"),
    _form("fact", "^(?:现在|目前|已经)住在?(?P<value>[^，。；,;了]+)", "用户住在{value}",
          "lives_in"),
    _form("fact", "我(?:现在|目前)?在(?P<value>[^，。；,;]+?)(?:工作|上班)", "用户在{value}工作",
          "works_at"),
    _form("fact", "我对(?P<value>[^，。；,;]+?)过敏", "用户对{value}过敏", "allergy"),
    _form("preference",
          "(?:我叫|(?<!别)(?<!别再)(?<!不要)叫我)(?P<value>[^，。；,;]{1,12}?)"
          "(?:就行|就好|吧|$)",
          "称呼用户为{value}", "form_of_address"),
    _form("preference", "^(?:就|请)?叫(?P<value>[^我，。；,;]{1,12}?)(?:就行|就好|吧)",
          "称呼用户为{value}", "form_of_address"),
    _form("preference", "我(?:再也)?(?:不喜欢|不爱|讨厌|不吃|不喝)(?P<value>[^，。；,;了]+)",
          "用户不喜欢{value}", "dislikes"),
    _form("preference",
          "(?:我也?|^也)(?:最|很|比较|更|特别)*(?:喜欢|爱|偏好)(?P<value>[^，。；,;]+)",
          "用户喜欢{value}", "likes"),
    _form("preference", "(?:回答|回复|^以后)[^。；;]*?(?P<value>简短|短|详细|细|长)",
          "用户要{value}的回答", "answer_style"),
    _form("decision", "(?:我们|我|大家)?(?:已经)?决定(?:了|是|[:：])?(?P<value>[^。；;]+)",
          "决定{value}"),
    _form("todo", "^(?:待办|TODO)[:：]? *(?P<value>.+)", "待办：{value}"),
    _form("todo", "(?:记得|别忘了|提醒我)(?P<value>[^。；;]+)", "待办：{value}"),
    _form("fact", "我的(?P<attribute>[^，。；,;是]{1,12})是(?P<value>[^，。；,;]+)",
          "用户的{attribute}是{value}", "*"),
    _form("fact",
          "(?:查到了?|已经?(?:预订|预约|订|创建|部署|完成|提交|发送|修复|取消))[:：了]?"
          "(?P<value>.+)",
          "助手报告：{whole}", roles=OTHERS),
)  # fmt: skip
_SENTENCE = re.compile(r"[^.!?。！？；\n]+(?:\.(?=\S)[^.!?。！？；\n]+)*[.!?。！？；]*")
_CLAUSE = re.compile(r"[，,;；]|\band (?=I\b|my\b)", re.IGNORECASE)
_TAIL = re.compile(r"\s+(?:any ?more|now|too|a lot|very much|so much|again)$", re.IGNORECASE)
_NOT_STATED = re.compile(
    r"[?？]\s*$|\b(?:maybe|perhaps|probably|might|could|would|if|wish|imagine|kidding|joking)\b|"
    "可能|也许|大概|如果|要是|假如|假设|开玩笑|吗$|呢$",
    re.IGNORECASE,
)


def learnt(turn: int, role: str, text: str, at: datetime) -> Iterator[dict[str, JsonValue]]:
    """What a turn states in one of the known forms, as items of an answer to an extraction."""
    for sentence in (found.group().strip() for found in _SENTENCE.finditer(text)):
        if _NOT_STATED.search(sentence):
            continue
        plain = sentence.rstrip(".!。！；; ")
        whole = _first(plain, role, slots=False)
        parts = [] if whole else [_first(part, role, slots=True) for part in _CLAUSE.split(plain)]
        for form, found in filter(None, [whole, *parts]):
            yield _item(form, found, turn, at)


def _first(text: str, role: str, *, slots: bool) -> tuple[Form, re.Match[str]] | None:
    """The first form that fits, among those that take a slot or those that take none."""
    for form in FORMS:
        fits = role in form.roles and bool(form.attribute) == slots
        if fits and (found := form.pattern.search(text.strip())):
            return form, found
    return None


def _item(form: Form, found: re.Match[str], turn: int, at: datetime) -> dict[str, JsonValue]:
    value = _TAIL.sub("", found["value"].strip())
    named = found.groupdict().get("attribute", "").strip()
    attribute = re.sub(r"\W+", "_", named.lower()) if named else form.attribute
    place = attribute in ("lives_in", "works_at")
    day = _day(found.string, at) if form.type in ("fact", "preference") else None
    return {
        "type": form.type,
        "content": form.content.format(value=value, attribute=named, whole=found.group().strip()),
        "subject": "user" if attribute else None,
        "attribute": attribute,
        "value": value[:200] if attribute else None,
        "cardinality": ("one" if attribute in ONE or named else "many") if attribute else None,
        "entities": [value] if place else [],
        "confidence": 0.9,
        "importance": 0.9 if attribute == "allergy" else IMPORTANCE[form.type],
        "event_time": day,
        "valid_from": day if place else None,
        "valid_until": None,
        "scene": None,
        "quote": found.group().strip(),
        "turns": [turn],
        "worth": "keep",
    }


def _day(sentence: str, at: datetime) -> str | None:
    """The one day that a sentence names, counted from when it was said."""
    days = timewords.read(sentence, at).dates
    return days[0].first.isoformat() if len(days) == 1 and days[0].first == days[0].last else None
