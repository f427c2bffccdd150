"""What a month of cold episodes was about, in one memory: counts, and the words of the weightiest.

It is made once, when all that was made in the month is cold, under an id that follows from the
group: whoever comes second finds it there. Its authority is the least of its evidence.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal

from hindwise.domain.analysis import language
from hindwise.domain.analysis.languages import speaks_chinese
from hindwise.domain.base import Model
from hindwise.domain.fading import after_month, month_of
from hindwise.domain.ids import derived_id, millis_of
from hindwise.domain.memory import Episode, SemanticMemory, Type
from hindwise.domain.text import first_sentences

METHOD = "trend"
MOST_EVIDENCE = 1_000
QUOTED = 5
QUOTE_CHARS = 160
Result = Literal["success", "failure", "neutral"]
_BLANKS = re.compile(r"\s+")


class Group(Model):
    """Episodes of a task, or of no task, in a domain: made in one month, happened in one month."""

    domain: str
    task_id: str | None
    made: str
    happened: str

    @property
    def begin(self) -> datetime:
        """When the month in which they were made began."""
        return datetime.fromisoformat(f"{self.made}-01T00:00:00+00:00")

    @property
    def end(self) -> datetime:
        """When that month was over."""
        return after_month(self.begin)

    @property
    def trend_id(self) -> str:
        """The id of what is said about the group."""
        parts = (self.domain, self.task_id or "", self.made, self.happened)
        return derived_id(self.end, METHOD, *parts)


class Quote(Model):
    """An episode whose words are given: its id, its day and its first sentences."""

    memory_id: str
    day: str
    text: str


def group_of(episode: Episode) -> Group:
    """The group that an episode is of; its stub is of the same. When it was made tells its id."""
    made = datetime.fromtimestamp(millis_of(episode.id) / 1000, UTC)
    return Group(
        domain=episode.domain,
        task_id=episode.task_id,
        made=month_of(made),
        happened=month_of(episode.event_time),
    )


def weightiest(stubs: Sequence[Episode]) -> list[Episode]:
    """Those whose words are given, in the order of their time."""
    chosen = sorted(stubs, key=lambda one: (-one.importance, one.event_time.timestamp(), one.id))
    return sorted(chosen[:QUOTED], key=lambda one: (one.event_time.timestamp(), one.id))


def quote_of(episode: Episode) -> Quote:
    """What is quoted of an episode."""
    said = _BLANKS.sub(" ", episode.summary or episode.content).strip()
    return Quote(
        memory_id=episode.id,
        day=episode.event_time.date().isoformat(),
        text=first_sentences(said, QUOTE_CHARS),
    )


def trend_from(
    group: Group, stubs: Sequence[Episode], quotes: Sequence[Quote], *, now: datetime
) -> SemanticMemory:
    """The memory of what a group was about; `stubs` are its episodes, `quotes` some of them."""
    ordered = sorted(stubs, key=lambda one: (one.event_time.timestamp(), one.id))
    counts = Counter(one.outcome.result for one in stubs if one.outcome is not None)
    content = _content(group, len(stubs), counts, quotes)
    return SemanticMemory(
        id=group.trend_id,
        type=Type.PATTERN,
        domain=group.domain,
        task_id=group.task_id,
        content=content,
        importance=max(one.importance for one in stubs),
        confidence=min(one.confidence for one in stubs),
        origin=min(one.origin for one in stubs),
        principal="schedule",
        metadata={
            "method": METHOD,
            "month": group.happened,
            "episodes": len(stubs),
            "quoted": [one.memory_id for one in quotes],
        },
        evidence_ids=tuple(one.id for one in ordered[-MOST_EVIDENCE:]),
        event_time=ordered[-1].event_time,
        created_at=now,
        updated_at=now,
        language=language(content),
    )


def _content(group: Group, many: int, counts: Mapping[Result, int], quotes: Sequence[Quote]) -> str:
    chinese = speaks_chinese(" ".join(one.text for one in quotes))
    told = f" · {group.task_id}" if group.task_id else ""
    said = [f"{one.day}: {one.text}" for one in quotes]
    if chinese:
        words: dict[Result, str] = {"success": "成功", "failure": "失败", "neutral": "其他结果"}
        ended = "，".join(f"{words[one]} {counts[one]}" for one in sorted(counts))
        ended = f"（{ended}）" if ended else ""
        year, month = group.happened.split("-")
        head = f"{year} 年 {int(month)} 月，{group.domain}{told}：{many} 段经历{ended}。例如："
        return head + "；".join(said)
    ended = ", ".join(f"{counts[one]} {one}" for one in sorted(counts))
    ended = f" ({ended})" if ended else ""
    head = f"{group.happened}, {group.domain}{told}: {many} episodes{ended}. For example: "
    return head + "; ".join(said)


def is_trend(memory: object) -> bool:
    """Tell whether a memory says what a month was about."""
    return (
        isinstance(memory, SemanticMemory)
        and memory.type is Type.PATTERN
        and memory.metadata.get("method") == METHOD
    )


def quotes(memory: object, memory_id: str) -> bool:
    """Tell whether a memory is a trend that gives the words of an episode."""
    quoted = memory.metadata.get("quoted") if isinstance(memory, SemanticMemory) else None
    return is_trend(memory) and isinstance(quoted, list) and memory_id in quoted
