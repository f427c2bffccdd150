"""What the neighbour round asks for, and what the diversity cut leaves out."""

from hindwise.domain.ranking import missing_places, rank, without_near_duplicates
from tests.builders import episode, fact
from tests.unit.domain.ranking.made import asked, candidate, ids


def test_the_places_beside_the_best_are_missing_unless_they_are_candidates():
    turns = [candidate(episode("tea", session_id="s", seq=seq)) for seq in (4, 5)]
    places = missing_places(turns, rank(turns, asked("tea")))
    assert sorted(places) == [("s", 2), ("s", 3), ("s", 6), ("s", 7)]


def test_no_place_is_before_the_session():
    first = candidate(episode("tea", session_id="s", seq=0))
    assert missing_places([first], rank([first], asked("tea"))) == [("s", 1), ("s", 2)]


def test_only_the_best_have_neighbours_and_only_turns():
    items = [
        candidate(fact("green tea")),
        candidate(episode("tea", session_id="s", seq=5)),
        candidate(episode("tea", session_id="s")),
        candidate(episode("elsewhere", session_id="t", seq=5)),
    ]
    places = missing_places(items, rank(items, asked("tea")), best=3, span=1)
    assert sorted(places) == [("s", 4), ("s", 6)]


def test_repetitions_are_left_out_and_the_limit_holds():
    texts = ["the user drinks green tea", "The user drinks green tea!", "a walk", "a swim"]
    items = [candidate(fact(text), cosine=0.9 - 0.1 * i) for i, text in enumerate(texts)]
    ranked = rank(items, asked("x"))
    kept = ids(without_near_duplicates(ranked, limit=2))
    assert len(kept) == 2
    assert len({items[0].document.id, items[1].document.id} & set(kept)) == 1
    assert len(without_near_duplicates(ranked, limit=10)) == 3


def test_texts_without_words_are_no_repetition_of_each_other():
    items = [candidate(fact("…", metadata={"n": n})) for n in range(2)]
    for item in items:
        object.__setattr__(item.document, "words", "")
    assert len(without_near_duplicates(rank(items, asked("x")), limit=5)) == 2
