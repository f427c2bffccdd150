"""Cursors of lists: a position nobody can move, borrow or keep.

It is encrypted, for it may be the key of what its caller may not see: a user beyond those that a
credential is limited to. It is sealed together with who asked for what, so that under another
credential, user, filter or stage the same cursor is just wrong.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from hindwise.domain.call import Call
from hindwise.domain.ciphering import NONCE, decrypted, encrypted
from hindwise.domain.ports import Seal
from hindwise.errors import Invalid

PURPOSE = "cursor"
LIFETIME = timedelta(minutes=15)
MAX_CHARS = 1_024


@dataclass(frozen=True)
class Cursors:
    """Makes and opens the cursors of one call; `asked` is the list and its filters as text."""

    seal: Seal
    stage: str
    call: Call
    asked: str

    def sealed(self, position: str | None) -> str | None:
        """A cursor for `position`, good for 15 minutes; None (the end) stays None."""
        if position is None:
            return None
        until = int((self.call.now + LIFETIME).timestamp())
        plain, context = f"{until}:{position}", self._context
        # Made of what it is for, a nonce is never used for anything else.
        nonce = bytes.fromhex(self.seal.digest(PURPOSE, f"{context}\x1f{plain}"))[:NONCE]
        return encrypted(plain, nonce=nonce, context=context, seal=self.seal)

    def opened(self, cursor: str | None) -> str | None:
        """The position of a cursor; raises Invalid naming `cursor` unless it is ours and fresh."""
        if cursor is None:
            return None
        try:
            until, position = self._read(cursor)
        except ValueError as error:
            raise Invalid("cursor is not one of this list", field="cursor") from error
        if self.call.now >= datetime.fromtimestamp(until, tz=self.call.now.tzinfo):
            raise Invalid("cursor has expired; start the list again", field="cursor")
        return position

    def _read(self, cursor: str) -> tuple[int, str]:
        """Until when a cursor is good, and its position; raises ValueError unless it is ours."""
        known = cursor.isascii() and len(cursor) <= MAX_CHARS
        plain = decrypted(cursor, context=self._context, seal=self.seal) if known else None
        until, _, position = (plain or "").partition(":")
        return int(until), position

    @property
    def _context(self) -> str:
        call = self.call
        parts = (PURPOSE, self.stage, call.principal.tenant, call.principal.name)
        return "\x1f".join((*parts, call.scope.tenant, call.scope.user, self.asked))
