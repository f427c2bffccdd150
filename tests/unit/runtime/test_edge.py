"""What is done beside the work waits for nobody; refusals are noted item by item."""

import time
from threading import Event

import pytest

from hindwise.errors import Unavailable
from hindwise.runtime.beside import Beside, SoonRates
from hindwise.runtime.edge import _refusals
from hindwise.runtime.http import Answer
from tests.builders import NOW

REFUSED = {"code": "refused", "message": "", "details": {"rules": ["lesson"]}}
LOST = {"code": "conflict", "message": "", "details": {}}


def test_refusals_are_noted_of_a_batch_item_by_item():
    assert _refusals(Answer({"error": REFUSED}, 422)) == [REFUSED]
    results = [{"index": 0, "id": "x"}, {"index": 1, "error": REFUSED}, {"error": LOST}]
    assert _refusals(Answer({"results": results}, 207)) == [REFUSED]
    assert _refusals(Answer({"id": "x"}, 201)) == _refusals(Answer({"error": LOST}, 409)) == []


class Slow:
    """Counters that answer when they are told to."""

    def __init__(self) -> None:
        self.go = Event()
        self.asked = 0

    def add(self, tenant, used, *, now):
        self.asked += 1
        self.go.wait(5)
        return dict(used)

    def embed(self, tenant, texts, *, now):
        raise Unavailable("down")


def test_who_does_not_answer_is_waited_for_once_and_briefly():
    slow = Slow()
    rates = SoonRates(slow, Beside(seconds=0.05))
    began = time.monotonic()
    for _ in range(20):
        with pytest.raises(Unavailable):
            rates.add("acme", {"requests": 1}, now=NOW)
    assert time.monotonic() - began < 1
    assert slow.asked == 1
    slow.go.set()
    time.sleep(0.05)
    assert rates.add("acme", {"requests": 1}, now=NOW) == {"requests": 1}
    with pytest.raises(Unavailable, match="down"):
        rates.embed("acme", 1, now=NOW)
