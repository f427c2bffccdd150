"""Search over the truth.

Own writes, stale projections, filters before the cut, time, degraded answers.
"""

import pytest

from hindwise.domain.memory import Episode
from hindwise.domain.query import Condition, Expand, Filter, Operator
from hindwise.domain.scope import Origin
from hindwise.errors import Unavailable
from hindwise.usecases.engine import Engine
from tests.unit.usecases.desk import Desk, at, only


class Down:
    """An embedder or index that is not there."""

    id = "hashed-ngrams-v1:1024"
    dimensions = 1024

    def __getattr__(self, name: str) -> object:
        def down(*args: object, **more: object) -> object:
            raise Unavailable("down")

        return down


def test_a_write_is_found_by_the_next_search_though_nothing_was_projected(desk: Desk) -> None:
    written = desk.said("The ferry leaves at noon")
    assert desk.contents("ferry") == ["The ferry leaves at noon"]
    desk.edit(written.id, content="The ferry leaves at dusk")
    assert desk.contents("ferry") == ["The ferry leaves at dusk"]
    desk.forget(written.id)
    assert desk.contents("ferry") == []


def test_an_edit_is_seen_over_a_stale_projection(desk: Desk) -> None:
    written = desk.said("Sings in the harbour choir")
    desk.project()
    desk.edit(written.id, content="Plays the drums in a band")
    assert desk.contents("drums") == ["Plays the drums in a band"]
    hit = desk.ask("choir").hits[0]
    assert hit.why.matched_terms == ()


def test_a_forgotten_memory_is_gone_though_the_index_still_has_it(desk: Desk) -> None:
    gone, kept = desk.said("secret canary"), desk.said("canary bird")
    desk.project()
    desk.forget(gone.id)
    assert desk.contents("canary") == ["canary bird"]
    desk.project()
    assert list(desk.index.versions(desk.call().scope)) == [kept.id]


def test_projecting_twice_or_late_gives_the_same_index(desk: Desk) -> None:
    for n in range(5):
        desk.said(f"turn {n}", session_id="s")
    rows = [row for b in range(16) for row in desk.store.projections.dirty(b, 100)]
    from hindwise.usecases.project import project

    for batch in (rows[2:], rows[::-1], rows):
        project(batch, engine=desk.engine, now=desk.clock())
    once = Desk()
    once_rows = [once.said(f"turn {n}", session_id="s") for n in range(5)]
    once.project()
    documents = desk.store.projections.newest(desk.call().scope, 10)
    expected = once.store.projections.newest(once.call().scope, 10)
    assert len(once_rows) == 5
    assert [d.text_hash for d in documents] == [d.text_hash for d in expected]
    assert [d.words for d in documents] == [d.words for d in expected]
    assert desk.store.backlog(desk.call().scope, 10).changes == ()


def test_a_turn_is_embedded_with_the_one_before_it_whatever_came_first(desk: Desk) -> None:
    second = desk.said("yes, on Friday", session_id="s", seq=2)
    desk.project()
    alone = desk.store.projections.documents(desk.call().scope, [second.id])[second.id].text_hash
    first = desk.said("shall we meet?", session_id="s", seq=1)
    desk.project()
    together = desk.store.projections.documents(desk.call().scope, [second.id])[second.id]
    assert together.text_hash != alone
    desk.forget(first.id)
    desk.project()
    again = desk.store.projections.documents(desk.call().scope, [second.id])[second.id]
    assert again.text_hash == alone


def test_unchanged_text_is_never_embedded_again(desk: Desk) -> None:
    written = desk.said("text that stays")
    desk.project()
    vector = desk.store.projections.documents(desk.call().scope, [written.id])[written.id].vector
    desk.engine = Engine(**{**vars_of(desk.engine), "embedder": Down()})
    desk.edit(written.id, metadata={"a": 1})
    assert desk.project().failed == {}
    document = desk.store.projections.documents(desk.call().scope, [written.id])[written.id]
    assert document.version == 2 and document.vector == vector


def vars_of(engine: Engine) -> dict[str, object]:
    names = ("store", "projections", "index", "embedder", "access", "fallback")
    return {name: getattr(engine, name) for name in names}


def test_with_the_embedder_down_keywords_answer_and_the_backlog_waits(desk: Desk) -> None:
    desk.said("Ferry leaves at noon")
    desk.project()
    healthy = desk.engine
    desk.engine = Engine(**{**vars_of(healthy), "embedder": Down()})
    during = desk.said("Ticket code hint is HARBOR")
    assert list(desk.project().failed.values()) == ["embedder unavailable"]
    found = desk.ask("HARBOR")
    assert found.degraded == ("embedder",)
    assert found.hits[0].memory.id == during.id
    assert desk.contents("ferry")[0] == "Ferry leaves at noon"
    desk.engine = healthy
    assert desk.project().failed == {}
    document = desk.store.projections.documents(desk.call().scope, [during.id])[during.id]
    assert document.vector is not None
    assert desk.ask("HARBOR").degraded == ()


