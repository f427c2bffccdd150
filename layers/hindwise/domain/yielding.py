"""What a newer value does to an older one where it does not simply take its place."""

from hindwise.domain.base import Model
from hindwise.domain.memory import LongTermMemory, Policy, SemanticMemory, Share, Verdict


class Yielding(Model):
    """What a newer value does to an older one; `weaken` leaves it `factor` of its confidence.

    One that is less sure by more than `margin` does nothing to it.
    """

    policy: Policy = "supersede"
    factor: Share = 0.7
    margin: Share = 0.3

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
