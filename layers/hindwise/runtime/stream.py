"""Records of the table's stream (keys only) as change rows."""

from collections.abc import Callable, Mapping

from hindwise.domain.changes import Change
from hindwise.domain.scope import Scope

PREFIX = "D#"
At = Callable[[str, str], tuple[Scope, Change]]


def changes_in(event: Mapping[str, object], change_at: At) -> list[tuple[Scope, Change]]:
    """The change rows that were inserted; other records, which the filter lets through nowhere,
    are passed over.
    """
    records = event.get("Records")
    changes = []
    for record in records if isinstance(records, list) else ():
        keys = record["dynamodb"]["Keys"]
        if record["eventName"] == "INSERT" and keys["sk"]["S"].startswith(PREFIX):
            changes.append(change_at(keys["pk"]["S"], keys["sk"]["S"]))
    return changes
