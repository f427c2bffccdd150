"""Says who a credential is. What it may do is decided where it is done.

Who is nobody is let through without a name, and refused there with 401: the gateway could only say
403, which is what a known key is told that may not do something.
"""

from collections.abc import Mapping

from hindwise.runtime import credentials
from hindwise.runtime.principal import context_of
from hindwise.runtime.telemetry import worker
from hindwise.runtime.wiring import wiring


def authorize(event: Mapping[str, object]) -> dict[str, object]:
    """The simple response of an HTTP API's authorizer; raises where the table is silent."""
    key = credentials.known(credentials.presented(event), stage=wiring().stage, ring=wiring().keys)
    return {"isAuthorized": True, "context": context_of(key.principal) if key else {}}


handler = worker("authorize", authorize, warm=("keys",))
