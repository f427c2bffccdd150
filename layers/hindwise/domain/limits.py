"""How much a tenant may ask for; zero is no limit."""

from pydantic import Field

from hindwise.domain.base import Model


class Limits(Model):
    """Requests, writes and searches a minute, and texts to embed a day (UTC), of one tenant."""

    requests_per_minute: int = Field(default=6_000, ge=0)
    writes_per_minute: int = Field(default=3_000, ge=0)
    searches_per_minute: int = Field(default=3_000, ge=0)
    embeddings_per_day: int = Field(default=0, ge=0)
