"""Each role may do what this table says, and nothing else of what is tried.

The table is written by hand: a right that the template adds, or lacks, fails here. SAM gives
the function behind a stream AWS's policy for that, which holds for every stream. All functions may
write their logs, which is not tried. The sweep may scan because the stack has a search domain.
"""

import concurrent.futures
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config

from infra.local.deployment.account import REGION
from infra.local.deployment.deployed import Deployed
from tests.e2e.deployed import attempts
from tests.e2e.deployed.attempts import OBJECTS

pytestmark = pytest.mark.artifacts

READ = "BatchGetItem Query"
CHANGE = "PutItem UpdateItem DeleteItem"
TAKE = "ReceiveMessage DeleteMessage GetQueueAttributes"
DECIDE = f"GetItem {READ} {CHANGE} ConditionCheckItem"
PROJECT = {"MemoryTable": f"{READ} {CHANGE} BatchWriteItem"}
SEALED = {"SealSecret": "GetSecretValue"}
WORK = ("Extract", "Settle", "Consolidate", "Forget", "Fade", "Review")
SEND = {f"{name}Queue": "SendMessage" for name in WORK}
READS, KEEPS = ("GetObject",), ("GetObject", "PutObject")
CHANGES = (*KEEPS, "DeleteObject")


def objects(**kinds: tuple[str, ...]) -> str:
    """What may be done with objects of these kinds, in the order in which it is tried."""
    found = [f"{action}:{kind}" for kind in OBJECTS for action in kinds.get(kind, ())]
    return " ".join([*found, "ListBucket"])


EXPECTED: dict[str, dict[str, str]] = {
    "AuthorizeFunction": {"MemoryTable": "GetItem"},
    "WriteFunction": {
        "MemoryTable": DECIDE,
        "MemoryBucket": objects(conversations=CHANGES, archive=CHANGES),
        **SEND,
        **{f"{name}Dlq": "ReceiveMessage DeleteMessage" for name in WORK},
        **SEALED,
    },
    "SearchFunction": {
        "MemoryTable": f"{READ} PutItem UpdateItem",
        "AccessQueue": "SendMessage",
        **SEALED,
    },
    "InspectFunction": {
        "MemoryTable": f"GetItem {READ} UpdateItem",
        "MemoryBucket": objects(conversations=READS, archive=READS),
        **{f"{name}{kind}": "GetQueueAttributes" for name in WORK for kind in ("Queue", "Dlq")},
        **SEALED,
    },
    "ForgetFunction": {
        "MemoryTable": f"{DECIDE} BatchWriteItem",
        "MemoryBucket": objects(conversations=CHANGES, archive=CHANGES),
        "ReceiptsBucket": objects(receipts=KEEPS, digests=KEEPS),
        "ForgetQueue": f"SendMessage {TAKE}",
        "ForgetDlq": "SendMessage",
        **SEALED,
    },
    "IndexFunction": {
        **PROJECT,
        "MemoryTable stream": "DescribeStream",
        "ProjectionDlq": "SendMessage",
        "SettleQueue": "SendMessage",
    },
    "SweepFunction": {
        "MemoryTable": f"GetItem {READ} Scan {CHANGE} BatchWriteItem",
        "MemoryTable work": "Query",
        **SEND,
        **SEALED,
    },
    "ReinforceFunction": {
        "MemoryTable": "UpdateItem",
        "AccessQueue": TAKE,
    },
    "ExtractFunction": {
        "MemoryTable": DECIDE,
        "MemoryBucket": objects(conversations=READS),
        "ExtractQueue": f"SendMessage {TAKE}",
        "ExtractDlq": "SendMessage",
        **SEALED,
    },
    "SettleFunction": {
        "MemoryTable": DECIDE,
        "SettleQueue": TAKE,
        **SEALED,
    },
    "ConsolidateFunction": {
        "MemoryTable": DECIDE,
        "MemoryTable work": "Query",
        "ConsolidateQueue": f"SendMessage {TAKE}",
        "ConsolidateDlq": "SendMessage",
        **SEALED,
    },
    "FadeFunction": {
        "MemoryTable": DECIDE,
        "MemoryTable work": "Query",
        "MemoryBucket": objects(archive=CHANGES),
        "FadeQueue": f"SendMessage {TAKE}",
        "FadeDlq": "SendMessage",
        **SEALED,
    },
    "ReviewFunction": {
        "MemoryTable": DECIDE,
        "MemoryTable work": "Query",
        "MemoryTable list": "Query",
        "ReceiptsBucket": objects(receipts=KEEPS, digests=KEEPS),
        "ReviewQueue": f"SendMessage {TAKE}",
        "ReviewDlq": "SendMessage",
        **SEALED,
    },
}
CREDENTIALS = """
import os
NAMES = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
def handler(event, context):
    return {name: os.environ[name.upper()] for name in NAMES}
"""
Client = Callable[[str], Any]


