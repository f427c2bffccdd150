"""A question that names days of the past is answered with what held then, in both languages."""

from datetime import datetime

import pytest

from hindwise.domain.memory import Status
from hindwise.domain.query import View
from tests.unit.usecases.desk import Desk, at, residence

NOW = at("2026-06-15T09:00:00+08:00")
BEIJING, SHANGHAI = "用户住在北京的胡同里", "用户搬到了上海，现在住在浦东"
CITIES = {
    "zh": (BEIJING, SHANGHAI, "我住在哪里？"),
    "en": ("The user lives in Beijing", "The user moved, lives in Shanghai", "where do I live?"),
}  # fmt: skip


def moved(desk: Desk, language: str = "zh", **more: object) -> tuple[str, str]:
    old, new, _ = CITIES[language]
    desk.clock.now = at("2026-01-10T09:00:00+08:00")
    first = desk.write(residence(old, "2026-01-10T09:00:00+08:00", **more)).id
    for number in range(12):
        desk.said(f"三月里住的地方聊了很多 {number}, lived and talked", session_id="s")
    desk.clock.now = NOW
    second = desk.write(residence(new, "2026-04-15T09:00:00+08:00", **more)).id
    desk.project()
    return first, second


def best(desk: Desk, text: str, **fields: object) -> str:
    return desk.ask(text, now=NOW, **fields).hits[0].memory.content


def values(desk: Desk, text: str, **fields: object) -> list[str]:
    found = desk.ask(text, now=NOW, top_k=20, **fields).hits
    return [hit.memory.content for hit in found if hit.memory.kind == "semantic"]


@pytest.mark.parametrize("language", CITIES)
def test_now_is_the_present_value_alone(desk: Desk, language: str) -> None:
    moved(desk, language)
    old, new, question = CITIES[language]
    assert best(desk, question) == new
    assert values(desk, question) == [new]
    then = View(as_of=at("2026-03-10T00:00:00+08:00"))
    assert best(desk, question, view=then) == old
    assert values(desk, question, view=then) == [old]


@pytest.mark.parametrize("mode", ["context", "weighted", "rrf", "score"])
@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("我三月份住在哪里？", "zh"),
        ("今年3月我住哪儿", "zh"),
        ("2026年2月的时候我住在哪", "zh"),
        ("3月12日那天我住在哪", "zh"),
        ("where did I live in March?", "en"),
        ("where did I live on 12 March 2026", "en"),
        ("where did I live last February?", "en"),
    ],
)
def test_days_of_the_past_ask_for_what_held_then(
    desk: Desk, question: str, language: str, mode: str
) -> None:
    moved(desk, language)
    old, new, _ = CITIES[language]
    order = values(desk, question, mode=mode)
    assert order == [old, new]


@pytest.mark.parametrize(
    "question", ["我五月住在哪里？", "我上周住在哪？", "where did I live in May?"]
)
def test_what_was_over_before_those_days_stays_away(desk: Desk, question: str) -> None:
    moved(desk)
    assert values(desk, question) == [SHANGHAI]


@pytest.mark.parametrize(
    "question", ["我今年住在哪里？", "where do I live this month?", "这个月我住哪", "明天我住哪"]
)
def test_days_that_are_not_over_ask_for_the_present(desk: Desk, question: str) -> None:
    moved(desk)
    assert values(desk, question) == [SHANGHAI]


def test_the_days_are_those_of_the_caller(desk: Desk) -> None:
    first = desk.write(residence("住在北京", "2026-01-10T00:00:00Z")).id
    second = desk.write(residence("住在上海", "2026-03-01T02:00:00+08:00")).id
    desk.clock.now = at("2026-06-15T00:00:00Z")
    desk.project()

    def february(now: str) -> list[str]:
        found = desk.ask("二月住在哪", now=at(now)).hits
        return [hit.memory.id for hit in found]

    assert february("2026-06-15T09:00:00+08:00")[0] == first
    # At 18:00 UTC on the last day of February it is March where they moved.
    march = desk.ask("3月1日住在哪", now=at("2026-06-15T09:00:00+08:00")).hits
    assert {hit.memory.id for hit in march} == {first, second}
    later = desk.ask("3月1日住在哪", now=at("2026-06-15T09:00:00+00:00")).hits
    assert [hit.memory.id for hit in later] == [second]


def test_it_says_that_it_is_superseded_and_since_when(desk: Desk) -> None:
    first, second = moved(desk)
    found = desk.ask("我三月住在哪里？", now=NOW, explain=True, top_k=20)
    hit = next(hit for hit in found.hits if hit.memory.kind == "semantic")
    assert (hit.memory.id, hit.memory.status, hit.memory.superseded_by) == (
        first, "superseded", second,
    )  # fmt: skip
    assert hit.memory.valid_until == at("2026-04-15T09:00:00+08:00")
    assert hit.why.time_words[0].word.startswith("三月")
    assert hit.why.parts is not None
    assert sum(part.contribution for part in hit.why.parts) == pytest.approx(hit.score)


def test_a_value_between_two_others_is_found_for_its_days(desk: Desk) -> None:
    desk.clock.now = NOW
    for text, day in (("住在北京", "01-10"), ("住在广州", "03-01"), ("住在上海", "04-15")):
        desk.write(residence(text, f"2026-{day}T00:00:00+08:00"))
    desk.project()
    assert values(desk, "我二月住哪") == ["住在北京", "住在上海"]
    assert values(desk, "我四月一号住哪") == ["住在广州", "住在上海"]
    assert set(values(desk, "我三月到四月住哪")) == {"住在广州", "住在上海"}


def test_a_view_of_another_moment_decides_alone(desk: Desk) -> None:
    moved(desk)
    then = View(as_of=at("2026-05-10T00:00:00+08:00"))
    assert values(desk, "我三月住在哪里？", view=then) == [SHANGHAI]
    early = View(known_at=at("2026-03-10T00:00:00+08:00"))
    assert values(desk, "我三月住在哪里？", view=early) == [BEIJING]


@pytest.mark.parametrize("projected", [True, False])
def test_without_a_slot_the_chain_tells_which_are_of_one_thing(desk: Desk, projected: bool) -> None:
    desk.clock.now = NOW
    old = desk.known("Mo's board is on Trello", event_time=at("2026-01-01T00:00:00Z"))
    new = desk.known("Mo's board moved to Linear", event_time=at("2026-04-01T00:00:00Z"))
    kept = desk.store.world.home(desk.call().scope).memories
    kept[old.id] = desk.read(old.id).model_copy(
        update={
            "status": Status.SUPERSEDED, "superseded_by": new.id,
            "valid_until": datetime.fromisoformat("2026-04-01T00:00:00Z"),
        }
    )  # fmt: skip
    if projected:
        desk.project()
    assert values(desk, "where was Mo's board in February") == [
        "Mo's board is on Trello", "Mo's board moved to Linear",
    ]  # fmt: skip
    assert values(desk, "where is Mo's board") == ["Mo's board moved to Linear"]


def test_what_happened_on_those_days_is_still_found_first(desk: Desk) -> None:
    moved(desk)
    desk.said("三月十二日我去看了牙医", event_time=at("2026-03-12T10:00:00+08:00"))
    desk.project()
    assert best(desk, "三月十二日我去哪里看牙医了") == "三月十二日我去看了牙医"
