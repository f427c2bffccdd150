"""The default ranking: what counts, what a query's words change, and that each point is told."""

from datetime import timedelta

import pytest

from hindwise.domain.memory import Status, Type
from hindwise.domain.ranking import rank
from tests.builders import NOW, episode, fact
from tests.unit.domain.ranking.made import asked, candidate, ids, parts_of

WEEK = timedelta(weeks=1)


def test_nothing_gives_nothing():
    assert list(rank([], asked("tea"))) == []


def test_keyword_and_vector_hits_come_before_what_only_one_arm_knows():
    both = candidate(episode("green tea"), cosine=0.8)
    words = candidate(episode("black tea"), cosine=0.1)
    neither = candidate(episode("a walk"), cosine=0.2)
    assert ids(rank([neither, words, both], asked("tea"))) == ids([both, words, neither])


def test_a_turn_beside_a_match_comes_before_one_further_away():
    turns = [
        candidate(episode(text, session_id="s", seq=seq), cosine=None)
        for seq, text in enumerate(["alpha", "beta", "gamma", "delta", "which tea?", "sencha"], 1)
    ]
    order = ids(rank(turns, asked("tea")))
    assert order.index(turns[5].document.id) < order.index(turns[1].document.id)


def test_neighbours_are_those_of_the_same_session():
    match = candidate(episode("tea time", session_id="a", seq=4))
    beside = candidate(episode("sencha", session_id="a", seq=5))
    elsewhere = candidate(episode("sencha", session_id="b", seq=5))
    assert ids(rank([elsewhere, beside, match], asked("tea")))[:2] == ids([match, beside])


def test_the_one_speaker_that_is_named_is_favoured():
    ann = candidate(episode("we went there", speaker="Ann Lee"))
    bob = candidate(episode("we went there", speaker="Bob"))
    assert ids(rank([bob, ann], asked("Where did Ann go?")))[0] == ann.document.id
    assert "speaker" not in parts_of(rank([bob, ann], asked("Where did Ann and Bob go?"))[0])
    assert "speaker" not in parts_of(rank([bob, ann], asked("Where did Hannah go?"))[0])


def test_a_chinese_speaker_is_found_in_a_sentence_without_blanks():
    one = candidate(episode("去了成都", speaker="李雪"))
    other = candidate(episode("去了成都", speaker="王峰"))
    assert ids(rank([other, one], asked("李雪去了哪里")))[0] == one.document.id


def test_a_question_ranks_behind_the_same_words_as_a_statement():
    asks = candidate(episode("Tea at five?"))
    says = candidate(episode("Tea at five."))
    assert ids(rank([asks, says], asked("tea")))[0] == says.document.id


@pytest.mark.parametrize("question", ["When was the picnic?", "野餐是什么时候"])
def test_a_when_question_favours_what_holds_a_time(question):
    timed = candidate(episode("picnic last week 野餐"))
    plain = candidate(episode("picnic was nice 野餐"))
    assert ids(rank([plain, timed], asked(question)))[0] == timed.document.id


def test_a_named_day_favours_its_memories_read_in_their_own_offset():
    late = episode("dinner", at=NOW.fromisoformat("2026-03-12T23:30:00-08:00"))
    other = episode("dinner", at=NOW.fromisoformat("2026-03-11T23:30:00-08:00"))
    items = [candidate(other), candidate(late)]
    assert ids(rank(items, asked("dinner on 12 March")))[0] == late.id
    assert ids(rank(items, asked("3月11日吃了什么")))[0] == other.id


def test_importance_and_confidence_decide_between_equals():
    plain, weighty = (candidate(fact(importance=share)) for share in (0.5, 0.9))
    assert ids(rank([plain, weighty], asked("tea")))[0] == weighty.document.id
    sure, unsure = (candidate(fact(confidence=share)) for share in (0.9, 0.6))
    assert ids(rank([unsure, sure], asked("tea")))[0] == sure.document.id


def test_usual_importance_and_confidence_add_nothing():
    parts = parts_of(rank([candidate(fact())], asked("tea"))[0])
    assert parts["importance"].contribution == pytest.approx(0)
    assert parts["confidence"].contribution == pytest.approx(0)


