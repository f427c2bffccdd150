"""Note which domains get new important episodes, as they are projected.

The counts are rough: what is noted twice or lost is put right when the domain is looked at. So
nothing waits for them, and nothing fails with them.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from hindwise.domain.document import Document
from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.memory import Episode, Memory, Status
from hindwise.domain.patterns import important
from hindwise.domain.ports import Ripening
from hindwise.domain.scope import Scope
from hindwise.errors import HindwiseError

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Ripener:
    """Counts episodes that consolidation would look at."""

    ripening: Ripening
    rules: LearningRules = field(default_factory=LearningRules)

    def grown(
        self,
        scope: Scope,
        records: Iterable[Memory],
        known: Mapping[str, Document],
        *,
        now: datetime,
    ) -> None:
        """Count those records that were not known to be important yet; never raises."""
        new: Counter[str] = Counter()
        for record in records:
            if not isinstance(record, Episode) or record.status is not Status.ACTIVE:
                continue
            before = known.get(record.id)
            if important(record, self.rules) and not (
                before is not None and important(before.facets, self.rules)
            ):
                new[record.domain] += 1
        try:
            for domain, episodes in new.items():
                self.ripening.note(scope, domain, episodes, now=now)
        except HindwiseError as error:
            _log.warning("new episodes were not counted: %s", type(error).__name__)
