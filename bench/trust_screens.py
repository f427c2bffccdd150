"""The screens' part of `make bench-trust`: what admission finds, and what it had better let be.

A detector is an alarm; what it misses is held back by its origin. So precision comes first here:
each catch rate stands beside that of plain action words, and both beside their cost on honest text.
"""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.trust_encodings import ENCODINGS
from hindwise.domain.admission.admitting import admission
from hindwise.domain.admission.model import Admission, Decision
from hindwise.domain.scope import Origin
from hindwise.domain.text import flaw
from hindwise.domain.trust_rules import TrustRules

HELD = (Decision.QUARANTINE, Decision.REFUSE)
EACH = TrustRules(personal=dict.fromkeys(TrustRules().personal, "redact"))
"""Every kind of identifier is redacted, so that each can be counted."""
ACTION_WORDS = (
    "delete remove transfer wire pay authorise authorize approve grant disable revoke execute send "
    "删除 移除 转账 付款 授权 批准 执行 禁用 关闭 撤销 发送"
)
_WORDS = ACTION_WORDS.split()

type Case = dict[str, Any]


def cases(data: Path) -> dict[str, list[Case]]:
    """The cases of each set in a folder of JSON lines."""
    return {
        path.stem.removesuffix(".dev"): [
            json.loads(line) for line in path.read_text("utf-8").split("\n") if line
        ]
        for path in sorted(data.glob("*.jsonl"))
    }


def wilson(hits: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share, after Wilson."""
    if not n:
        return 0.0, 1.0
    z, p = 1.96, hits / n
    middle = p + z * z / (2 * n)
    spread = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    whole = 1 + z * z / n
    return round(max(0.0, (middle - spread) / whole), 4), round(
        min(1.0, (middle + spread) / whole), 4
    )


def share(what: str, hits: Sequence[bool], **more: Any) -> dict[str, Any]:
    """A row of one measured share."""
    low, high = wilson(sum(hits), len(hits))
    value = round(sum(hits) / len(hits), 4) if hits else 0.0
    return {"what": what, **more, "n": len(hits), "share": value, "low": low, "high": high}


def decided(text: str, origin: Origin, rules: TrustRules | None = None) -> Admission:
    """What admission says of a memory of this text."""
    return admission({"content": text}, origin=origin, rules=rules or TrustRules())[0]


def held(text: str, origin: Origin = Origin.TOOL) -> bool:
    """Whether a text is kept from being told; what the contract refuses is."""
    return flaw(text) is not None or decided(text, origin).decision in HELD


def acts(text: str) -> bool:
    """Whether a text holds a plain action word."""
    lower = text.lower()
    return any(word in lower for word in _WORDS)


def rows(data: Path) -> list[dict[str, Any]]:
    """All rows of the screens, from the sets in a folder."""
    sets = cases(data)
    every = [case for each in sets.values() for case in each]
    return [*_secrets(every), *_caught(sets), *_owner(every), *_encodings(every)]


def _secrets(every: Iterable[Case]) -> Iterator[dict[str, Any]]:
    of = defaultdict(list)
    for case in every:
        found = decided(case["text"], Origin.OWNER, EACH)
        hit = any(rule.startswith(("secret.", "personal.")) for rule in found.rules)
        if case["label"] in ("secret", "pii"):
            cut = found.decision is Decision.REDACT
            of["secrets_redacted", case["label"]].append(cut)
        elif case.get("kind") == "lookalike":
            of["lookalike_hit", case["lang"]].append(hit)
    for (what, of_what), hits in of.items():
        key = "label" if what == "secrets_redacted" else "language"
        yield share(what, hits, **{key: of_what})
    for what in dict.fromkeys(what for what, _ in of):
        yield share(what, [hit for (name, _), hits in of.items() if name == what for hit in hits])


def _caught(sets: dict[str, list[Case]]) -> Iterator[dict[str, Any]]:
    for name, each in sets.items():
        of = defaultdict(list)
        for case in each:
            label = case["label"]
            what = "caught" if label.startswith("attack") else "honest_quarantined"
            if label not in ("secret", "pii"):
                of[what, label, case["lang"]].append(case["text"])
        for (what, label, language), texts in sorted(of.items()):
            words = [acts(text) for text in texts]
            row = share(what, [held(text) for text in texts], set=name, label=label)
            low, high = wilson(sum(words), len(words))
            yield row | {
                "language": language,
                "action_words_share": round(sum(words) / len(words), 4),
                "action_words_low": low,
                "action_words_high": high,
            }


def _owner(every: Iterable[Case]) -> Iterator[dict[str, Any]]:
    honest = [case["text"] for case in every if case["label"] in ("benign", "secret", "pii")]
    yield share("owner_quarantined", [held(text, Origin.OWNER) for text in honest])


def _encodings(every: Iterable[Case]) -> Iterator[dict[str, Any]]:
    attacks = [case["text"] for case in every if case["label"].startswith("attack")]
    plain = {text: held(text) for text in dict.fromkeys(attacks)}
    same: list[bool] = []
    for name, encode in ENCODINGS.items():
        stays = [held(encode(text)) for text, was in plain.items() if was]
        harder = [held(encode(text)) for text, was in plain.items() if not was]
        same += stays
        row = share("encodings", stays, encoding=name)
        yield _same(row) | {"harder_share": share("", harder)["share"]}
    yield _same(share("encodings", same))


def _same(row: dict[str, Any]) -> dict[str, Any]:
    return {("same_verdict_share" if key == "share" else key): value for key, value in row.items()}
