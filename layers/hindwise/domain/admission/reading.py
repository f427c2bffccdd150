"""A folded text as a line of letters, one for each word that means something to the screens.

`Ignore all previous instructions.` reads `iDPI.`; any other word is an `x`. Sentences end in `.`,
clauses in `,` or `:`. What is quoted as an example of words ("phrases such as '…'") is an `x`.
"""

from collections.abc import Iterator
from functools import cache

from hindwise.domain.admission.folding import put
from hindwise.domain.admission.matching import compiled
from hindwise.domain.admission.words import SILENT, meanings

_LONGEST = 5
_WIDEST = 8
_MENTION = (
    r"(?:papers? \w+ that|shows that|phrases?|strings?|sentences?|payloads?|"
    r"examples?|wordings?|keywords?|such as|e\.g\.|called"
    r"|named|titled|about|saying|says|contains?|like|words?|attacks?|quote[sd]?|logged|detects?"
    r"|例如|比如|诸如|关于|题为|名为|说法|短语|字样|句子|收集|检测|含有|包含|标题|"
    r"叫|类似|话术|论文|文章|研究)"
)
_QUOTED = (
    _MENTION + r"[^\n\"“'「『.。]{0,16}"
    r"(?:\"[^\"\n]{1,60}\"|“[^”\n]{1,60}”|(?:^|[ (])'[^'\n]{1,60}'|"
    r"「[^」\n]{1,60}」|『[^』\n]{1,60}』)"
)
_OUTSIDE = (
    r"(?:https?|ftp|s3|wss?)://[^\s<>\"')\]，。]+|\bwww\.[^\s<>\"')\]，。]+"
    r"|[a-z0-9._%+-]+@[a-z0-9-]+\.[a-z0-9.-]*[a-z0-9]|\b[a-z]{2}[0-9]{2}[a-z0-9]{11,30}\b"
    r"|\[redacted: (?:iban|card|email|phone)\]|(?:账户|账号|account|acct)[ :#]{0,2}[0-9][0-9 -]{4,}"
)
_BLOCK = r"</?(?:div|p|li|td|tr|h[1-6]|br|body|section|article|header|footer)\b[^<>\n]{0,200}>"
_BROUGHT = (
    r"(\bto |[到给往] ?)(?:[a-z0-9-]+\.)+(?:example|test|com|net|org|io|xyz|top|info|biz|ru|cn|dev|"
    r"app|site|online)\b[^\s,，。]*"
)
_PATH = r"(?:^|[ \n(\"'`])[~.]{0,2}/[a-z0-9._-]+(?:/[a-z0-9._-]*)*"
_CREDENTIAL = (
    r"\[redacted: (?:[a-z ]*key|[a-z ]*token|password|secret|connection string)\]"
    r"|[^ \n]*(?:/\.aws/|/\.ssh/|\.env\b|id_rsa|/etc/shadow|/etc/passwd|"
    r"security-credentials)[^ \n]*"
)
_COMMAND = (
    r"\brm +(?:-[a-z-]+ +)+(?:/\*?|~/?|\*|\$home)(?: |$|[\"'`.,;])"
    r"|\brm +-[a-z]* +--no-preserve-root[^\n]*"
    r"|\bdrop (?:table|database|schema) \w+|\btruncate table \w+|\bmkfs[.a-z0-9]* /dev/\w+"
    r"|\bdd if=\S{1,80} of=/dev/\w+|\b(?:curl|wget) [^\n|]{1,120}\| ?(?:sudo )?(?:ba|z)?sh\b"
    r"|\bdel /[sq] [^\n]{1,40}|\bformat c:|\bchmod -r 777 /"
)
"""Commands that leave nothing behind, or run what a stranger sends."""
_MARK = r"\{[a-z_ ]{1,40}\}|\b[a-z]+-[a-z0-9]+-[a-z]*[0-9][a-z0-9-]*\b"
_MARKS = (("3", _COMMAND), ("C", _CREDENTIAL), ("E", _OUTSIDE), ("K", _MARK), ("g", _PATH))
_STANDS = {"C": "\ue000", "E": "\ue001", "K": "\ue002", "g": "\ue003", "x": "\ue004", "3": "\ue005"}
_SIGNS = (
    dict.fromkeys(";!?。！？；…•", " . ")
    | dict.fromkeys(",、，()|（）", " , ")
    | {":": " : ", "\n": " , "}
    | dict.fromkeys('"“”‘「」『』<>[]{}*#=~《》【】`\\/', " ")
)
_ACTIONS = """send delete remove post get fetch write read exec execute run call transfer pay drop
upload forward export wire shell update create grant http email file bash sql query move"""
_TOOLS = frozenset(_ACTIONS.split())


