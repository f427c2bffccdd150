"""A result of a search, and why it is one."""

from pydantic import Field

from hindwise.domain.base import Model
from hindwise.domain.fading import Tier
from hindwise.domain.memory import LongTermMemory
from hindwise.domain.ranking import Part
from hindwise.domain.timewords import TimeWord
from hindwise.usecases.expand import Around


class Why(Model):
    """Why a memory is in the answer. `age_days` counts from its event time, 0 for the future.

    `outdated_by` are results that took the place of all that was learnt from it, `comes_after`
    those of higher origin that speak about the same thing. The recent arm returns
    only what is of the tier `hot`.
    """

    rank: int
    age_days: float
    tier: Tier
    effective_confidence: float
    matched_terms: tuple[str, ...] = ()
    matched_identifiers: tuple[str, ...] = ()
    time_words: tuple[TimeWord, ...] = ()
    evidence_ids: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    in_place_of: str | None = None
    yielded_to: tuple[str, ...] = ()
    outdated_by: tuple[str, ...] = ()
    comes_after: tuple[str, ...] = ()
    arms: dict[str, int] | None = None
    parts: tuple[Part, ...] | None = None


class Hit(Model):
    """A memory of the answer, its score (None where nothing was asked, only filtered) and the
    reasons; `ranks` are those in the arms that nominated it.
    """

    memory: LongTermMemory
    score: float | None
    cosine: float | None = None
    why: Why
    ranks: dict[str, int] = Field(default_factory=dict)
    around: Around | None = None
