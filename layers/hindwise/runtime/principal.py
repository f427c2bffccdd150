"""Who calls, and for whose memories: from the authorizer's context and the one named user.

User ids are kept exactly as they are: one that could be confused with another (not NFC, control
characters) is refused rather than mapped, so that two ids never become one.
"""

import json
import unicodedata
from collections.abc import Mapping

from hindwise.domain.scope import Origin, Principal, Role, Scope
from hindwise.domain.text import flaw
from hindwise.errors import Forbidden, Invalid, Unauthorized

USER_BYTES = 256
NO_KEY = "no API key that is known and not revoked was sent as `Authorization: Bearer <key>`"


def context_of(principal: Principal) -> dict[str, str]:
    """A principal as the authorizer hands it on: flat, because the gateway allows no nesting."""
    return {
        "tenant": principal.tenant,
        "principal": principal.name,
        "role": principal.role.value,
        "users": json.dumps(principal.users, ensure_ascii=True),
        "ceiling": principal.ceiling.label,
    }


def principal_of(event: Mapping[str, object]) -> Principal:
    """Read what the authorizer said; raises Unauthorized where it said nothing usable."""
    try:
        given = event["requestContext"]["authorizer"]  # type: ignore[index]
        given = given.get("lambda", given)
        return Principal(
            tenant=given["tenant"],
            name=given["principal"],
            role=Role(given["role"]),
            users=tuple(json.loads(given["users"])),
            ceiling=Origin.of(given["ceiling"]),
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise Unauthorized(NO_KEY) from error


def require_role(principal: Principal, needed: Role) -> None:
    """Raise Forbidden unless the principal's role covers `needed`."""
    if not principal.role.covers(needed):
        raise Forbidden(f"this needs the role {needed.value}, the key has {principal.role.value}")


def scope_of(principal: Principal, user: object) -> Scope:
    """The scope of a call for `user`, or for the only user of the key where None is named.

    Raises Invalid naming `user_id`, and Forbidden for a user outside the key's allowance.
    """
    if user is None:
        user = principal.only_user
    if user is None:
        raise Invalid("user_id is missing", field="user_id")
    if not isinstance(user, str) or not 1 <= len(user.encode(errors="replace")) <= USER_BYTES:
        raise Invalid(f"user_id must be a string of 1 to {USER_BYTES} bytes", field="user_id")
    if (wrong := flaw(user)) or any(unicodedata.category(char) == "Cc" for char in user):
        raise Invalid(f"user_id holds {wrong or 'a control character'}", field="user_id")
    if not unicodedata.is_normalized("NFC", user):
        raise Invalid("user_id must be in Unicode normal form C (NFC)", field="user_id")
    if not principal.may_act_for(user):
        raise Forbidden("the key does not allow this user_id")
    return Scope(tenant=principal.tenant, user=user)
