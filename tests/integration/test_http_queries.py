"""A query parameter that a call does not know is refused, by every call that reads or forgets."""

import pytest

from hindwise.domain.scope import Role
from hindwise.runtime.routes import ROUTES, Route
from tests.builders import new_id, principal
from tests.integration.http_client import Client

READING = [one for one in ROUTES if one.method in ("GET", "DELETE") and one.role is not None]
ADMIN = Client(principal(name="adam", role=Role.ADMIN))


@pytest.mark.parametrize("route", READING, ids=lambda route: route.operation)
def test_an_unknown_parameter_is_named(world, route: Route) -> None:
    path = route.path.replace("{id}", new_id()).replace("{name}", "Rome")
    reply = ADMIN.send(route.method, path, query={"user_id": "ada", "dry_run_": "true"})
    assert (reply.status, reply.error["details"]["field"]) == (400, "dry_run_")
