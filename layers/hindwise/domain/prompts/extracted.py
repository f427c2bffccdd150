"""What extraction is given and what it gives."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from hindwise.domain.base import Model
from hindwise.domain.memory import Cardinality, Share, Type


class PromptTurn(Model):
    """One turn as a model is shown it; `at` is when it was said, in the speaker's offset.

    `turn` counts a conversation's turns from 1; `role` is `user`, `assistant` or `tool`.
    """

    turn: int
    role: str
    name: str | None = None
    text: str
    at: AwareDatetime | None = None


class Learned(Model):
    """One thing that a model says was stated in `turns` (at least one, ascending, all shown).

    Times without an offset have that of the first of the turns. `event_time` is None where the
    model named none; the moment of saying then counts. A `quote` really stands in one of the turns.
    """

    type: Type
    content: str
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    cardinality: Cardinality | None = None
    entities: tuple[str, ...] = ()
    confidence: Share = 0.8
    importance: Share = 0.5
    event_time: AwareDatetime | None = None
    valid_from: AwareDatetime | None = None
    valid_until: AwareDatetime | None = None
    scene: str | None = None
    quote: str | None = None
    turns: Annotated[tuple[int, ...], Field(min_length=1)]
    worth: Literal["keep", "drop", "review"] = "keep"


class Extracted(Model):
    """All that could be read of an answer.

    `refused` counts items by reason: `shape`, `content`, `type`, `confidence`, `importance`,
    `date`, `turn`, `too_many`. `summaries` are by turn. `partial`: the answer was cut, or a part
    was no JSON.
    """

    items: tuple[Learned, ...] = ()
    refused: dict[str, int] = Field(default_factory=dict)
    summaries: dict[int, str] = Field(default_factory=dict)
    intent: str | None = None
    partial: bool = False
