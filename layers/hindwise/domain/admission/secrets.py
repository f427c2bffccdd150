"""Where a text holds a secret: keys by their makers' shapes, and what is called one and looks it.

A shape alone convicts only where its maker marks it (`ghp_`, `AKIA`). Anything else needs a word
beside it that names it ("password is …") and a value that no sentence would hold there.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from hindwise.domain.admission.key_shapes import EDGE, MARKED, PREFIXED, SERVICES, WRAPPED
from hindwise.domain.admission.matching import Match, compiled
from hindwise.domain.admission.secret_values import (
    is_drawn,
    is_mixed,
    is_password,
    is_random,
    is_strong,
    is_varied,
    is_wordlike,
    stands_in,
)

_PEM = (
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s\\:,.()-]*?"
    r"(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|$)"
)
_URL = (
    r"\b[A-Za-z][A-Za-z0-9+.-]{1,24}://[^\s:@/\"'<>]{0,100}:([^\s@/\"'<>\[]{1,100}|"
    r"[^\s@\"'<>\[]{3,100})@[A-Za-z0-9\[._-]"
)
_NAMED = (
    r"((?i)(?:pass ?(?:word|wd|code|phrase)s?|\bpwd\b|\bpw\b|密码|密碼|口令|暗号|"
    r"パスワード|passwort|mot de passe"
    r"|contrase(?:ñ|n)a|\bpin(?:[ -]?code)?\b|PIN ?码|门禁码|解锁码))"
)
_LINK = (
    r"(?i:[\"'`*_）)]{0,3}(?: (?:for|of|to|on) (?:[^\n.,:=;是为]|\.[^\s]){1,40}?| "
    r"\([^)\n]{1,30}\)|[^\n\s,.，。：:]{0,8})?"
    r"[\"'`*_]{0,2}(?:\s*(?:[:=：＝]|:=|=>|->|→)\s*(?:is\s+)?|\s+(?:(?:(?:was|is|"
    r"has been|got) )?(?:changed|set|reset) to|(?:should|must|will) be|namely|is|was|are|as|"
    r"to|changed to|set to|reset to|ist|est|es)\s*[:：]?\s+"
    r"|\s*,?\s*(?:(?:改|设|变|换|換|定|记)[为成]了?|设置为|设置成|是|为|就是|即|也就是|叫)\s*[:：]?\s*))"
)
_BESIDE = r"(?:['’]s\s+|\s*[,、—–-]?\s*)([\"'`“「『(]?)([A-Za-z0-9!@#$%^&*][!-~]{5,119})"
"""Nothing but a blank or a new line between a name and its value."""
_VALUE = r"([\"'`“「*]{0,3})([!-~]{3,120})"
_THE = r"(?:the|my|our|your|his|her) (?:[a-z-]+ ){0,2}pass(?:word|code|phrase|wd)\b"
_BEFORE_NAMED = (
    r"()()([A-Za-z0-9!@#$%^&*][!-~]{7,60}?)[\"'`”」』,)]{0,2}(?i: (?:is |as )?" + _THE + ""
    r"| ?[是做作当为][^\n,.!-~]{0,6}(?:密码|密碼|口令))"
)
_PASS = r"()(?i:\bthe pass|_pass|(?:^|[\n,;(]) ?pass)(?i:\s*[:=]|\s+is)\s*([\"'`]?)([!-~]{6,120})"
_ACCOUNT = (
    r"(?i)(?:账号|帐号|账户|用户名|登录名|\b(?:username|login|user)\b)[ :=是为]{0,3}[!-~]{1,40}?"
    r"[ ,;/]{0,2}(密码|口令|[ ,;/](?:password|pass|pwd|pw)[ :=])"
    r"[ :=是为]{0,3}([\"'`“「]?)([!-~]{4,60})"
)
_PAIR = (
    r"()(?i:\bcredentials?|\blogins?|账号密码|帐号密码|登录信息)"
    r"[ :是为]{0,3}[!-~]{1,40}?()\s*[/,:]\s*([!-~]{6,60})"
)
_AT_HOST = (
    r"()(?i:\b(?:root|admin|sa|user|app|postgres|mysql|guest|test|deploy|ubuntu|svc[a-z0-9_-]*)):()"
    r"([^\s@/:]{6,60})@[A-Za-z0-9]"
)
_KEYED = (
    r"(?i)(?:api|access|secret|private|client|auth|encryption|signing|master|"
    r"account|shared|service|bot|app|webhook|license"
    r"|session|refresh|bearer|deploy|aws|azure|personal)?[ _-]{0,2}(?:access[ "
    r"_-]?)?(?:key|secret|token|credential|密钥|秘钥|令牌|凭证|私钥|(?-i:\b[AS]K\b))s?"
)
_KEY_BESIDE = (
    r"(?:\s*[:：]?\s*\n\s*(?:```[a-z]*\s*)?|\s*[\"'`“「『(<]{1,3}|[ =]{1,3})([!-~]{16,120})"
)
_LOOSE = r"[A-Za-z0-9+/_=-]{24,100}"
_OF_KEY = r"(?i:(?:key|secret|token|credential)s?\b|密钥|秘钥|令牌|凭证|私钥|(?-i:\b[AS]K\b))"
_KEY_NEAR = (
    _OF_KEY + r"[^\n]{0,40}?[^A-Za-z0-9+/_-](" + _LOOSE + r")(?:$|[^A-Za-z0-9+/_=.-]|\.(?:$|\s))"
)
_KEY_SAID = (
    r"(?i:auth[ _]?token|(?:access|api|secret|app)[ _]?(?:key|token|secret)|(?-i:\b[AS]K\b))"
    r"[^\n.]{0,30}?[:=\"'`“「是]\s?([0-9a-f]{32,64}|[A-Z0-9]{20,40})(?:$|[^A-Za-z0-9+/_=-])"
)
_NEAR_KEY = (
    r"(?i)(?:^|[^A-Za-z0-9+/_=-])(" + _LOOSE + r")[\"'`”」』), ]{0,3}"
    r"(?:(?:is|as|in for|for|->|<-|=|\. ?that's|\. ?this is)\s|[是做作当为(])[^\n]{0,24}?" + _OF_KEY
)
_OPEN = (
    r"(?i)public|publishable|fingerprint|hash|\bsha|digest|checksum|commit|\bids?\b|公钥|指纹|编号"
)
"""What stands near a value that is not the key that was spoken of."""
_PLAIN = r"(?i)^[ _-]*keys?$"
_USER = (
    r"\b(?:curl|wget|https?)\b[^\n]{0,120}? (?:-u|--user)[ =][\"']?"
    r"[^\s:\"']{1,64}:([^\s\"']{3,100})"
)
_BEARER = r"(?i:\b(?:bearer|basic)\s+)([A-Za-z0-9._~+/=-]{16,})"
_SEED = (
    r"(?i)(?:seed|recovery|mnemonic|backup|助记)[ _-]?(?:phrase|words?|"
    r"词)?[^a-z\n]{0,12}(?:(?:is|are)[:\s]+)?((?:[a-z]{3,8}[ "
    r",]+){11,23}[a-z]{3,8})\b"
)
_WAYS = (
    (_NAMED + _BESIDE, is_strong),
    (_BEFORE_NAMED, is_strong),
    (_PASS, is_strong),
    (_PAIR, is_strong),
    (_AT_HOST, is_strong),
)
"""How a password is spoken of beside "password: …", and what its value must be then."""


class Found(NamedTuple):
    """A secret or identifier: the id of its rule, and where it stands."""

    rule: str
    start: int
    end: int

    def meets(self, others: Iterable["Found"]) -> bool:
        """Tell whether it shares a character with any of them."""
        return any(self.start < other.end and other.start < self.end for other in others)


def secrets(text: str) -> Iterator[Found]:
    """The secrets of a text; the places may overlap."""
    certain = [*_certain(text)]
    yield from certain
    for one in _likely(text):
        if not one.meets(certain):
            yield one


def _certain(text: str) -> Iterator[Found]:
    for found in compiled(_PEM).finditer(text) if "PRIVATE KEY" in text else ():
        yield Found("secret.private_key", *found.span())
    yield from _marked(text, MARKED, is_varied)
    yield from _wrapped(text) if "\n" in text else ()
    yield from _in_urls(text)
    yield from _passwords(text, ((_NAMED + _LINK + _VALUE, is_password), (_ACCOUNT, is_password)))
    yield from _keys(text, ((_LINK + _VALUE, 3),))
    for found in compiled(_BEARER).finditer(text):
        if is_random(found.group(1)):
            yield Found("secret.bearer_token", *found.span(1))
    for found in compiled(_SEED).finditer(text):
        yield Found("secret.seed_phrase", *found.span(1))


def _likely(text: str) -> Iterator[Found]:
    """What nobody says is one, by its looks and its place."""
    if not any(map(str.isdigit, {*text})):
        return
    yield from _marked(text, SERVICES, is_mixed)
    yield from _marked(text, PREFIXED, is_drawn)
    yield from _passwords(text, _WAYS)
    yield from _keys(text, ((_KEY_BESIDE, 2),))
    for pattern, holds in ((_KEY_NEAR, is_drawn), (_NEAR_KEY, is_drawn), (_KEY_SAID, is_random)):
        for found in compiled(pattern).finditer(text):
            value = found.group(1)
            if holds(value) and not _open(text, found, value):
                yield Found("secret.key", *found.span(1))


def _marked(
    text: str, shapes: Iterable[tuple[str, str]], holds: Callable[[str], bool]
) -> Iterator[Found]:
    for name, pattern in shapes:
        for found in compiled(EDGE + f"({pattern})").finditer(text):
            if holds(found.group(1)):
                yield Found(f"secret.{name}", *found.span(1))


def _wrapped(text: str) -> Iterator[Found]:
    """Keys that a line break cuts in two."""
    for found in compiled(WRAPPED).finditer(text):
        whole = "".join(found.group(1).split())
        if not is_wordlike(found.group(2)) and any(
            compiled(f"^(?:{pattern})$").search(whole) for _, pattern in MARKED
        ):
            yield Found("secret.wrapped_key", *found.span(1))


def _in_urls(text: str) -> Iterator[Found]:
    for rule, pattern in (("connection_string", _URL), ("password", _USER)):
        for found in compiled(pattern).finditer(text) if "://" in text or " -" in text else ():
            if not stands_in(found.group(1)):
                yield Found(f"secret.{rule}", *found.span(1))


def _passwords(
    text: str, links: Iterable[tuple[str, Callable[[str, str, str], bool]]]
) -> Iterator[Found]:
    for link, holds in links:
        for found in compiled(link).finditer(text):
            start, end = _trimmed(found.group(3), *found.span(3))
            if holds(text[start:end], found.group(1), found.group(2)):
                yield Found("secret.password", start, end)


def _keys(text: str, links: Iterable[tuple[str, int]]) -> Iterator[Found]:
    for link, group in links:
        for found in compiled(f"({_KEYED}){link}").finditer(text):
            start, end = _trimmed(found.group(group), *found.span(group))
            value = text[start:end]
            plain = compiled(_PLAIN).search(found.group(1)) is not None
            if (is_drawn if plain else is_random)(value) and not _open(text, found, value):
                yield Found("secret.key", start, end)


def _open(text: str, found: Match, value: str) -> bool:
    """Tell whether what is beside a value says that anybody may know it."""
    start, end = found.span()
    around = text[max(0, start - 12) : end].replace(value, "")
    return value.startswith("AAAA") or compiled(_OPEN).search(around) is not None


def _trimmed(value: str, start: int, end: int) -> tuple[int, int]:
    cut = value.rstrip("\"'`,;*)]}>")
    cut = cut.removesuffix(".") if len(cut) > 4 else cut
    return start, end - (len(value) - len(cut))