@pytest.fixture(scope="module")
def acting(stack: Deployed) -> Callable[[str], Client]:
    """Clients with the credentials that a function under the role of another is given."""

    def session(function: str) -> tuple[str, Any]:
        name = f"role-of-{function}"
        stack.runtime.make(name, CREDENTIALS, stack.role_of(function))
        return function, boto3.Session(**stack.invoke(name, {}), region_name=REGION)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        sessions = dict(pool.map(session, EXPECTED))
    once = Config(retries={"total_max_attempts": 1})

    def acting(function: str) -> Client:
        return lambda service: sessions[function].client(
            service, endpoint_url=stack.account.endpoint, config=once
        )

    return acting


def tried(stack: Deployed, client: Client) -> Iterator[tuple[str, str]]:
    """Try everything on every resource of the stack; gives what was allowed on each."""
    db, sqs = client("dynamodb"), client("sqs")
    for key, name in stack.of_kind("AWS::DynamoDB::Table").items():
        yield key, attempts.allowed(db, attempts.TABLE, name)
        for index, on_index in attempts.INDEXES.items():
            yield f"{key} {index}", attempts.allowed(db, on_index, name)
        found = stack.account.client("dynamodb").describe_table(TableName=name)["Table"]
        streams = client("dynamodbstreams")
        arn = found["LatestStreamArn"]
        yield f"{key} stream", attempts.allowed(streams, attempts.STREAM, arn)
    for key, url in stack.of_kind("AWS::SQS::Queue").items():
        yield key, attempts.allowed(sqs, attempts.QUEUE, url)
    for key, name in stack.of_kind("AWS::SecretsManager::Secret").items():
        yield key, attempts.allowed(client("secretsmanager"), attempts.SECRET, name)
    for bucket in stack.account.client("s3").list_buckets()["Buckets"]:
        names = {name: key for key, name in stack.of_kind("AWS::S3::Bucket").items()}
        key = names.get(bucket["Name"], "deployed code")
        yield key, attempts.allowed(client("s3"), attempts.BUCKET, bucket["Name"])
    for key, name in stack.of_kind("AWS::Lambda::Function").items():
        yield key, attempts.allowed(client("lambda"), attempts.FUNCTION, name)
    for action, (service, attempt) in attempts.ACCOUNT.items():
        yield "account", attempts.allowed(client(service), {action: attempt}, "")


def test_the_table_names_every_function(stack: Deployed) -> None:
    assert stack.of_kind("AWS::Lambda::Function").keys() == EXPECTED.keys()


@pytest.mark.parametrize("function", EXPECTED)
def test_a_function_s_role_allows_what_it_must(
    function: str, stack: Deployed, acting: Callable[[str], Client]
) -> None:
    found = {key: actions for key, actions in tried(stack, acting(function)) if actions}
    assert found == EXPECTED[function]


def test_the_account_s_owner_may_try_it_all(stack: Deployed) -> None:
    """What is denied above is denied to the role, not to everybody."""
    queue = stack.resources["AccessDlq"].name
    sqs = stack.account.client("sqs")
    harmless = {name: attempts.QUEUE[name] for name in (*TAKE.split(), "PurgeQueue")}
    assert attempts.allowed(sqs, harmless, queue) == f"{TAKE} PurgeQueue"
