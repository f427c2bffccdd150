"""The keys of forgetting: of receipts, which stay, and of what they look for, which goes."""

from hindwise.adapters.dynamodb import keys
from hindwise.adapters.dynamodb.expressions import Key
from hindwise.domain.scope import Scope

FORGET_BUCKETS = 4


def receipt(scope: Scope, receipt_id: str) -> Key:
    """A receipt of forgetting: by user, then time; the tenant keeps it when the user is gone."""
    return f"T#{scope.tenant}#F", f"{keys.short(scope.user)}#{receipt_id}"


def errand(scope: Scope, receipt_id: str) -> Key:
    """What an open receipt looks for."""
    return keys.part(scope, "F"), receipt_id


def forgetting(number: int) -> str:
    """A bucket of receipts that are to be worked on, in the index `work`."""
    return f"FORGET#{number}"
