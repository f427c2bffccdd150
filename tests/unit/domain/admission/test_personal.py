"""Identifiers of persons: sums and dates must hold, and what names another thing is let be."""

import pytest

from hindwise.domain.admission.personal import personal


def kinds(text: str) -> set[str]:
    return {one.rule.removeprefix("personal.") for one in personal(text)}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("4111111111111111", "card"),
        ("5555-5555-5555-4444", "card"),
        ("378282246310005", "card"),
        ("6011111111111117", "card"),
        ("3530111333300000", "card"),
        ("6221 2345 6789 0123 450", "card"),
        ("30569309025904", "card"),
        ("6759649826438453", "card"),
        ("11010519491231002x", "cn_id"),
        ("身份证是440305650215131", "cn_id"),
        ("2200000000000004", "card"),
        ("13912345678", "phone"),
        ("+86 139-1234-5678", "phone"),
        ("+44 20 7946 0958", "phone"),
        ("(415) 555-2671", "phone"),
        ("tel 020 7946 0958", "phone"),
        ("手机：010-6552 9988", "phone"),
        ("ssn is 219099999", "us_ssn"),
        ("GB29 NWBK 6016 1331 9268 19", "iban"),
        ("ana.b+c@mail.example.co.uk", "email"),
        ("邮箱是王磊@例子.中国", "email"),
        ("jörg@münchen.example", "email"),
        ("server 203.0.113.7 answered", "ip"),
        ("2001:db8::8a2e:370:7334", "ip"),
    ],
)
def test_found(text: str, kind: str) -> None:
    assert kinds(text) == {kind}


@pytest.mark.parametrize(
    "text",
    [
        "4111111111111112",
        "4444444444444444",
        "order 4111111111111111",
        "110105194913310021",
        "110105194912310021",
        "990105194912310021",
        "666-12-3456",
        "219-00-9999",
        "DE88370400440532013000",
        "version 10.4.22.1",
        "手机 IMEI 是 354238651492512",
        "身份证是440305651315131",
        "127.0.0.1",
        "300.1.1.1",
        "12:30:45::",
        "tel 12",
        "2026-12-01 10:30",
        "3.14159265358979",
        "not@home",
        "",
    ],
)
def test_let_be(text: str) -> None:
    assert kinds(text) == set()
