"""Extraction: what a window of a conversation is turned into, and what comes back as memories.

Each item of an answer stands or falls alone; what is refused is counted by its reason.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from pydantic import JsonValue

from hindwise.domain.ports.learning import Question, Reply
from hindwise.domain.prompts import extract_words as words
from hindwise.domain.prompts.extract_shape import offered
from hindwise.domain.prompts.extracted import Extracted, Learned, PromptTurn
from hindwise.domain.prompts.learnt import Refusal, learnt
from hindwise.domain.prompts.quoting import block, calendar, chinese, line, repaired, stamp
from hindwise.domain.prompts.reading import answered, keyed, listed, misshapen, numbers, text
from hindwise.errors import Unusable

__all__ = ["Extracted", "Learned", "PromptTurn", "Unusable", "question", "read", "repaired"]
MAX_TOKENS = 4_000
SECONDS = 60.0
SUMMARY_CHARS = 1_000
INTENT_CHARS = 256
MOST_ITEMS = 100
"""More from one window is a model running in circles."""
MOST_BYTES = 200_000
"""All items together, as JSON; an answer is kept in one row of the table."""


def question(
    turns: Sequence[PromptTurn], *, context: Sequence[PromptTurn] = (), now: datetime
) -> Question:
    """Ask what is worth remembering of `turns`; `context` (earlier turns) is only to be understood.

    Each turn has its own date; `now` stands for those that have none.
    """
    zh = chinese(each.text for each in turns if each.role != "tool")
    spoken = [each.at or now for each in (*context, *turns)]
    parts = [_text(zh, "Weeks (Monday to Sunday):", "各周（周一至周日）：")]
    parts[0] += "\n" + calendar([each.date() for each in spoken], zh=zh)
    if context:
        parts.append(
            _text(
                zh,
                "Earlier turns, only to understand the others; extract nothing from them:",
                "更早的轮次，只用来理解下文，不要从中提取：",
            )
        )
        parts.append(block("earlier", (_turn(each, now, zh=zh) for each in context)))
    parts.append(block("conversation", (_turn(each, now, zh=zh) for each in turns)))
    parts.append(
        _text(zh, "Answer with JSON only, in this shape:", "只回答 JSON，结构如下：")
        + "\n"
        + words.EXAMPLE
    )
    return Question(
        shape=words.SHAPE,
        system=words.CHINESE if zh else words.ENGLISH,
        user="\n\n".join(parts),
        schema_=words.schema(),
        max_tokens=MAX_TOKENS,
        seconds=SECONDS,
    )


def _text(zh: bool, english: str, chinese_text: str) -> str:
    return chinese_text if zh else english


def _turn(turn: PromptTurn, now: datetime, *, zh: bool) -> str:
    name = f" ({line(turn.name, 100)})" if turn.name else ""
    return f"[{turn.turn}] {stamp(turn.at or now, zh=zh)} {turn.role}{name}: {line(turn.text)}"


def read(reply: Reply, turns: Sequence[PromptTurn]) -> Extracted:
    """Read an answer about `turns` (one at least); raises `errors.Unusable` and nothing else.

    An empty list is an answer. One that was cut before its first whole item is not.
    """
    values = answered(reply)
    found = offered(values)
    if found is None or (not found.whole and not found.items):
        raise misshapen(reply, values)
    items: list[Learned] = []
    refused: Counter[str] = Counter()
    room = MOST_BYTES
    for place, (kind, given) in enumerate(found.items):
        try:
            item = learnt(kind, given, turns) if place < MOST_ITEMS else None
        except Refusal as refusal:
            refused[refusal.reason] += 1
            continue
        size = len(item.model_dump_json().encode()) if item else room + 1
        if item and size <= room:
            room -= size
            items.append(item)
        else:
            refused["too_many"] += 1
    return Extracted(
        items=tuple(items),
        refused=dict(refused),
        summaries=_summaries(found.rest.get("summaries"), {each.turn for each in turns}),
        intent=_short(found.rest.get("intent"), INTENT_CHARS),
        partial=not found.whole,
    )


def _short(value: JsonValue, limit: int) -> str | None:
    try:
        return text(value, limit)
    except ValueError:
        return None


def _summaries(value: JsonValue, shown: set[int]) -> dict[int, str]:
    """Summaries of turns that are shown: from `[{turn, summary}]` or `{"3": "..."}`."""
    pairs: list[tuple[JsonValue, JsonValue]] = []
    for each in listed(value):
        if isinstance(each, dict):
            entry = keyed(each)
            lone = "summary" in entry or "turn" in entry
            pairs += [(entry.get("turn"), entry.get("summary"))] if lone else list(entry.items())
    read: dict[int, str] = {}
    for turn, summary in pairs:
        try:
            numbered = numbers(turn)
        except (ValueError, OverflowError):
            continue
        said = _short(summary, SUMMARY_CHARS)
        if said and len(numbered) == 1 and numbered[0] in shown:
            read.setdefault(numbered[0], said)
    return read
