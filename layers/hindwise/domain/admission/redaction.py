"""Cut secrets and identifiers out of a text, and leave the rest as it was written.

They are looked for in the text as it shows, so that invisible characters between its signs hide no
key; what is cut is the whole stretch of the written text.
"""

import unicodedata
from collections.abc import Iterator

from hindwise.domain.admission.encodings import inner
from hindwise.domain.admission.folding import hides
from hindwise.domain.admission.personal import personal
from hindwise.domain.admission.secrets import Found, secrets
from hindwise.domain.trust_rules import TrustRules

_ROUNDS = 3


def redacted(text: str, rules: TrustRules, *, label: str = "") -> tuple[str, tuple[str, ...]]:
    """The text without secrets, and without identifiers where the policy says so; and the rules.

    A label is the name that the text stands under, e.g. `password`: it tells what the value is.
    """
    found: dict[str, None] = {}
    for _ in range(_ROUNDS):
        cut = list(_cuts(text, rules, found, label))
        if not cut:
            break
        text = _without(text, cut)
    return text, tuple(found)


def _cuts(text: str, rules: TrustRules, found: dict[str, None], label: str) -> Iterator[Found]:
    shown, places = _shown(text)
    lead = f"{label}: " if label else ""
    for one in _findings(lead + shown):
        start, end = one.start - len(lead), one.end - len(lead)
        if start < 0 or end > len(places) or start >= end:
            continue
        found[one.rule] = None
        if goes(one.rule, rules):
            yield Found(one.rule, places[start], places[end - 1] + 1)


def _findings(text: str) -> Iterator[Found]:
    hidden = [*secrets(text)]
    yield from hidden
    for one in personal(text):
        if not one.meets(hidden):
            yield one
    for blob in inner(text):
        named = next((one.rule for one in (*secrets(blob.text), *personal(blob.text))), None)
        place = Found(named or "", blob.start, blob.end)
        if named and not place.meets(hidden):
            yield place


def goes(rule: str, rules: TrustRules) -> bool:
    """Tell whether what a rule finds is cut out."""
    family, _, kind = rule.partition(".")
    return family == "secret" or rules.personal.get(kind) == "redact"


def _without(text: str, cut: list[Found]) -> str:
    parts: list[str] = []
    done = 0
    for one in sorted(cut, key=lambda one: (one.start, -one.end)):
        if one.start < done:
            if one.end > done:
                done = one.end
            continue
        name = one.rule.partition(".")[2].replace("_", " ")
        parts += [text[done : one.start], f"[redacted: {name}]"]
        done = one.end
    return "".join(parts) + text[done:]


def _shown(text: str) -> tuple[str, list[int]]:
    """The text in compatibility form without what hides, and where each character comes from."""
    if text.isascii():
        return text, list(range(len(text)))
    plain = {
        char: "" if hides(char) and char != "\n" else unicodedata.normalize("NFKC", char)
        for char in {*text}
    }
    signs = [plain[char] for char in text]
    if all(len(sign) == 1 for sign in plain.values()):
        return "".join(signs), list(range(len(text)))
    return "".join(signs), [at for at, sign in enumerate(signs) for _ in sign]
