"""What stands around: a queue, keyed hashes, waiting, and bytes kept elsewhere."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from hindwise.domain.changes import Touch
from hindwise.domain.scope import Scope


class AccessQueue(Protocol):
    """Carries ids that were returned to callers; losing one loses a count, nothing else."""

    def send(self, scope: Scope, touches: Sequence[Touch]) -> None:
        """Queue access counts; never raises."""


class Seal(Protocol):
    """Keyed hashes from the one generated secret of this stage."""

    def digest(self, purpose: str, data: str) -> str:
        """64 hex digits over `data`, different for each purpose, tenant secret and stage."""

    def digests(self, purpose: str, data: str) -> Sequence[str]:
        """What `digest` gives under each secret that is accepted, the current one first."""

    def matches(self, purpose: str, data: str, digest: str) -> bool:
        """Compare in constant time, also against the secret that is being rotated out."""


class Patience(Protocol):
    """Paces retries within the time that is left."""

    def again(self) -> bool:
        """Wait a little longer than last time, with jitter; False when the time is up."""


class BlobStore(Protocol):
    """Bytes under names of `A-Za-z0-9._=-` and slashes, at most 500 characters."""

    def put(self, scope: Scope, name: str, data: bytes, *, if_absent: bool = False) -> bool:
        """Store bytes; with `if_absent`, False where the name is taken, and nothing changes."""

    def get(self, scope: Scope, name: str) -> bytes | None:
        """Read what is stored, None where there is nothing."""

    def delete(self, scope: Scope, name: str) -> None:
        """Remove what is stored, if anything is."""

    def delete_many(self, scope: Scope, names: Sequence[str]) -> None:
        """Remove what is stored under these names, if anything is."""

    def names(self, scope: Scope, prefix: str = "") -> Iterator[str]:
        """List the scope's names that start with `prefix`, in the order of their bytes."""
