"""What handlers take from the wiring: the real one, or one that tests put in its place."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from hindwise.domain.call import Tools
from hindwise.domain.changes import Change, Touch
from hindwise.domain.ports import (
    Embedder,
    IndexUpkeep,
    KeyRing,
    MemoryStore,
    Projections,
    RequestLog,
    Ripening,
    Seal,
)
from hindwise.domain.rules import Rules
from hindwise.domain.scope import Scope
from hindwise.usecases.engine import Engine
from hindwise.usecases.fade import Fading
from hindwise.usecases.learning import Learning
from hindwise.usecases.trust import Trust


class Wired(Protocol):
    """What handlers take from the wiring."""

    @property
    def stage(self) -> str:
        """The stage that this process serves."""

    @property
    def store(self) -> MemoryStore:
        """The truth."""

    @property
    def requests(self) -> RequestLog:
        """Idempotency keys."""

    @property
    def keys(self) -> KeyRing:
        """API keys."""

    @property
    def projections(self) -> Projections:
        """Projected documents and what waits to be projected."""

    @property
    def embedder(self) -> Embedder:
        """What turns texts into vectors."""

    @property
    def engine(self) -> Engine:
        """What search and projection share."""

    @property
    def upkeep(self) -> IndexUpkeep | None:
        """What keeps an index outside the table whole, where there is one."""

    @property
    def ripening(self) -> Ripening:
        """Which domains have new episodes."""

    @property
    def learning(self) -> Learning:
        """What taking in, extracting, settling and consolidating share."""

    @property
    def rules(self) -> Rules:
        """What this stage sets otherwise than usual."""

    @property
    def trust(self) -> Trust:
        """What admission, review, audit and forgetting share."""

    @property
    def fading(self) -> Fading:
        """What the nightly sweeps work with."""

    @property
    def seal(self) -> Seal:
        """Keyed hashes."""

    @property
    def tools(self) -> Tools:
        """Ids, seal and patience."""

    @property
    def features(self) -> dict[str, str]:
        """What this stage is set up with, for `/v1/me` and `/v1/health`."""

    def clock(self) -> datetime:
        """The server's time."""

    def change_at(self, pk: str, sk: str) -> tuple[Scope, Change]:
        """The change whose row has this key."""

    def touches_in(self, body: str) -> tuple[Scope, Sequence[Touch]]:
        """Read a message of the access queue; raises Invalid."""

    def pointer_in(self, body: str) -> tuple[Scope, str]:
        """Read a message of a work queue: whose, and the id it points at; raises Invalid."""
