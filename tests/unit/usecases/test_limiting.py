"""Limits of a tenant: told apart, counted over containers, cheap, and never in anybody's way."""

from dataclasses import replace

import pytest

from hindwise.domain.limits import Limits, TenantLimits
from hindwise.errors import Limited, Unavailable
from hindwise.usecases.limiting import Allowance, Limiter, Metered
from tests.builders import NOW, Clock
from tests.fakes import InMemoryStore
from tests.unit.usecases.desk import Desk

FEW = Limits(requests_per_minute=20, writes_per_minute=10, searches_per_minute=0)


class Stage:
    """Some containers over one table; `now` is everybody's clock, `seconds` never go back."""

    def __init__(self, limits=FEW, containers=1):
        self.clock = Clock()
        self.clock.now = NOW.replace(second=0)
        self.seconds = 0.0
        self.store = InMemoryStore(self.clock)
        self.rates = self.store.rates
        self.containers = [
            Limiter(self.rates, limits, seconds=lambda: self.seconds) for _ in range(containers)
        ]

    def forward(self, seconds):
        self.seconds += seconds
        self.clock.forward(seconds=seconds)

    def let(self, at=0, *, asked=("requests", "writes"), tenant="acme"):
        try:
            self.containers[at].admit(tenant, asked, now=self.clock())
        except Limited as error:
            return error
        return None


def test_over_the_limit_says_which_and_when_to_come_back():
    stage = Stage()
    stage.forward(18)
    assert [stage.let() for _ in range(10)] == [None] * 10
    error = stage.let()
    assert (error.status, error.details) == (
        429,
        {"limit": "writes_per_minute", "allowed": 10, "retry_after": 42},
    )
    assert "writes_per_minute" in str(error)
    assert stage.let(asked=("requests", "searches")) is None
    assert stage.let(tenant="zeta") is None
    stage.forward(42)
    assert stage.let() is None


def test_the_limit_of_all_requests_holds_for_every_kind():
    stage = Stage()
    seen = [stage.let(asked=("requests", "searches")) for _ in range(21)]
    assert seen[:20] == [None] * 20
    assert seen[20].details["limit"] == "requests_per_minute"


def test_zero_is_no_limit_and_a_tenant_may_have_its_own():
    limits = Limits(
        requests_per_minute=0,
        writes_per_minute=1,
        tenants={"big": TenantLimits(writes_per_minute=0), "small": TenantLimits()},
    )
    stage = Stage(limits)
    assert [stage.let(tenant="big") for _ in range(500)] == [None] * 500
    assert stage.let(tenant="small") is None and stage.let(tenant="small") is not None
    assert limits.of("big").told()["writes_per_minute"] == 0
    assert limits.of("other").told() == Limits(requests_per_minute=0, writes_per_minute=1).told()


def test_two_containers_share_a_limit_within_five_seconds():
    stage = Stage(containers=2)
    let = 0
    for _ in range(12):
        let += sum(stage.let(at) is None for at in (0, 1))
        stage.forward(2.5)
    assert 10 <= let <= 14
    assert stage.let(0) is not None and stage.let(1) is not None


def test_a_request_costs_less_than_half_a_write():
    stage = Stage(Limits())
    for n in range(1_000):
        stage.forward((0.001, 0.3, 7)[n % 3])
        stage.let()
    assert stage.rates.writes <= 500
    alone = Stage(Limits())
    for _ in range(10):
        alone.forward(60)
        alone.let()
    assert alone.rates.writes == 0


def test_counters_that_do_not_answer_let_everybody_through_but_what_is_known_here():
    stage = Stage()
    stage.store.faults.fail_next(100, on="rates")
    for _ in range(10):
        assert stage.let() is None
        stage.forward(1)
    assert stage.let() is not None
    assert stage.rates.writes <= 3


def test_a_clock_that_jumps_back_neither_locks_out_nor_raises():
    stage = Stage()
    for _ in range(5):
        stage.let()
    stage.clock.forward(seconds=-90)
    assert [stage.let() for _ in range(10)] == [None] * 10
    assert stage.let() is not None
    stage.clock.forward(seconds=3_600)
    assert stage.let() is None


