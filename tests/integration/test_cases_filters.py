"""Filters before the cut, or refused; a stable order; importance, confidence and time."""

import math

import pytest

from tests.integration.cases import Stage

NOTES = [
    (1, ["homework"], "sales"),
    (3, ["work"], "billing"),
    (5, ["work", "AI"], "billing"),
    (7, ["mail"], "sales"),
]
FILTERS = [
    ({"category": "billing"}, {3, 5}),
    ({"priority": {"gte": 3, "lt": 7}}, {3, 5}),
    ({"category": {"in": ["billing", "legal"]}}, {3, 5}),
    ({"tags_any": ["work"]}, {3, 5}),
    ({"tags_all": ["work", "AI"]}, {5}),
    ({"tags_any": ["AI"]}, {5}),
    ({"no_such_key": "x"}, set()),
    ({"not": {"category": "billing"}}, {1, 7}),
    ({"metadata": {"category": "billing"}}, {3, 5}),
    ({"metadata": {"priority": {"gt": 3}}}, {5, 7}),
]


@pytest.fixture
def notes(stage: Stage) -> dict[str, int]:
    stage.embedder.neutral = True
    ids = {}
    for n, tags, category in NOTES:
        metadata = {"priority": n, "category": category}
        ids[stage.write(f"invoice note {n}", tags=tags, metadata=metadata)] = n
    stage.project()
    return ids


@pytest.mark.parametrize(("filters", "expected"), FILTERS)
def test_every_filter_is_applied(
    stage: Stage, notes: dict[str, int], filters: dict[str, object], expected: set[int]
) -> None:
    import json

    assert {notes[one] for one in stage.found("invoice", filters=filters)} == expected
    assert {notes[one] for one in stage.listed(filters=json.dumps(filters))} == expected


@pytest.mark.parametrize(
    "filters", [{"priority": {"frobnicate": 3}}, {"min_confidance": 0.9}, {"tag_any": ["work"]}]
)
def test_what_is_not_offered_is_refused_and_never_dropped(
    stage: Stage, notes: dict[str, int], filters: dict[str, object]
) -> None:
    reply = stage.search("invoice", filters=filters)
    assert reply.status == 400
    assert next(iter(filters)) in str(reply.error)


def test_filters_come_before_the_cut(stage: Stage) -> None:
    def near(text: str) -> list[float] | None:
        kind, _, number = text.partition(" ")
        cosine = {"near": 0.9 - int(number or 0) / 1000 if kind == "near" else 0, "far": 0.3}.get(
            kind
        )
        if text == "project status":
            return [1.0]
        return None if cosine is None else [cosine, math.sqrt(1 - cosine**2)]

    stage.embedder.rule = near
    may, january = "2026-05-01T00:00:00Z", "2026-01-05T00:00:00Z"
    stage.many([{"content": f"near {n}", "tags": ["bulk"], "event_time": may} for n in range(60)])
    far = [stage.write(f"far {n}", tags=["rare"], event_time=january) for n in range(3)]
    for n in range(30):
        stage.write(f"near {n}", user=f"other-{n}", tags=["rare"])
    stage.project()
    for filters in (
        {"tags_any": ["rare"]},
        {"event_from": "2026-01-01T00:00:00Z", "event_to": "2026-01-31T00:00:00Z"},
    ):
        assert set(stage.found("project status", filters=filters, top_k=3)) == set(far)


def test_the_order_does_not_depend_on_the_page_size(stage: Stage) -> None:
    stage.many([f"release note {n:02d} about caching" for n in range(30)])
    stage.project()
    of = {k: stage.found("caching release", top_k=k) for k in (3, 10, 30)}
    assert of[3] == of[10][:3] and of[10] == of[30][:10]
    assert of[30] == stage.found("caching release", top_k=30)
    assert len(set(of[30])) == 30


def test_importance_and_confidence_count_and_survive(stage: Stage) -> None:
    stage.embedder.neutral = True
    high = stage.write("note alpha about food", importance=0.9, confidence=0.9)
    low = stage.write("note beta about food", importance=0.1, confidence=0.9)
    zero = stage.write("note gamma about food", importance=0.5, confidence=0.0)
    middle = stage.write("note delta about food", importance=0.5, confidence=0.5)
    stage.project()
    order = stage.found("food")
    assert order.index(high) < order.index(low)
    assert order.index(middle) < order.index(zero)
    assert stage.get(zero).body["confidence"] == 0.0
    for importance in (1.7, "high"):
        reply = stage.send("x", importance=importance)
        assert reply.status == 400 and reply.error["details"]["field"] == "importance"


def test_a_future_date_is_no_negative_age(stage: Stage) -> None:
    stage.at("2026-09-01T00:00:00+00:00")
    texts = {"护照 12 月 20 日到期，需要续签": [1.0], "护照放在左边抽屉": [1.0], "护照": [1.0]}
    stage.embedder.known = dict(texts)
    coming = "2026-12-20T00:00:00+08:00"
    a = stage.write("护照 12 月 20 日到期，需要续签", type="todo", event_time=coming)
    b = stage.write("护照放在左边抽屉", type="fact", event_time="2026-09-01T00:00:00Z")
    stage.project()
    for mode in ("weighted", "score"):
        reply = stage.search("护照", mode=mode)
        scores = {one["id"]: one["score"] for one in reply.body["results"]}
        assert all(math.isfinite(score) for score in scores.values())
        assert set(scores) == {a, b}
    from datetime import datetime

    stored = datetime.fromisoformat(stage.get(a).body["event_time"])
    assert stored == datetime.fromisoformat("2026-12-19T16:00:00+00:00")
    stage.at("2027-03-01T00:00:00+00:00")
    assert a in stage.found("护照")


def test_mixed_forms_of_time_compare_as_instants(stage: Stage) -> None:
    stage.at("2026-01-16T00:00:00+00:00")
    naive = stage.send("t naive", event_time="2026-01-15T10:30:00")
    assert naive.status == 400 and naive.error["details"]["field"] == "event_time"
    assert stage.send("t date", event_time="2026-01-15").status == 400
    assert stage.send("bad", event_time="15/01/2026 25:99").status == 400
    b = stage.write("t zulu", event_time="2026-01-15T10:30:00Z")
    c = stage.write("t offset", event_time="2026-01-15T18:30:00+08:00")
    e = stage.write("t micros", event_time="2026-01-15T10:30:00.123456Z")
    stage.project()
    for _ in range(2):
        assert set(stage.found("t")) == {b, c, e}
    window = {"event_from": "2026-01-15T10:00:00Z", "event_to": "2026-01-15T11:00:00Z"}
    assert set(stage.found("t", filters=window)) == {b, c, e}
    assert stage.context("t", max_tokens=300).status == 200
    for one in (b, c, e):
        body = stage.get(one).body
        for name in ("event_time", "created_at", "updated_at"):
            assert body[name].endswith("Z") or body[name][-6] in "+-"
