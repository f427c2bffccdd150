"""Admission of a whole draft, edit or record: its words are screened, its names are not changed.

A name (an id that the caller chose) that was redacted would name something else, and two would
become one: a secret in it is refused.
"""

from pydantic import JsonValue, ValidationError

from hindwise.domain.admission.admitting import admission, screened
from hindwise.domain.admission.model import Admission, Decision, Finding
from hindwise.domain.base import Model
from hindwise.domain.scope import Origin
from hindwise.domain.trust_rules import TrustRules

WORDS = frozenset(
    {
        "alternatives", "attribute", "content", "domain", "entities", "event_type",
        "expected_outcome", "intent", "metadata", "outcome", "participants", "reason", "scene",
        "source", "speaker", "subject", "summary", "tags", "tool_results", "value",
    }
)  # fmt: skip
NAMES = ("agent_id", "external_id", "id", "key", "session_id", "task_id")
SECRET = "secret."
HARDEST = list(Decision)


def let_in[M: Model](said: M, *, origin: Origin, rules: TrustRules) -> tuple[M, Admission]:
    """Decide on a draft, edit or record of this origin, and give it without what must go."""
    shown: dict[str, JsonValue] = said.model_dump(mode="json", exclude_none=True)
    given: dict[str, JsonValue] = {
        name: value for name, value in shown.items() if name in WORDS and value
    }
    decided, clean = admission(given, origin=origin, rules=rules)
    decided = joined(_names(said, rules), decided)
    if decided.decision is Decision.REFUSE:
        return said, decided
    changed = {name: value for name, value in clean.items() if value != given[name]}
    return (_with(said, changed, given) if changed else said), decided


def joined(one: Admission, other: Admission) -> Admission:
    """Both in one: the harder decision, and each finding once."""
    decision = max(one.decision, other.decision, key=HARDEST.index)
    findings = tuple(dict.fromkeys((*one.findings, *other.findings)))
    return Admission(decision=decision, findings=findings)


def noted(decided: Admission, rule: str, field: str) -> Admission:
    """The decision once one more rule holds the record for a person."""
    finding = Finding(rule=rule, field=field)
    return joined(decided, Admission(decision=Decision.QUARANTINE, findings=(finding,)))


def _names(said: Model, rules: TrustRules) -> Admission:
    """Refuses a secret in a name."""
    named = {name: value for name in NAMES if (value := getattr(said, name, None))}
    source = getattr(said, "source", None)
    if source is not None and source.conversation_id:
        named["source.conversation_id"] = source.conversation_id
    findings = tuple(
        Finding(rule=rule, field=name)
        for name, value in named.items()
        for rule in screened(value, rules=rules).findings
        if rule.startswith(SECRET)
    )
    decision = Decision.REFUSE if findings else Decision.ADMIT
    return Admission(decision=decision, findings=findings)


def _with[M: Model](said: M, changed: dict[str, JsonValue], before: dict[str, JsonValue]) -> M:
    """The same with other words; where a mark is longer than what it stands for, cut to the limit.

    What was set stays what was set: an edit changes nothing else.
    """
    kept = {name: getattr(said, name) for name in said.model_fields_set}
    try:
        return type(said).model_validate(kept | changed)
    except ValidationError:
        cut = {name: _cut(value, before[name]) for name, value in changed.items()}
        return type(said).model_validate(kept | cut)


def _cut(after: JsonValue, before: JsonValue) -> JsonValue:
    """Every text cut to the length that it had; lists and names keep their order."""
    if isinstance(after, str):
        return after[: len(before)] if isinstance(before, str) else after
    if isinstance(after, list) and isinstance(before, list):
        return [_cut(now, then) for now, then in zip(after, before, strict=False)]
    if isinstance(after, dict) and isinstance(before, dict):
        pairs = zip(after.items(), before.values(), strict=False)
        return {name: _cut(now, then) for (name, now), then in pairs}
    return after