def test_many_tenants_do_not_fill_a_container():
    stage = Stage()
    for n in range(1_500):
        assert stage.let(tenant=f"t-{n}") is None
    assert len(stage.containers[0]._tenants) <= 1_000


class Words:
    """An embedder that counts."""

    id, dimensions = "words", 1

    def __init__(self):
        self.texts = 0

    def query(self, text):
        self.texts += 1
        return [1.0]

    def documents(self, texts):
        self.texts += len(texts)
        return [[1.0] for _ in texts]


def allowance(stage, texts):
    return Allowance(stage.rates, Limits(embeddings_per_day=texts), stage.clock)


def test_no_more_is_embedded_than_a_day_allows_over_all_containers():
    stage, words = Stage(), Words()
    one, two = (Metered(words, "acme", allowance(stage, 5)) for _ in range(2))
    one.documents(["a", "b", "c"])
    two.query("d")
    with pytest.raises(Unavailable, match="embeddings_per_day"):
        one.documents(["e", "f"])
    with pytest.raises(Unavailable) as some:
        one.documents(["e", "f"])
    assert some.value.details == {"refused": [1]}
    two.query("e")
    for metered in (one, two):
        with pytest.raises(Unavailable) as error:
            metered.query("f")
    assert error.value.details == {"limit": "embeddings_per_day", "allowed": 5}
    assert words.texts == 5
    stage.clock.forward(days=1)
    assert one.query("g") == [1.0]


def test_an_allowance_of_nothing_bounds_and_counts_nothing():
    stage, words = Stage(), Words()
    Metered(words, "acme", allowance(stage, 0)).documents(["a"] * 100)
    assert (words.texts, stage.rates.writes) == (100, 0)


def test_texts_are_embedded_where_the_counter_does_not_answer():
    stage, words = Stage(), Words()
    metered = Metered(words, "acme", allowance(stage, 2))
    stage.store.faults.fail_next(on="rates")
    metered.documents(["a", "b"])
    metered.documents(["a", "b"])
    with pytest.raises(Unavailable):
        metered.query("c")
    assert words.texts == 4


def test_of_a_batch_over_the_allowance_as_much_is_embedded_as_may_be():
    desk = Desk()
    limited = Allowance(desk.store.rates, Limits(embeddings_per_day=3), desk.clock)
    desk.engine = replace(desk.engine, allowance=limited)
    for n in range(7):
        desk.known(f"fact number {n} is {n}")
    for done in (3, 3, 1):
        assert len(desk.project().done) == done
        assert len(desk.project().done) == 0
        desk.clock.forward(days=1)


def test_what_may_not_be_embedded_today_is_found_by_words_and_embedded_tomorrow():
    desk = Desk()
    limited = Allowance(desk.store.rates, Limits(embeddings_per_day=1), desk.clock)
    desk.engine = replace(desk.engine, allowance=limited)
    desk.said("the blue kettle whistles")
    assert len(desk.project().done) == 1
    second = desk.said("a green kettle rusts").memory.id
    projected = desk.project()
    assert (len(projected.done), [*projected.failed.values()]) == (0, ["embedder unavailable"])
    assert desk.project().failed == {}, "it is not tried again before tomorrow"
    found = desk.ask("rusts")
    assert found.degraded == ("embedder",)
    assert second in [hit.memory.id for hit in found.hits]
    desk.clock.forward(days=1)
    assert len(desk.project().done) == 1
    documents = desk.store.projections.documents(desk.call().scope, [second])
    assert documents[second].vector is not None


def test_the_minute_that_a_request_is_counted_in_is_the_servers():
    stage = Stage()
    stage.let()
    stage.forward(5)
    stage.let()
    minute = NOW.replace(second=0).isoformat(timespec="minutes")
    assert stage.rates.minutes["acme", minute]["writes"] == 2
