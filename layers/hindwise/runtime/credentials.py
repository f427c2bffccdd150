"""API keys as callers present them: `Authorization: Bearer hw_<stage>_<random>`.

The stage is part of the key, so that another stage's key is refused before anything is read; only
the sha256 of a key is ever looked up or stored.
"""

import re
from collections.abc import Mapping
from hashlib import sha256

from hindwise.domain.ports import ApiKey, KeyRing

_BEARER = re.compile(
    r"bearer +(?P<key>hw_(?P<stage>[a-z0-9-]{1,16})_[A-Za-z0-9_-]{16,200})", re.IGNORECASE
)


def digest(secret: str) -> str:
    """What is stored of a key."""
    return sha256(secret.encode()).hexdigest()


def presented(event: Mapping[str, object]) -> str:
    """The credential of an authorizer's event, empty where there is none."""
    sources = event.get("identitySource")
    if isinstance(sources, list) and sources:
        return str(sources[0])
    headers = event.get("headers")
    given = headers.items() if isinstance(headers, Mapping) else ()
    return next((str(value) for name, value in given if str(name).lower() == "authorization"), "")


def known(credential: str, *, stage: str, ring: KeyRing) -> ApiKey | None:
    """The key behind a credential; None for one that is malformed, foreign, unknown or revoked.

    Raises Unavailable where the table does not answer: nobody gets in by its silence.
    """
    match = _BEARER.fullmatch(credential)
    if match is None or match["stage"] != stage:
        return None
    found = ring.find(digest(match["key"]))
    return found if found is not None and found.revoked_at is None else None
