"""The messages of the work queues: a scope and one id, never content.

JSON with ASCII escapes: SQS takes only characters that XML knows.
"""

import json
from typing import Annotated

from pydantic import Field, ValidationError

from hindwise.domain.base import Model
from hindwise.domain.scope import Scope
from hindwise.errors import Invalid


class Pointer(Model):
    """The message: whose work, and the id of what is to be worked on."""

    tenant: str
    user: str
    id: Annotated[str, Field(min_length=1, max_length=256)]


def written(scope: Scope, pointed: str) -> str:
    """The body of a message, in ASCII."""
    body = {"tenant": scope.tenant, "user": scope.user, "id": pointed}
    return json.dumps(body, separators=(",", ":"))


def read(body: str) -> tuple[Scope, str]:
    """Read a message's body; raises `errors.Invalid` for what is none of ours."""
    try:
        pointer = Pointer.model_validate_json(body)
    except ValidationError:
        raise Invalid("not a pointer to work", field="body") from None
    return Scope(tenant=pointer.tenant, user=pointer.user), pointer.id
