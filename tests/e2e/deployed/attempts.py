"""What a role could try to do to each kind of resource, so that trying it changes nothing."""

from collections.abc import Callable, Mapping
from typing import Any

from botocore.exceptions import ClientError

Attempt = Callable[[Any, str], object]
"""Calls a service's client on the resource of a name."""
DENIED = {"AccessDenied", "AccessDeniedException"}
REACHED = {
    "ConditionalCheckFailedException",
    "TransactionCanceledException",
    "InvalidParameterValue",
    "ReceiptHandleIsInvalid",
    "NoSuchKey",
}
"""Errors that only who may do it gets to see."""

KEY = {"pk": {"S": "KEY#attempt"}, "sk": {"S": "KEY"}}
NEVER = {
    "ConditionExpression": "attribute_exists(pk) AND pk = :never",
    "ExpressionAttributeValues": {":never": {"S": "never"}},
}


def allowed(client: Any, attempts: Mapping[str, Attempt], name: str) -> str:
    """The names of the attempts that are not denied, in their order."""
    return " ".join(action for action, attempt in attempts.items() if _may(client, attempt, name))


def _may(client: Any, attempt: Attempt, name: str) -> bool:
    try:
        attempt(client, name)
    except ClientError as error:
        code = error.response["Error"]["Code"]
        assert code in DENIED | REACHED, error
        return code in REACHED
    return True


TABLE: dict[str, Attempt] = {
    "GetItem": lambda db, name: db.get_item(TableName=name, Key=KEY),
    "BatchGetItem": lambda db, name: db.batch_get_item(RequestItems={name: {"Keys": [KEY]}}),
    "Query": lambda db, name: _query(db, name, "pk"),
    "Scan": lambda db, name: db.scan(TableName=name, Limit=1),
    "PutItem": lambda db, name: db.put_item(TableName=name, Item=KEY, **NEVER),
    "UpdateItem": lambda db, name: db.update_item(
        TableName=name, Key=KEY, UpdateExpression="SET n = :never", **NEVER
    ),
    "DeleteItem": lambda db, name: db.delete_item(TableName=name, Key=KEY, **NEVER),
    "ConditionCheckItem": lambda db, name: db.transact_write_items(
        TransactItems=[{"ConditionCheck": {"TableName": name, "Key": KEY, **NEVER}}]
    ),
    "BatchWriteItem": lambda db, name: db.batch_write_item(
        RequestItems={name: [{"DeleteRequest": {"Key": KEY}}]}
    ),
    "DescribeTable": lambda db, name: db.describe_table(TableName=name),
    "UpdateTimeToLive": lambda db, name: db.update_time_to_live(
        TableName=name, TimeToLiveSpecification={"AttributeName": "ttl", "Enabled": False}
    ),
    "UpdateTable": lambda db, name: db.update_table(
        TableName=name, DeletionProtectionEnabled=False
    ),
    "DeleteTable": lambda db, name: db.delete_table(TableName=name),
}
INDEXES: dict[str, dict[str, Attempt]] = {
    index: {
        "Query": lambda db, name, index=index: _query(db, name, f"{index[0]}_pk", IndexName=index),
        "Scan": lambda db, name, index=index: db.scan(TableName=name, IndexName=index, Limit=1),
    }
    for index in ("work", "list")
}
STREAM: dict[str, Attempt] = {
    "DescribeStream": lambda streams, arn: streams.describe_stream(StreamArn=arn),
}
QUEUE: dict[str, Attempt] = {
    "SendMessage": lambda sqs, url: sqs.send_message(
        QueueUrl=url, MessageBody="{}", DelaySeconds=9_999
    ),
    "ReceiveMessage": lambda sqs, url: sqs.receive_message(QueueUrl=url, VisibilityTimeout=0),
    "DeleteMessage": lambda sqs, url: sqs.delete_message(QueueUrl=url, ReceiptHandle="none"),
    "GetQueueAttributes": lambda sqs, url: sqs.get_queue_attributes(QueueUrl=url),
    "PurgeQueue": lambda sqs, url: sqs.purge_queue(QueueUrl=url),
    "DeleteQueue": lambda sqs, url: sqs.delete_queue(QueueUrl=url),
}
SECRET: dict[str, Attempt] = {
    "GetSecretValue": lambda sm, name: sm.get_secret_value(SecretId=name),
    "PutSecretValue": lambda sm, name: sm.put_secret_value(SecretId=name, SecretString="mine"),
    "DescribeSecret": lambda sm, name: sm.describe_secret(SecretId=name),
    "DeleteSecret": lambda sm, name: sm.delete_secret(SecretId=name),
}
OBJECTS = {
    "conversations": f"{'0' * 64}/conversations/attempt",
    "archive": f"{'0' * 64}/archive/attempt",
    "receipts": "receipts/attempt",
    "digests": "digests/attempt",
}
"""An object of each kind, by its name in the table of rights."""


def _on_object(key: str) -> dict[str, Attempt]:
    return {
        "GetObject": lambda s3, name: s3.get_object(Bucket=name, Key=f"{key}.none"),
        "PutObject": lambda s3, name: s3.put_object(Bucket=name, Key=key, Body=b""),
        "DeleteObject": lambda s3, name: s3.delete_object(Bucket=name, Key=key),
    }


BUCKET: dict[str, Attempt] = {
    **{
        f"{action}:{kind}": attempt
        for kind, key in OBJECTS.items()
        for action, attempt in _on_object(key).items()
    },
    "PutObject elsewhere": lambda s3, name: s3.put_object(Bucket=name, Key="attempt", Body=b""),
    "ListBucket": lambda s3, name: s3.list_objects_v2(Bucket=name, MaxKeys=1),
    "DeleteBucket": lambda s3, name: s3.delete_bucket(Bucket=name),
}
FUNCTION: dict[str, Attempt] = {
    "InvokeFunction": lambda functions, name: functions.invoke(FunctionName=name),
    "UpdateFunctionConfiguration": lambda functions, name: functions.update_function_configuration(
        FunctionName=name, Timeout=1
    ),
}
ACCOUNT: dict[str, tuple[str, Attempt]] = {
    "ListTables": ("dynamodb", lambda db, _: db.list_tables()),
    "ListQueues": ("sqs", lambda sqs, _: sqs.list_queues()),
    "ListBuckets": ("s3", lambda s3, _: s3.list_buckets()),
    "ListSecrets": ("secretsmanager", lambda sm, _: sm.list_secrets()),
    "ListRoles": ("iam", lambda iam, _: iam.list_roles()),
}


def _query(db: Any, name: str, key: str, **index: str) -> object:
    return db.query(
        TableName=name,
        KeyConditionExpression=f"{key} = :pk",
        ExpressionAttributeValues={":pk": KEY["pk"]},
        Limit=1,
        **index,
    )
