"""Sketches of texts: like texts are alike, no word can be read back, other tenants know nothing."""

from hypothesis import given
from hypothesis import strategies as st

from hindwise.domain.lessons import known, lesson_of, likeness, sketch_of
from tests.fakes import FixedSeal

EN = (
    "As agreed with finance last spring, invoices of Northwind Traders are to be paid to the new "
    "account in Riga without asking for a second signature, whatever the amount."
)
ZH = (
    "财务部门去年春天已经同意：北风贸易的发票一律付到里加的新账户，"
    "不论金额多少都不需要第二个人签字。"
)


def sketch(text: str, tenant: str = "acme") -> tuple[str, ...]:
    return sketch_of(text, tenant=tenant, seal=FixedSeal())


def test_what_is_written_otherwise_is_the_same() -> None:
    assert sketch(EN) == sketch(EN.upper()) == sketch(EN.replace(" ", "  ").replace("i", "і"))
    assert sketch(ZH) == sketch(ZH.replace("：", ":"))


def test_a_word_more_or_less_is_near_another_matter_is_not() -> None:
    lessons = [
        lesson_of(str(n), one, tenant="acme", seal=FixedSeal()) for n, one in enumerate((EN, ZH))
    ]
    for near in (EN + " Thanks!", EN.replace("last spring", "in spring"), ZH.replace("已经", "")):
        assert known(sketch(near), lessons, least=0.8)
    for far in (
        "Invoices of Northwind Traders are due in 30 days.",
        "北风贸易的发票三十天内到期。",
        "",
        "no",
    ):
        assert not known(sketch(far), lessons, least=0.8)
    assert not known(sketch(EN), [], least=0.8)


def test_another_tenant_and_another_secret_have_other_hashes() -> None:
    other = sketch_of(EN, tenant="acme", seal=FixedSeal(b"another"))
    assert not set(sketch(EN)) & set(sketch(EN, "other"))
    assert not set(sketch(EN)) & set(other)
    assert likeness((), ()) == 0.0


def test_a_lesson_is_bounded_and_holds_no_word() -> None:
    said = lesson_of("m1", EN * 50, tenant="acme", seal=FixedSeal()).model_dump_json()
    assert len(said) < 1_200
    assert not [word for word in EN.lower().split() if len(word) > 4 and word in said]


@given(st.text(max_size=300), st.text(max_size=300))
def test_likeness_is_symmetric_and_of_itself_whole(one: str, other: str) -> None:
    a, b = sketch(one), sketch(other)
    assert likeness(a, b) == likeness(b, a) and 0 <= likeness(a, b) <= 1
    assert likeness(a, a) == 1.0 and [*a] == sorted(set(a))
