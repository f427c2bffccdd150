"""Print the generated part of `hindwise.domain.analysis.unicode_classes`.

Run with the Python whose `unicodedata` the index was built for, and paste the output over the
three constants. They are committed because finding them takes four seconds at every start.
"""

import re
import unicodedata
from collections.abc import Callable

from hindwise.domain.analysis import unicode_classes as known

SCRIPTS = known.HAN + known.HIRAGANA + known.KATAKANA + known.HANGUL + known.UNSPACED
LETTER_CATEGORIES = {"Lu", "Ll", "Lt", "Lm", "Lo", "Nl"}
EXTENDER_CATEGORIES = {"Mn", "Me", "Mc", "Cf"}
MORE_LETTERS = "\u02c2-\u02c5\u02d2-\u02d7\u02de\u02df\u02ed\u02ef-\u02ff\u24b6-\u24e9"
MORE_EXTENDERS = "\uff9e\uff9f\U0001f3fb-\U0001f3ff"


def letter() -> Callable[[str], bool]:
    apart, more = re.compile(f"[{SCRIPTS}{MORE_EXTENDERS}]"), re.compile(f"[{MORE_LETTERS}]")
    return lambda c: (
        more.match(c) is not None
        or (unicodedata.category(c) in LETTER_CATEGORIES and apart.match(c) is None)
    )


def digit(c: str) -> bool:
    return unicodedata.category(c) == "Nd" or c == "\u066b"


def extender() -> Callable[[str], bool]:
    more = re.compile(f"[{MORE_EXTENDERS}]")
    return lambda c: (
        more.match(c) is not None
        or (unicodedata.category(c) in EXTENDER_CATEGORIES and c != "\u200b")
    )


def escaped(code: int) -> str:
    if chr(code).isascii():
        return chr(code)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def ranges(belongs: Callable[[str], bool]) -> list[str]:
    codes = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000 and belongs(chr(c))]
    out, start = [], None
    for code, after in zip(codes, [*codes[1:], None], strict=True):
        start = code if start is None else start
        if after != code + 1:
            middle = "" if code == start else "-" if code > start + 1 else None
            parts = [escaped(start), *([] if code == start else [escaped(code)])]
            out.append((middle or "").join(parts))
            start = None
    return out


def show(name: str, parts: list[str]) -> None:
    lines = [""]
    for part in parts:
        if len(lines[-1]) + len(part) > 92:
            lines.append("")
        lines[-1] += part
    print(f"{name} = (", *(f'    r"{line}"' for line in lines), ")", sep="\n")


if __name__ == "__main__":
    print(f'"""Unicode {unicodedata.unidata_version}"""')
    show("LETTERS", ranges(letter()))
    show("DIGITS", ranges(digit))
    show("EXTENDERS", ranges(extender()))
