"""Admission of what was said in a conversation, before its words are kept anywhere.

Secrets go here. What poses as an instruction stays as it was said: the turn is held when it becomes
a memory, by the same rules.
"""

from pydantic import JsonValue

from hindwise.domain.admission.admitting import admission
from hindwise.domain.admission.model import Admission, Decision
from hindwise.domain.admission.records import joined, let_in
from hindwise.domain.conversation import ORIGINS, SPOKEN
from hindwise.domain.memory import CONTENT_CHARS
from hindwise.domain.scope import Origin
from hindwise.domain.talk import Sent, Talk
from hindwise.domain.trust_rules import TrustRules

NAME_CHARS = 256
READ = ("secret.", "personal.")
"""Rules that count also where nobody reads what was found."""


def talk_let_in(talk: Talk, *, ceiling: Origin, rules: TrustRules) -> tuple[Talk, Admission]:
    """Decide on a talk that counts for at most `ceiling`, and give it without what must go."""
    bare, decided = let_in(talk.model_copy(update={"messages": ()}), origin=Origin.OWNER,
                           rules=rules)  # fmt: skip
    decided = _unread(decided, at=None)
    kept = []
    for number, message in enumerate(talk.messages):
        clean, found = message_let_in(message, ceiling, rules)
        kept.append(clean)
        placed = [
            one.model_copy(update={"field": f"messages.{number}.{one.field}"})
            for one in found.findings
        ]
        decided = joined(decided, found.model_copy(update={"findings": tuple(placed)}))
    return bare.model_copy(update={"messages": tuple(kept)}), decided


def message_let_in(sent: Sent, ceiling: Origin, rules: TrustRules) -> tuple[Sent, Admission]:
    """A message; what a system says, and what a message carries beside its text, nobody reads."""
    origin = min(ORIGINS.get(sent.role, Origin.UNKNOWN), ceiling)
    said: dict[str, JsonValue] = {"content": sent.text, "name": sent.name or ""}
    aside, clean_extra = admission({"extra": sent.extra}, origin=Origin.OWNER, rules=rules)
    aside = _unread(aside, at="extra")
    if sent.role in SPOKEN:
        decided, clean = admission(said, origin=origin, rules=rules)
    else:
        found, clean = admission(said, origin=Origin.OWNER, rules=rules)
        decided = _unread(found, at=None)
    changes = {
        "text": str(clean["content"])[: max(CONTENT_CHARS, len(sent.text))],
        "name": str(clean["name"])[:NAME_CHARS] or None,
        "extra": clean_extra["extra"],
    }
    return sent.model_copy(update=changes), joined(decided, aside)


def _unread(decided: Admission, *, at: str | None) -> Admission:
    """Only what had to go: nothing here is ever taken for an instruction.

    Findings are `at` one field, or at those on top: what is below has names of the caller's.
    """
    findings = dict.fromkeys(
        one.model_copy(update={"field": at or one.field.split(".")[0]})
        for one in decided.findings
        if one.rule.startswith(READ)
    )
    refused = decided.decision is Decision.REFUSE
    milder = Decision.REDACT if decided.decision is Decision.REDACT else Decision.ADMIT
    kept = tuple(findings) if not refused else decided.findings
    return Admission(decision=decided.decision if refused else milder, findings=kept)
