"""Patterns without a model."""

from array import array

from hindwise.domain.clusters import clustered, threshold_of
from hindwise.domain.document import Vector
from hindwise.domain.memory import Episode, Source
from tests.builders import episode


def towards(*values: float) -> Vector:
    return array("f", values)


def told(episodes: list[Episode], *directions: tuple[float, float]) -> list[tuple[str, set[str]]]:
    vectors = {one.id: towards(*along) for one, along in zip(episodes, directions, strict=False)}
    found = clustered(episodes, vectors, threshold=0.8)
    return [(one.content, set(one.evidence_ids)) for one in found]


def test_what_is_near_is_one_pattern_told_by_its_middle() -> None:
    first, middle, last, other = (episode(text) for text in "abcd")
    found = told([first, middle, last, other], (1, 0.4), (1, 0), (1, -0.4), (0, 1))
    assert found == [("b", {first.id, middle.id})] or found == [("b", {middle.id, last.id})]
    found = told([first, middle, last, other], (1, 0.3), (1, 0), (1, -0.3), (0, 1))
    assert found == [("b", {first.id, middle.id, last.id})]


def test_a_chain_of_small_steps_is_no_pattern() -> None:
    steps = [episode(text) for text in "abc"]
    found = told(steps, (1, 0), (0.85, 0.53), (0.45, 0.9))
    assert all(len(cited) == 2 for _, cited in found)


def test_one_source_is_no_pattern() -> None:
    talk = Source(conversation_id="c1")
    assert told([episode(text, source=talk) for text in "ab"], (1, 0), (1, 0)) == []


def test_the_larger_comes_first_and_there_are_at_most_five() -> None:
    large = [episode(f"large {number}") for number in range(3)]
    small = [episode(f"small {pair} {number}") for pair in range(6) for number in range(2)]
    vectors = {one.id: towards(*(float(place == 0) for place in range(7))) for one in large}
    for at, one in enumerate(small):
        vectors[one.id] = towards(*(float(place == at // 2 + 1) for place in range(7)))
    found = clustered([*small, *large], vectors, threshold=0.8)
    assert [one.cited for one in found] == [3, 2, 2, 2, 2]


def test_without_vectors_words_decide() -> None:
    near = [episode("周五下午部署失败了"), episode("周五下午部署又失败了")]
    assert told([*near, episode("午饭吃的是面")]) != []
    assert {*told([*near, episode("午饭吃的是面")])[0][1]} == {one.id for one in near}


def test_a_long_episode_is_told_by_its_summary() -> None:
    long = [episode("x" * 900 + text, summary="It failed.") for text in "ab"]
    assert [content for content, _ in told(long, (1, 0), (1, 0))] == ["It failed."]


def test_each_embedder_has_its_own_threshold() -> None:
    assert threshold_of("multilingual-e5-small:384") > threshold_of("use-multilingual-v3:512")
    assert 0 < threshold_of("unheard-of") < 1
