"""What was known at a moment: each record in the version it had then.

`as_of` asks what was true on a day by all that is known today; `known_at` asks what an agent could
have answered on that day, so neither later edits nor later supersessions count. What has been
rejected or quarantined since stays hidden all the same.
"""

from collections.abc import Iterable

from hindwise.domain.memory import LongTermMemory, Status
from hindwise.domain.ports import MemoryStore
from hindwise.domain.query import View
from hindwise.domain.scope import Scope
from hindwise.domain.visibility import NEVER_SHOWN

WITHDRAWN = NEVER_SHOWN | {Status.QUARANTINED}


def as_known(
    records: Iterable[LongTermMemory], view: View, *, scope: Scope, store: MemoryStore
) -> list[LongTermMemory]:
    """The records as they were at the view's `known_at`; as they are without one."""
    known_at = view.known_at
    if known_at is None:
        return list(records)
    then: list[LongTermMemory] = []
    for record in records:
        changed = record.updated_at > known_at >= record.created_at
        if changed and record.status not in WITHDRAWN:
            old = [one for one in store.versions(scope, record.id) if one.updated_at <= known_at]
            record = old[-1] if old else record
        then.append(record)
    return then
