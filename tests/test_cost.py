"""docs/cost.md says what the code does: its tables are made anew from counted calls."""

from pathlib import Path

import pytest

from bench import cost, cost_page, prices
from bench.cost_page import Measured
from hindwise.adapters.embedders.use import UseEmbedder

PAGE = cost_page.PAGE.read_text()


@pytest.fixture(scope="module")
def measured() -> Measured:
    """Counts of this moment, with the page's milliseconds."""
    return cost.kept(UseEmbedder(), PAGE)


def block(page: str, name: str) -> list[str]:
    return page.split(f"<!-- {name} -->\n")[1].split(f"<!-- /{name} -->")[0].splitlines()


@pytest.mark.parametrize(
    "name", ["operations", "together", "model", "starts", "stored", "idle", "ceilings"]
)
def test_the_page_has_the_figures_of_the_code(measured: Measured, name: str) -> None:
    made = cost_page.tables(measured)[name].splitlines()
    assert block(PAGE, name) == made, "run `make bench-cost ARGS=--page`"


def test_every_function_is_in_the_page(measured: Measured) -> None:
    folders = {path.parent.name for path in Path("functions").glob("*/app.py")}
    assert {row["what"] for row in measured.started} == {f"start: {name}" for name in folders}
    assert {row["function"] for row in measured.operations} == folders


def test_counting_accesses_costs_more_than_the_search(measured: Measured) -> None:
    search, counts = measured.of("search, copy held"), "count the accesses of a search: 10 turns"
    assert cost_page.dollars(measured.of(counts))[0] > cost_page.dollars(search)[0]
    assert search["writes"] == search["index_writes"] == 0
    assert all(row["secrets"] == 0 for row in measured.operations)


def test_an_invocation_logs_what_the_page_takes_for_granted(measured: Measured) -> None:
    for row in measured.operations:
        assert row["logged_bytes"] <= 400 * row["invocations"], row["what"]


def test_dollars_by_hand() -> None:
    row = {"writes": 15, "index_writes": 3, "reads": 1, "gateway": 1, "invocations": 1, "sqs": 2}
    row |= {"secrets": 0, "s3_puts": 2, "s3_gets": 1, "ms": 100, "memory_mb": 1024}
    table, rest = cost_page.dollars(row)
    assert table == pytest.approx(18 * 0.625 + 0.125)
    logs = 1000 * 1e6 / 2**30 * 0.5
    requests = 1.00 + 0.20 + 2 * 0.40 + 2 * 5.00 + 0.40
    assert rest == pytest.approx(requests + 1e6 * 0.1 * 0.0000166667 + logs)


def test_a_conversation_costs_what_its_parts_do(measured: Measured) -> None:
    """One call to learn from ten turns, and one for each fact that is settled."""
    learn, settle = measured.of(cost_page.LEARN), measured.of("settle a fact with 5 neighbours")
    assert (learn["llm_calls"], settle["llm_calls"]) == (1, 1)
    made = cost_page.tables(measured)
    whole = made["model"].splitlines()[-1].strip("| ").split(" | ")
    assert whole[:2] == ["a conversation, all of it", "4"]
    put = learn["tokens_in"] + 3 * settle["tokens_in"]
    assert whole[2] == f"{put:,.0f}"
    assert measured.of("take in a conversation of 10 turns")["llm_calls"] == 0


def test_less_memory_means_less_of_a_cpu() -> None:
    assert prices.billed_ms(10, 2, 1769) == prices.billed_ms(10, 2, 3000) == 20
    assert prices.billed_ms(10, 0, 1769 / 2) == pytest.approx(20)


def test_a_page_without_a_block_is_refused() -> None:
    with pytest.raises(ValueError, match="idle"):
        cost_page.filled("<!-- idle -->\n", {"idle": "x"})
    page = "a\n<!-- idle -->\nold\n<!-- /idle -->\nb"
    assert cost_page.filled(page, {"idle": "new"}) == page.replace("old", "new")
