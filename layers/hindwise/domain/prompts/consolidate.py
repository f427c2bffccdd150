"""Consolidation: what several episodes have in common, each pattern with the episodes it rests on.

A model that cites what it was not shown has made it up: such ids are dropped and counted, and a
pattern that is left with fewer than two is refused.
"""

from collections import Counter
from collections.abc import Collection, Sequence

from pydantic import Field, JsonValue

from hindwise.domain.base import Model
from hindwise.domain.memory import CONTENT_CHARS, Episode, SemanticMemory, Share
from hindwise.domain.ports.learning import Question, Reply
from hindwise.domain.prompts import consolidate_words as words
from hindwise.domain.prompts.quoting import block, chinese, line, repaired, stamp
from hindwise.domain.prompts.reading import (
    Object,
    answered,
    first,
    keyed,
    listed,
    misshapen,
    share,
    text,
    texts,
)
from hindwise.domain.text import speaks
from hindwise.errors import Unusable

__all__ = ["PatternRead", "PatternsRead", "Unusable", "question", "read", "repaired"]
MAX_TOKENS = 2_000
SECONDS = 60.0
EPISODE_CHARS = 1_000
"""So much of one episode is shown; a longer one by its summary, if it has one."""
LEAST_EVIDENCE = 2
MOST_PATTERNS = 20
MOST_CITED = 200
_LISTS = ("patterns", "insights", "rules", "results", "items", "data", "output", "模式", "规律")
_CITED = ("evidence_ids", "evidence", "episode_ids", "episodes", "sources", "source_ids", "ids")


class PatternRead(Model):
    """A pattern as a model offered it.

    `evidence_ids` are those of the `cited` different ids that were really shown, in the order
    cited; `conflicts` are ids of known patterns with which it cannot both be true.
    """

    content: str
    evidence_ids: tuple[str, ...]
    cited: int
    confidence: Share = 0.8
    conflicts: tuple[str, ...] = ()


class PatternsRead(Model):
    """All that could be read of an answer.

    `refused` counts patterns by reason: `shape`, `content`, `confidence`, `evidence` (fewer than
    two that exist), `too_many`. `invented` counts ids that were never shown. `conflicts` are known
    patterns that the episodes speak against. `partial`: the answer was cut.
    """

    patterns: tuple[PatternRead, ...] = ()
    refused: dict[str, int] = Field(default_factory=dict)
    invented: int = 0
    conflicts: tuple[str, ...] = ()
    partial: bool = False


def question(
    domain: str, episodes: Sequence[Episode], patterns: Sequence[SemanticMemory] = ()
) -> Question:
    """Ask what the episodes of a domain have in common; `patterns` are those already known."""
    zh = chinese(each.content for each in episodes)
    parts = [
        f"domain: {line(domain, 64)}",
        block("episodes", [_episode(each, zh=zh) for each in episodes]),
    ]
    if patterns:
        shown = [f"[{each.id}] {line(each.content)}" for each in patterns]
        parts.append(block("known_patterns", shown))
    return Question(
        shape=words.SHAPE,
        system=words.CHINESE if zh else words.ENGLISH,
        user="\n\n".join([*parts, words.ASK_ZH if zh else words.ASK]),
        schema_=words.schema(),
        max_tokens=MAX_TOKENS,
        seconds=SECONDS,
    )


def _episode(episode: Episode, *, zh: bool) -> str:
    said = episode.content
    if len(said) > EPISODE_CHARS and episode.summary:
        said = episode.summary
    outcome = f" outcome={episode.outcome.result}" if episode.outcome else ""
    speaker = f" {line(episode.speaker, 100)}" if episode.speaker else ""
    when = stamp(episode.event_time, zh=zh)
    return f"[{episode.id}] {when}{outcome}{speaker}: {line(said, EPISODE_CHARS)}"


def read(
    reply: Reply, allowed_ids: Collection[str], *, known: Collection[str] = ()
) -> PatternsRead:
    """Read patterns over the episodes of `allowed_ids`, and conflicts with the patterns of `known`.

    No pattern at all is an answer; raises `errors.Unusable` where there is none.
    """
    values = answered(reply)
    whole = all(each.whole for each in values)
    offered = max(
        (found for each in values if (found := _offered(each.value)) is not None),
        key=lambda each: len(each[0]),
        default=None,
    )
    if offered is None or (not whole and not offered[0]):
        raise misshapen(reply, values)
    refused: Counter[str] = Counter()
    made_up: set[str] = set()
    patterns: list[PatternRead] = []
    for given in offered[0][:MOST_PATTERNS]:
        cited = texts(_cited(given), 64, MOST_CITED)
        made_up.update(set(cited) - set(allowed_ids))
        kept = tuple(each for each in cited if each in allowed_ids)
        pattern = _pattern(given, kept, len(cited), set(known))
        if isinstance(pattern, str):
            refused[pattern] += 1
        else:
            patterns.append(pattern)
    if (over := len(offered[0]) - MOST_PATTERNS) > 0:
        refused["too_many"] = over
    return PatternsRead(
        patterns=tuple(patterns),
        refused=dict(refused),
        invented=len(made_up),
        conflicts=_conflicts(offered[1], set(known)),
        partial=not whole,
    )


def _offered(value: JsonValue, depth: int = 3) -> tuple[list[JsonValue], JsonValue] | None:
    """The patterns of an answer, and what it says of conflicts; None where it is no answer."""
    if isinstance(value, list):
        fits = not value or any(isinstance(each, dict) for each in value)
        return (value, None) if fits else None
    if not isinstance(value, dict) or not depth:
        return None
    members = keyed(value)
    if isinstance(_content(members), str) and _cited(members) is not None:
        return [value], None
    for name in _LISTS:
        if name in members and members[name] in (None, {}):
            return [], members.get("conflicts")
        if (inner := _offered(members.get(name), depth - 1)) is not None:
            return inner[0], members.get("conflicts", inner[1])
    return None


def _content(given: Object) -> JsonValue:
    return first(given, "content", "pattern", "text", "insight", "rule", "内容")


def _cited(given: JsonValue) -> JsonValue:
    return first(keyed(given), *_CITED) if isinstance(given, dict) else None


def _pattern(
    given: JsonValue, evidence: tuple[str, ...], cited: int, known: set[str]
) -> PatternRead | str:
    """A pattern, or the reason why it is none."""
    if not isinstance(given, dict):
        return "shape"
    members = keyed(given)
    try:
        content = text(_content(members), CONTENT_CHARS)
    except ValueError:
        content = None
    if content is None or not speaks(content):
        return "content"
    try:
        sure = share(members.get("confidence"), 0.8)
    except (ValueError, OverflowError):
        return "confidence"
    if len(evidence) < LEAST_EVIDENCE:
        return "evidence"
    return PatternRead(
        content=content,
        evidence_ids=evidence,
        cited=cited,
        confidence=sure,
        conflicts=_conflicts(first(members, "conflicts", "conflicts_with"), known),
    )


def _conflicts(value: JsonValue, known: set[str]) -> tuple[str, ...]:
    """Ids of known patterns, given plainly or in objects that name one."""
    read: dict[str, None] = {}
    for each in listed(value):
        members: Object = keyed(each) if isinstance(each, dict) else {"id": each}
        named = first(members, "id", "pattern_id", "pattern", "target_id", "existing_id")
        if isinstance(named, str) and named.strip() in known:
            read[named.strip()] = None
    return tuple(read)
