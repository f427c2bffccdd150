"""An answer that is not whole is no answer; the vector arm alone may be refused."""

from typing import Any

import pytest

from hindwise.adapters.opensearch.answers import hits_of, whole
from hindwise.adapters.opensearch.client import Declined, NotThere
from hindwise.errors import Unavailable

GOOD: dict[str, Any] = {"status": 200, "_shards": {"failed": 0}, "hits": {"hits": [{"n": 1}]}}
BAD: dict[str, Any] = {"status": 400, "error": {"type": "query_shard_exception"}}


def test_hits_by_name() -> None:
    found = hits_of({"responses": [GOOD, GOOD]}, ["keyword", "nearest"], may_fail="nearest")
    assert found == {"keyword": [{"n": 1}], "nearest": [{"n": 1}]}


def test_a_refused_vector_costs_its_arm_alone() -> None:
    found = hits_of({"responses": [GOOD, BAD]}, ["keyword", "nearest"], may_fail="nearest")
    assert found == {"keyword": [{"n": 1}], "nearest": None}
    with pytest.raises(Declined):
        hits_of({"responses": [BAD, GOOD]}, ["keyword", "nearest"], may_fail="nearest")


@pytest.mark.parametrize(
    "answer",
    [
        GOOD | {"timed_out": True},
        GOOD | {"_shards": {"failed": 1}},
        {"status": 503, "error": {}},
        {"status": 429, "error": {}},
    ],
)
def test_part_of_an_answer_is_none(answer: dict[str, Any]) -> None:
    with pytest.raises(Unavailable) as failure:
        hits_of({"responses": [answer]}, ["nearest"], may_fail="nearest")
    assert not isinstance(failure.value, NotThere)


def test_no_index_is_said_to_be_none() -> None:
    with pytest.raises(NotThere):
        whole({"status": 404, "error": {"type": "index_not_found_exception"}})
