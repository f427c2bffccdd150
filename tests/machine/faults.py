"""What may befall a call: a death, a port that is down, a lost reply, somebody who is quicker.

A reply is lost where a commit was done and nobody learns of it. A read of several memories is torn:
every one of them is read by itself, and something else may happen in between.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from hindwise.domain import changes as c
from hindwise.errors import Unavailable
from tests.integration.http_client import World
from tests.lab import Port, Tripwire, die


class Blow(StrEnum):
    """What happens at the n-th call of a port."""

    NONE = "none"
    DEATH = "death before it"
    DEATH_AFTER = "death after it"
    DOWN = "it is down"
    LOST = "the reply is lost"
    CONFLICT = "another transaction is in the way"
    MEANWHILE = "somebody else acts before it"


@dataclass(frozen=True, repr=False)
class Fate:
    """A blow, and the number of the call that it falls on."""

    blow: Blow = Blow.NONE
    call: int = 1

    def __repr__(self) -> str:
        return f"Fate(Blow.{self.blow.name}, {self.call})"


CALM = Fate()
TORN = frozenset({"get"})
RACES = (c.Replace, c.Hold, c.Rewrite, c.Looked, c.PutConversation)
"""What a commit may lose a race about, whatever it found out before; and jobs that are known."""


def _may_race(action: c.Action) -> bool:
    return isinstance(action, RACES) or (isinstance(action, c.PutJob) and action.before is not None)


def _down() -> None:
    raise Unavailable("let down by the test")


class Wire(Tripwire):
    """A tripwire that tells commits from other calls: races are lost by commits alone."""

    def __init__(self) -> None:
        super().__init__()
        self.commits_only = False
        self.actions: Sequence[c.Action] = ()

    def lay(self, fate: Fate, meanwhile: Callable[[], None]) -> None:
        """Have the fate happen."""
        acts: dict[Blow, tuple[Callable[[], None], bool]] = {
            Blow.DEATH: (die, False),
            Blow.DEATH_AFTER: (die, True),
            Blow.DOWN: (_down, False),
            Blow.LOST: (_down, True),
            Blow.CONFLICT: (self._lost_race, False),
            Blow.MEANWHILE: (meanwhile, False),
        }
        self.commits_only = fate.blow in (Blow.CONFLICT, Blow.LOST)
        self.disarm()
        if fate.blow is not Blow.NONE:
            act, after = acts[fate.blow]
            self.arm(fate.call, act, after=after)

    def _lost_race(self) -> None:
        if lost := tuple(one for one in self.actions if _may_race(one)):
            raise c.Raced(lost)

    def before(self, name: str) -> None:
        if not self.commits_only or name.endswith(".commit"):
            super().before(name)

    def after_of(self, name: str) -> None:
        if not self.commits_only or name.endswith(".commit"):
            self.after()


class Wired(Port):
    """A port behind the wire; what never raises by its contract is not let down."""

    def __init__(self, real: Any, wire: Wire) -> None:
        super().__init__(real, wire)
        self._own = wire

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._real, name)
        if not callable(found):
            return found

        def call(*args: Any, **given: Any) -> Any:
            called = f"{type(self._real).__name__}.{name}"
            if name in TORN:
                return self._torn(found, called, *args, **given)
            if name == "commit":
                self._own.actions = args[1]
            self._own.before(called)
            answer = found(*args, **given)
            self._own.after_of(called)
            return answer

        return call

    def _torn(self, found: Any, called: str, scope: Any, ids: Any, **given: Any) -> Any:
        if not isinstance(ids, Sequence) or isinstance(ids, str):
            self._own.before(called)
            return found(scope, ids, **given)
        read: dict[str, Any] = {}
        for one in ids:
            self._own.before(called)
            read |= found(scope, [one], **given)
        return read


def behind(wire: Wire, world: World) -> World:
    """Put the wire in front of the ports that handlers and workers use."""

    def wired(port: Any) -> Any:
        return None if port is None else Wired(port, wire)

    store = world.store
    world.engine = replace(
        world.engine,
        store=wired(store),
        projections=wired(store.projections),
        index=wired(world.engine.index),
        users=wired(store.users),
    )
    world.learning = replace(
        world.learning,
        conversations=wired(store.conversations),
        jobs=wired(store.jobs),
        blobs=wired(world.blobs),
        reasoner=wired(world.learning.reasoner),
    )
    world.trust = replace(
        world.trust,
        records=wired(world.records),
        reviews=wired(store.reviews),
        users=wired(store.users),
        lessons=wired(store.lessons),
        receipts=wired(store.receipts),
        erasure=wired(store.erasure),
    )
    world.fading = replace(
        world.fading,
        store=wired(store),
        blobs=wired(world.blobs),
        listed=wired(store.fading),
    )
    world.requests = wired(store.requests)
    world.ripening = wired(store.ripening)
    world.store = wired(store)
    return world
