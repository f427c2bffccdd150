"""What trust needs beside the store: rules, and what rejections taught."""

from dataclasses import dataclass, field

from hindwise.domain.ports import Erasure, Receipts, Records, Reviews, Users
from hindwise.domain.ports.lessons import Lessons
from hindwise.domain.retention import DEFAULT, Retention
from hindwise.domain.trust_rules import TrustRules
from hindwise.usecases.audit import Auditing
from hindwise.usecases.limiting import Limiter


@dataclass(frozen=True)
class Trust:
    """The parts that admission, review, audit and forgetting share.

    `records` is where receipts and digests are kept for good; None in functions that keep none.
    `fading` says how sure we still are of what is told apart.
    """

    rules: TrustRules = field(default_factory=TrustRules)
    fading: Retention = DEFAULT
    records: Records | None = None
    reviews: Reviews | None = None
    users: Users | None = None
    lessons: Lessons | None = None
    audit: Auditing | None = None
    limiter: Limiter | None = None
    receipts: Receipts | None = None
    erasure: Erasure | None = None
