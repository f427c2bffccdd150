"""Keyed hashes for cursors, derived ids and the audit chain, from one generated secret per stage.

Each purpose has a key of its own, derived by HKDF (RFC 5869, SHA-256) with stage and purpose as
its info: what is sealed for one purpose or stage means nothing in another. While the secret rotates
both versions are accepted; the new one signs.
"""

import contextlib
import hmac
import os
import secrets
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from hindwise.errors import Misconfigured, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient

SHORTEST_SECRET = 32
"""Bytes; the generated ones are 64 hex digits."""
REFRESH_SECONDS = 60.0


class Secret(Protocol):
    """Where the secret of this stage is kept."""

    def versions(self) -> tuple[bytes, ...]:
        """Give the current version and, while it rotates, the one before."""

    def refresh(self) -> bool:
        """Look for a newer version; tells whether `versions` changed."""


class HmacSeal:
    """Seals with the current version of `secret` and accepts every valid one."""

    def __init__(self, stage: str, secret: Secret) -> None:
        self._stage = stage
        self._secret = secret
        self._keys: dict[tuple[bytes, str], bytes] = {}

    def digest(self, purpose: str, data: str) -> str:
        """The 64 hex digits over `data`, different for each purpose, secret and stage."""
        return self.digests(purpose, data)[0]

    def digests(self, purpose: str, data: str) -> Sequence[str]:
        """That under the current secret and, while it rotates, the one before."""
        return [self._digest(version, purpose, data) for version in self._secret.versions()]

    def matches(self, purpose: str, data: str, digest: str) -> bool:
        """Compare in constant time; a mismatch looks once more at a secret that may be newer."""
        if self._any(purpose, data, digest):
            return True
        return self._secret.refresh() and self._any(purpose, data, digest)

    def _any(self, purpose: str, data: str, digest: str) -> bool:
        given = digest.encode("utf-8", "surrogatepass")
        equal = [hmac.compare_digest(one.encode(), given) for one in self.digests(purpose, data)]
        return any(equal)

    def _digest(self, version: bytes, purpose: str, data: str) -> str:
        key = self._keys.get((version, purpose))
        if key is None:
            info = f"hindwise\x1f{self._stage}\x1f{purpose}".encode()
            key = self._keys[(version, purpose)] = derived_key(version, info)
        return hmac.new(key, data.encode("utf-8", "surrogatepass"), sha256).hexdigest()


def derived_key(secret: bytes, info: bytes) -> bytes:
    """The 32 bytes of HKDF-SHA256 with an empty salt (RFC 5869: extract, then one block)."""
    extracted = hmac.new(bytes(32), secret, sha256).digest()
    return hmac.new(extracted, info + b"\x01", sha256).digest()


class FileSecret:
    """A secret in a file that only its owner reads, generated where it is missing.

    Line one is the current version; a second line, if there is one, the version before.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: tuple[bytes, ...] = ()

    def versions(self) -> tuple[bytes, ...]:
        """Give the versions; raises `errors.Misconfigured` where the file cannot be used."""
        if not self._held:
            self._held = self._read()
        return self._held

    def refresh(self) -> bool:
        """Read the file again."""
        before = self._held
        self._held = self._read()
        return self._held != before

    def _read(self) -> tuple[bytes, ...]:
        try:
            if not self._path.exists():
                self._generate()
            lines = self._path.read_bytes().split()
        except OSError as error:
            raise Misconfigured(f"the secret file {self._path.name} cannot be used") from error
        return accepted(lines, f"the secret file {self._path.name}")

    def _generate(self) -> None:
        """Write a whole file beside it, then link it into place: the first of several wins."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = self._path.with_name(f"{self._path.name}.{secrets.token_hex(8)}")
        try:
            with open(draft, "xb", opener=_for_owner) as file:
                file.write(secrets.token_hex(32).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
            with contextlib.suppress(FileExistsError):
                self._path.hardlink_to(draft)
        finally:
            draft.unlink(missing_ok=True)


def _for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class SecretsManagerSecret:
    """A secret in AWS Secrets Manager, read once per container.

    AWSPREVIOUS stays valid beside AWSCURRENT. `clock` gives seconds that never go back.
    """

    def __init__(
        self, client: "SecretsManagerClient", secret_id: str, clock: Callable[[], float]
    ) -> None:
        self._client = client
        self._secret_id = secret_id
        self._clock = clock
        self._lock = Lock()
        self._held: tuple[bytes, ...] = ()
        self._read_at = 0.0

    def versions(self) -> tuple[bytes, ...]:
        """Give the versions; raises `errors.Unavailable` or `errors.Misconfigured`."""
        with self._lock:
            if not self._held:
                self._read()
            return self._held

    def refresh(self) -> bool:
        """Read it again, at most once a minute; forged digests must not cost a call each."""
        with self._lock:
            if self._held and self._clock() - self._read_at < REFRESH_SECONDS:
                return False
            before = self._held
            self._read()
            return self._held != before

    def _read(self) -> None:
        self._read_at = self._clock()
        found = [self._version("AWSCURRENT"), self._version("AWSPREVIOUS")]
        self._held = accepted([version for version in found if version], "the stage's secret")

    def _version(self, label: str) -> bytes | None:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            answer = self._client.get_secret_value(SecretId=self._secret_id, VersionStage=label)
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code", "")
            if code == "ResourceNotFoundException" and label == "AWSPREVIOUS":
                return None
            if code in ("ResourceNotFoundException", "AccessDeniedException"):
                raise Misconfigured(f"the stage's secret cannot be read: {code}") from error
            raise Unavailable(f"the stage's secret cannot be read: {code}") from error
        except BotoCoreError as error:
            raise Unavailable("Secrets Manager does not answer") from error
        return answer.get("SecretString", "").encode() or answer.get("SecretBinary")


def accepted(versions: list[bytes], where: str) -> tuple[bytes, ...]:
    """The one or two versions, current first; raises `errors.Misconfigured` for anything else."""
    if not versions or any(len(version) < SHORTEST_SECRET for version in versions):
        raise Misconfigured(f"{where} holds no secret of at least {SHORTEST_SECRET} characters")
    return tuple(versions[:2])
