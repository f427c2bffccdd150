"""Whether what a pattern rests on is of one mind; where not, a person is asked.

A pattern has the least authority of its evidence anyway. That alone does not say that one reported
episode slipped in among what is trusted, or that nobody trusted saw any of it.
"""

from collections.abc import Collection

from hindwise.domain.memory import LongTermMemory
from hindwise.domain.reviews import CONSENSUS
from hindwise.domain.scope import Origin

MINORITY, ALL_REPORTED = "consensus.minority", "consensus.reported"


def doubts(evidence: Collection[LongTermMemory]) -> tuple[str, ...]:
    """Flags of evidence that is not of one mind, so that a person looks at what it shows.

    Some of it was only reported, beside what is trusted, or all of it was.
    """
    reported = sum(one.origin < Origin.AGENT for one in evidence)
    if not reported:
        return ()
    return (CONSENSUS, ALL_REPORTED if reported == len(evidence) else MINORITY)
