"""The judge: how a new memory stands to each of its nearest neighbours, asked in one call.

It also reads the answers of older prompts that agents bring along, such as `{"action": "supersede",
"target_id": ...}`; a bare delete is taken as "replaced by the new one", never as a hole.
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import JsonValue

from hindwise.domain.base import Model
from hindwise.domain.memory import SemanticMemory, Share
from hindwise.domain.ports.learning import Question, Reply
from hindwise.domain.prompts import judge_words as words
from hindwise.domain.prompts.quoting import block, chinese, line, repaired, stamp
from hindwise.domain.prompts.reading import (
    Object,
    answered,
    choice,
    first,
    keyed,
    misshapen,
    optional,
    share,
    text,
)
from hindwise.errors import Unusable

__all__ = ["Decision", "Unusable", "Word", "question", "read", "repaired"]
MAX_TOKENS = 1_000
SECONDS = 30.0
CONTENT_CHARS = 20_000
REASON_CHARS = 200
Word = Literal["duplicate", "update", "contradiction", "coexist", "unrelated"]
_WORDS: dict[str, Word] = {
    **dict.fromkeys(
        ("duplicate", "same", "merge", "merged", "equivalent", "重复", "相同", "合并"),
        "duplicate",
    ),
    **dict.fromkeys(
        ("update", "replace", "supersede", "superseded", "更新", "取代", "替换"), "update",
    ),
    **dict.fromkeys(
        ("contradiction", "contradict", "conflict", "conflicting", "delete", "remove", "invalidate",
         "矛盾", "冲突", "相反", "删除"), "contradiction",
    ),
    **dict.fromkeys(
        ("coexist", "compatible", "add", "keep", "keep_both", "both", "new", "insert", "related",
         "并存", "共存", "新增", "保留"), "coexist",
    ),
    **dict.fromkeys(
        ("unrelated", "different", "distinct", "independent", "无关", "不同"), "unrelated",
    ),
}  # fmt: skip
_IDLE = dict.fromkeys(
    ("noop", "no_op", "none", "no_change", "unchanged", "nothing", "skip", "ignore", "无操作",
     "不变", "无变化", "跳过"), True,
)  # fmt: skip
"""Words that leave things as they are. Beside others they stand for a neighbour that stays; alone
they say that the new memory adds nothing to the one they name."""
_TARGETS = ("id", "target_id", "target", "memory_id", "existing_id", "old_id", "neighbour",
            "neighbor", "number", "n")  # fmt: skip
_LISTS = ("decisions", "verdicts", "results", "actions", "operations", "memory", "memories",
          "neighbours", "neighbors", "events")  # fmt: skip


class Decision(Model):
    """How a new memory stands to one neighbour, as a model sees it.

    `content` is a merged wording that was offered, None where there is none; `reason` has at most
    200 characters.
    """

    verdict: Word
    confidence: Share = 0.8
    content: str | None = None
    reason: str = ""


def question(new: SemanticMemory, neighbours: Sequence[SemanticMemory]) -> Question:
    """Ask how `new` stands to each of its neighbours."""
    zh = chinese([new.content, *(each.content for each in neighbours)])
    user = "\n\n".join(
        [
            block("new_memory", [_shown(new, zh=zh)]),
            block("stored_memories", [_shown(each, zh=zh) for each in neighbours]),
            words.ASK_ZH if zh else words.ASK,
        ]
    )
    return Question(
        shape=words.SHAPE,
        system=words.CHINESE if zh else words.ENGLISH,
        user=user,
        schema_=words.schema([each.id for each in neighbours]),
        max_tokens=MAX_TOKENS,
        seconds=SECONDS,
    )


def _shown(memory: SemanticMemory, *, zh: bool) -> str:
    parts = [f"[{memory.id}]", memory.type.value, f"event_time={stamp(memory.event_time, zh=zh)}"]
    for name, moment in (("valid_from", memory.valid_from), ("valid_until", memory.valid_until)):
        parts += [f"{name}={stamp(moment, zh=zh)}"] if moment is not None else []
    for name in ("subject", "attribute", "value", "scene"):
        value = getattr(memory, name)
        parts += [f"{name}={line(value, 256)}"] if value else []
    if memory.subject and memory.attribute:
        parts.append(f"cardinality={memory.cardinality.value}")
    return f"{' '.join(parts)}: {line(memory.content)}"


def read(reply: Reply, ids: Sequence[str]) -> dict[str, Decision]:
    """Read what was decided for the neighbours of `ids`; those left out are in doubt.

    Invented ids and unknown words are left out too; raises `errors.Unusable` where nothing that was
    decided can be read.
    """
    values = answered(reply)
    decisions: dict[str, Decision] = {}
    known = False
    entries = [each for value in values for each in _entries(value.value)]
    idle: Word = "duplicate" if len(entries) == 1 else "coexist"
    for entry in entries:
        decided = _decision(entry, idle)
        known = known or decided is not None
        if decided is not None:
            for target in _targets(entry, decided, ids):
                decisions.setdefault(target, decided)
    if not known:
        raise misshapen(reply, values)
    return decisions


def _entries(value: JsonValue, depth: int = 3) -> list[Object]:
    """The objects of an answer that decide something."""
    if isinstance(value, list):
        return [inner for each in value for inner in _entries(each, depth)] if depth else []
    if not isinstance(value, dict):
        return []
    entry = keyed(value)
    if _word(entry) is not None:
        return [entry]
    for name in _LISTS:
        inner = entry.get(name)
        if depth and isinstance(inner, dict | list):
            return _entries(inner, depth - 1)
    return [inner for target, given in value.items() for inner in _named(target, given)]


def _named(target: str, given: JsonValue) -> list[Object]:
    """A decision that stands under the id of the memory it is about: a word, or an object."""
    if isinstance(given, dict) and _word(keyed(given)) is not None:
        return [{"id": target, **keyed(given)}]
    decides = choice(given, _WORDS) is not None or choice(given, _IDLE) is not None
    return [{"id": target, "verdict": given}] if decides else []


def _word(entry: Object) -> JsonValue:
    return first(entry, "verdict", "decision", "action", "event", "relation", "operation")


def _decision(entry: Object, idle: Word) -> Decision | None:
    """What an entry decides; None where it is no word of ours. Doubt about the number is 0.

    `idle` is what a word that leaves things as they are stands for.
    """
    said = _word(entry)
    word = choice(said, _WORDS) or (idle if choice(said, _IDLE) else None)
    if word is None:
        return None
    try:
        sure = share(entry.get("confidence"), 0.8)
    except (ValueError, OverflowError):
        sure = 0.0
    content, reason = _short(entry, "content", "merged", "text"), _short(entry, "reason", "why")
    return Decision(
        verdict=word, confidence=sure, content=content, reason=(reason or "")[:REASON_CHARS]
    )


def _short(entry: Object, *names: str) -> str | None:
    try:
        return text(first(entry, *names), CONTENT_CHARS)
    except ValueError:
        return None


def _targets(entry: Object, decided: Decision, ids: Sequence[str]) -> Sequence[str]:
    """Whom a decision is about: by id, by place (from 1), or, where none is named, the only one.

    What is added beside the others, or has to do with none of them, is so for all. Who would do
    nothing, and names nobody, leaves it open: known already, or of no concern.
    """
    named = optional(first(entry, *_TARGETS))
    if named is None:
        if choice(_word(entry), _IDLE):
            return ()
        every = decided.verdict in ("coexist", "unrelated")
        return ids if every or len(ids) == 1 else ()
    wanted = str(named).strip().strip("[]")
    if wanted in ids:
        return (wanted,)
    place = int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) < 4 else 0
    return (ids[place - 1],) if 1 <= place <= len(ids) else ()
