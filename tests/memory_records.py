"""Records in memory; they pass the same contract suite as the adapter."""

from collections.abc import Iterator

from hindwise.adapters.s3_records import record_key
from hindwise.errors import Unavailable


class InMemoryRecords:
    """A dict of keys as the bucket would hold them; while it is `down` every call fails."""

    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}
        self.down = False

    def keep(self, tenant: str, name: str, data: bytes) -> bool:
        key = self._key(tenant, name)
        if key in self.held:
            return False
        self.held[key] = bytes(data)
        return True

    def read(self, tenant: str, name: str) -> bytes | None:
        return self.held.get(self._key(tenant, name))

    def names(self, tenant: str, prefix: str) -> Iterator[str]:
        start, kind = self._key(tenant, prefix, whole=False), prefix.partition("/")[0]
        found = sorted(key for key in self.held if key.startswith(start))
        return (f"{kind}/" + key.removeprefix(f"{kind}/{tenant}/") for key in found)

    def _key(self, tenant: str, name: str, *, whole: bool = True) -> str:
        if self.down:
            raise Unavailable("the records are let down by the test")
        return record_key(tenant, name, whole=whole)
