"""The form of a text that screens read, never what is stored: disguises off, words as meant.

Compatibility forms, letters of other alphabets that look Latin, marks on letters, invisible
characters, Traditional characters and markup entities all become the plain thing. Honest text in
Greek or Russian turns to gibberish by it; that harms nothing, for it is only screened.
"""

import html
import unicodedata
from functools import cache
from itertools import pairwise

from hindwise.domain.admission.folding_tables import LOOKALIKES, SIMPLIFIED

_TAGS = range(0xE0020, 0xE007F)
_BLANKS = str.maketrans("\t\x0b\x0c\r\x85\xa0", "      ")
_APART = frozenset(" .·_|*-~/")
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
    return "".join(char for char in text if char == "\n" or not hides(char))


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
    unmarked = (char for char in decomposed if unicodedata.category(char) not in ("Mn", "Me"))
    return "".join(unmarked).translate(_folding())


def loose(text: str) -> str:
    """The text as screens read it, blanks as they were."""
    unescaped = html.unescape(text) if "&" in text else text
    if unescaped.isascii():
        return "".join(char for char in unescaped if char >= " " or char in "\t\n\r").lower()
    plain = plain_letters(visible(unescaped))
    return _together(plain.replace("\u2028", "\n").replace("\u2029", "\n"))


def folded(text: str) -> str:
    """The text as screens read it; runs of blanks are one, Han characters stand together."""
    return single(loose(text))


def single(text: str) -> str:
    """The text with each run of blanks as one."""
    return " ".join(filter(None, text.translate(_BLANKS).split(" ")))


def _together(text: str) -> str:
    kept: list[str] = []
    waiting = ""
    for char in text:
        if char in _APART and kept and (waiting or _han(kept[-1])):
            waiting += char
            continue
        if waiting and not _han(char):
            kept.append(waiting)
        waiting = ""
        kept.append(char)
    return "".join(kept) + waiting


def _han(char: str) -> bool:
    return "\u3400" <= char[-1] <= "\u9fff"


@cache
def _latin() -> dict[int, str]:
    pairs = LOOKALIKES.items()
    capitals = {ord(odd.upper()): plain.upper() for odd, plain in pairs if len(odd.upper()) == 1}
    return capitals | {ord(odd): plain for odd, plain in pairs}


def latin(text: str) -> str:
    """The text with its case, without what hides, look-alikes as the Latin letters they pose as."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", visible(text)).translate(_latin())


def tagged(text: str) -> str:
    """What tag characters in a text spell; empty where there are none."""
    return "".join(chr(ord(char) - 0xE0000) for char in text if ord(char) in _TAGS)


def selected(text: str) -> str:
    """The bytes that variation selectors in a text carry, as text; empty where they do not."""
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
    mixed = sum(_mixed(word) for line in words for word in line)
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
    for at, char in enumerate(text):
        if not char.isalnum() or not char.isascii():
            continue
        if _alone(text, at):
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


def _alone(text: str, at: int) -> bool:
    return not (text[at - 1 : at].isalnum() or text[at + 1 : at + 2].isalnum())


def _joined(text: str, run: list[int]) -> str:
    gaps = [after - before for before, after in pairwise(run)]
    usual = min(gaps)
    spread = zip(gaps, run[1:], strict=True)
    return text[run[0]] + "".join(" " * (gap > usual) + text[at] for gap, at in spread)
