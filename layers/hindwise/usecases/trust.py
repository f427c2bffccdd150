"""What trust needs beside the store: the rules of admission, and what rejections taught."""

from dataclasses import dataclass, field

from hindwise.domain.trust_rules import TrustRules


@dataclass(frozen=True)
class Trust:
    """The parts that admission, review, audit and forgetting share."""

    rules: TrustRules = field(default_factory=TrustRules)
