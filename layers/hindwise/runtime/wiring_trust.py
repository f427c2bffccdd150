"""The part of the composition root that trust needs: admission, review, audit, forgetting."""

from functools import cached_property

from hindwise.runtime.wiring_learning import LearningWiring
from hindwise.usecases.trust import Trust


class TrustWiring(LearningWiring):
    """Trust and fading, from environment variables."""

    @cached_property
    def trust(self) -> Trust:
        """What admission, review, audit and forgetting share."""
        return Trust()
