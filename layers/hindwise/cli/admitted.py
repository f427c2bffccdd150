"""What admission did to what was sent, as a terminal is told it: rules and fields, no content."""

import re
from collections.abc import Iterable

from hindwise.client.answers import Admission

# Not all that was found is cut out of a text that was redacted: a telephone number may stay.
WORDS = {"admit": "noted", "redact": "redacted; found", "quarantine": "held for review"}
_MARK = re.compile(r"\[redacted: [^\]]*\]")


def told(admissions: Iterable[Admission | None]) -> list[str]:
    """A line for each decision: `noted: personal.email (content)`."""
    lines: dict[str, None] = {}
    for one in admissions:
        if one is None or not one.findings:
            continue
        word = WORDS.get(one.decision, one.decision)
        found = ", ".join(dict.fromkeys(f"{each.rule} ({each.field})" for each in one.findings))
        lines[f"{word}: {found}"] = None
    return list(lines)


def same_but_redacted(sent: str, stored: str) -> bool:
    """Tell whether a stored text is what was sent, but for what was taken out of it."""
    if sent == stored:
        return True
    parts = _MARK.split(stored)
    if len(parts) == 1:
        return False
    pattern = "[^\x00]*?".join(map(re.escape, parts))
    return re.fullmatch(pattern, sent) is not None
