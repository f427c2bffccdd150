"""Two rankings take turns, and neither puts a value before the one that it has to come after."""

from datetime import timedelta

import pytest

from hindwise.domain.memory import Status, Verdict
from hindwise.domain.ranking import rank, united
from tests.builders import NOW, fact
from tests.unit.domain.ranking.made import asked, candidate, ids

DAY = timedelta(days=1)


def ranking(*order):
    """These memories in this order."""
    cosines = [1 - place / 100 for place in range(len(order))]
    made = [candidate(one, cosine=cosine) for one, cosine in zip(order, cosines, strict=True)]
    return rank(made, asked("x"), mode="score")


def test_they_take_turns_and_the_other_words_come_first():
    a, b, c, d = (fact(text) for text in "abcd")
    both = united(ranking(a, b, c), ranking(d, b), None)
    assert ids(both) == [d.id, a.id, b.id, c.id]
    assert [one.rank for one in both] == [1, 2, 3, 4]
    assert [one.ranks for one in both] == [
        {"rewritten": 1}, {"sent": 1}, {"sent": 2, "rewritten": 2}, {"sent": 3},
    ]  # fmt: skip
    for one in both:
        assert sum(part.contribution for part in one.parts) == pytest.approx(one.score)
    assert ids(united(ranking(), ranking(a), None)) == [a.id]
    assert ids(united(ranking(), ranking(), None)) == []


def test_a_weakened_value_stays_behind_its_holder():
    new = fact("new", at=NOW)
    verdict = Verdict(other=new.id, verdict="contradiction", policy="weaken", at=NOW)
    old = fact("old", at=NOW - DAY, verdicts=(verdict,))
    other = fact("other")
    both = united(ranking(new, old), ranking(old, other), None)
    assert ids(both) == [new.id, old.id, other.id] or ids(both).index(new.id) < ids(both).index(
        old.id
    )
    scores = [one.score for one in both]
    assert scores == sorted(scores, reverse=True)


def test_what_held_then_stays_before_what_did_not():
    new = fact("new", at=NOW)
    past = {"status": Status.SUPERSEDED, "superseded_by": new.id, "valid_until": NOW}
    old = fact("old", at=NOW - 9 * DAY, **past)
    during = (NOW - 5 * DAY, NOW - 4 * DAY)
    both = united(ranking(new), ranking(old, new), during)
    assert ids(both) == [old.id, new.id]
    assert ids(united(ranking(new, old), ranking(new), during)) == [old.id, new.id]
    later = (NOW + DAY, NOW + 2 * DAY)
    assert ids(united(ranking(new), ranking(new, old), later)) == [new.id, old.id]
