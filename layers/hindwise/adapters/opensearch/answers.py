"""What came back from a search: hits, or our error where an answer is not whole.

A request for several searches answers 200 whatever became of each, and a search of which a shard is
missing looks like one that found less. Neither is taken for an answer.
"""

from collections.abc import Sequence

from hindwise.adapters.opensearch.client import unavailable
from hindwise.adapters.opensearch.shapes import Hit, Json

_BAD_REQUEST = 400


def hits_of(response: Json, names: Sequence[str], *, may_fail: str) -> dict[str, list[Hit] | None]:
    """The hits of each of several searches by its name.

    None for the search `may_fail` where the node refused its question; raises Unavailable where
    any other one failed or is not whole.
    """
    answers = response["responses"]
    found: dict[str, list[Hit] | None] = {}
    for name, answer in zip(names, answers, strict=True):
        refused = answer.get("status") == _BAD_REQUEST and name == may_fail
        found[name] = None if refused else whole(answer)
    return found


def whole(answer: Json) -> list[Hit]:
    """The hits of one search; raises Unavailable where it failed or is not whole."""
    status = answer.get("status", 200)
    if "error" in answer:
        raise unavailable(f"status {status}", status=status)
    if answer.get("timed_out") or answer["_shards"]["failed"]:
        raise unavailable("it answered in part")
    hits: list[Hit] = answer["hits"]["hits"]
    return hits
