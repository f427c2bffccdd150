"""The numbers that learning goes by: windows, patience, thresholds, budgets.

Every one is a default that a stage may set otherwise. Those of the specification that are marked
there as tunable are calibrated by the benches, not argued.
"""

from collections.abc import Mapping

from pydantic import Field, field_validator

from hindwise.domain.base import Model
from hindwise.domain.memory import Policy, Share, Type


def _thresholds() -> dict[str, float]:
    return {"use-": 0.80, "multilingual-e5-": 0.95}


def _judge_thresholds() -> dict[str, float]:
    return {"hashed-": 0.15}


def _policies() -> dict[Type, Policy]:
    return {one: "weaken" if one is Type.PATTERN else "supersede" for one in Type}


class LearningRules(Model):
    """What decides when, how much and how surely something is learnt.

    Extraction: a window is at most `window_turns` turns and `window_chars` characters; turns are
    extracted once `trigger_turns` wait, or none came for `idle_seconds`. An item below
    `confidence_floor` or with one of `drop_words` is dropped, over `review_chars` (a Chinese
    character counts for four) it is held.
    `cue_importances` are for turns without, with a weak and with a strong cue.

    Work: a claim lasts `lease_seconds`; `broken_limit` unusable replies, `wait_limit` failed calls
    or `lost_limit` claims that ended without a word fail a job. A wait is `backoff_base` x 3^n
    seconds, at most `backoff_cap`. Answers are kept for `answer_days`.

    Settling: a pair nearer than `threshold_for` merges without a judge; a judge is asked from
    `judge_from` on (cosine), about the nearest `neighbours` in one call. A value less sure than the
    other by more than `confidence_margin` never takes its place. `policies` are by type; those of
    a tenant (`tenant_policies`) go before them, and what a call asks for before both.

    Consolidation: of episodes over `consolidation_importance` the `consolidation_newest`, at least
    `consolidation_min` on call; on schedule once `consolidation_ripe` span `consolidation_hours`.

    Budget: what a tenant may use in a UTC day. `llm_configured` tells whether there is a reasoner
    in this stage, also to functions that hold none. Of what is kept by name, only what is given
    differs from the default.

    Search: `rewrite_queries` and `rerank_results` where a call does not say otherwise.
    """

    window_turns: int = Field(default=20, ge=1)
    window_chars: int = Field(default=12_000, ge=1)
    context_turns: int = Field(default=4, ge=0)
    trigger_turns: int = Field(default=10, ge=1)
    idle_seconds: float = Field(default=600, gt=0)
    confidence_floor: Share = 0.3
    drop_words: tuple[str, ...] = ()
    review_chars: int = Field(default=200, ge=1)
    unextracted_importance: Share = 0.2
    cue_importances: tuple[Share, Share, Share] = (0.2, 0.5, 0.7)

    lease_seconds: float = Field(default=240, gt=0)
    broken_limit: int = Field(default=3, ge=1)
    wait_limit: int = Field(default=8, ge=1)
    lost_limit: int = Field(default=5, ge=1)
    backoff_base: float = Field(default=2, gt=0)
    backoff_cap: float = Field(default=900, gt=0)
    answer_days: int = Field(default=14, ge=1)

    dedup_thresholds: dict[str, float] = Field(default_factory=_thresholds)
    dedup_threshold: float = 0.92
    judge_thresholds: dict[str, float] = Field(default_factory=_judge_thresholds)
    judge_threshold: float = 0.35
    neighbours: int = Field(default=5, ge=1)
    confidence_margin: Share = 0.3
    policies: dict[Type, Policy] = Field(default_factory=_policies)
    tenant_policies: dict[str, dict[Type, Policy]] = Field(default_factory=dict)
    weaken_factor: Share = 0.7

    consolidation_importance: Share = 0.6
    consolidation_newest: int = Field(default=50, ge=1)
    consolidation_min: int = Field(default=5, ge=1)
    consolidation_ripe: int = Field(default=20, ge=1)
    consolidation_hours: float = Field(default=24, ge=0)
    pattern_confidence: Share = 0.85

    daily_calls: int = Field(default=5_000, ge=0)
    daily_tokens: int = Field(default=10_000_000, ge=0)
    llm_configured: bool = False

    rewrite_queries: bool = False
    rerank_results: bool = False

    @field_validator("dedup_thresholds")
    @classmethod
    def _other_thresholds(cls, given: dict[str, float]) -> dict[str, float]:
        return _thresholds() | given

    @field_validator("judge_thresholds")
    @classmethod
    def _other_judge_thresholds(cls, given: dict[str, float]) -> dict[str, float]:
        return _judge_thresholds() | given

    @field_validator("policies")
    @classmethod
    def _other_policies(cls, given: dict[Type, Policy]) -> dict[Type, Policy]:
        return _policies() | given

    def threshold_for(self, embedder_id: str) -> float:
        """The cosine over which two texts may be one, of the embedder or of its family.

        `use-multilingual-v3:512` is of `use-`: the longest name that the id begins with counts.
        """
        return _of_family(embedder_id, self.dedup_thresholds, self.dedup_threshold)

    def judge_from(self, embedder_id: str) -> float:
        """The cosine from which on a judge is asked how two texts stand to each other.

        Far below the other one: texts of which one replaces the other may share few words. On the
        labelled pairs .35 leaves out 4 % of those that matter, of the vectors of `use`.
        """
        return _of_family(embedder_id, self.judge_thresholds, self.judge_threshold)

    def policy_for(self, type_: Type, tenant: str = "") -> Policy:
        """What is done where two memories of a type contradict each other, of this tenant."""
        return self.tenant_policies.get(tenant, {}).get(type_, self.policies[type_])

    def backoff(self, waits: int, asked: float = 0) -> float:
        """Seconds to wait after `waits` (from 1) failed calls, no less than a host `asked` for."""
        own = self.backoff_base * 3.0 ** min(max(waits - 1, 0), 30)
        return min(max(own, asked), self.backoff_cap)


def _of_family(embedder_id: str, families: Mapping[str, float], default: float) -> float:
    """The number of the longest name that an embedder's id begins with."""
    names = [name for name in families if embedder_id.startswith(name)]
    return families[max(names, key=len)] if names else default
