"""The base of every domain model: frozen, and closed to unknown fields."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A frozen value; an unknown field is an error.

    Validators are built on first use, not at import.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
