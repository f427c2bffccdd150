"""The rows of forgetting: fence, receipts, and what an open receipt looks for."""

from collections.abc import Iterator

from hindwise.adapters.dynamodb import forget_keys, keys
from hindwise.adapters.dynamodb.expressions import Value, key_of, number, text
from hindwise.adapters.dynamodb.rows import micros
from hindwise.adapters.dynamodb.steps import Step, Steps
from hindwise.domain.changes import Action
from hindwise.domain.memory import millis
from hindwise.domain.receipts import (
    DropErrand,
    PutErrand,
    PutFence,
    PutReceipt,
    Receipt,
    Unforgotten,
)
from hindwise.domain.scope import Scope
from hindwise.domain.sources import HoldSource


class ForgetSteps(Steps):
    """Steps on what says that much is forgotten."""

    def _forgetting(self, action: Action) -> Iterator[Step]:
        """The step of an action of forgetting; none for any other."""
        match action:
            case PutFence(at=at):
                values: dict[str, Value] = {":fenced": number(millis(at))}
                condition = "attribute_not_exists(fenced) OR fenced <= :fenced"
                key = keys.fence(self._scope)
                yield self.update(action, key, "SET fenced = :fenced", condition, values)
            case HoldSource(mark=mark, undo=undo):
                change = f"{'DELETE' if undo else 'ADD'} held :held"
                values = {":held": {"SS": [mark]}}
                yield self.update(action, keys.fence(self._scope), change, None, values)
            case Unforgotten(at=at, unheld=unheld):
                condition = "(attribute_not_exists(fenced) OR fenced < :at)"
                condition += " AND attribute_not_exists(held)" if unheld else ""
                values = {":at": number(millis(at))}
                yield self.check(action, keys.fence(self._scope), condition, values)
            case PutReceipt(receipt=receipt, before=before):
                row = receipt_row(self._scope, receipt)
                if before is None:
                    yield self.put(action, row, "attribute_not_exists(pk)")
                else:
                    values = {":before": number(before.version)}
                    yield self.put(action, row, "version = :before", values)
            case PutErrand(errand=errand):
                row = key_of(forget_keys.errand(self._scope, errand.receipt))
                yield self.put(action, row | {"body": text(errand.model_dump_json())})
            case DropErrand(receipt=receipt_id):
                yield self.drop(action, forget_keys.errand(self._scope, receipt_id))


def receipt_row(scope: Scope, receipt: Receipt) -> dict[str, Value]:
    """A receipt's row; in the index `work` while something is to be done about it."""
    row = key_of(forget_keys.receipt(scope, receipt.id))
    row |= {
        "body": text(receipt.model_dump_json(exclude_defaults=True)),
        "version": number(receipt.version),
        "born": number(micros(receipt.requested_at)),
    }
    if receipt.next_at is not None:
        home = forget_keys.forgetting(keys.bucket(receipt.id, forget_keys.FORGET_BUCKETS))
        row |= {"w_pk": text(home), "w_sk": text(keys.moment(receipt.next_at))}
    return row
