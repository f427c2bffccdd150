"""The SDK's client and the one function that turns its errors into ours.

Two attempts of two seconds: the SDK's own defaults (60 s, five attempts) outlive the gateway.
"""

from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError

from hindwise import errors

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

type SdkError = BotoCoreError | ClientError
SDK_ERRORS = (BotoCoreError, ClientError)
CROWDED = frozenset(
    {
        "TransactionConflictException",
        "TransactionConflict",
        "TransactionInProgressException",
        "ThrottlingException",
        "ThrottlingError",
        "ProvisionedThroughputExceededException",
        "ProvisionedThroughputExceeded",
        "RequestLimitExceeded",
    }
)
"""What passes when one waits a little: https://docs.aws.amazon.com/amazondynamodb error codes."""
MALFORMED = frozenset({"ValidationException", "ValidationError", "SerializationException"})


def connect(endpoint: str = "", *, session: boto3.Session | None = None) -> "DynamoDBClient":
    """Open a client: 1 s to connect, 2 s to read, two attempts, requests not checked beforehand.

    `endpoint` empty means AWS; without a `session` credentials and region are the environment's.
    """
    config = Config(
        connect_timeout=1,
        read_timeout=2,
        retries={"total_max_attempts": 2, "mode": "standard"},
        max_pool_connections=16,
        parameter_validation=False,
    )
    return (session or boto3.Session()).client(
        "dynamodb", endpoint_url=endpoint or None, config=config
    )


def code_of(error: SdkError) -> str:
    """The service's word for what went wrong; empty where it did not answer."""
    return error.response["Error"]["Code"] if isinstance(error, ClientError) else ""


def reasons_of(error: SdkError) -> list[str]:
    """Why each item of a cancelled transaction failed, `None` where it did not."""
    if code_of(error) != "TransactionCanceledException":
        return []
    reasons = getattr(error, "response", {}).get("CancellationReasons", [])
    return [str(reason.get("Code", "None")) for reason in reasons]


def translated(error: SdkError) -> errors.HindwiseError:
    """Our error for one of the SDK's.

    `Invalid` for what the table will never take, `Misconfigured` where it is not there or not ours,
    `Unavailable` for all else.
    """
    code = code_of(error)
    if MALFORMED.intersection((code, *reasons_of(error))):
        return errors.Invalid("the table does not take this record")
    if code == "ResourceNotFoundException":
        return errors.Misconfigured("there is no such table in this account and region")
    if code in {"AccessDeniedException", "UnrecognizedClientException"}:
        return errors.Misconfigured(f"the table cannot be used: {code}")
    if isinstance(error, NoCredentialsError):
        return errors.Misconfigured("there are no AWS credentials")
    return errors.Unavailable(f"the table did not answer: {code or type(error).__name__}")
