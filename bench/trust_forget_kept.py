"""All that the emulators of AWS and a search node keep, piece by piece with a name.

Rows of every table, every version of every object, what was ever sent to a queue or a dead-letter
queue, what was logged, and the entries of every index. An index keeps no source: its binary values
are read, and the node is asked for terms, which tells of what its dictionaries hold.
"""

import base64
import json
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import boto3
from botocore.client import BaseClient

from tests.canaries import CANARY, TERMS, laid_out

WORDS = ("words", "exact", "place", "facts", "scope", "mid")
"""The fields of an index that have a dictionary of terms."""


VALUES = ("packed", "scope", "mid")
"""Those whose values can be read again; all others are numbers, or have terms."""


@contextmanager
def sent_to_queues() -> Iterator[list[str]]:
    """Whatever is sent to queues meanwhile, for what is delayed there can be read by nobody."""
    sent: list[str] = []
    real = BaseClient._make_api_call

    def call(client: Any, operation: str, given: dict[str, Any]) -> Any:
        if client.meta.service_model.service_name == "sqs" and "SendMessage" in operation:
            sent.append(laid_out(given).decode())
        return real(client, operation, given)

    with mock.patch.object(BaseClient, "_make_api_call", call):
        yield sent


def rows() -> Iterator[dict[str, Any]]:
    """Every row of every table."""
    client = boto3.client("dynamodb")
    for table in client.list_tables()["TableNames"]:
        for page in client.get_paginator("scan").paginate(TableName=table):
            yield from page["Items"]


def objects() -> Iterator[tuple[str, bytes]]:
    """Every version of every object in every bucket."""
    s3 = boto3.client("s3")
    for bucket in s3.list_buckets()["Buckets"]:
        listed = s3.get_paginator("list_object_versions").paginate(Bucket=bucket["Name"])
        for one in (each for page in listed for each in page.get("Versions", [])):
            version = {} if one["VersionId"] == "null" else {"VersionId": one["VersionId"]}
            found = s3.get_object(Bucket=bucket["Name"], Key=one["Key"], **version)
            yield one["Key"], found["Body"].read()


def entries(node: str) -> Iterator[tuple[str, bytes]]:
    """Every entry of every index of a node, closed ones opened: its values, and terms it has."""
    for index in _asked(node, "GET", "_cat/indices?format=json&expand_wildcards=all"):
        name = index["index"]
        if index["status"] != "open":
            _asked(node, "POST", f"{name}/_open?wait_for_active_shards=1")
        _asked(node, "POST", f"{name}/_refresh")
        everything = {"size": 10_000, "query": {"match_all": {}}, "docvalue_fields": VALUES}
        for hit in _asked(node, "POST", f"{name}/_search", everything)["hits"]["hits"]:
            held = hit.get("fields", {})
            read = [base64.urlsafe_b64decode(one + "==") for one in held.get("packed", [])]
            yield f"index {hit['_id']}", laid_out([hit, read])
        for field in WORDS:
            for term in TERMS:
                like = {"wildcard": {field: {"value": f"*{term}*", "case_insensitive": True}}}
                found = _asked(node, "POST", f"{name}/_search", {"size": 100, "query": like})
                for hit in found["hits"]["hits"]:
                    yield f"index {field} of {hit['_id']}", CANARY.encode()


def _asked(node: str, method: str, path: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    asked = urllib.request.Request(
        f"{node}/{path}", data, {"content-type": "application/json"}, method=method
    )
    with urllib.request.urlopen(asked, timeout=30) as answer:
        return json.load(answer)