def meant(text: str) -> str:
    """The letters of a folded text."""
    marked = text + " "
    if any(sign in text for sign in "\"'“「『"):
        marked = _put("x", _QUOTED, marked)
    marked = compiled(_BLOCK).sub(" . ", marked) if "<" in marked else marked
    outside = f" {_STANDS['E']} "
    marked = compiled(_BROUGHT).sub(lambda found: found.group(1) + outside, marked)
    for letter, pattern in _MARKS:
        marked = _put(letter, pattern, marked)
    for sign in ("\n\n", ". ", ".\n", "\n-", "\n*", "--", ".'", '."'):
        marked = marked.replace(sign, " . ")
    return _told_apart("".join(_letters(put(marked, _SIGNS).split())))


def _put(letter: str, pattern: str, text: str) -> str:
    return compiled(pattern).sub(lambda _: f" {_STANDS[letter]} ", text)


_EITHER = {
    "0": ("b", "O"),
    "!": ("m", "x"),
    "?": ("r", "O"),
    "%": ("t", "M"),
    "/": ("8", "w"),
    ";": ("7", "B"),
}
"""Words that order at the head of a clause, and name a thing elsewhere."""


def _told_apart(letters: str) -> str:
    told: list[str] = []
    for letter in letters:
        if letter in _EITHER:
            letter = _EITHER[letter][bool(told) and told[-1] not in ".,:&nFyAW4QX"]
        told.append(letter)
    return "".join(told)


def _letters(words: list[str]) -> Iterator[str]:
    known = _known()
    at = 0
    while at < len(words):
        word = words[at]
        if not word.isascii() and word not in known:
            yield from _mixed(word)
            at += 1
            continue
        taken, letter = _phrase(words, at, known)
        at += taken
        yield letter


def _phrase(words: list[str], at: int, known: dict[str, str]) -> tuple[int, str]:
    if words[at] in _beginnings():
        for size in range(_LONGEST, 1, -1):
            letter = known.get("_".join(words[at : at + size]))
            if letter is not None:
                return min(size, len(words) - at), letter
    return 1, _single(words[at], known)


def _single(word: str, known: dict[str, str]) -> str:
    plain = word.strip(".'-_")
    if plain in known:
        return known[plain]
    if "_" in plain:
        return "u" if _TOOLS & set(plain.split("_")) else "x"
    for joint in "'-":
        if joint in plain:
            parts = [known.get(part, "x") for part in plain.split(joint) if len(part) > 1]
            return next((letter for letter in parts if letter not in ("x", "")), "x")
    return "x" if plain else "." if "." in word else ""


def _mixed(word: str) -> Iterator[str]:
    known, widths = _known(), _widths()
    at = others = 0
    while at < len(word):
        char = word[at]
        if char < "\x80":
            end = next((i for i in range(at, len(word)) if not word[i].isascii()), len(word))
            yield _single(word[at:end], known)
            at = end
            continue
        for size in widths.get(char, ()):
            if (letter := known.get(word[at : at + size])) is not None:
                yield letter
                at, others = at + size, 0
                break
        else:
            at, others = at + 1, others + 1
            if others % 2:
                yield "x"


@cache
def _known() -> dict[str, str]:
    marks = {stand: letter for letter, stand in _STANDS.items()}
    return dict.fromkeys(SILENT, "") | meanings() | marks | {sign: sign for sign in ".,:"}


@cache
def _widths() -> dict[str, tuple[int, ...]]:
    """How long the words may be that begin with a character, the longest first."""
    found: dict[str, set[int]] = {}
    for word in _known():
        if word and len(word) <= _WIDEST:
            found.setdefault(word[0], set()).add(len(word))
    return {first: tuple(sorted(sizes, reverse=True)) for first, sizes in found.items()}


@cache
def _beginnings() -> frozenset[str]:
    return frozenset(word.partition("_")[0] for word in meanings() if "_" in word)
