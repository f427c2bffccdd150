"""Which of several values of a slot was the current one at a moment that is asked for."""

from collections.abc import Collection, Sequence

from hindwise.domain.memory import LongTermMemory, Status
from hindwise.domain.supersession import CURRENT, age, slot_key
from hindwise.domain.yielding import beside_others

VALUES = CURRENT | {Status.SUPERSEDED}


def outlived_values(
    records: Sequence[LongTermMemory], asked_for: Collection[Status]
) -> frozenset[str]:
    """The ids of those records that make way for a newer value of their slot among them.

    All of them are true at the moment asked for, so the newest of the highest authority is the one
    that was current then.
    States that were asked for by name neither make way nor have others do so.
    """
    newest: dict[str, LongTermMemory] = {}
    competing: list[tuple[str, LongTermMemory]] = []
    for record in records:
        key = slot_key(record)
        if key is None or record.status in asked_for or record.status not in VALUES:
            continue
        if not beside_others(record) or record.status is Status.SUPERSEDED:
            competing.append((key, record))
        best = newest.get(key, record)
        newest[key] = max(best, record, key=lambda one: (one.origin, age(one)))
    return frozenset(one.id for key, one in competing if newest[key].id != one.id)
