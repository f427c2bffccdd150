"""What is proved to those who ask later: written once, for good, without content."""

from collections.abc import Iterator
from typing import Protocol


class Records(Protocol):
    """Receipts and digests of a tenant, under names that begin with `receipts/` or `digests/`.

    The rest of a name is 1..200 of `A-Za-z0-9._=-` and slashes.
    """

    def keep(self, tenant: str, name: str, data: bytes) -> bool:
        """Store bytes for good; False where the name is taken, and nothing changes."""

    def read(self, tenant: str, name: str) -> bytes | None:
        """Read what is kept, None where there is nothing."""

    def names(self, tenant: str, prefix: str) -> Iterator[str]:
        """List the tenant's names that start with `prefix`, in the order of their bytes."""
