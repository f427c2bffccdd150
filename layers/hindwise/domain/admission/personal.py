"""Where a text names a person by number; checksums and dates tell identifiers from the rest."""

import ipaddress
from collections.abc import Callable, Iterator
from datetime import date

from hindwise.domain.admission.matching import compiled
from hindwise.domain.admission.secrets import Found

_BEFORE = r"(^|[^A-Za-z0-9_.+-]|[^A-Za-z0-9_]-)"
_CARD = _BEFORE + r"([0-9](?:[ -]?[0-9]){12,18})(?:$|[^0-9A-Za-z_-])"
_CN_ID = (
    r"(^|[^A-Za-z0-9])([1-9][0-9]{5} ?(?:18|19|20)[0-9]{2} ?[0-9]{4} "
    r"?[0-9]{3}[0-9Xx])(?:$|[^A-Za-z0-9])"
)
_CN_ID_OLD = (
    r"(?i)(?:身份证|身分證|证件|\b(?:id|identity|resident)\b)[^0-9\n]{0,16}"
    r"([1-9][0-9]{14})(?:$|[^0-9A-Za-z])"
)
_SSN = r"(^|[^A-Za-z0-9-])([0-8][0-9]{2}[- ][0-9]{2}[- ][0-9]{4})(?:$|[^0-9A-Za-z-])"
_SSN_NAMED = r"(?i)(?:\bssn|social security(?: number| no\.?)?)[^0-9\n]{0,12}([0-8][0-9]{8})\b"
_IBAN = (
    r"(^|[^A-Za-z0-9])([A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: "
    r"?[A-Z0-9]{1,4})?)(?:$|[^A-Za-z0-9])"
)
_EMAIL = (
    r"(?:[A-Za-z0-9À-ɏ][A-Za-z0-9À-ɏ._%+'-]*|[一-鿿]{2,4})@"
    r"(?:[A-Za-z0-9À-ɏ一-鿿][A-Za-z0-9À-ɏ一-鿿-]*\.)+(?:[A-Za-z]{2,24}|中国|公司|网络|网址)"
)
_CN_MOBILE = (
    _BEFORE + r"((?:(?:\+|00)?86[- ]?)?1[3-9][0-9](?:[- ]?[0-9]{4}){2})(?:$|[^0-9A-Za-z_-])"
)
_PHONE = (
    r"(^|[^A-Za-z0-9_.+])((?:\+[1-9][0-9]{0,2}|00[1-9][0-9]{1,2})[ "
    r".-]?(?:\([0-9]{1,4}\)[ .-]?)?[0-9](?:[ .-]?[0-9]){5,12})(?:$|[^0-9A-Za-z_])"
)
_US_PHONE = (
    r"(^|[^A-Za-z0-9_.-])((?:1[ .-])?\(?[2-9][0-9]{2}\)?[ .-][2-9][0-9]{2}[ "
    r".-][0-9]{4})(?:$|[^0-9A-Za-z_-])"
)
_NAMED_PHONE = (
    r"(?i)(?:\b(?:phone|tel|telephone|mobile|cell|fax|whatsapp|hotline)\b(?: number|"
    r" no\.?)?|电话|手机|座机|联系方式|热线)"
    r"[^0-9\n+(]{0,12}(\(?\+?[0-9][0-9 ().-]{5,18}[0-9])(?:$|[^0-9A-Za-z])"
)
_IPV4 = r"(^|[^A-Za-z0-9.])((?:[0-9]{1,3}\.){3}[0-9]{1,3})(?:$|[^0-9A-Za-z.]|\.(?:$|[^0-9]))"
_IPV6 = r"(?i)(^|[^a-z0-9:.])((?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4})(?:$|[^a-z0-9:])"
_NOT_A_PERSON = (
    r"(?i)(?:order|tracking|imei|invoice|isbn|issn|serial|sku|ticket|case|version|build|"
    r"release|firmware|driver|timestamp"
    r"|\bv|commit|transaction|part|model|item|ref(?:erence)?|订单|单号|编号|快递|"
    r"版本|序列号|驱动|型号|工单|流水号|时间戳|发票)"
    r"(?:号|号码|码)?[^\n.。;；,，]{0,12}$"
)
_CODES = """
11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54 61 62 63 64
65 71 81 82 83"""
_PROVINCES = frozenset(_CODES.split())


