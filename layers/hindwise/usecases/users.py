"""Know whose memories there are: each user is noted when something of theirs is first projected."""

import logging
from datetime import datetime

from hindwise.domain.scope import Scope
from hindwise.errors import HindwiseError
from hindwise.usecases.engine import Engine

_log = logging.getLogger(__name__)


def note(scope: Scope, engine: Engine, *, now: datetime) -> None:
    """Note a user and a tenant; never raises: one who is missed is noted with the next memory."""
    try:
        if engine.users is not None:
            engine.users.note(scope, now=now)
        if engine.audit is not None:
            engine.audit.know(scope.tenant)
    except HindwiseError as error:
        _log.warning("a user was not noted: %s", type(error).__name__)
