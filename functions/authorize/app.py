"""Says who a credential is. What it may do is decided where it is done."""

from collections.abc import Mapping

from hindwise.runtime import credentials
from hindwise.runtime.principal import context_of
from hindwise.runtime.telemetry import worker
from hindwise.runtime.wiring import wiring


def authorize(event: Mapping[str, object]) -> dict[str, object]:
    """The simple response of an HTTP API's authorizer; raises where the table is silent."""
    key = credentials.known(credentials.presented(event), stage=wiring().stage, ring=wiring().keys)
    if key is None:
        return {"isAuthorized": False}
    return {"isAuthorized": True, "context": context_of(key.principal)}


handler = worker("authorize", authorize, warm=("keys",))
