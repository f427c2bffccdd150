"""The form of a text that screens read, never what is stored: disguises off, words as meant.

Compatibility forms, letters of other alphabets that look Latin, marks on letters, invisible
characters, Traditional characters and markup entities all become the plain thing. Honest text in
Greek or Russian turns to gibberish by it; that harms nothing, for it is only screened. Long texts
have few different characters: what a character is, is asked once of each.
"""

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise

from hindwise.domain.admission.folding_tables import LOOKALIKES, SIMPLIFIED

_TAGS = range(0xE0020, 0xE007F)
_BLANKS = dict.fromkeys("\t\x0b\x0c\r\x85\xa0", " ")
_APART = frozenset(" .·_|*-~/")
_BETWEEN_HAN = re.compile(r"(?<=[\u3400-\u9fff])[ .·_|*\-~/]+(?=[\u3400-\u9fff])")
_ALONE = re.compile(r"(?<![^\W_])[A-Za-z0-9](?![^\W_])")
_LEAST = 5
"""Fewer letters in a row are initials, grades or options, not a word written apart."""
_LEET = str.maketrans("01345789@$!", "oieastbgasi")
_LEET_L = str.maketrans("01345789@$!", "oleastbgasi")
_AROUND = ".,;:!?()[]{}<>\"'"


@cache
def _folding() -> dict[int, str | None]:
    invisible = [*range(0xFE00, 0xFE10), *range(0xE0000, 0xE0200), 0x34F, 0x3164, 0xFFA0, 0x2800]
    table: dict[int, str | None] = dict.fromkeys(invisible)
    return table | {ord(odd): plain for odd, plain in (LOOKALIKES | SIMPLIFIED).items()}


def visible(text: str) -> str:
    """The text without characters that show nothing, and without half surrogate pairs."""
    return without(text, {char for char in {*text} if char != "\n" and hides(char)})


def without(text: str, signs: Iterable[str]) -> str:
    """The text without these characters."""
    return put(text, dict.fromkeys(signs, ""))


def put(text: str, others: Mapping[str, str]) -> str:
    """The text with one after another of some characters replaced.

    Where they are few this takes a fraction of what `translate` does.
    """
    for sign, other in others.items():
        text = text.replace(sign, other)
    return text


def hides(char: str) -> bool:
    """Tell whether a character shows nothing: joiners, tags, selectors, controls, fillers."""
    if char.isascii():
        return char < " " and char not in "\t\n\r"
    code = ord(char)
    if code in _folding() and _folding()[code] is None:
        return True
    return unicodedata.category(char) in ("Cf", "Cs", "Cc", "Co")


def plain_letters(text: str) -> str:
    """The text in compatibility form, lower case, Latin look-alikes as Latin, no marks."""
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    marks = {char for char in {*decomposed} if unicodedata.category(char) in ("Mn", "Me")}
    return _folded_by(_folding(), without(decomposed, marks))


def _folded_by(table: Mapping[int, str | None], text: str) -> str:
    """What `translate` gives, which is slow: not where there is nothing to do."""
    return text.translate(table) if any(ord(char) in table for char in {*text}) else text


def loose(text: str) -> str:
    """The text as screens read it, blanks as they were."""
    unescaped = html.unescape(text) if "&" in text else text
    if unescaped.isascii():
        signs = {char for char in {*unescaped} if char < " " and char not in "\t\n\r"}
        return without(unescaped, signs).lower()
    plain = plain_letters(visible(unescaped))
    return _BETWEEN_HAN.sub("", plain.replace("\u2028", "\n").replace("\u2029", "\n"))


def folded(text: str) -> str:
    """The text as screens read it; runs of blanks are one, Han characters stand together."""
    return single(loose(text))


def single(text: str) -> str:
    """The text with each run of blanks as one."""
    return " ".join(filter(None, put(text, _BLANKS).split(" ")))


@cache
def _latin() -> dict[int, str]:
    pairs = LOOKALIKES.items()
    capitals = {ord(odd.upper()): plain.upper() for odd, plain in pairs if len(odd.upper()) == 1}
    return capitals | {ord(odd): plain for odd, plain in pairs}


