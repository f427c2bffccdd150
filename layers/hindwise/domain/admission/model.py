"""What admission decides, and by which rules."""

from enum import StrEnum

from hindwise.domain.base import Model


class Decision(StrEnum):
    """What becomes of a text, from the mildest to the hardest."""

    ADMIT = "admit"
    REDACT = "redact"
    QUARANTINE = "quarantine"
    REFUSE = "refuse"


class Finding(Model):
    """A rule that spoke up, e.g. `secret.aws_access_key`, and in which field (`metadata.note`).

    Never what it found; `redacted` tells whether that was cut out.
    """

    rule: str
    field: str
    redacted: bool = False


class Admission(Model):
    """What was decided, and why; `rules` are in the order of their names, each once."""

    decision: Decision = Decision.ADMIT
    findings: tuple[Finding, ...] = ()

    @property
    def rules(self) -> tuple[str, ...]:
        """The ids of the rules that spoke up."""
        return tuple(sorted({found.rule for found in self.findings}))
