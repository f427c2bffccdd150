"""Guards are symmetric, see through the ways of writing, and see what was put in."""

from hypothesis import given
from hypothesis import strategies as st

from hindwise.domain.guards import conflicts, differences, same_words
from tests.builders import fact

ANY = st.text(alphabet=st.characters(exclude_categories=("Cs",)), min_size=1, max_size=60)
SUBJECTS = st.sampled_from(["The build", "My sister", "Tomas Vega", "The user", "Server n-4"])
VERBS = st.sampled_from(["owns", "likes", "fears", "runs"])
THINGS = st.sampled_from(["bikes", "tea", "the atlas", "Oslo", "c++", "pnpm"])
NAMES_ZH = st.sampled_from(["我", "用户", "妹妹", "小王"])
VERBS_ZH = st.sampled_from(["喜欢", "会", "需要", "害怕"])
THINGS_ZH = st.sampled_from(["喝茶", "开车", "录音", "花生"])
ENGLISH = st.tuples(SUBJECTS, VERBS, THINGS)
CHINESE = st.tuples(NAMES_ZH, VERBS_ZH, THINGS_ZH)


def wide(text: str) -> str:
    """The same text in full-width letters."""
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


@given(ANY, ANY)
def test_guards_do_not_depend_on_who_is_named_first(one: str, other: str) -> None:
    a, b = fact(one), fact(other)
    assert differences(a, b) == differences(b, a)
    assert conflicts(a, b) == conflicts(b, a)
    assert same_words(one, other) == same_words(other, one)


@given(ANY)
def test_a_text_never_differs_from_itself(text: str) -> None:
    assert differences(fact(text), fact(text)) == () == conflicts(fact(text), fact(text))


@given(ENGLISH)
def test_case_width_blanks_and_invisible_characters_make_no_difference(
    parts: tuple[str, str, str],
) -> None:
    text = " ".join(parts)
    for other in (text.upper(), wide(text), text.replace(" ", "  "), text.replace("e", "e\u200b")):
        assert differences(fact(text), fact(other + ".")) == ()


@given(ENGLISH, st.sampled_from(["never", "hardly", "no longer"]), st.booleans())
def test_a_negation_put_in_is_seen(parts: tuple[str, str, str], no: str, hidden: bool) -> None:
    who, verb, thing = parts
    denied = f"{who} {no} {verb} {thing}"
    denied = wide(denied) if hidden else denied
    pair = fact(" ".join(parts)), fact(denied)
    assert "polarity" in differences(*pair) and "polarity" in conflicts(*pair)


@given(CHINESE, st.sampled_from(["不", "从不", "不再"]))
def test_a_chinese_negation_put_in_is_seen(parts: tuple[str, str, str], no: str) -> None:
    who, verb, thing = parts
    pair = fact("".join(parts)), fact(f"{who}{no}{verb}{thing}")
    assert "polarity" in differences(*pair) and "polarity" in conflicts(*pair)


@given(ENGLISH, st.integers(0, 10**6), st.integers(0, 10**6))
def test_other_numbers_are_seen_and_equal_ones_are_none(
    parts: tuple[str, str, str], one: int, other: int
) -> None:
    text = " ".join(parts)
    pair = fact(f"{text} for {one} crowns"), fact(f"{text} for {other:,} crowns")
    assert ("numbers" in differences(*pair)) == ("numbers" in conflicts(*pair)) == (one != other)


@given(ENGLISH, ENGLISH)
def test_two_statements_of_other_words_never_pass(
    one: tuple[str, str, str], other: tuple[str, str, str]
) -> None:
    passes = differences(fact(" ".join(one)), fact(" ".join(other))) == ()
    assert passes == (one == other)


@given(CHINESE, CHINESE)
def test_two_chinese_statements_of_other_words_never_pass(
    one: tuple[str, str, str], other: tuple[str, str, str]
) -> None:
    same = [("我" if who == "用户" else who, *rest) for who, *rest in (one, other)]
    assert (differences(fact("".join(one)), fact("".join(other))) == ()) == (same[0] == same[1])
