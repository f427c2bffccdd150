"""Know whose memories there are: each user is noted when something of theirs is first projected."""

import logging
from datetime import datetime

from hindwise.domain.ports import Users
from hindwise.domain.scope import Scope
from hindwise.errors import HindwiseError

_log = logging.getLogger(__name__)


def note(scope: Scope, users: Users | None, *, now: datetime) -> None:
    """Note a user; never raises: one who is missed is noted with the next memory."""
    if users is None:
        return
    try:
        users.note(scope, now=now)
    except HindwiseError as error:
        _log.warning("a user was not noted: %s", type(error).__name__)
