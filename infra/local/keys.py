"""The laptop's API key: made once, kept in the data folder, readable by its owner only."""

import os
import secrets
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from hindwise.domain.ids import ulid
from hindwise.domain.memory import millis
from hindwise.domain.ports import ApiKey, KeyRing
from hindwise.domain.scope import Principal, Role

TENANT = "local"


def local_key(file: Path, ring: KeyRing, *, stage: str) -> str:
    """The key in `file`, made anew where there is none that works."""
    if file.exists():
        kept = file.read_text().strip()
        found = ring.find(digest(kept)) if kept else None
        if found is not None and found.revoked_at is None:
            return kept
    secret = f"hw_{stage}_{secrets.token_urlsafe(32)}"
    now = datetime.now(UTC)
    ring.add(
        ApiKey(
            id=ulid(millis(now), os.urandom(10)),
            digest=digest(secret),
            principal=Principal(tenant=TENANT, name="laptop", role=Role.ADMIN),
            created_at=now,
            label="made by the dev server",
        )
    )
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as out:
        out.write(secret + "\n")
    return secret


def digest(secret: str) -> str:
    """What is stored of a key."""
    return sha256(secret.encode()).hexdigest()
