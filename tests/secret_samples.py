"""Secrets drawn by seed, so that none stands in the repository: each kind with what names it."""

import random
import string

_LOW, _UP, _DIG = string.ascii_lowercase, string.ascii_uppercase, string.digits
_MIX, _HEX = _LOW + _UP + _DIG, "0123456789abcdef"


def _of(rng: random.Random, signs: str, size: int) -> str:
    return "".join(rng.choice(signs) for _ in range(size))


def secrets(seed: int) -> dict[str, str]:
    """One secret of each kind."""
    rng = random.Random(seed)
    word = f"{_of(rng, _LOW, 6)}{_of(rng, _DIG, 3)}!"
    lines = "\n".join(_of(rng, _MIX + "+/", 64) for _ in range(4))
    pem = " PRIVATE KEY-----"
    return {
        "aws access key": "AKIA" + _of(rng, _UP + _DIG, 16),
        "AWS secret access key": _of(rng, _MIX + "+/", 40),
        "github token": "ghp_" + _of(rng, _MIX, 36),
        "fine token": "github_pat_" + _of(rng, _MIX, 22) + "_" + _of(rng, _MIX, 59),
        "gitlab token": "glpat-" + _of(rng, _MIX, 20),
        "slack token": f"xoxb-{_of(rng, _DIG, 12)}-{_of(rng, _DIG, 12)}-{_of(rng, _MIX, 24)}",
        "stripe key": "sk_live_" + _of(rng, _MIX, 24),
        "openai key": "sk-proj-" + _of(rng, _MIX, 48),
        "anthropic key": "sk-ant-api03-" + _of(rng, _MIX + "_-", 93) + "AA",
        "google key": "AIza" + _of(rng, _MIX + "_-", 35),
        "session": f"eyJ{_of(rng, _MIX, 30)}.eyJ{_of(rng, _MIX, 50)}.{_of(rng, _MIX, 43)}",
        "npm token": "npm_" + _of(rng, _MIX, 36),
        "sendgrid": f"SG.{_of(rng, _MIX, 22)}.{_of(rng, _MIX, 43)}",
        "twilio": "SK" + _of(rng, _HEX, 32),
        "telegram bot": f"{_of(rng, '123456789', 10)}:AA{_of(rng, _MIX, 33)}",
        "azure storage": f"AccountKey={_of(rng, _MIX + '+/', 86)}==",
        "private key": f"-----BEGIN RSA{pem}\n{lines}\n-----END RSA{pem}",
        "database URL": f"postgresql://app:{_of(rng, _MIX, 14)}@db.internal:5432/prod",
        "redis": f"redis://:{_of(rng, _MIX, 16)}@cache:6379/0",
        "password": word,
        "login password is": word,
        "API key": _of(rng, _HEX, 32),
        "client_secret": _of(rng, _MIX, 32),
        "密码是": word,
        "口令": word,
        "密钥为": _of(rng, _MIX, 32),
    }