def test_two_hundred_hits_do_not_make_up_for_less_confidence():
    hit = fact(confidence=0.6, access_count=200, last_access_at=NOW)
    sure = fact(confidence=0.9)
    for mode in ("context", "score"):
        ranked = rank([candidate(hit), candidate(sure)], asked("tea"), mode=mode)
        assert ids(ranked)[0] == sure.id


def test_age_counts_only_when_the_latest_is_asked_for():
    old = candidate(episode("office in Oslo", at=NOW - 200 * WEEK, created_at=NOW))
    new = candidate(episode("office in Rome", at=NOW - WEEK, created_at=NOW))
    plain = rank([old, new], asked("office"))
    assert plain[0].score == pytest.approx(plain[1].score)
    latest = rank([old, new], asked("Where is the office now?"))
    assert ids(latest)[0] == new.document.id
    assert parts_of(latest[0])["time"].contribution == pytest.approx(0.3 * 0.5 ** (7 / 365))


def test_facts_and_preferences_do_not_fade():
    old_fact = candidate(fact("tea", at=NOW - 500 * WEEK, created_at=NOW))
    old_taste = candidate(
        fact("tea", type=Type.PREFERENCE, at=NOW - 500 * WEEK, created_at=NOW),
    )
    for item in rank([old_fact, old_taste], asked("tea now")):
        assert parts_of(item)["time"].value == 1


@pytest.mark.parametrize("question", ["dentist last time", "上次看牙", "我之前看牙"])
def test_last_time_prefers_the_newest_match(question):
    visits = [candidate(fact("dentist 看牙", at=NOW - n * WEEK)) for n in (30, 1, 60)]
    assert ids(rank(visits, asked(question))) == ids([visits[1], visits[0], visits[2]])


def test_an_event_to_come_is_no_younger_than_today():
    """TIM-6."""
    to_do = fact(
        "护照 12 月 20 日到期，需要续签", type=Type.TODO, at=NOW + 40 * WEEK, created_at=NOW
    )
    place = fact("护照放在左边抽屉")
    items = [candidate(to_do, cosine=1.0), candidate(place, cosine=1.0)]
    for question in ("护照", "护照现在在哪"):
        first, second = rank(items, asked(question))
        assert (first.candidate.document.id, second.candidate.document.id) == (place.id, to_do.id)
        assert second.score <= first.score + 1e-6
    assert {one.score for one in rank(items, asked("x"), mode="score")} == {0.8}


def test_obsolete_records_keep_three_tenths():
    good = candidate(fact("tea", status=Status.OBSOLETE), cosine=0.9)
    ranked = rank([good], asked("tea"))[0]
    before = rank([candidate(fact("tea"), cosine=0.9)], asked("tea"))[0].score
    assert ranked.score == pytest.approx(0.3 * before)
    assert parts_of(ranked)["obsolete"].contribution == pytest.approx(-0.7 * before)


def test_an_obsolete_record_of_negative_score_does_not_gain():
    weak = {"importance": 0.0, "confidence": 0.0, "content": "?"}
    plain = rank([candidate(fact(**weak))], asked("tea"))[0]
    marked = rank([candidate(fact(**weak, status=Status.OBSOLETE))], asked("tea"))[0]
    assert marked.score < plain.score < 0


def test_a_weakened_record_comes_right_after_its_holder():
    holder = fact("moved", at=NOW)
    weakened = fact("tea tea tea", at=NOW - WEEK, superseded_by=holder.id, importance=1.0)
    ranked = rank([candidate(weakened, cosine=0.9), candidate(holder, cosine=0.1)], asked("tea"))
    assert ids(ranked) == [holder.id, weakened.id]
    assert parts_of(ranked[1])["weakened"].contribution < 0


def test_a_weakened_record_whose_holder_is_no_candidate_stays_where_it_is():
    weakened = fact("tea", superseded_by="elsewhere")
    assert "weakened" not in parts_of(rank([candidate(weakened)], asked("tea"))[0])


def test_equal_scores_fall_to_the_newer_then_to_the_higher_id():
    old = candidate(fact(at=NOW - WEEK, created_at=NOW))
    a, b = candidate(fact()), candidate(fact())
    expected = [max(ids([a, b])), min(ids([a, b])), old.document.id]
    assert ids(rank([old, a, b], asked("tea"))) == expected
    assert ids(rank([b, old, a], asked("tea"))) == expected
