"""One call: who makes it, for which scope, and when.

Handlers build it; the domain has no clock of its own.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import AwareDatetime

from hindwise.domain.base import Model
from hindwise.domain.ids import NewId
from hindwise.domain.ports import Patience, Seal
from hindwise.domain.scope import Principal, Scope


class Call(Model):
    """Who asks (`principal`), for whom (`scope`), at which moment of the server's clock (`now`)."""

    scope: Scope
    principal: Principal
    now: AwareDatetime


@dataclass(frozen=True)
class Tools:
    """Sources of ids, keyed hashes and waiting, so that use cases hold none of their own."""

    new_id: NewId
    seal: Seal
    patience: Callable[[], Patience]
