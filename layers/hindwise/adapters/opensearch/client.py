"""Connects to a node or a managed domain, and turns what goes wrong there into our errors.

Nothing is retried here: a search has less than a second, and what could not be written stays in the
backlog. The library's own logs are silenced, because they quote bodies.
"""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import orjson
import urllib3
from opensearchpy import OpenSearch
from opensearchpy.exceptions import OpenSearchException, SerializationError, TransportError
from opensearchpy.serializer import JSONSerializer

from hindwise.errors import Misconfigured, Unavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

CONNECT_SECONDS = 0.25
SEARCH_SECONDS = 0.7
WRITE_SECONDS = 20.0
_MANAGED = (".amazonaws.com", ".amazonaws.com.cn", ".on.aws")
_BAD_REQUEST, _MISSING = 400, 404


class FastSerializer(JSONSerializer):
    """JSON by orjson: the answers of a search are parsed in a third of the time."""

    def loads(self, s: str) -> Any:
        """Parse an answer; raises the library's SerializationError, without the text."""
        try:
            return orjson.loads(s)
        except ValueError:
            raise SerializationError("the answer is not JSON") from None

    def dumps(self, data: Any) -> Any:
        """Write a body."""
        return data if isinstance(data, str | bytes) else orjson.dumps(data).decode()


def connect(endpoint: str, *, seconds: float, connections: int = 10) -> OpenSearch:
    """A client whose answers may take `seconds`; requests to AWS are signed.

    Raises Misconfigured where there are no credentials or no region to sign with.
    """
    for name in ("opensearch", "opensearchpy.trace"):
        logging.getLogger(name).disabled = True
    parts = urlsplit(endpoint)
    secure = parts.scheme == "https"
    managed = (parts.hostname or "").endswith(_MANAGED)
    return OpenSearch(
        hosts=[endpoint],
        use_ssl=secure,
        verify_certs=secure,
        http_auth=_signer() if managed else None,
        serializer=FastSerializer(),
        timeout=urllib3.Timeout(connect=CONNECT_SECONDS, read=seconds),
        max_retries=0,
        pool_maxsize=connections,
    )


def _signer() -> Any:
    import boto3
    from opensearchpy import Urllib3AWSV4SignerAuth

    session = boto3.Session()
    try:
        return Urllib3AWSV4SignerAuth(session.get_credentials(), session.region_name, "es")
    except ValueError as error:
        raise Misconfigured(f"requests to the search domain cannot be signed: {error}") from error


def asked[T](ask: Callable[[], T]) -> T:
    """Give what `ask` gives.

    Raises Unavailable for all that goes wrong, without the cause, which may quote content.
    """
    try:
        return ask()
    except OpenSearchException as error:
        raise unavailable(_named(error), status=_status(error)) from None


class NotThere(Unavailable):
    """The node answers, and there is no index."""


class Declined(Unavailable):
    """The node answers, and does not take what was asked."""


def unavailable(reason: str, *, status: int = 0) -> Unavailable:
    """The error of an index that does not answer, or answers with a status."""
    kind = {_MISSING: NotThere, _BAD_REQUEST: Declined}.get(status, Unavailable)
    return kind(
        f"the search index is not available: {reason}",
        details={"dependency": "index"},
    )


def _status(error: OpenSearchException) -> int:
    found = error.status_code if isinstance(error, TransportError) else 0
    return found if isinstance(found, int) else 0


def _named(error: OpenSearchException) -> str:
    """The status and type of an error, which quote nothing."""
    status = _status(error)
    return f"status {status}" if status else type(error).__name__


def lines(parts: "Sequence[object]") -> bytes:
    """Newline-delimited JSON, with arrays of numbers at full speed."""
    option = orjson.OPT_SERIALIZE_NUMPY
    return b"".join(orjson.dumps(part, option=option) + b"\n" for part in parts)
