"""The numbers and policies of trust; every one is a default that a stage may set otherwise."""

from typing import Literal

from pydantic import Field, field_validator

from hindwise.domain.base import Model

Personal = Literal["keep", "redact", "quarantine", "refuse"]
"""What is done where a personal identifier is found; `keep` only says so."""


def _personal() -> dict[str, Personal]:
    return {
        "card": "redact",
        "cn_id": "redact",
        "us_ssn": "redact",
        "iban": "redact",
        "phone": "keep",
        "email": "keep",
        "ip": "keep",
    }


class TrustRules(Model):
    """What is let in, and what is told to whom.

    `personal` says by kind of identifier what is done with it; only what is given differs from the
    default. A block for a prompt holds what is of `context_floor` or above.
    What is `lesson_likeness` like one of the `lessons_kept` that reviewers turned away is held.
    With a `second_opinion` a language model is asked about what no owner says.
    `audit_mode` is the share of recalls that are written down.
    """

    personal: dict[str, Personal] = Field(default_factory=_personal)
    context_floor: Literal["owner", "agent", "tool", "document", "other_agent", "unknown"] = "agent"
    second_opinion: bool = False
    lesson_likeness: float = Field(default=0.8, gt=0, le=1)
    lessons_kept: int = Field(default=1_000, ge=0)
    audit_mode: float = Field(default=0.0, ge=0, le=1)
    periodic_reviews: int = Field(default=20, ge=0, le=100)

    @field_validator("personal")
    @classmethod
    def _other_personal(cls, given: dict[str, Personal]) -> dict[str, Personal]:
        return _personal() | given