def test_with_the_index_down_the_fallback_answers_and_says_so(desk: Desk) -> None:
    desk.said("Ferry leaves at noon")
    desk.project()
    desk.engine = Engine(**{**vars_of(desk.engine), "index": Down(), "fallback": desk.index})
    found = desk.ask("ferry")
    assert (found.degraded, len(found.hits)) == (("index",), 1)
    desk.engine = Engine(**{**vars_of(desk.engine), "fallback": None})
    with pytest.raises(Unavailable):
        desk.ask("ferry")


def test_filters_apply_before_the_cut(desk: Desk) -> None:
    for n in range(60):
        desk.said(f"project status {n}", tags=("bulk",), event_time=at("2026-05-01T00:00:00Z"))
    for n in range(3):
        desk.said(f"unrelated {n}", tags=("rare",), event_time=at("2026-01-05T00:00:00Z"))
    desk.project()
    found = desk.contents("project status", filter=only("tags", ["rare"], Operator.IN), top_k=3)
    assert sorted(found) == ["unrelated 0", "unrelated 1", "unrelated 2"]
    january = Filter(
        all_of=(
            Condition(field="event_time", op=Operator.GTE, value=at("2026-01-01T00:00:00Z")),
            Condition(field="event_time", op=Operator.LT, value=at("2026-01-31T00:00:00Z")),
        )
    )
    assert len(desk.contents("project status", filter=january, top_k=3)) == 3


def test_the_order_does_not_depend_on_how_many_are_asked_for(desk: Desk) -> None:
    for n in range(30):
        desk.said(f"release note {n:02d} about caching")
    desk.project()
    of = {k: [h.memory.id for h in desk.ask("caching release", top_k=k).hits] for k in (3, 10, 30)}
    assert of[3] == of[10][:3] and of[10] == of[30][:10]
    assert len(set(of[30])) == 30
    assert of[30] == [h.memory.id for h in desk.ask("caching release", top_k=30).hits]


def test_users_with_the_same_words_see_only_their_own(desk: Desk) -> None:
    for user in ("a", "a#b", "a:b", "a/b", "A", "张三", "a%2Fb", "aé"):
        desk.said(f"secret of {user}", user)
    desk.project()
    for user in ("a", "a#b", "a:b", "a/b", "A", "张三", "a%2Fb", "aé"):
        assert desk.contents("secret", user) == [f"secret of {user}"]


def test_the_parts_of_a_score_sum_to_it(desk: Desk) -> None:
    for n in range(6):
        desk.said(f"release {n} failed on Friday", session_id="s")
    desk.project()
    for mode in ("context", "weighted", "rrf", "score"):
        for hit in desk.ask("failed release", mode=mode, explain=True).hits:
            assert hit.why.parts is not None and hit.score is not None
            assert sum(p.contribution for p in hit.why.parts) == pytest.approx(hit.score, abs=1e-6)


def test_without_a_question_it_lists_by_filter(desk: Desk) -> None:
    desk.said("minor", importance=0.2)
    desk.said("major", importance=0.9)
    desk.known("known")
    desk.project()
    assert desk.contents(filter=only("kind", "episodic")) == ["major", "minor"]
    assert desk.contents(filter=only("kind", "semantic")) == ["known"]


def test_neighbouring_turns_come_once_each_and_in_order(desk: Desk) -> None:
    turns = [
        "要不要自己写排队系统？",
        "自己写要两个人做一个月",
        "买现成的一年八千块",
        "预算批了一万",
        "那就买现成的",
    ]
    for turn in turns:
        desk.said(turn, session_id="s-9")
    for n in range(40):
        desk.said(f"别的事情 {n}", session_id=f"other-{n}")
    desk.project()
    found = desk.ask("为什么不自己写排队系统", top_k=3, expand=Expand(turns=4))
    seqs = [turn.seq for turn in found.turns if turn.session_id == "s-9"]
    hits = [hit.memory for hit in found.hits]
    of_hits = [one.seq for one in hits if isinstance(one, Episode) and one.session_id == "s-9"]
    assert of_hits and seqs == sorted(seqs) and sorted(seqs + of_hits) == [1, 2, 3, 4, 5]


def test_access_is_counted_only_for_who_may(desk: Desk) -> None:
    desk.said("owner's word")
    desk.ask("owner's word")
    assert len(desk.access.sent) == 1
    from hindwise.domain.query import Query
    from hindwise.usecases.search import search

    stranger = desk.call(ceiling=Origin.UNKNOWN)
    search(Query(text="owner's word", now=desk.clock()), call=stranger, engine=desk.engine)
    assert len(desk.access.sent) == 1


def test_a_threshold_drops_no_own_write_for_being_late(desk: Desk) -> None:
    for n in range(60):
        desk.said(f"the same lighthouse story number {n}")
    found = desk.ask("the same lighthouse story number", min_score=0.1, top_k=100)
    assert len(found.hits) == 60
