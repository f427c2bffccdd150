"""Whatever is written, compared, edited and forgotten, in any order: one value is current."""

from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hindwise.domain.drafts import SemanticDraft
from hindwise.domain.memory import SemanticMemory, Status
from hindwise.domain.scope import Origin
from hindwise.domain.supersession import slot_key
from tests.builders import NOW
from tests.unit.usecases.desk import home
from tests.unit.usecases.settling import SettlingDesk

CITIES = ("Oslo", "Bergen", "Molde")
TEXTS = [f"{start} {city}" for city in CITIES for start in ("lives in", "has moved to")]
VERDICTS = st.sampled_from(["duplicate", "update", "contradiction", "coexist", "unrelated"])
DAYS = st.integers(-9, 0)
AT = st.integers(0, 9)
SLOTS = st.sampled_from(["home", "city"])
WRITE = st.tuples(
    st.just("write"),
    st.sampled_from(TEXTS),
    st.one_of(st.none(), SLOTS),
    st.sampled_from([Origin.OWNER, Origin.AGENT]),
    DAYS,
    st.sampled_from([0.4, 0.8, 1.0]),
)
COMPARE = st.tuples(st.just("compare"), AT)
OTHERS = st.one_of(
    st.tuples(st.just("compare_all")),
    st.tuples(st.just("edit"), AT, st.sampled_from(TEXTS), DAYS),
    st.tuples(st.just("move"), AT, SLOTS),
    st.tuples(st.just("forget"), AT),
)
STEPS = st.lists(st.one_of(WRITE, WRITE, COMPARE, OTHERS), min_size=3, max_size=20)


class Home:
    """One user's homes, told and compared by a judge of one opinion."""

    def __init__(self, verdict: str) -> None:
        def opinion(new: str, other: str) -> str:
            return "duplicate" if new.split()[-1] == other.split()[-1] else verdict

        self.desk = SettlingDesk(opinion)
        self.desk.alike(*TEXTS, cosine=0.8)
        self.ids: set[str] = set()

    def write(self, text: str, slot: str | None, who: Origin, days: int, sure: float) -> None:
        draft = SemanticDraft(
            content=text,
            subject="user" if slot else None,
            attribute=slot,
            event_time=NOW + timedelta(days=days),
            confidence=sure,
        )
        self.ids.add(self.desk.write(draft, ceiling=who).id)

    def compare(self, at: int) -> None:
        self.desk.project()
        for record in self._one(at, of=self.desk.all()):
            self.desk.settle(record.id)

    def compare_all(self) -> None:
        self.desk.drain()

    def edit(self, at: int, text: str, days: int) -> None:
        for record in self._one(at):
            moment = NOW + timedelta(days=days)
            self.desk.edit(record.id, content=text, event_time=moment, confidence=0.9)

    def move(self, at: int, slot: str) -> None:
        for record in self._one(at):
            self.desk.edit(record.id, subject="user", attribute=slot, cardinality="one")

    def forget(self, at: int) -> None:
        for record in self._one(at):
            self.desk.forget(record.id)

    def _one(self, at: int, of: list[SemanticMemory] | None = None) -> list[SemanticMemory]:
        """One of the records that the caller may change, none where there is none."""
        records = of or [one for one in self.desk.all() if one.origin is Origin.OWNER]
        return [records[at % len(records)]] if records else []

    def end(self) -> None:
        """What nobody pointed at is found by the sweep."""
        self.desk.drain()
        for _ in range(5):
            self.desk.clock.forward(minutes=1)
            self.desk.overdue()
        self.desk.drain()

    def check(self) -> None:
        """One current value in each slot, which holds it, and chains that end."""
        records = {one.id: one for one in self.desk.all()}
        current = [one for one in records.values() if one.status is Status.ACTIVE]
        slots = [(slot_key(one), one.id) for one in current if slot_key(one)]
        assert len(slots) == len({key for key, _ in slots}), [one.content for one in current]
        for key, holder in slots:
            slot = self.desk.store.slot(home(), key or "")
            assert slot is not None and slot.holder == holder
        for record in records.values():
            assert 0 <= record.confidence <= 1
            self._leads_somewhere(record, records)

    def _leads_somewhere(self, record: SemanticMemory, records: dict[str, SemanticMemory]) -> None:
        seen = {record.id}
        while record.superseded_by is not None:
            assert record.status is not Status.ACTIVE
            if record.superseded_by in self.ids - records.keys():
                return
            record = records[record.superseded_by]
            assert record.id not in seen, "a circle of successors"
            seen.add(record.id)


@settings(max_examples=150, deadline=None)
@given(VERDICTS, STEPS)
def test_one_value_of_a_slot_is_current_whatever_happens(
    verdict: str, steps: list[tuple[Any, ...]]
) -> None:
    homes = Home(verdict)
    for name, *given_ in steps:
        getattr(homes, name)(*given_)
        homes.check()
    homes.end()
    homes.check()
    assert homes.desk.unsettled() == []


@settings(max_examples=60, deadline=None)
@given(VERDICTS, st.lists(WRITE, min_size=2, max_size=5), st.permutations(range(5)))
def test_what_is_current_in_the_end_does_not_depend_on_who_is_compared_first(
    verdict: str, writes: list[tuple[Any, ...]], order: list[int]
) -> None:
    """Two desks hear the same and compare in another order; pairs are decided alike."""
    ends = []
    for turned in (False, True):
        homes = Home(verdict)
        for _, text, _, _, days, _ in writes:
            homes.write(text, None, Origin.OWNER, days, 0.8)
        homes.desk.project()
        ids = [one.id for one in homes.desk.all()]
        for n in order if turned else range(5):
            if n < len(ids):
                homes.desk.settle(ids[n])
        homes.end()
        ends.append({one.split()[-1] for one in homes.desk.current()})
    assert ends[0] == ends[1]
