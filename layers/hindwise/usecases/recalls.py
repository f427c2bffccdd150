"""Audit mode: writes down what was recalled, by whom, and why; for a first week, and for reviewers.

It happens after the answer is made, in one write, and what fails is only logged. The question is
encrypted under its recall, so that a row tells nothing, and no row can take another's place.
"""

import logging
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from hindwise.domain.call import Call
from hindwise.domain.ciphering import NONCE, decrypted, encrypted
from hindwise.domain.ids import key_hash
from hindwise.domain.ports import Seal
from hindwise.domain.ports.recalls import Place, Recall, Recalls
from hindwise.domain.scope import Scope
from hindwise.errors import HindwiseError

KEPT = timedelta(days=7)
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Recalled:
    """An answer as it is written down."""

    id: str
    call: str
    query: str
    results: tuple[Place, ...] = ()
    degraded: tuple[str, ...] = ()


def _now(write: Callable[[], None]) -> None:
    write()


@dataclass(frozen=True)
class Watch:
    """Writes down a share (`rate`, 0..1) of all recalls; `nonce` gives random bytes.

    `soon` is how it writes without waiting for long, `seal` is opened by the first one.
    """

    recalls: Recalls
    seal: Callable[[], Seal]
    rate: float = 0.0
    nonce: Callable[[int], bytes] = secrets.token_bytes
    soon: Callable[[Callable[[], None]], None] = _now

    def saw(self, recalled: Recalled, *, call: Call) -> bool:
        """Write a recall down if it is among the share; never raises."""
        if not self.rate or int(key_hash(recalled.id)[:8], 16) >= self.rate * 2**32:
            return False
        context = _context(call.scope, recalled.id)
        nonce = self.nonce(NONCE)
        recall = Recall(
            id=recalled.id,
            at=call.now,
            actor=call.principal.name,
            call=recalled.call,
            query=encrypted(recalled.query, nonce=nonce, context=context, seal=self.seal()),
            results=recalled.results,
            degraded=recalled.degraded,
            expires=call.now + KEPT,
        )
        try:
            self.soon(lambda: self.recalls.put(call.scope, recall))
        except HindwiseError as error:
            _log.warning("a recall was not written down: %s", type(error).__name__)
            return False
        return True

    def question(self, scope: Scope, recall: Recall) -> str | None:
        """What was asked; None where the row is not as it was written, or of an older secret."""
        return decrypted(recall.query, context=_context(scope, recall.id), seal=self.seal())


def _context(scope: Scope, recall_id: str) -> str:
    return "\x1f".join((scope.tenant, scope.user, recall_id))


def places(ids: Sequence[str]) -> tuple[Place, ...]:
    """Memories in the order in which they were given back."""
    return tuple(Place(id=one, rank=rank) for rank, one in enumerate(ids, 1))
