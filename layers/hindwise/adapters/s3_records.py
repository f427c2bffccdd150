"""`ports.Records` in a bucket of its own, which nothing is deleted from.

A key is the kind, the tenant, the rest of the name (`receipts/acme/01K….json`), so that a right may
be given for one kind, and what a tenant was told is found by a person without this code.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from hindwise.adapters.s3 import get_object, put_object, translated

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_NAME = re.compile(r"(receipts|digests)/([A-Za-z0-9._=-][A-Za-z0-9._=/-]{0,199})")
_PREFIX = re.compile(r"(receipts|digests)/([A-Za-z0-9._=/-]{0,200})")


class S3Records:
    """Keeps records in one bucket; `opened` gives the client and its name at the first call."""

    def __init__(self, opened: "Callable[[], tuple[S3Client, str]]", *, page: int = 1_000) -> None:
        self._opened = cache(opened)
        self._page = page

    def keep(self, tenant: str, name: str, data: bytes) -> bool:
        """Store bytes for good; False where the name is taken, and nothing changes."""
        key = record_key(tenant, name)
        return put_object(*self._opened(), key, data, if_absent=True)

    def read(self, tenant: str, name: str) -> bytes | None:
        """Read what is kept, None where there is nothing."""
        return get_object(*self._opened(), record_key(tenant, name))

    def names(self, tenant: str, prefix: str) -> Iterator[str]:
        """List the tenant's names that start with `prefix`, in the order of their bytes."""
        start, kind = record_key(tenant, prefix, whole=False), prefix.partition("/")[0]
        client, bucket = self._opened()
        pages = client.get_paginator("list_objects_v2").paginate(
            Bucket=bucket, Prefix=start, PaginationConfig={"PageSize": self._page}
        )
        try:
            for page in pages:
                for entry in page.get("Contents", ()):
                    yield f"{kind}/" + entry["Key"].removeprefix(f"{kind}/{tenant}/")
        except (ClientError, BotoCoreError) as error:
            raise translated(error) from error


def record_key(tenant: str, name: str, *, whole: bool = True) -> str:
    """The key of a name, or of the beginning of one; raises ValueError for one that is none."""
    found = (_NAME if whole else _PREFIX).fullmatch(name)
    if found is None:
        raise ValueError("a record's name is receipts/ or digests/ and 1..200 of A-Za-z0-9._=-/")
    return f"{found[1]}/{tenant}/{found[2]}"
