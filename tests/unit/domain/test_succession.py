"""What a value that takes the place of another has of it."""

from datetime import timedelta

from hindwise.domain.memory import Type
from hindwise.domain.pairing import Ruling, resolved
from hindwise.domain.succession import KEPT_EVIDENCE, gathered
from hindwise.domain.yielding import Yielding
from hindwise.usecases.corroborate import corroborated
from tests.builders import NOW, fact
from tests.unit.usecases.desk import Desk, at, residence


def many(first: int, last: int) -> tuple[str, ...]:
    return tuple(f"E{number:025d}" for number in range(first, last))


def test_evidence_is_bounded_but_none_is_lost_that_was_there() -> None:
    few, lots = many(0, 3), many(0, 200)
    assert gathered(few, many(2, 6)) == many(0, 6)
    assert len(gathered(few, lots)) == KEPT_EVIDENCE
    assert gathered(lots, many(300, 310)) == lots
    known = fact(evidence_ids=lots)
    later = corroborated(known, many(300, 301), seen=NOW + timedelta(days=1), now=NOW)
    assert later is not None
    assert later.evidence_ids == lots


def test_a_pattern_of_much_evidence_keeps_it_when_another_merges_into_it() -> None:
    stays = fact(
        "Deploys on Friday fail, all of them", type=Type.PATTERN, evidence_ids=many(0, 300)
    )
    goes = fact("Deploys on Friday fail", type=Type.PATTERN, evidence_ids=many(300, 500))
    ruling = Ruling(verdict="duplicate", by="judge")
    for pair in ((stays, goes), (goes, stays)):
        after = resolved(pair, ruling, yielding=Yielding(), held=set(), now=NOW)
        kept = {later.id: later for _, later in after.changed}[stays.id]
        assert kept.evidence_ids == stays.evidence_ids


def test_what_is_said_again_and_again_still_fits_a_transaction() -> None:
    desk = Desk()
    last = ""
    for number in range(KEPT_EVIDENCE + 20):
        turn = desk.said(f"turn {number}").id
        day = at("2025-01-01T00:00:00Z") + timedelta(days=number)
        said = residence(
            f"住在北京，{chr(0x5B57 + number)}", day.isoformat(), value="北京", evidence_ids=(turn,)
        )
        last = desk.write(said).id
        assert turn in desk.read(last).evidence_ids
    assert len(desk.read(last).evidence_ids) == KEPT_EVIDENCE
