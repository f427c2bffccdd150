"""Decide on all that a record says, field by field."""

import re
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from hindwise.domain.admission.model import Admission, Decision, Finding
from hindwise.domain.base import Model
from hindwise.domain.scope import Origin
from hindwise.domain.trust_rules import TrustRules

_KEY = r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
_OVERRIDE = (
    r"(?i)\bignore (?:all )?(?:previous|prior) instructions\b"
    r"|忽略(?:之前|以上|所有)的?(?:所有)?指令"
)


class Screened(Model):
    """A text after redaction, and the ids of the rules that spoke up."""

    clean: str
    findings: tuple[str, ...] = ()


def screened(text: str, *, rules: TrustRules) -> Screened:
    """Look at one text."""
    clean = re.sub(_KEY, "[redacted: aws access key]", text)
    found = ["secret.aws_access_key"] if clean != text else []
    if re.search(_OVERRIDE, text):
        found.append("instruction.override")
    return Screened(clean=clean, findings=tuple(found))


def admission(
    fields: Mapping[str, JsonValue], *, origin: Origin, rules: TrustRules
) -> tuple[Admission, dict[str, JsonValue]]:
    """Decide on the fields of a record of this origin, and give them without what must go."""
    findings: list[Finding] = []
    clean = {name: _cleaned(value, name, findings, rules) for name, value in fields.items()}
    return Admission(decision=_decided(findings, origin), findings=tuple(findings)), clean


def _decided(findings: list[Finding], origin: Origin) -> Decision:
    held = any(one.rule.startswith(("instruction.", "danger.")) for one in findings)
    if held and origin < Origin.OWNER:
        return Decision.QUARANTINE
    redacted = any(one.rule.startswith("secret.") for one in findings)
    return Decision.REDACT if redacted else Decision.ADMIT


def _cleaned(value: JsonValue, at: str, findings: list[Finding], rules: TrustRules) -> JsonValue:
    if isinstance(value, str):
        seen = screened(value, rules=rules)
        findings += [Finding(rule=rule, field=at) for rule in seen.findings]
        return seen.clean
    if isinstance(value, dict):
        return dict(_members(value, at, findings, rules))
    if isinstance(value, list):
        return [
            _cleaned(each, f"{at}.{index}", findings, rules) for index, each in enumerate(value)
        ]
    return value


def _members(
    value: Mapping[str, JsonValue], at: str, findings: list[Finding], rules: TrustRules
) -> Iterator[tuple[str, JsonValue]]:
    for name, each in value.items():
        seen = screened(name, rules=rules)
        findings += [Finding(rule=rule, field=at) for rule in seen.findings]
        yield seen.clean, _cleaned(each, f"{at}.{seen.clean}", findings, rules)
