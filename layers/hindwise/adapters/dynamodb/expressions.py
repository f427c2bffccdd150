"""Attribute values, keys and key conditions as DynamoDB's JSON wants them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef, QueryInputTypeDef

type Value = AttributeValueTypeDef
type Item = Mapping[str, AttributeValueTypeDef]
type Key = tuple[str, str]


def text(value: str) -> Value:
    """A string attribute."""
    return {"S": value}


def number(value: int) -> Value:
    """A number attribute."""
    return {"N": str(value)}


def key_of(key: Key) -> dict[str, Value]:
    """A primary key as attributes."""
    return {"pk": {"S": key[0]}, "sk": {"S": key[1]}}


def beginning(pk: str, prefix: str, *, newest: bool = False, limit: int = 0) -> "QueryInputTypeDef":
    """A consistent query for the rows of a partition whose sort key begins with `prefix`.

    `limit` is the page size where it is above 0 (DynamoDB's own limit is 1 MB a page).
    """
    query: QueryInputTypeDef = {
        "TableName": "",
        "KeyConditionExpression": "pk = :pk" + (" AND begins_with(sk, :sk)" if prefix else ""),
        "ExpressionAttributeValues": {":pk": text(pk)} | ({":sk": text(prefix)} if prefix else {}),
        "ConsistentRead": True,
        "ScanIndexForward": not newest,
    }
    if limit > 0:
        query["Limit"] = limit
    return query


def indexed_under(
    index: str, pk: str, *, newest: bool = False, limit: int = 0
) -> "QueryInputTypeDef":
    """A query for the keys of the rows under `pk` in the index `work` or `list`."""
    query = beginning(pk, "", newest=newest, limit=limit)
    query["IndexName"] = index
    query["KeyConditionExpression"] = f"{index[0]}_pk = :pk"
    query["ConsistentRead"] = False
    return query
