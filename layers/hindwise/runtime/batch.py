"""Messages of a queue, each on its own: what fails comes back, the others are done.

Powertools' processor does the same and loads botocore for it.
"""

from collections.abc import Callable, Mapping

from hindwise.runtime.telemetry import count, fault


def each(event: Mapping[str, object], act: Callable[[str], None]) -> dict[str, object]:
    """Call `act` with each message's body; the partial batch response names those that failed."""
    failures: list[dict[str, str]] = []
    records = event.get("Records")
    for record in records if isinstance(records, list) else ():
        try:
            act(record["body"])
        except Exception as error:
            fault(error, operation="message", request_id=record["messageId"])
            count("Faults")
            failures.append({"itemIdentifier": record["messageId"]})
    return {"batchItemFailures": failures}
