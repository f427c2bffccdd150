"""A verdict of which nothing is left, though neither of the two says anything else.

Who lost and was put back among the others, by a reviewer or with its source, lost for good reason
all the same: what was decided is carried out again, and nobody is asked twice.
"""

from hindwise.domain.memory import PairVerdict
from hindwise.domain.pairing import CONFLICTING, Pair, Ruling


def lapsed(pair: Pair, known: PairVerdict) -> Ruling | None:
    """What is to be carried out again of a verdict on two that stand; None where it is in effect.

    It is where both were to stand: the loser as weakened, beside the other, or until then.
    """
    if known.verdict not in CONFLICTING or known.winner is None:
        return None
    lost = next(one for one in pair if one.id != known.winner)
    told = [one for one in lost.verdicts if one.other == known.winner]
    if not told or told[-1].policy != "supersede" or lost.superseded_by == known.winner:
        return None
    return Ruling(verdict=known.verdict, by=known.by)
