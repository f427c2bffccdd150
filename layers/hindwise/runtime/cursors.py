"""Cursors of lists: a position nobody can move, borrow or keep.

The position is readable (it is only a sort key); the seal covers it together with who asked for
what, so that under another credential, user, filter or stage the same cursor is just wrong.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime, timedelta

from hindwise.domain.call import Call
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
        plain = f"{until}:{position}"
        digest = self.seal.digest(PURPOSE, self._bound(plain))
        return urlsafe_b64encode(f"{digest}:{plain}".encode()).decode().rstrip("=")

    def opened(self, cursor: str | None) -> str | None:
        """The position of a cursor; raises Invalid naming `cursor` unless it is ours and fresh."""
        if cursor is None:
            return None
        try:
            if len(cursor) > MAX_CHARS:
                raise ValueError
            padded = cursor + "=" * (-len(cursor) % 4)
            if urlsafe_b64encode(raw := urlsafe_b64decode(padded)).decode().rstrip("=") != cursor:
                raise ValueError
            digest, until, position = raw.decode().split(":", 2)
            if not self.seal.matches(PURPOSE, self._bound(f"{until}:{position}"), digest):
                raise ValueError
        except ValueError as error:
            raise Invalid("cursor is not one of this list", field="cursor") from error
        if self.call.now >= datetime.fromtimestamp(int(until), tz=self.call.now.tzinfo):
            raise Invalid("cursor has expired; start the list again", field="cursor")
        return position

    def _bound(self, plain: str) -> str:
        call = self.call
        parts = (self.stage, call.principal.tenant, call.principal.name, call.scope.tenant)
        return "\x1f".join((*parts, call.scope.user, self.asked, plain))
