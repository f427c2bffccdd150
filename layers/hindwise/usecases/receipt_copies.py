"""Copies of receipts in the bucket that nothing is deleted from, for a table that was restored.

One when it begins, another when it is complete: each is written once. A table that is restored has
lost what was forgotten since, and is to forget it again before anybody looks at it.
"""

from collections.abc import Iterator

from pydantic import ValidationError

from hindwise.domain.ports import Records
from hindwise.domain.receipts import Receipt

BEGUN = "receipts/{id}.json"
DONE = "receipts/{id}.done.json"
_WORKING = {"token", "claimed_until", "next_at", "after", "left", "found"}


def copied(receipt: Receipt, *, records: Records | None) -> None:
    """Keep a copy of a receipt as it stands, if there is none; raises Unavailable."""
    if records is None:
        return
    ended = not receipt.open and receipt.counted
    name = (DONE if ended else BEGUN).format(id=receipt.id)
    body = receipt.model_dump_json(exclude_defaults=True, exclude=_WORKING)
    records.keep(receipt.tenant, name, body.encode())


def copies(tenant: str, *, records: Records) -> Iterator[Receipt | None]:
    """Read the receipts of a tenant in the order of their ids; None for a copy that is none."""
    for name in records.names(tenant, "receipts/"):
        if name.endswith(".done.json"):
            continue
        data = records.read(tenant, name)
        try:
            yield None if data is None else Receipt.model_validate_json(data)
        except ValidationError:
            yield None


def finished(receipt: Receipt, *, records: Records) -> bool:
    """Tell whether the copy of a complete receipt is there."""
    return records.read(receipt.tenant, DONE.format(id=receipt.id)) is not None
