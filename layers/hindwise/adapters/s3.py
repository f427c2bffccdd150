"""Bytes in S3 under one prefix a scope: raw conversations, archives, receipts.

The prefix is the sha256 of tenant and user, so that it has one length whatever they are called,
and no prefix can be the beginning of another scope's.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from hindwise.domain.scope import Scope
from hindwise.errors import HindwiseError, Misconfigured, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_NAME = re.compile(r"[A-Za-z0-9._=-][A-Za-z0-9._=/-]{0,499}")
_TAKEN = "PreconditionFailed"
_MISSING = frozenset({"NoSuchKey", "404"})
MANY = 1_000
"""Objects that one call removes."""
_WRONG_SETTING = frozenset({"NoSuchBucket", "AccessDenied", "InvalidBucketName"})


def connect(endpoint: str = "") -> "S3Client":
    """Open a client that waits 2 s for a connection, 10 s for an answer, and tries three times.

    `endpoint` empty means AWS; credentials and region are the environment's.
    """
    import boto3

    config = Config(
        connect_timeout=2,
        read_timeout=10,
        retries={"total_max_attempts": 3, "mode": "standard"},
        s3={"addressing_style": "path" if endpoint else "auto"},
    )
    return boto3.client("s3", endpoint_url=endpoint or None, config=config)


class S3Blobs:
    """Keeps blobs in one bucket, whose own settings encrypt them.

    `opened` gives the client and the bucket's name at the first call: what only counts or searches
    needs none. Names are listed `page` (1..1000) at a time.
    """

    def __init__(self, opened: "Callable[[], tuple[S3Client, str]]", *, page: int = 1_000) -> None:
        self._opened = cache(opened)
        self._page = page

    def put(self, scope: Scope, name: str, data: bytes, *, if_absent: bool = False) -> bool:
        """Store bytes; with `if_absent`, False where the name is taken, and nothing changes."""
        key = blob_key(scope, name)
        return put_object(*self._opened(), key, data, if_absent=if_absent)

    def get(self, scope: Scope, name: str) -> bytes | None:
        """Read what is stored, None where there is nothing."""
        return get_object(*self._opened(), blob_key(scope, name))

    def delete(self, scope: Scope, name: str) -> None:
        """Remove what is stored, if anything is."""
        client, bucket = self._opened()
        try:
            client.delete_object(Bucket=bucket, Key=blob_key(scope, name))
        except (ClientError, BotoCoreError) as error:
            raise translated(error) from error

    def delete_many(self, scope: Scope, names: Sequence[str]) -> None:
        """Remove what is stored under these names, if anything is; a thousand a call."""
        client, bucket = self._opened()
        wanted = [blob_key(scope, name) for name in names]
        for start in range(0, len(wanted), MANY):
            some = [{"Key": key} for key in wanted[start : start + MANY]]
            try:
                answer = client.delete_objects(
                    Bucket=bucket,
                    Delete={"Objects": some, "Quiet": True},  # type: ignore[typeddict-item]
                )
            except (ClientError, BotoCoreError) as error:
                raise translated(error) from error
            if answer.get("Errors"):
                raise Unavailable(f"S3 kept {len(answer['Errors'])} objects")

    def names(self, scope: Scope, prefix: str = "") -> Iterator[str]:
        """List the scope's names that start with `prefix`, in the order of their bytes."""
        root = scope_prefix(scope)
        if prefix:
            blob_key(scope, prefix)
        client, bucket = self._opened()
        pages = client.get_paginator("list_objects_v2").paginate(
            Bucket=bucket,
            Prefix=root + prefix,
            PaginationConfig={"PageSize": self._page},
        )
        try:
            for page in pages:
                for entry in page.get("Contents", ()):
                    yield entry["Key"].removeprefix(root)
        except (ClientError, BotoCoreError) as error:
            raise translated(error) from error


def put_object(client: "S3Client", bucket: str, key: str, data: bytes, *, if_absent: bool) -> bool:
    """Store an object; with `if_absent`, False where the key is taken, and nothing changes."""
    try:
        if if_absent:
            client.put_object(Bucket=bucket, Key=key, Body=data, IfNoneMatch="*")
        else:
            client.put_object(Bucket=bucket, Key=key, Body=data)
    except ClientError as error:
        if _code(error) == _TAKEN:
            return False
        raise translated(error) from error
    except BotoCoreError as error:
        raise translated(error) from error
    return True


def get_object(client: "S3Client", bucket: str, key: str) -> bytes | None:
    """Read an object, None where there is none."""
    try:
        answer = client.get_object(Bucket=bucket, Key=key)
        with answer["Body"] as body:
            return body.read()
    except ClientError as error:
        if _code(error) in _MISSING:
            return None
        raise translated(error) from error
    except BotoCoreError as error:
        raise translated(error) from error


def scope_prefix(scope: Scope) -> str:
    """The 64 hex digits and the slash that all keys of a scope start with."""
    return sha256(f"{scope.tenant}\x1f{scope.user}".encode()).hexdigest() + "/"


def blob_key(scope: Scope, name: str) -> str:
    """The key of a name; raises ValueError for a name the port does not allow."""
    if not _NAME.fullmatch(name):
        raise ValueError("a blob's name is 1..500 of A-Za-z0-9._=- and slashes")
    return scope_prefix(scope) + name


def _code(error: ClientError) -> str:
    """What S3 calls the error."""
    return error.response.get("Error", {}).get("Code", "")


def translated(error: ClientError | BotoCoreError) -> HindwiseError:
    """Our error for one of the SDK's: a wrong setting fails again, all else may pass."""
    if not isinstance(error, ClientError):
        return Unavailable("S3 does not answer")
    code = _code(error)
    if code in _WRONG_SETTING:
        return Misconfigured(f"the bucket cannot be used: {code}")
    return Unavailable(f"S3 refused: {code}")
