"""Where a text holds a secret: keys by their makers' shapes, and what is called one and looks it.

A shape alone convicts only where its maker marks it (`ghp_`, `AKIA`). Anything else needs a word
beside it that names it ("password is …") and a value that no sentence would hold there.
"""

import math
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from hindwise.domain.admission.matching import compiled

_EDGE = r"(?:^|[^A-Za-z0-9_-])"
_MARKED: tuple[tuple[str, str], ...] = (
    ("aws_access_key", r"(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}\b"),
    ("github_token", r"(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255})"),
    ("gitlab_token", r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-[A-Za-z0-9_.-]{18,}"),
    (
        "slack_token",
        (
            r"(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{20,}|"
            r"xoxe\.xox[bp]-[A-Za-z0-9-]{20,})"
        ),
    ),
    ("slack_webhook", r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}"),
    (
        "discord_webhook",
        r"https://(?:ptb\.|canary\.)?discord(?:app)?\.com/api/webhooks/[0-9]+/[A-Za-z0-9_-]{30,}",
    ),
    ("stripe_key", r"(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,})"),
    ("anthropic_key", r"sk-ant-[A-Za-z0-9_-]{20,}"),
    ("openai_key", r"sk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,}"),
    (
        "google_key",
        r"(?:AIza[A-Za-z0-9_-]{30,40}|GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{20,})",
    ),
    ("jwt", r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    ("npm_token", r"npm_[A-Za-z0-9]{30,}"),
    ("pypi_token", r"pypi-[A-Za-z0-9_-]{40,}"),
    ("sendgrid_key", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("twilio_key", r"(?:SK|AC)[0-9a-f]{32}\b"),
    ("mailgun_key", r"key-[0-9a-f]{32}\b"),
    ("telegram_token", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,35}\b"),
    ("huggingface_token", r"(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    ("digitalocean_token", r"do[opr]_v1_[0-9a-f]{64}"),
    ("shopify_token", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    ("square_token", r"(?:sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,}|EAAA[A-Za-z0-9_-]{56,})"),
    ("databricks_token", r"dapi[0-9a-f]{32}\b"),
    ("groq_key", r"gsk_[A-Za-z0-9]{40,}"),
    ("xai_key", r"xai-[A-Za-z0-9]{60,}"),
    ("perplexity_key", r"pplx-[A-Za-z0-9]{40,}"),
    ("replicate_token", r"r8_[A-Za-z0-9]{36,}"),
    ("linear_key", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    ("notion_token", r"(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,})"),
    ("atlassian_token", r"ATATT3[A-Za-z0-9_=-]{50,}"),
    ("vault_token", r"hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    ("terraform_token", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,}"),
    ("new_relic_key", r"NRAK-[A-Z0-9]{27}\b"),
    ("grafana_token", r"(?:glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_[A-Za-z0-9+/=]{32,})"),
    ("sentry_token", r"sntr[yu]s_[A-Za-z0-9+/=_-]{40,}"),
    ("postman_key", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    ("doppler_token", r"dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9._-]{40,}"),
    ("age_key", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    ("alibaba_key", r"LTAI[A-Za-z0-9]{12,24}\b"),
    ("tencent_key", r"AKID[A-Za-z0-9]{32}\b"),
    ("azure_key", r"AccountKey=[A-Za-z0-9+/]{40,}={0,2}"),
    ("azure_client_secret", r"[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{31,34}"),
    ("azure_sas", r"[?&]s(?:ig|ignature)=[A-Za-z0-9%+/=]{30,}"),
    ("hindwise_key", r"hw_[A-Za-z0-9]{4,}_[A-Za-z0-9_-]{20,}"),
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
    r"(?i)(?:pass ?(?:word|wd|code|phrase)s?|\bpwd\b|\bpw\b|密码|密碼|口令|暗号|"
    r"パスワード|passwort|mot de passe"
    r"|contrase(?:ñ|n)a|\bpin(?:[ -]?code)?\b|PIN ?码|门禁码|解锁码)"
)
_LINK = (
    r"(?i:[\"'`*_）)]{0,3}(?: (?:for|of|to|on) [^\n.,:=;是为]{1,40}?| "
    r"\([^)\n]{1,30}\)|[^\n\s,.，。：:]{0,8})?"
    r"[\"'`*_]{0,2}(?:\s*(?:[:=：＝]|:=|=>|->|→)\s*(?:is\s+)?|\s+(?:(?:(?:was|is|"
    r"has been|got) )?(?:changed|set|reset) to|is|was|are|as|"
    r"to|changed to|set to|reset to|ist|est|es)\s*[:：]?\s+"
    r"|\s*(?:是|为|改为|改成|改成了|设为|设成|就是|叫|換成|換为)\s*[:：]?\s*))"
)
_VALUE = r"([\"'`“「*]{0,3})([!-~]{3,120})"
_KEYED = (
    r"(?i)(?:api|access|secret|private|client|auth|encryption|signing|master|"
    r"account|shared|service|bot|app|webhook|license"
    r"|session|refresh|bearer|deploy|aws|azure|personal)?[ _-]{0,2}(?:access[ "
    r"_-]?)?(?:key|secret|token|credential|密钥|秘钥|令牌|凭证|私钥)s?"
)
_BEARER = r"(?i:\b(?:bearer|basic)\s+)([A-Za-z0-9._~+/=-]{16,})"
_SEED = (
    r"(?i)(?:seed|recovery|mnemonic|backup|助记)[ _-]?(?:phrase|words?|"
    r"词)?[^a-z\n]{0,12}(?:(?:is|are)[:\s]+)?((?:[a-z]{3,8}[ "
    r",]+){11,23}[a-z]{3,8})\b"
)
_STAND_INS = """
password passwd pass pwd secret token key none null true false required optional changeme
example redacted hidden unknown empty default same reset expired incorrect wrong correct
invalid weak strong not missing here stored managed rotated shared pending string your
user value todo tbd"""
_PLACEHOLDERS = frozenset(_STAND_INS.split())
_EXPRESSION = r"^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)+[\[(]|^[a-z_]*(?:env|secret)\("
"""Program text that reads a value from somewhere else."""


class Found(NamedTuple):
    """A secret or identifier: the id of its rule, and where it stands."""

    rule: str
    start: int
    end: int


def secrets(text: str) -> Iterator[Found]:
    """The secrets of a text; the places may overlap."""
    for found in compiled(_PEM).finditer(text) if "PRIVATE KEY" in text else ():
        yield Found("secret.private_key", *found.span())
    for name, pattern in _MARKED:
        for found in compiled(_EDGE + f"({pattern})").finditer(text):
            if _varied(found.group(1)):
                yield Found(f"secret.{name}", *found.span(1))
    yield from _in_urls(text)
    yield from _named(text)
    for found in compiled(_BEARER).finditer(text):
        if _random(found.group(1)):
            yield Found("secret.bearer_token", *found.span(1))
    for found in compiled(_SEED).finditer(text):
        yield Found("secret.seed_phrase", *found.span(1))


def _in_urls(text: str) -> Iterator[Found]:
    for found in compiled(_URL).finditer(text) if "://" in text else ():
        if not _placeholder(found.group(1)):
            yield Found("secret.connection_string", *found.span(1))


def _named(text: str) -> Iterator[Found]:
    for found in compiled(f"({_NAMED}){_LINK}{_VALUE}").finditer(text):
        start, end = _trimmed(found.group(3), *found.span(3))
        if _password(text[start:end], found.group(1), quoted=bool(found.group(2))):
            yield Found("secret.password", start, end)
    for found in compiled(f"{_KEYED}{_LINK}{_VALUE}").finditer(text):
        start, end = _trimmed(found.group(2), *found.span(2))
        if _random(text[start:end]):
            yield Found("secret.key", start, end)


def _trimmed(value: str, start: int, end: int) -> tuple[int, int]:
    cut = value.rstrip("\"'`,;*)]}>")
    cut = cut.removesuffix(".") if len(cut) > 4 else cut
    return start, end - (len(value) - len(cut))


def _placeholder(value: str) -> bool:
    plain = value.strip("<>{}$%*\"'`").lower()
    return (
        compiled(_EXPRESSION).search(value) is not None
        or value[:1] in "<{$%["
        or not plain
        or plain in _PLACEHOLDERS
        or len(set(plain)) < 3
        or plain.replace("_", "").replace("-", "")
        in ("yourpassword", "mypassword", "dbpass", "dbpassword")
    )


def _password(value: str, name: str, *, quoted: bool) -> bool:
    if _placeholder(value) or "://" in value:
        return False
    kinds = _kinds(value)
    if "pin" in name.lower() or name in ("门禁码", "解锁码"):
        return value.isdigit() and 4 <= len(value) <= 8
    if len(value) < 4 or value.lower().rstrip(".!?") in _PLACEHOLDERS:
        return False
    if kinds >= 2 and not _wordlike(value):
        return True
    return (value.isdigit() and len(value) >= 4) or (quoted and len(value) >= 6 and value.isalnum())


def _wordlike(value: str) -> bool:
    """Tell whether a value is an ordinary word or date: `well-known`, `Don't`, `2026-01-02`."""
    core = value.strip(".,;:!?()")
    if compiled(r"^[A-Za-z]?[a-z]*(?:['’/_-][A-Za-z]?[a-z]+)*$").search(core):
        return True
    return bool(
        compiled(r"^[0-9]{1,4}(?:[-/.:][0-9]{1,4}){1,3}$|^[0-9]+\+?-?[a-z]{0,10}$").search(core)
    ) and not (core.isdigit() and len(core) >= 4)


def _kinds(value: str) -> int:
    return sum(
        (
            any(char.islower() for char in value),
            any(char.isupper() for char in value),
            any(char.isdigit() for char in value),
            any(not char.isalnum() for char in value),
        )
    )


def _random(value: str) -> bool:
    """Tell whether a value is long and mixed enough to have been drawn by chance."""
    if len(value) < 16 or _placeholder(value) or "://" in value or "[redacted" in value:
        return False
    digits = sum(char.isdigit() for char in value)
    return digits >= 2 and _kinds(value) >= 2 and entropy(value) >= 3.0 and not value.isdigit()


def _varied(value: str) -> bool:
    return len(set(value[4:].lower())) >= 6


def entropy(value: str) -> float:
    """Bits a character, after Shannon."""
    counts = Counter(value).values()
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts)
