"""What is known of a name: from fields and texts, newest first, page by page, of one user alone."""

import pytest

from hindwise.domain.memory import Status
from hindwise.domain.query import View
from hindwise.errors import Invalid, Unavailable
from hindwise.usecases import entities
from hindwise.usecases.entities import Entity, entity
from tests.unit.usecases.desk import Desk, at, residence


def known(desk: Desk, name: str, *, user: str = "ada", view: View | None = None, **more) -> Entity:
    more = {"limit": 50, **more}
    return entity(name, view or View(), call=desk.call(user), engine=desk.engine, **more)


def contents(found: Entity) -> list[str]:
    return [one.content for one in found.memories]


def told(desk: Desk) -> None:
    for text, fields in (
        ("Ann moved to ＳＨＡＮＧＨＡＩ", {}),
        ("she likes it there", {"entities": ("Shanghai",)}),
        ("Shanghaied sailors", {}),
        ("nothing to do with it", {}),
    ):
        desk.clock.forward(seconds=1)
        desk.said(text, **fields)
    desk.clock.forward(seconds=1)
    desk.known("住址", subject="Ann", attribute="city", value="shanghai")


@pytest.mark.parametrize("projected", [True, False])
def test_fields_and_texts_name_it_whatever_the_spelling(desk: Desk, projected: bool) -> None:
    told(desk)
    if projected:
        desk.project()
    found = known(desk, "SHANGHAI")
    assert contents(found) == ["住址", "she likes it there", "Ann moved to ＳＨＡＮＧＨＡＩ"]
    assert (found.mentions, found.complete, found.after) == (3, True, None)
    (ann,) = found.neighbours
    assert (ann.name, ann.count, ann.relations[0].attribute) == ("Ann", 1, "city")
    assert contents(known(desk, "shanghai", user="bob")) == []


def test_chinese_names_are_found_inside_a_text(desk: Desk) -> None:
    desk.said("我下周去上海市出差")
    desk.said("海上的风很大")
    desk.project()
    assert contents(known(desk, "上海")) == ["我下周去上海市出差"]
    assert contents(known(desk, "风")) == ["海上的风很大"]


def test_a_name_of_stop_words_is_still_a_name(desk: Desk) -> None:
    desk.said("Will called")
    desk.project()
    assert contents(known(desk, "will")) == ["Will called"]


def test_only_what_may_be_seen_speaks(desk: Desk) -> None:
    desk.write(residence("用户住在北京", "2026-01-10T00:00:00Z", value="北京"))
    desk.write(residence("用户住在上海", "2026-03-01T00:00:00Z", value="上海"))
    gone = desk.said("北京很大")
    desk.project()
    desk.forget(gone.id)
    assert contents(known(desk, "北京")) == []
    past = View(include=frozenset({Status.SUPERSEDED}))
    assert contents(known(desk, "北京", view=past)) == ["用户住在北京"]
    assert contents(known(desk, "北京", view=View(as_of=at("2026-02-01T00:00:00Z")))) == [
        "用户住在北京"
    ]


def test_pages_hold_each_memory_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entities, "LOOKED_AT", 5)
    for number in range(17):
        desk.clock.forward(seconds=number % 3)
        desk.said(f"note {number} on Ann", entities=("Ann",) if number % 4 else ())
    desk.project()
    after, pages = None, []
    while True:
        page = known(desk, "ann", limit=3, after=after)
        pages.append(contents(page))
        assert not page.complete
        if (after := page.after) is None:
            break
        assert len(pages) < 20
    told = [int(text.split()[1]) for page in pages for text in page]
    assert len(told) == len(set(told))
    assert {one for one in range(17) if one % 4} <= set(told)
    by_time = [desk.store.page(desk.call().scope, after=None, examine=100).memories]
    order = [one.content for one in by_time[0]]
    assert [order.index(f"note {one} on Ann") for one in told] == sorted(
        order.index(f"note {one} on Ann") for one in told
    )


def test_a_cursor_that_says_no_place_is_refused(desk: Desk) -> None:
    with pytest.raises(Invalid, match="cursor"):
        known(desk, "Ann", after="tomorrow|x")


def test_the_fallback_answers_and_says_so(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    told(desk)
    desk.project()
    from dataclasses import replace

    class Down:
        def __getattr__(self, name: str):
            def fail(*_: object, **__: object) -> None:
                raise Unavailable("the index is down")

            return fail

    whole = desk.engine
    desk.engine = replace(whole, index=Down(), fallback=whole.index)
    found = known(desk, "shanghai")
    assert len(found.memories) == 3 and found.degraded == ("index",)
    desk.engine = replace(whole, index=Down())
    with pytest.raises(Unavailable):
        known(desk, "shanghai")
