"""The names of one stage's index for one embedder, and which index stands behind them.

There is one index an embedder, so that vectors of two never meet. Writers and searches have a name
each. An index is made with the writers' one, in one call; the one that is searched it gets once all
that the table holds has been written to it. Until then, and where it was lost, a search meets no
index at all and the table answers: nobody takes what is not there yet for what is not there, and no
process needs to remember which index was whole.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from opensearchpy import OpenSearch
from opensearchpy.exceptions import NotFoundError, RequestError

from hindwise.adapters.opensearch.client import asked
from hindwise.adapters.opensearch.mapping import REFRESH, SHARDS, index_body
from hindwise.adapters.opensearch.shapes import Json

CURSOR, STAGE, EMBEDDER = "cursor", "stage", "embedder"
_UNFIT = re.compile("[^a-z0-9]+")
_DIGITS = 6


def alias_of(stage: str, embedder: str) -> str:
    """The alias of an embedder in a stage, e.g. `hindwise-dev-use-512`."""
    return f"hindwise-{stage}-{_UNFIT.sub('-', embedder.lower()).strip('-')}"


@dataclass(frozen=True, slots=True)
class Standing:
    """An index: the aliases that stand for it, how far it has been filled, when it was made."""

    aliases: frozenset[str]
    cursor: str
    made: datetime


class Alias:
    """The aliases of an index, and the indexes themselves; all methods raise Unavailable.

    `name` is searched, `written` is written to, and `next` stands for one that is being built.
    """

    def __init__(
        self,
        client: OpenSearch,
        stage: str,
        embedder: str,
        *,
        dimensions: int,
        refresh: str = REFRESH,
    ) -> None:
        self.client = client
        self.name = name = alias_of(stage, embedder)
        self.written = f"{name}-written"
        self.next = f"{name}-next"
        self.dimensions = dimensions
        self._meta = {STAGE: stage, EMBEDDER: embedder}
        self._refresh = refresh
        self._numbered = re.compile(rf"{re.escape(name)}-[0-9]{{{_DIGITS}}}")

    def indexes(self) -> dict[str, Standing]:
        """All indexes of this stage and embedder, oldest first."""
        found = asked(lambda: self._indexes(f"{self.name}-*"))
        return {
            name: Standing(
                aliases=frozenset(body.get("aliases", {})),
                cursor=str(_meta(body).get(CURSOR, "")),
                made=datetime.fromtimestamp(
                    int(body["settings"]["index"]["creation_date"]) / 1_000, UTC
                ),
            )
            for name, body in sorted(found.items())
            if self._numbered.fullmatch(name)
        }

    def others(self) -> list[str]:
        """The indexes of this stage for other embedders, which nothing is written to any more."""
        stage, embedder = self._meta[STAGE], self._meta[EMBEDDER]
        found = asked(lambda: self._indexes(f"hindwise-{stage}-*"))
        metas = {name: _meta(body) for name, body in found.items()}
        return [
            name
            for name, meta in metas.items()
            if meta.get(STAGE) == stage and meta.get(EMBEDDER, embedder) != embedder
        ]

    def _indexes(self, pattern: str) -> Json:
        try:
            found: Json = self.client.indices.get(index=pattern)
        except NotFoundError:
            return {}
        return found

    def behind(self, alias: str) -> str | None:
        """The index that an alias stands for, if there is one."""
        return holder(self.indexes(), alias)

    def create(self) -> str:
        """Make an index to be filled, unless one is there; give its name.

        Of two that do so at once the second finds what the first one made.
        """
        standing = self.indexes()
        return holder(standing, self.written) or self.make(standing, self.written)

    def make(self, standing: dict[str, Standing], alias: str, *, shards: int = SHARDS) -> str:
        """Make the index after those that stand, with an alias; give its name."""
        number = 1 + max((int(name[-_DIGITS:]) for name in standing), default=0)
        made = f"{self.name}-{number:0{_DIGITS}}"
        body = index_body(self.dimensions, shards=shards, refresh=self._refresh)
        body["mappings"]["_meta"] = self._meta
        asked(lambda: self._make(made, body | {"aliases": {alias: {}}}))
        return made

    def _make(self, name: str, body: Json) -> None:
        try:
            self.client.indices.create(index=name, body=body)
        except RequestError as error:
            if error.error != "resource_already_exists_exception":
                raise

    def note(self, index: str, cursor: str) -> None:
        """Write down how far an index has been filled."""
        body = {"_meta": {**self._meta, CURSOR: cursor}}
        asked(lambda: self.client.indices.put_mapping(index=index, body=body))

    def search(self, index: str) -> None:
        """Let the index be searched; asked under its own path: functions may ask for no other."""
        asked(lambda: self.client.indices.put_alias(index=index, name=self.name))

    def move(self, *actions: Json) -> None:
        """Change aliases, all at once."""
        asked(lambda: self.client.indices.update_aliases(body={"actions": list(actions)}))

    def remove(self, index: str) -> None:
        """Remove an index, if it is there."""
        params = {"ignore_unavailable": "true"}
        asked(lambda: self.client.indices.delete(index=index, params=params))


def _meta(body: Json) -> Json:
    found: Json = body["mappings"].get("_meta", {})
    return found


def holder(standing: dict[str, Standing], alias: str) -> str | None:
    """The one of these indexes that an alias stands for."""
    return next((name for name, one in standing.items() if alias in one.aliases), None)
