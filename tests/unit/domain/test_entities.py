"""When two names are the same, which memory speaks of one, and what stands beside it."""

import pytest

from hindwise.domain.entities import (
    NEIGHBOURS,
    Relation,
    entity_key,
    names_of,
    neighbours_of,
    speaks_of,
)
from hindwise.domain.query import Condition
from hindwise.domain.visibility import field_of, passes
from tests.builders import NOW, episode, fact
from tests.unit.usecases.desk import only


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("New York", "new  york"),
        ("ＫＡＦＫＡ", "Kafka"),
        ("ｶﾞｽ", "ガス"),
        ("Straße", "STRASSE"),
        (" 上海 ", "上海"),
        ("Café", "Cafe\u0301"),
    ],
)
def test_case_width_and_blanks_do_not_make_another_name(one: str, other: str) -> None:
    assert entity_key(one) == entity_key(other)


@pytest.mark.parametrize(
    ("text", "name", "holds"),
    [
        ("我搬到上海市了", "上海", True),
        ("Ann moved to SHANGHAI.", "shanghai", True),
        ("Annie moved", "Ann", False),
        ("Joann moved", "Ann", False),
        ("Joann moved, Ann stayed", "Ann", True),
        ("用Ann的账号", "Ann", True),
        ("版本Ｋ８ｓ", "k8s", True),
        ("uses C++ daily", "c++", True),
        ("nothing", "Ann", False),
    ],
)
def test_a_text_speaks_of_a_name_it_holds_as_a_word(text: str, name: str, holds: bool) -> None:
    assert speaks_of(episode(text), entity_key(name)) is holds


def test_the_fields_name_things_too() -> None:
    moved = fact("moved", subject="Ann Lee", attribute="city", value="上海", entities=("ＩＢＭ",))
    assert names_of(moved) == {"ibm": "ＩＢＭ", "ann lee": "Ann Lee", "上海": "上海"}
    assert names_of(fact("x", value="v" * 65)) == {}
    assert names_of(episode(entities=("Ann", "ANN"))) == {"ann": "ANN"}
    assert speaks_of(moved, "ibm") and not speaks_of(moved, "ann")
    assert field_of(moved, "names") == ("ibm", "ann lee", "上海")
    assert passes(moved, only("names", "ann lee"), now=NOW)
    assert not passes(moved, only("names", "Ann Lee"), now=NOW)
    assert Condition(field="names", value="x").field == "names"


def test_neighbours_are_counted_and_related() -> None:
    lives = fact("1", subject="Ann", attribute="city", value="上海", entities=("Bob",))
    works = fact("2", subject="ann", attribute="employer", value="Pine & Co", entities=("上海",))
    met = episode("3", entities=("Ann", "Bob"))
    found, whole = neighbours_of("ann", [lives, works, met])
    assert whole
    assert [(one.name, one.count) for one in found] == [("上海", 2), ("Bob", 2), ("Pine & Co", 1)]
    assert found[0].relations == (
        Relation(subject="Ann", attribute="city", value="上海", id=lives.id),
    )
    assert found[1].relations == ()
    back, _ = neighbours_of("上海", [lives, works])
    assert [(one.name, one.count, len(one.relations)) for one in back] == [
        ("Ann", 2, 1), ("Bob", 1, 0), ("Pine & Co", 1, 0),
    ]  # fmt: skip
    crowd = episode(entities=tuple(f"n{number}" for number in range(NEIGHBOURS + 2)))
    many, all_of_them = neighbours_of("n0", [crowd])
    assert len(many) == NEIGHBOURS and not all_of_them
