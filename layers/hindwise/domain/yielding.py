"""What a newer value does to an older one where it does not simply take its place."""

from datetime import datetime

from hindwise.domain.base import Model
from hindwise.domain.confidence import effective
from hindwise.domain.memory import LongTermMemory, Policy, SemanticMemory, Share, Verdict
from hindwise.domain.retention import DEFAULT, Retention

ROUNDING = 1e-9


class Yielding(Model):
    """What a newer value does to an older one; `weaken` leaves it `factor` of its confidence.

    One that is less sure by more than `margin` does nothing to it; how sure each is
    still, `fading` says.
    """

    policy: Policy = "supersede"
    factor: Share = 0.7
    margin: Share = 0.3
    fading: Retention = DEFAULT

    def surer(self, one: LongTermMemory, other: LongTermMemory, now: datetime) -> bool:
        """Tell whether one is still surer than the other, by more than the margin."""
        more = effective(one, now, self.fading) - effective(other, now, self.fading)
        return more > self.margin + ROUNDING

    def kept(self, old: SemanticMemory, verdict: Verdict) -> SemanticMemory:
        """The older value as it goes on beside the newer one, labelled with the verdict."""
        weaker = old.confidence * (self.factor if self.policy == "weaken" else 1)
        return old.model_copy(
            update={
                "confidence": round(weaker, 4),
                "verdicts": (*old.verdicts, verdict.model_copy(update={"policy": self.policy})),
                "version": old.version + 1,
                "updated_at": verdict.at,
            }
        )


def beside_others(memory: LongTermMemory) -> bool:
    """Tell whether it was decided that a memory stays visible beside what contradicts it."""
    return any(one.policy != "supersede" for one in memory.verdicts)
