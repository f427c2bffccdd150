"""What every SearchIndex promises of writes: scopes apart, newest version, nothing back."""

import pytest

from tests.contract.search_documents import (
    ANN,
    BOB,
    EAST,
    NORTH,
    arms,
    ask,
    document,
    episode,
    name,
    vector,
)


def test_an_unknown_scope_is_empty(at):
    assert at.index.nominate(ANN, ask("anything"), EAST).candidates == ()
    assert at.index.listing(ANN, ask(), limit=10) == []
    assert at.index.beside(ANN, [("s", 1)]) == []
    assert at.index.versions(ANN) == {}


def test_scopes_do_not_see_each_other(at):
    at.put(ANN, [document(episode(1, "red bicycle", session_id="s", seq=1))], {})
    at.put(BOB, [document(episode(2, "red bicycle", session_id="s", seq=1))], {})
    assert arms(at.index.nominate(ANN, ask("bicycle"), EAST)) == {
        "keyword": [1],
        "cosine": [1],
        "recent": [1],
    }
    assert [one.document.id for one in at.index.beside(BOB, [("s", 1)])] == [name(2)]
    assert at.index.listing(BOB, ask(), limit=10) == [name(2)]
    assert at.index.versions(ANN) == {name(1): 1}


def test_a_replaced_document_is_found_by_its_new_words_alone(at):
    at.put(ANN, [document(episode(1, "green bicycle", session_id="s", seq=1), NORTH)], {})
    later = episode(1, "blue kayak", version=2, session_id="s", seq=1, tags=("new",))
    at.put(ANN, [document(later, EAST)], {})
    assert arms(at.index.nominate(ANN, ask("bicycle"), None))["keyword"] == []
    found = at.index.nominate(ANN, ask("kayak", where={"tags": "new"}), EAST)
    assert [(one.document.version, one.cosine) for one in found.candidates] == [(2, 1.0)]
    assert len(at.index.beside(ANN, [("s", 1)])) == 1
    assert at.index.versions(ANN) == {name(1): 2}


def test_what_is_gone_is_found_nowhere(at):
    at.put(ANN, [document(episode(1, session_id="s", seq=1)), document(episode(2))], {})
    at.put(ANN, [], {name(1): 2})
    assert set().union(*arms(at.index.nominate(ANN, ask("happened"), EAST)).values()) == {2}
    assert at.index.beside(ANN, [("s", 1)]) == []
    assert at.index.listing(ANN, ask(), limit=10) == [name(2)]
    assert at.index.versions(ANN) == {name(2): 1}


def test_candidates_reveal_no_text(at):
    at.put(ANN, [document(episode(1, "secret", summary="secret"))], {})
    (found,) = at.index.nominate(ANN, ask(), EAST).candidates
    assert "secret" not in found.document.facets.model_dump_json()


def test_late_and_repeated_writes_change_nothing(guarded):
    first, second = episode(1, "old"), episode(1, "new", version=2)
    for memory in (second, second, first):
        assert guarded.put(ANN, [document(memory)], {}) == {}
        assert guarded.index.versions(ANN) == {name(1): 2}
    assert arms(guarded.index.nominate(ANN, ask("old"), None))["keyword"] == []
    guarded.put(ANN, [], {name(1): 3})
    for late in (second, first):
        assert guarded.put(ANN, [document(late)], {}) == {}
        assert guarded.index.versions(ANN) == {}
    assert guarded.put(ANN, [], {name(1): 1}) == {}
    assert guarded.put(ANN, [document(second)], {}) == {}
    assert guarded.index.versions(ANN) == {}


def test_a_newer_version_may_follow_a_tombstone(guarded):
    guarded.put(ANN, [], {name(1): 3})
    guarded.put(ANN, [document(episode(1, version=4))], {})
    assert guarded.index.versions(ANN) == {name(1): 4}


@pytest.mark.parametrize("bad", [vector(0, 0, 0, 0), vector(1), vector(float("inf"), 0, 0, 0)])
def test_unusable_vectors_are_refused_alone_and_with_a_reason(guarded, bad):
    refused = guarded.put(ANN, [document(episode(1), bad), document(episode(2))], {})
    assert list(refused) == [name(1)] and "vector" in refused[name(1)]
    assert guarded.index.versions(ANN) == {name(2): 1}


def test_what_was_put_is_found_once_it_is_settled(guarded):
    for number in range(1, 4):
        guarded.index.put(ANN, [document(episode(number, "red bicycle"))], {})
        guarded.index.settle()
        assert len(guarded.index.versions(ANN)) == number
    guarded.index.settle()
