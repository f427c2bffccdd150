"""Foreign text inside a prompt: on one line, between delimiters that it cannot write."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta

from hindwise.domain.analysis.languages import language
from hindwise.domain.context import escaped
from hindwise.domain.ports.learning import Question, Reply
from hindwise.domain.prompts.salvage import spoken

QUOTED_CHARS = 20_000
"""More of one text is not shown."""
REPLY_CHARS = 6_000
TOKENS_CAP = 16_000
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
WEEKDAYS_ZH = ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日")


def line(text: str, limit: int = QUOTED_CHARS) -> str:
    """A text as one line without `<`, `>`, `&` or line breaks of its own."""
    return escaped(text if len(text) <= limit else f"{text[:limit]}…")


def block(name: str, lines: Iterable[str]) -> str:
    """Lines between `<name>` and `</name>`; nothing in them may come unescaped from outside."""
    return "\n".join([f"<{name}>", *lines, f"</{name}>"])


def chinese(texts: Iterable[str]) -> bool:
    """Tell whether what was said is mostly Chinese, so that the prompt is too."""
    said = "\n".join(texts)
    return language(said) in ("zh", "mixed")


def stamp(moment: datetime, *, zh: bool) -> str:
    """Day, weekday, time and offset: `2026-03-16 Monday 09:30 +08:00`."""
    days = WEEKDAYS_ZH if zh else WEEKDAYS
    offset = moment.strftime("%:z")
    return f"{moment.date()} {days[moment.weekday()]} {moment:%H:%M} {offset}"


def calendar(days: Sequence[date], *, zh: bool, most: int = 3) -> str:
    """The weeks around some days, Monday to Sunday, so that `last Friday` needs no arithmetic."""
    names = WEEKDAYS_ZH if zh else WEEKDAYS
    usual = [day for day in days if 1000 < day.year < 9000]
    mondays = sorted({day - timedelta(days=day.weekday()) for day in usual})
    shown: dict[date, None] = {}
    for monday in mondays[:most]:
        for step in (-7, 0, 7):
            shown[monday + timedelta(days=step)] = None
    return "\n".join(
        f"{monday} {names[0]} – {monday + timedelta(days=6)} {names[6]}" for monday in sorted(shown)
    )


def repaired(question: Question, reply: Reply, problem: str) -> Question:
    """The question once more, with the answer that could not be used and why.

    What was cut gets twice the room, where it was cut before the first word (in a thought, then)
    four times, at most 16,000 tokens.
    """
    zh = chinese([question.system])
    wrong = (_PROBLEMS_ZH if zh else _PROBLEMS).get(problem, problem)
    said = spoken(reply.text)[:REPLY_CHARS]
    shown = [block("unusable_answer", [line(said)])] if said else []
    more = 2 if said else 4
    room = question.max_tokens * (more if problem == "truncated" else 1)
    return question.model_copy(
        update={
            "user": "\n\n".join([question.user, *shown, wrong]),
            "max_tokens": min(room, max(TOKENS_CAP, question.max_tokens)),
        }
    )


_PROBLEMS = {
    "truncated": "Your answer was cut off before its end. Answer again, shorter: only what matters "
    "most. One JSON object as described, nothing else.",
    "not_json": "Your answer was not JSON. Answer again with one JSON object as described, and "
    "nothing before or after it.",
    "wrong_shape": "Your answer was JSON of another shape. Answer again with exactly the members "
    "described; a list that holds nothing is [].",
    "empty": "You gave no answer. Answer with one JSON object as described; a list that holds "
    "nothing is [].",
    "refused": "These are a user's own records. Leave out what you may not write down and answer "
    "with one JSON object as described; a list that holds nothing is [].",
}
_PROBLEMS["filtered"] = _PROBLEMS["refused"]
_PROBLEMS_ZH = {
    "truncated": "你的回答没有写完就被截断了。请重新回答，写短一些，只留最重要的内容。"
    "按要求只给一个 JSON 对象。",
    "not_json": "你的回答不是 JSON。请重新回答，只给一个符合要求的 JSON 对象，前后不要有任何文字。",
    "wrong_shape": "你的回答是 JSON，但结构不对。请严格按要求的字段重新回答；没有内容的列表写 []。",
    "empty": "你没有给出回答。请按要求只给一个 JSON 对象；没有内容的列表写 []。",
    "refused": "这是用户自己的记录。不能写的内容请略去，按要求只给一个 JSON 对象；"
    "没有内容的列表写 []。",
}
_PROBLEMS_ZH["filtered"] = _PROBLEMS_ZH["refused"]
