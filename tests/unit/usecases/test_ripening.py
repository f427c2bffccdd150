"""Which episodes count towards a consolidation, as they are projected."""

from hindwise.usecases.engine import Engine
from hindwise.usecases.ripening import Ripener
from tests.unit.usecases.desk import Desk


def watched() -> Desk:
    desk = Desk()
    ripener = Ripener(desk.store.ripening)
    desk.engine = Engine(**{**vars(desk.engine), "ripener": ripener})
    return desk


def counted(desk: Desk) -> dict[str, int]:
    found = [one for bucket in range(16) for one in desk.store.ripening.ripe(bucket, 100)]
    return {one.domain: one.episodes for one in found}


def test_important_episodes_count_once_in_their_domain() -> None:
    desk = watched()
    for number in range(6):
        desk.said(f"release {number} failed", domain="release", importance=0.7)
        desk.said(f"lunch {number} was late", domain="lunch", importance=0.6)
        desk.known(f"a fact, {number}", domain="facts", importance=0.9)
    desk.project()
    assert counted(desk) == {"release": 6}


def test_one_that_becomes_important_counts_then_and_no_other_edit_does() -> None:
    desk = watched()
    small = desk.said("release 0 failed", importance=0.5)
    for number in range(1, 5):
        desk.said(f"release {number} failed", importance=0.7)
    desk.project()
    assert counted(desk) == {}
    desk.edit(small.id, importance=0.9)
    desk.project()
    assert counted(desk) == {"general": 5}
    desk.edit(small.id, importance=0.8)
    desk.project()
    assert counted(desk) == {"general": 5}


def test_projection_does_not_wait_for_the_count() -> None:
    desk = watched()
    desk.said("release failed", importance=0.7)
    desk.store.faults.fail_next(on="note")
    assert desk.project().failed == {}
