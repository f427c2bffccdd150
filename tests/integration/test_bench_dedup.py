"""The labelled pairs are settled as the bars demand, by the embedder that ships."""

from typing import Any

import pytest

from bench.embeddings import KeptEmbedder
from bench.learn_dedup import rows
from bench.product import embedder


@pytest.fixture(scope="module")
def measured(
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[tuple[str, str], dict[str, Any]]:
    kept = KeptEmbedder(embedder("use"), tmp_path_factory.mktemp("vectors"))
    return {(row["judge"], row["given"]): row for row in rows(kept)}


def test_nothing_is_merged_that_says_something_else(measured: Any) -> None:
    assert len(measured) == 4
    assert [row["wrong_merges"] for row in measured.values()] == [0] * 4


def test_what_shares_a_slot_or_its_words_is_settled_without_a_judge(measured: Any) -> None:
    assert measured["none", "slots"]["settled_share"] >= 0.9
    assert measured["none", "the same words"]["settled_share"] >= 0.9


def test_a_judge_settles_the_rest(measured: Any) -> None:
    assert measured["scripted", "text"]["settled_share"] >= 0.9
