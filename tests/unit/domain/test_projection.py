from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from hindwise.domain.analysis import length, query_words
from hindwise.domain.document import ASKS, CHINESE, DATED
from hindwise.domain.memory import (
    Alternative,
    Episode,
    Outcome,
    SemanticMemory,
    Status,
    Verdict,
)
from hindwise.domain.projection import (
    dated_text,
    document_of,
    embedded_text,
    facets_of,
    flags_of,
)
from hindwise.domain.query import Condition, Filter, View
from hindwise.domain.visibility import passes, visible

MOMENT = datetime(2023, 5, 7, 12, tzinfo=UTC)


def episode(content="Hello", **fields):
    given = {"id": "01", "event_time": MOMENT, "created_at": MOMENT, "updated_at": MOMENT}
    return Episode(content=content, **(given | fields))


def fact(content="Ann likes tea", **fields):
    given = {"id": "02", "event_time": MOMENT, "created_at": MOMENT, "updated_at": MOMENT}
    return SemanticMemory(content=content, **(given | fields))


def test_the_date_is_written_in_the_language_of_the_text():
    assert dated_text(episode(speaker="Ann")) == "[07 May 2023] Ann: Hello"
    assert dated_text(episode("你好", speaker="用户")) == "2023年5月7日 7号 用户: 你好"
    assert dated_text(fact()) == "[07 May 2023] Ann likes tea"


def test_the_date_is_that_of_the_memorys_own_offset():
    late = datetime(2023, 5, 7, 1, tzinfo=timezone(timedelta(hours=8)))
    assert late.astimezone(UTC).day == 6
    assert dated_text(episode(event_time=late)).startswith("[07 May 2023]")


def test_words_hold_date_speaker_and_text():
    document = document_of(episode("Running tests", speaker="Ann"), None, "e")[0]
    assert document.words == "07 mai 2023 ann run test"
    assert document.length == length(document.words) == 6


def test_the_length_follows_the_words_and_makes_no_difference():
    document = document_of(episode("我不吃辣"), None, "e")[0]
    assert document.length == length(document.words)
    assert replace(document, words="不吃 吃 辣").length == 2
    assert replace(document) == document


@pytest.mark.parametrize(("query", "hits"), [("辣", 1), ("不吃辣", 2), ("5月7日", 3), ("喜辣", 0)])
def test_one_character_queries_match_and_longer_ones_count_bigrams(query, hits):
    words = document_of(episode("我不吃辣"), None, "e")[0].words.split()
    assert sum(words.count(term) for term in query_words(query)) >= hits
    assert any(term in words for term in query_words(query)) == bool(hits)


def test_a_turn_is_embedded_with_the_one_before_it():
    first = episode("How are you?", speaker="Ann", session_id="s", seq=1)
    second = episode("Fine", id="03", speaker="Bob", session_id="s", seq=2)
    assert embedded_text(second, first) == "Ann: How are you? Bob: Fine"
    assert document_of(second, first, "e")[1] == "Ann: How are you? Bob: Fine"


@pytest.mark.parametrize(
    "previous",
    [
        None,
        episode("x", session_id="other"),
        episode("x"),
        episode("x", session_id="s", status=Status.QUARANTINED),
        episode("x", session_id="s", status=Status.SUPERSEDED),
        fact("x", session_id="s"),
    ],
)
def test_a_turn_is_embedded_alone_without_an_active_one_before_it(previous):
    assert embedded_text(episode("Fine", session_id="s"), previous) == "Fine"


def test_other_memories_are_embedded_alone():
    before = episode("x", session_id="s")
    assert embedded_text(fact(session_id="s"), before) == "Ann likes tea"
    assert embedded_text(episode("Fine"), episode("x")) == "Fine"


def test_the_hash_is_of_what_is_embedded_and_by_whom():
    first, second = episode("a", session_id="s"), episode("b", id="03", session_id="s")
    alone, after = document_of(second, None, "e")[0], document_of(second, first, "e")[0]
    assert alone.text_hash == document_of(second, None, "e")[0].text_hash
    assert len({alone.text_hash, after.text_hash, document_of(second, None, "f")[0].text_hash}) == 3
    assert alone.words == after.words


def test_no_text_but_the_content_is_projected():
    memory = episode(
        "Deployed v2.1.3",
        metadata={"caption": "zebra"},
        tool_results=("zebra",),
        summary="zebra",
        external_id="zebra-1",
    )
    document, embedded = document_of(memory, None, "e")
    assert "zebra" not in document.words + embedded
    assert document.exact == ("v2.1.3",)
    assert document.chars == len("Deployed v2.1.3")


def test_facets_hold_no_text():
    verdict = Verdict(other="x", verdict="update", reason="secret", at=MOMENT)
    memory = episode(
        "secret",
        summary="secret",
        tool_results=("secret",),
        alternatives=(Alternative(option="secret"),),
        expected_outcome="secret",
        outcome=Outcome(result="failure", note="secret"),
        verdicts=(verdict,),
        change_reason="secret",
    )
    facets = facets_of(memory)
    assert "secret" not in facets.model_dump_json()
    assert facets.outcome == Outcome(result="failure")
    assert "secret" not in facets_of(fact("secret", expected_outcome="secret")).model_dump_json()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", "episodic"),
        ("status", "active"),
        ("tags", "work"),
        ("metadata.team", "red"),
        ("session_id", "s"),
        ("speaker", "Ann"),
        ("task_id", "t"),
    ],
)
def test_filters_and_views_see_in_facets_what_they_see_in_the_record(field, value):
    memory = episode(
        tags=("work",), metadata={"team": "red"}, session_id="s", speaker="Ann", task_id="t"
    )
    facets = facets_of(memory)
    for wanted in (value, "no such value"):
        asked = Filter(all_of=(Condition(field=field, value=wanted),))
        assert passes(facets, asked, now=MOMENT) == passes(memory, asked, now=MOMENT)
    assert visible(facets, View(), MOMENT) and visible(memory, View(), MOMENT)


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("Are you there? ", ASKS),
        ("在吗？", ASKS | CHINESE),
        ('She said: "Are you there?"', ASKS),
        ("I went yesterday", DATED),
        ("in 2023", DATED),
        ("3月12日见", DATED | CHINESE),
        ("You may go", 0),
        ("", 0),
    ],
)
def test_flags(text, flags):
    assert flags_of(text) == flags
