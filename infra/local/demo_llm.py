"""The model of `make dev`: no language model, but a few rules behind the same HTTP as a real one.

What it learns of is in `demo_rules`. It judges by slots and equal texts, finds as patterns only
what several episodes share word for word, and rewrites a question by writing out its dates. It
reads the prompts that a real model would be sent, so the whole path is the real one.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime

from pydantic import JsonValue

from hindwise.domain import timewords
from hindwise.domain.context import unescaped
from hindwise.domain.text import normalised
from infra.local.demo_rules import learnt
from infra.local.fake_llm import Asked, FakeLlm, Said
from infra.local.openai_http import Answer, Recorded

MODEL = "demo-rules"
_DATE = r"(?P<day>[\d-]+) \S+ (?P<time>\d\d:\d\d) (?P<zone>[+-]\d\d(?::\d\d)+)"
_TURN = re.compile(rf"\[(?P<turn>\d+)\] {_DATE} (?P<role>\w+)(?: \((?P<name>.*?)\))?: (?P<text>.*)")
_MEMORY = re.compile(r"\[(?P<id>\S+)\] (?P<type>\w+) (?P<fields>.*?): (?P<content>.*)")
_FIELD = re.compile(r"(\w+)=(.*?)(?= \w+=|$)")
_EPISODE = re.compile(
    rf"\[(?P<id>\S+)\] {_DATE}(?: outcome=(?P<outcome>\w+))?(?: [^:]*)?: (?P<text>.*)"
)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9-]{3,}|(?=([\u3400-\u9fff]{2}))")
_COMMON = frozenset({"that", "this", "with", "from", "have", "were", "been", "they", "user"})
LEAST, MOST = 2, 3
"""A pattern needs two episodes; three patterns are enough to show."""


class DemoLlm(FakeLlm):
    """Serves while it is entered as a context; what it was asked is not kept."""

    def __init__(self, port: int = 0) -> None:
        super().__init__(port=port, models=(MODEL,))
        self.always("extract", extracted)
        self.always("judge", judged)
        self.always("consolidate", consolidated)
        self.always("rewrite", rewritten)
        self.always("*", Said(status=400, text="the demo model does not know this task"))

    def admitted(self, asked: Recorded) -> Answer:
        """The answer; the question is forgotten."""
        self.requests.clear()
        return super().admitted(asked)


def _lines(asked: Asked, block: str) -> list[str]:
    """The lines of a block of the prompt."""
    found = re.search(rf"^<{block}>\n(.*?)^</{block}>$", asked.user, re.DOTALL | re.MULTILINE)
    return found[1].splitlines() if found else []


def _moment(found: re.Match[str]) -> datetime:
    return datetime.fromisoformat(f"{found['day']}T{found['time']}{found['zone']}")


def extracted(asked: Asked) -> dict[str, JsonValue]:
    """What is stated in the turns, in one of the forms that are known."""
    memories: list[JsonValue] = []
    for found in filter(None, map(_TURN.fullmatch, _lines(asked, "conversation"))):
        text = unescaped(found["text"])
        memories += list(learnt(int(found["turn"]), found["role"], text, _moment(found)))
    return {"memories": memories, "summaries": [], "intent": None}


class _Shown(dict[str, str]):
    """A memory as the judge is shown it: id, content, and the fields that it has."""

    @classmethod
    def all(cls, lines: list[str]) -> "Iterator[_Shown]":
        for found in filter(None, map(_MEMORY.fullmatch, lines)):
            fields = {name: unescaped(value) for name, value in _FIELD.findall(found["fields"])}
            yield cls(fields, id=found["id"], content=unescaped(found["content"]))

    @property
    def slot(self) -> tuple[str, str, str] | None:
        if not self.get("subject") or not self.get("attribute"):
            return None
        return (
            normalised(self["subject"]),
            normalised(self["attribute"]),
            normalised(self.get("scene", "")),
        )


def judged(asked: Asked) -> dict[str, JsonValue]:
    """Equal texts are duplicates; of a slot with one value, another value is an update."""
    (new,) = _Shown.all(_lines(asked, "new_memory"))
    decisions: list[JsonValue] = [
        {"id": old["id"], "verdict": _verdict(new, old), "confidence": 0.9, "reason": "a demo rule"}
        for old in _Shown.all(_lines(asked, "stored_memories"))
    ]
    return {"decisions": decisions}


def _verdict(new: _Shown, old: _Shown) -> str:
    if normalised(new["content"]) == normalised(old["content"]):
        return "duplicate"
    if new.slot is None or old.slot is None:
        return "unrelated"
    same = normalised(new.get("value", "")) == normalised(old.get("value", ""))
    if new.slot == old.slot:
        if same and new.get("value"):
            return "duplicate"
        return "update" if new.get("cardinality") == "one" else "coexist"
    opposite = {new["attribute"], old["attribute"]} == {"likes", "dislikes"}
    return "contradiction" if opposite and same else "unrelated"


def consolidated(asked: Asked) -> dict[str, JsonValue]:
    """Words that at least two episodes share, those that most share first."""
    shown = [found for line in _lines(asked, "episodes") if (found := _EPISODE.fullmatch(line))]
    sharing: dict[str, list[re.Match[str]]] = defaultdict(list)
    for found in shown:
        words = (each[1] or each[0] for each in _WORD.finditer(unescaped(found["text"])))
        for word in dict.fromkeys(words):
            if word.lower() not in _COMMON:
                sharing[word.lower()].append(found)
    ranked = sorted(sharing.items(), key=lambda pair: (-len(pair[1]), -len(pair[0]), pair[0]))
    patterns: dict[tuple[str, ...], JsonValue] = {}
    for word, episodes in ranked:
        ids = tuple(found["id"] for found in episodes)
        if len(ids) >= LEAST and ids not in patterns and len(patterns) < MOST:
            patterns[ids] = _pattern(word, episodes)
    return {"patterns": list(patterns.values()), "conflicts": []}


def _pattern(word: str, episodes: list[re.Match[str]]) -> dict[str, JsonValue]:
    failed = sum(found["outcome"] == "failure" for found in episodes)
    count = len(episodes)
    if word.isascii():
        ended = f"; {failed} of them failed" if failed else ""
        content = f"{count} episodes are about {word}{ended}."
    else:
        ended = f"，其中 {failed} 次失败" if failed else ""
        content = f"有 {count} 次经历与“{word}”有关{ended}"
    ids: list[JsonValue] = [found["id"] for found in episodes]
    return {"content": content, "evidence_ids": ids, "confidence": 0.6, "conflicts": []}


def rewritten(asked: Asked) -> dict[str, JsonValue]:
    """The question, with the days that its time words mean written behind it."""
    query = unescaped("\n".join(_lines(asked, "question")))
    now = re.search(f"now: {_DATE}", asked.user)
    days = timewords.read(query, _moment(now)).dates if now else ()
    written = " ".join(dict.fromkeys(each.first.isoformat() for each in days))
    return {"query": f"{query} {written}".strip()}