def latin(text: str) -> str:
    """The text with its case, without what hides, look-alikes as the Latin letters they pose as."""
    if text.isascii():
        return text
    return _folded_by(_latin(), unicodedata.normalize("NFKC", visible(text)))


def tagged(text: str) -> str:
    """What tag characters in a text spell; empty where there are none."""
    if not any(ord(char) in _TAGS for char in {*text}):
        return ""
    return "".join(chr(ord(char) - 0xE0000) for char in text if ord(char) in _TAGS)


def selected(text: str) -> str:
    """The bytes that variation selectors in a text carry, as text; empty where they do not."""
    if not any("\ufe00" <= char < "\ufe10" or char >= "\U000e0100" for char in {*text}):
        return ""
    carried = bytearray()
    for char in text:
        code = ord(char)
        if 0xFE00 <= code < 0xFE10:
            carried.append(code - 0xFE00)
        elif 0xE0100 <= code < 0xE01F0:
            carried.append(code - 0xE0100 + 16)
    return carried.decode(errors="ignore") if len(carried) >= 8 else ""


def unleeted(text: str) -> tuple[str, ...]:
    """A folded text with digits in words read as the letters they stand for, in both readings.

    Nothing where fewer than two words mix letters and digits. Numbers are read as words only where
    most words are so disguised.
    """
    words = [line.split(" ") for line in text.split("\n")]
    counts = Counter(word for line in words for word in line)
    mixed = sum(count for word, count in counts.items() if _mixed(word))
    if mixed < 2:
        return ()
    numbers = mixed * 3 >= sum(map(len, words))

    def read(table: dict[int, int]) -> str:
        return "\n".join(
            " ".join(_read(word, table, numbers=numbers) for word in line) for line in words
        )

    return tuple({read(_LEET): None, read(_LEET_L): None})


def _read(word: str, table: dict[int, int], *, numbers: bool) -> str:
    core = word.rstrip(_AROUND)
    if _mixed(word) or (numbers and len(core) <= 3 and core.isdigit()):
        mapped = table if "." not in core.partition("@")[2] else table | {ord("@"): ord("@")}
        return core.translate(mapped) + word[len(core) :]
    return word


def _mixed(word: str) -> bool:
    core = word.strip(_AROUND)
    signs = sum(char in "0134578@$!9" for char in core)
    number = len(core) > 12 and signs * 5 > len(core) * 3
    return 0 < signs < len(core) <= 200 and not number and any(map(str.isalpha, core))


def spread(text: str) -> str:
    """A loose text whose every sign stands apart, as it is meant; empty where words are whole."""
    signs = text.split(" ")
    if len(signs) < 2 * _LEAST or sum(len(sign) < 2 for sign in signs) * 5 < len(signs) * 4:
        return ""
    return text.replace("   ", "\0").replace("  ", "\0").replace(" ", "").replace("\0", " ")


def unspaced(text: str) -> str:
    """A loose text with words written letter by letter put together; empty where there are none.

    Where letters are apart by one sign and words by more, words stay apart.
    """
    runs: list[list[int]] = [[]]
    for found in _ALONE.finditer(text):
        at = found.start()
        apart = text[runs[-1][-1] + 1 : at] if runs[-1] else ""
        if len(apart) > 6 or not _APART.issuperset(apart):
            runs.append([])
        runs[-1].append(at)
    long = [run for run in runs if len(run) >= _LEAST]
    parts: list[str] = []
    done = 0
    for run in long:
        parts += [text[done : run[0]], _joined(text, run)]
        done = run[-1] + 1
    return single("".join(parts) + text[done:]) if long else ""


def _joined(text: str, run: list[int]) -> str:
    gaps = [after - before for before, after in pairwise(run)]
    usual = min(gaps)
    spread = zip(gaps, run[1:], strict=True)
    return text[run[0]] + "".join(" " * (gap > usual) + text[at] for gap, at in spread)
