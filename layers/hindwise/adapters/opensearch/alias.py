"""The alias of one stage and embedder, and the index behind it.

There is one alias an embedder, so that vectors of two never meet. An index is made with its alias
in one call. It is `filling` until everything that the table holds has been written to it once:
until then it would give empty answers, so it does not answer at all and the table is searched.
"""

import re
from collections.abc import Callable, Mapping

from opensearchpy import OpenSearch
from opensearchpy.exceptions import NotFoundError, RequestError

from hindwise.adapters.opensearch.client import asked
from hindwise.adapters.opensearch.mapping import REFRESH, SHARDS, index_body
from hindwise.adapters.opensearch.shapes import Json

CHECKED_FOR = 30.0
"""Seconds for which an index that was filled is taken to be."""
FILLED, CURSOR, DIMENSIONS = "filled", "cursor", "dimensions"
_UNFIT = re.compile("[^a-z0-9]+")


def alias_of(stage: str, embedder: str) -> str:
    """The alias of an embedder in a stage, e.g. `hindwise-dev-use-512`."""
    return f"hindwise-{stage}-{_UNFIT.sub('-', embedder.lower()).strip('-')}"


class Alias:
    """One alias: makes its index, and knows whether that is filled.

    `monotonic` gives seconds that never go back. All methods raise Unavailable.
    """

    def __init__(
        self,
        client: OpenSearch,
        name: str,
        dimensions: int,
        *,
        monotonic: Callable[[], float],
        refresh: str = REFRESH,
    ) -> None:
        self.client = client
        self.name = name
        self.dimensions = dimensions
        self._monotonic = monotonic
        self._refresh = refresh
        self._filled_until = 0.0

    def index(self) -> str | None:
        """The name of the index behind the alias, if there is one."""
        found = list(self._mappings(self.name))
        return max(found) if found else None

    def create(self, name: str | None = None, *, shards: int = SHARDS, aliased: bool = True) -> str:
        """Make an index to be filled, unless it is there; give its name."""
        made = name or f"{self.name}-000001"
        meta = {FILLED: False, DIMENSIONS: self.dimensions}
        body = index_body(self.dimensions, shards=shards, refresh=self._refresh, meta=meta)
        if aliased:
            body["aliases"] = {self.name: {}}
        asked(lambda: self._create(made, body))
        return made

    def _create(self, name: str, body: Json) -> None:
        try:
            self.client.indices.create(index=name, body=body)
        except RequestError as error:
            if error.error != "resource_already_exists_exception":
                raise

    @property
    def filled(self) -> bool:
        """Tell whether the index holds all that the table held; looked up twice a minute."""
        if self._monotonic() < self._filled_until:
            return True
        if self.progress().get(FILLED) is not True:
            return False
        self._filled_until = self._monotonic() + CHECKED_FOR
        return True

    def forget_filled(self) -> None:
        """Look again before the next answer: another index may be there."""
        self._filled_until = 0.0

    def progress(self, index: str | None = None) -> Json:
        """How far an index has been filled; empty where there is none."""
        mappings = self._mappings(index or self.name)
        newest = mappings[max(mappings)] if mappings else {}
        found = newest.get("_meta", {})
        return found if isinstance(found, dict) else {}

    def note(self, progress: Mapping[str, object], index: str | None = None) -> None:
        """Write down how far an index has been filled."""
        meta = {DIMENSIONS: self.dimensions, **progress}
        target = index or self.name
        asked(lambda: self.client.indices.put_mapping(index=target, body={"_meta": meta}))

    def _mappings(self, name: str) -> Json:
        def read() -> Json:
            try:
                found = self.client.indices.get_mapping(index=name)
            except NotFoundError:
                return {}
            return {index: body["mappings"] for index, body in found.items()}

        return asked(read)
