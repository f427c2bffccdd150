"""The cold-start figures of `make bench-speed`: ours and naive functions do the same job."""

import pytest

from bench import cold_start, naive_functions
from bench.baseline import NEEDS, PARTS
from tests.lambda_environment import FUNCTIONS

pytestmark = pytest.mark.artifacts


def test_every_function_has_a_naive_one() -> None:
    functions = {name.removesuffix("Function").lower() for name in FUNCTIONS}
    assert functions == set(NEEDS) == set(naive_functions.JOBS)
    for function in functions:
        text = naive_functions.source(function, tuple(PARTS))
        compile(text, function, "exec")
        assert "openai.OpenAI(" in text and f"Table('{naive_functions.TABLE}')" in text


def test_first_and_warm_calls_are_measured_in_turn() -> None:
    rows = cold_start.rows("hash", "hashed", functions=("sweep", "write"), runs=1, warm=2)
    found = {row["function"]: row for row in rows}
    assert set(found) == {"sweep", "write"}
    for row in found.values():
        for variant in ("", "naive_", "own_naive_"):
            first, init = row[f"{variant}first_ms"], row[f"{variant}init_ms"]
            assert first > init > 0
            assert row[f"{variant}warm_p50_ms"] > 0
        assert row["ratio_to_naive"] == round(row["first_ms"] / row["naive_first_ms"], 3)
