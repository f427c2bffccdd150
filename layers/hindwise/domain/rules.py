"""All that a stage may set otherwise, in one place: the variable `RULES` holds it as JSON."""

from pydantic import Field

from hindwise.domain.base import Model
from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.limits import Limits
from hindwise.domain.retention import Retention
from hindwise.domain.trust_rules import TrustRules


class Rules(Model):
    """The rules of learning, trust and fading, and the limits of a tenant."""

    learning: LearningRules = Field(default_factory=LearningRules)
    trust: TrustRules = Field(default_factory=TrustRules)
    fading: Retention = Field(default_factory=Retention)
    limits: Limits = Field(default_factory=Limits)
