"""A block never exceeds its budget, and no text survives it changed or as structure."""

from hypothesis import given
from hypothesis import strategies as st

from hindwise.domain.context import (
    CHINESE,
    ENGLISH,
    SHARES,
    Candidate,
    Entry,
    escaped,
    fill,
    parse,
    render,
    unescaped,
)
from hindwise.domain.tokens import tokens

TEXTS = st.text(alphabet=st.characters(exclude_categories=()), max_size=200)


def entry(text: str, number: int = 0) -> Entry:
    return Entry(id=f"m{number}", day="2026-01-01", label="fact", weight=0.8, text=text)


@given(TEXTS)
def test_escaping_is_undone_exactly_and_stays_on_one_line(text: str) -> None:
    assert unescaped(escaped(text)) == text
    assert len(escaped(text).splitlines()) <= 1
    assert "<" not in escaped(text)


@given(st.lists(TEXTS, max_size=6), st.lists(TEXTS, max_size=6))
def test_parse_gives_back_what_render_was_given(background: list[str], history: list[str]) -> None:
    block = render([entry(t) for t in background], [entry(t) for t in history], ENGLISH)
    assert parse(block) == background + history


@given(
    st.lists(st.tuples(TEXTS, st.sampled_from(list(SHARES)), st.booleans()), max_size=12),
    st.integers(0, 300),
)
def test_a_budget_is_never_exceeded_and_nothing_is_left_unsaid(
    given_: list[tuple[str, str, bool]], budget: int
) -> None:
    candidates = [
        Candidate(entry=entry(text, n), group=group, background=background)
        for n, (text, group, background) in enumerate(given_)
    ]
    block = fill(candidates, max_tokens=budget, words=CHINESE, limit=100)
    assert tokens(block.text) == block.tokens <= budget
    assert sorted(block.included + block.left_out) == sorted(one.entry.id for one in candidates)
    assert len(parse(block.text)) == len(block.included)


def test_shares_bound_the_groups_and_flow_on_where_unused() -> None:
    def many(group: str, count: int) -> list[Candidate]:
        text = "这条记忆大约有五十个词元" * 4
        return [
            Candidate(entry=entry(text, n).model_copy(update={"id": f"{group}{n}"}), group=group)
            for n in range(count)
        ]

    full = [c for group, n in zip(SHARES, (60, 20, 20, 40), strict=True) for c in many(group, n)]
    block = fill(full, max_tokens=2_000, words=CHINESE, limit=100)
    of = {group: sum(one.startswith(group) for one in block.included) for group in SHARES}
    assert block.tokens <= 2_000 and all(of.values())
    each = tokens("2026-01-01 fact 80% " + "这条记忆大约有五十个词元" * 4)
    assert all(of[group] * each <= share * 2_000 for group, share in SHARES.items())
    assert of["known"] > of["todo"] > of["decision"] >= of["episode"] > 0
    facts = fill(many("known", 60) + many("todo", 2), max_tokens=2_000, words=CHINESE, limit=100)
    assert sum(one.startswith("known") for one in facts.included) > of["known"]
    long = [Candidate(entry=entry("长" * 2_400, 0), group="known"), *many("known", 10)]
    block = fill(long, max_tokens=2_000, words=CHINESE, limit=100)
    assert block.left_out == ("m0",) and len(block.included) == 10


def one(text: str, number: int, group: str = "known") -> Candidate:
    return Candidate(entry=entry(text, number), group=group)


def test_what_fits_alone_is_shown_though_it_is_over_its_share() -> None:
    for group in SHARES:
        lone = [one("长" * 1_500, 0, group)]
        assert fill(lone, max_tokens=2_000, words=CHINESE, limit=5).included == ("m0",)


def test_one_that_can_never_fit_holds_nothing_back() -> None:
    crowd = [one("长" * 90, 0), *(one(f"座位偏好{n}", n, "episode") for n in (1, 2, 3))]
    block = fill(crowd, max_tokens=80, words=CHINESE, limit=5)
    assert (set(block.included), block.left_out) == ({"m1", "m2", "m3"}, ("m0",))


def test_the_next_in_line_takes_the_place_of_what_does_not_fit() -> None:
    line = [one("长" * 900, 0), *(one(f"事实{n}", n) for n in range(1, 9))]
    block = fill(line, max_tokens=200, words=CHINESE, limit=5)
    assert block.included == ("m1", "m2", "m3", "m4", "m5") and block.left_out == ("m0",)
