"""Blobs in memory, for tests of what uses them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hindwise.adapters.s3 import blob_key, scope_prefix
from hindwise.domain.scope import Scope
from hindwise.errors import Unavailable


@dataclass
class FakeBlobs:
    """A dict of keys as the bucket would hold them; passes the contract suite.

    While it is `down` every call fails.
    """

    held: dict[str, bytes] = field(default_factory=dict)
    down: bool = False

    def _key(self, scope: Scope, name: str) -> str:
        if self.down:
            raise Unavailable("the blobs are let down by the test")
        return blob_key(scope, name)

    def put(self, scope: Scope, name: str, data: bytes, *, if_absent: bool = False) -> bool:
        key = self._key(scope, name)
        if if_absent and key in self.held:
            return False
        self.held[key] = bytes(data)
        return True

    def get(self, scope: Scope, name: str) -> bytes | None:
        return self.held.get(self._key(scope, name))

    def delete(self, scope: Scope, name: str) -> None:
        self.held.pop(self._key(scope, name), None)

    def delete_many(self, scope: Scope, names: Sequence[str]) -> None:
        for name in names:
            self.delete(scope, name)

    def names(self, scope: Scope, prefix: str = "") -> Iterator[str]:
        if prefix:
            self._key(scope, prefix)
        root = scope_prefix(scope)
        found = sorted(key for key in self.held if key.startswith(root + prefix))
        return (key.removeprefix(root) for key in found)
