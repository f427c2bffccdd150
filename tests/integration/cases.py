"""How cases are told: write, find, list and read, as one user or another."""

from dataclasses import dataclass
from typing import Any

from hindwise.domain.scope import Principal
from tests.integration.http_client import Client, Reply, World
from tests.integration.mapped_embedder import MappedEmbedder


@dataclass
class Stage:
    """A world with a mapped embedder and a client that may act for everybody of tenant acme."""

    world: World
    embedder: MappedEmbedder
    client: Client

    def as_(self, who: Principal) -> "Stage":
        return Stage(self.world, self.embedder, Client(who))

    def write(self, content: Any, user: str = "u", **fields: Any) -> str:
        """Write one memory and return its id; whatever is not stored fails the test."""
        reply = self.send(content, user, **fields)
        assert reply.status in (200, 201), reply.body
        return str(reply.body["id"])

    def send(self, content: Any, user: str = "u", **fields: Any) -> Reply:
        body = {"user_id": user, "content": content, **fields}
        return self.client.send("POST", "/v1/memories", body)

    def many(self, items: list[Any], user: str = "u") -> Reply:
        return self.client.send("POST", "/v1/memories", {"user_id": user, "items": items})

    def search(self, query: str, user: str = "u", **fields: Any) -> Reply:
        body = {"user_id": user, "query": query, **fields}
        return self.client.send("POST", "/v1/search", body)

    def found(self, query: str, user: str = "u", **fields: Any) -> list[str]:
        """The ids of a search's answer, best first."""
        reply = self.search(query, user, **fields)
        assert reply.status == 200, reply.body
        return [str(one["id"]) for one in reply.body["results"]]

    def listed(self, user: str = "u", **query: Any) -> list[str]:
        found: list[str] = []
        cursor: str | None = None
        while True:
            more = {"cursor": cursor} if cursor else {}
            asked = {"user_id": user, "limit": 100, **query, **more}
            reply = self.client.send("GET", "/v1/memories", query=asked)
            assert reply.status == 200, reply.body
            found += [str(one["id"]) for one in reply.body["results"]]
            cursor = reply.body["next"]
            if cursor is None:
                return found

    def get(self, memory_id: str, user: str = "u") -> Reply:
        return self.client.send("GET", f"/v1/memories/{memory_id}", query={"user_id": user})

    def edit(self, memory_id: str, user: str = "u", **fields: Any) -> Reply:
        body = {"user_id": user, "reason": "the case says so", **fields}
        return self.client.send("PATCH", f"/v1/memories/{memory_id}", body)

    def context(self, query: str, user: str = "u", **fields: Any) -> Reply:
        body = {"user_id": user, "query": query, **fields}
        return self.client.send("POST", "/v1/context", body)

    def project(self) -> None:
        self.world.project()

    def at(self, moment: str) -> None:
        """Set the server's clock."""
        from datetime import datetime

        self.world.clock.now = datetime.fromisoformat(moment)
