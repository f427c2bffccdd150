"""What a statement says that two texts can be told apart by: see `guards`.

Texts are folded first (NFKC, no invisible characters, straight apostrophes), so that width, case
and smuggled characters neither make nor hide a difference.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

from hindwise.domain import guards_words as lists

_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})
_RAISED = {ord(char): f"^{value}" for value, char in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_TENS = {"十": 10, "百": 100, "千": 1_000}
_GREATER = {"万": 10**4, "亿": 10**8}
_ZH_NUMBER = "[零〇一二两三四五六七八九十百千万亿]"


@dataclass(frozen=True, slots=True)
class Reading:
    """One text, read: `words` of content in order (a Chinese character is one), and its marks.

    `negations` are counted; `numbers`, `dates` (`kind:value`), `units`, `people` and `names` come
    in the order in which they are said; `conditions` are words that limit it.
    """

    words: tuple[str, ...]
    negations: int
    conditions: int
    numbers: tuple[str, ...]
    dates: tuple[str, ...]
    units: tuple[str, ...]
    people: tuple[str, ...]
    names: tuple[str, ...]


def folded(text: str) -> str:
    """NFKC without invisible characters, quotes straight, one space for any blank; case stays.

    A raised digit stays one: 10² is not 102.
    """
    text = unicodedata.normalize("NFKC", text.translate(_RAISED)).translate(_QUOTES)
    seen = "".join(char for char in text if unicodedata.category(char) != "Cf")
    return " ".join(seen.split())


def plain(text: str) -> str:
    """The form in which two texts are the same: folded, no case, no full stop at the end."""
    return folded(text).casefold().rstrip(" .。!;；~")


@lru_cache(maxsize=512)
def reading(text: str) -> Reading:
    """Read a text."""
    cased = folded(text)
    low = cased.casefold()
    for old, new in lists.ALIKE_ZH:
        low = low.replace(old, new)
    rest, dates = _dates(low)
    tokens = _english().findall(low)
    told = [word for word in tokens if word.endswith("n't") or word in lists.NEGATING]
    harmless = _harmless().sub("", low)
    negations = len(told) + len(lists.any_of(lists.NEGATING_ZH).findall(harmless))
    limits = sum(word in lists.CONDITIONS for word in tokens)
    limits += len(lists.any_of(lists.CONDITIONS_ZH).findall(harmless))
    return Reading(
        words=_words(low),
        negations=negations,
        conditions=limits,
        numbers=_numbers(rest),
        dates=dates,
        units=_units(rest),
        people=_people(low, tokens),
        names=_names(cased),
    )


@cache
def _harmless() -> re.Pattern[str]:
    return re.compile(lists.HARMLESS_ZH)


@cache
def _english() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_\u3005-\u9fff]+(?:'[a-z]+)?")


@cache
def _tokens() -> re.Pattern[str]:
    """Chinese characters one by one, names with their signs (c++, a@b.c, v2.4), other words.

    Signs that are no mere punctuation count too: a picture or `<` may be all that differs.
    """
    return re.compile(
        r"[\u3005-\u3007\u3040-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
        r"|-?\d+(?:[.,:/]\d+)*%?|[^\W\u3005-\u9fff]+(?:['.@/\-:][^\W\u3005-\u9fff]+)*[+#]*"
        r"|[^\w\s.,;:!'\"()\[\]{}、。，；：！…“”‘’「」《》（）–—-]"
    )


def _words(low: str) -> tuple[str, ...]:
    low = lists.any_of(lists.DROPPED_ZH).sub("", low)
    found = (lists.ALIKE.get(word, word) for word in _tokens().findall(low))
    return tuple(lists.NUMBERS.get(word, word) for word in found if word not in lists.DROPPED)


@cache
def _date_forms() -> tuple[re.Pattern[str], ...]:
    months = "|".join(f"{name}|{name[:3]}" for name in lists.MONTHS)
    days = "|".join(f"{name}s?|{name[:3]}" for name in lists.DAYS)
    number = rf"\d{{1,2}}|{_ZH_NUMBER}{{1,3}}"
    forms = (
        r"(?P<y>(?:19|20)\d\d)-(?P<m>\d{1,2})-(?P<d>\d{1,2})",
        r"(?P<y>(?:19|20)\d\d) ?年",
        rf"(?P<m>{number}) ?月份?(?: ?(?P<d>{number}) ?[日号])?(?P<end>[底初末]|[上中下]旬)?",
        rf"(?P<d>{number}) ?[日号](?![楼线院门店馆桌码机])",
        r"(?:周|星期|礼拜)(?P<w>[一二三四五六日天])",
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m>{months})\b",
        rf"\b(?P<m>{months})\b\.?(?: (?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:))?",
        rf"\b(?P<w>{days})\b",
        r"\b(?P<step>last|this|next) (?P<unit>week|month|year|quarter)\b",
        rf"(?P<h>{number}) ?点(?<!一点)|(?P<one>一)点(?=[钟半十整二三四五])",
        r"\b(?P<h>\d{1,2})(?::(?P<min>\d\d))? ?(?P<half>am|pm)\b",
        r"\b(?P<h>\d{1,2}):(?P<min>\d\d)\b",
    )
    return tuple(map(re.compile, forms))


def _dates(low: str) -> tuple[str, tuple[str, ...]]:
    """The text without its dates, and those, in order."""
    found: list[tuple[int, str]] = []
    for form in _date_forms():
        for match in form.finditer(low):
            found += [(match.start(), value) for value in _dated(match.groupdict())]
        low = form.sub(lambda match: " " * len(match.group()), low)
    moments = lists.any_of(tuple(lists.MOMENTS_ZH))
    found += [(one.start(), lists.MOMENTS_ZH[one.group()]) for one in moments.finditer(low)]
    for one in _english().finditer(low):
        if one.group() in lists.MOMENTS:
            found.append((one.start(), lists.MOMENTS[one.group()]))
    return low, tuple(value for _, value in sorted(found))


def _dated(parts: dict[str, str | None]) -> list[str]:
    """The parts of one date as `kind:value`."""
    said = {name: value for name, value in parts.items() if value is not None}
    found = []
    for name, value in said.items():
        if name == "w":
            found.append(f"w:{_weekday(value)}")
        elif name == "m" and value.isalpha() and value.isascii():
            found.append(f"m:{[one[:3] for one in lists.MONTHS].index(value[:3]) + 1}")
        elif name == "step":
            found.append(f"{said['unit']}:{lists.STEPS[value]}")
        elif name == "end":
            found.append(f"end:{value}")
        elif name in ("h", "one"):
            hour, half = _value(value), said.get("half")
            found.append(f"h:{hour % 12 + 12 * (half == 'pm') if half else hour}")
        elif name not in ("half", "unit"):
            found.append(f"{name}:{_value(value)}")
    return found


def _weekday(word: str) -> int:
    if len(word) == 1:
        return min("一二三四五六日天".index(word), 6)
    return [one[:3] for one in lists.DAYS].index(word[:3])


def _value(text: str) -> int:
    """Up to three digits, or a Chinese numeral, e.g. 两万五 (25,000), as a number."""
    if text.isdigit():
        return int(text)
    if not set(text) & {*_TENS, *_GREATER}:
        return int(_spelt(text))
    total = part = digit = 0
    last = 1
    for char in text:
        if char in "零〇":
            last = 1
        elif char in _DIGITS:
            digit = _DIGITS[char]
        elif char in _TENS:
            part += (digit or 1) * _TENS[char]
            digit, last = 0, _TENS[char]
        else:
            total += (part + digit or 1) * _GREATER[char]
            part, digit, last = 0, 0, _GREATER[char]
    return total + part + (digit * last // 10 if last > 10 else digit)


def _spelt(text: str) -> str:
    """Chinese digits one by one, e.g. 一三八 (138), without zeros in front; of any length."""
    return "".join(str(_DIGITS[char]) for char in text).lstrip("0") or "0"


def _numeral(text: str) -> str:
    """A Chinese numeral in digits."""
    return str(_value(text)) if set(text) & {*_TENS, *_GREATER} else _spelt(text)


@cache
def _number_forms() -> re.Pattern[str]:
    zh = rf"(?P<zh>{_ZH_NUMBER}+)"
    return re.compile(rf"(?P<sign>(?<![\w.])-)?(?P<digits>\d+(?:[.,]\d+)*)(?P<big>[万亿k])?|{zh}")


def _numbers(low: str) -> tuple[str, ...]:
    """The numbers in order; a lone 一 is rather a word than a number, like `one`."""
    found: list[tuple[int, str]] = []
    for match in _number_forms().finditer(low):
        if match["zh"]:
            if match["zh"] not in ("一", "万", "千", "百"):
                found.append((match.start(), _numeral(match["zh"])))
            continue
        found.append((match.start(), (match["sign"] or "") + _canonical(match)))
    for word in _english().finditer(low):
        if word.group() in lists.NUMBERS and word.group() != "one":
            found.append((word.start(), lists.NUMBERS[word.group()]))
    return tuple(value for _, value in sorted(found))


def _canonical(match: re.Match[str]) -> str:
    digits = re.sub(r",(?=\d{3}(?!\d))", "", match["digits"])
    if digits.count(".") > 1 or "," in digits:
        return digits
    whole, _, part = digits.partition(".")
    big = {"万": 4, "亿": 8, "k": 3}.get(match["big"] or "", 0)
    part = part.ljust(big, "0")
    whole, part = (whole + part[:big]).lstrip("0") or "0", part[big:].rstrip("0")
    return f"{whole}.{part}" if part else whole


@cache
def _unit_forms() -> re.Pattern[str]:
    after = [one for one in lists.UNITS if one not in "$€£¥"]
    words = "|".join(
        re.escape(one) + (r"\b" if one.isascii() and one.isalpha() else "")
        for one in sorted(after, key=len, reverse=True)
    )
    return re.compile(rf"(?P<before>[$€£¥])(?= ?\d)|(?:\d|{_ZH_NUMBER})[ -]?(?P<after>{words})")


def _units(low: str) -> tuple[str, ...]:
    for name, value in lists.NUMBERS.items():
        low = re.sub(rf"\b{name}\b", value, low) if name in low else low
    matches = _unit_forms().finditer(low)
    return tuple(lists.UNITS[match["before"] or match["after"]] for match in matches)


def _people(low: str, tokens: list[str]) -> tuple[str, ...]:
    bare = (word.removesuffix("'s") for word in tokens)
    found = [lists.PEOPLE[word] for word in bare if word in lists.PEOPLE]
    named = lists.any_of(tuple(lists.PEOPLE_ZH)).findall(low.replace("其他", ""))
    return (*found, *(lists.PEOPLE_ZH[one] for one in named))


@cache
def _name_forms() -> re.Pattern[str]:
    """Capitalised words within a sentence, or two at its start; quoted titles; Latin in Chinese."""
    capital = r"[A-Z][\w+#.\-]*\w[+#]*|[A-Z]\b[+#]*|[a-z]+[A-Z]\w*"
    return re.compile(
        rf"《(?P<title>[^《》]+)》|(?<=[^\s.!?。！？:] )(?P<inner>{capital})"
        rf"|(?:^|(?<=[.!?] ))(?P<pair>[A-Z]\w+ [A-Z]\w+)"
        r"|(?<=[\u3040-\u9fff])[ ]?(?P<latin>[A-Za-z][\w.+#@\-]*)"
        r"|(?P<mail>(?<![\w.])[\w.]+@[\w.]+\w)"
    )


def _names(cased: str) -> tuple[str, ...]:
    found: list[str] = []
    for match in _name_forms().finditer(cased):
        found += (match[match.lastgroup or 0] or "").casefold().rstrip(".").split()
    known = {"i", *lists.MONTHS, *lists.DAYS, *(f"{day}s" for day in lists.DAYS)}
    return tuple(name for name in found if name not in known)