def personal(text: str) -> Iterator[Found]:
    """The identifiers of persons in a text; the places may overlap."""
    yield from _places("email", _EMAIL, text, group=0) if "@" in text else ()
    if not any(map(str.isdigit, {*text})):
        return
    yield from _places("cn_id", _CN_ID, text, _cn_id)
    yield from _places("cn_id", _CN_ID_OLD, text, _cn_id_old, group=1)
    yield from _places("card", _CARD, text, _card)
    yield from _places("us_ssn", _SSN, text, _ssn)
    yield from _places("us_ssn", _SSN_NAMED, text, _ssn, group=1)
    yield from _places("iban", _IBAN, text, _iban)
    yield from _places("phone", _CN_MOBILE, text)
    yield from _places("phone", _PHONE, text)
    yield from _places("phone", _US_PHONE, text)
    yield from _places("phone", _NAMED_PHONE, text, _phone, group=1)
    yield from _places("ip", _IPV4, text, _address)
    yield from _places("ip", _IPV6, text, _address) if "::" in text or text.count(":") > 6 else ()


def _places(
    kind: str,
    pattern: str,
    text: str,
    holds: Callable[[str], bool] = bool,
    *,
    group: int = 2,
) -> Iterator[Found]:
    at = 0
    while found := compiled(pattern).search(text[at:]):
        start, end = found.span(group)
        value = found.group(group)
        if holds(value) and (
            kind in _CERTAIN or not _other(text[max(0, at + start - 40) : at + start])
        ):
            yield Found(f"personal.{kind}", at + start, at + end)
        at += end


_CERTAIN = frozenset({"email", "cn_id", "iban"})


def _other(before: str) -> bool:
    return compiled(_NOT_A_PERSON).search(before) is not None


def _digits(value: str) -> str:
    return "".join(char for char in value if char.isdigit())


def _card(value: str) -> bool:
    """ISO/IEC 7812: a known issuer, the length it uses, and Luhn's sum."""
    digits = _digits(value)
    return _issued(digits) and len(set(digits)) > 1 and _luhn(digits)


def _issued(digits: str) -> bool:
    size, two, four = len(digits), int(digits[:2]), int(digits[:4])
    return (
        (digits[0] == "4" and size in (13, 16, 19))
        or ((51 <= two <= 55 or 2221 <= four <= 2720) and size == 16)
        or (two in (34, 37) and size == 15)
        or (2200 <= four <= 2204 and 16 <= size <= 19)
        or ((four == 6011 or two in (64, 65)) and size in (16, 19))
        or (two in (62, 81) and 16 <= size <= 19)
        or (3528 <= four <= 3589 and 16 <= size <= 19)
        or (two in (30, 36, 38, 39) and 14 <= size <= 19)
        or (two in (50, 56, 57, 58, 60, 63, 67, 68, 69) and 12 <= size <= 19)
    )


def _luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(map(int, reversed(digits))):
        total += digit if place % 2 == 0 else (digit * 2 - 9 if digit > 4 else digit * 2)
    return total % 10 == 0


def _cn_id(value: str) -> bool:
    """GB 11643: province, date of birth, and a check sign modulo 11."""
    plain = value.replace(" ", "").upper()
    try:
        date(int(plain[6:10]), int(plain[10:12]), int(plain[12:14]))
    except ValueError:
        return False
    weighed = sum(int(digit) * (2 ** (17 - place) % 11) for place, digit in enumerate(plain[:17]))
    return plain[:2] in _PROVINCES and "10X98765432"[weighed % 11] == plain[17]


def _cn_id_old(value: str) -> bool:
    """The form before 1999: province and date of birth, no check sign."""
    try:
        date(1900 + int(value[6:8]), int(value[8:10]), int(value[10:12]))
    except ValueError:
        return False
    return value[:2] in _PROVINCES


def _ssn(value: str) -> bool:
    digits = _digits(value)
    return digits[:3] not in ("000", "666") and digits[3:5] != "00" and digits[5:] != "0000"


def _iban(value: str) -> bool:
    """ISO 13616: country, length, and a remainder of 1 modulo 97."""
    plain = value.replace(" ", "")
    if not 15 <= len(plain) <= 34:
        return False
    turned = plain[4:] + plain[:4]
    return int("".join(str(int(char, 36)) for char in turned)) % 97 == 1


def _phone(value: str) -> bool:
    """E.164: up to 15 digits with the country's code, and fewer within a country."""
    return 7 <= len(_digits(value)) <= (15 if value[:1] in "+(" or value[:2] == "00" else 13)


def _address(value: str) -> bool:
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return False
    groups = [group for group in value.split(":") if group]
    clock = ":" in value and (
        len(groups) < 3 or (len(groups) < 5 and value.replace(":", "").isdigit())
    )
    return not (clock or address.is_loopback or address.is_unspecified or address.is_multicast)
