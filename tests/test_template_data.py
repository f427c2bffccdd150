"""What only a deployment would reveal about table, queues, bucket, keys and rights."""

import json
from typing import Any

import pytest

from hindwise.domain.ports import QueueName
from tests.expanded import (
    FUNCTIONS,
    actions,
    allowed,
    expanded,
    granted,
    of_type,
    only_if,
    statements,
)

STACK = expanded()
LAMBDAS = of_type(STACK, "AWS::Lambda::Function")
MAPPINGS = of_type(STACK, "AWS::Lambda::EventSourceMapping")
QUEUES = of_type(STACK, "AWS::SQS::Queue")


def test_queues_have_dead_letters_and_time() -> None:
    for name, queue in QUEUES.items():
        if not name.endswith("Dlq"):
            target = queue["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"][0]
            assert target in QUEUES and target.endswith("Dlq"), name
            assert queue["RedrivePolicy"]["maxReceiveCount"] >= 5, name
    for mapping in MAPPINGS.values():
        source = mapping["EventSourceArn"]["Fn::GetAtt"][0]
        if source in QUEUES:
            timeout = LAMBDAS[mapping["FunctionName"]["Ref"]]["Timeout"]
            assert QUEUES[source]["VisibilityTimeout"] >= 6 * timeout, source


def test_table_is_the_one_that_adapters_know() -> None:
    table = of_type(STACK, "AWS::DynamoDB::Table")["MemoryTable"]
    assert [key["AttributeName"] for key in table["KeySchema"]] == ["pk", "sk"]
    indexes = {
        each["IndexName"]: (
            [key["AttributeName"] for key in each["KeySchema"]],
            each["Projection"]["ProjectionType"],
        )
        for each in table["GlobalSecondaryIndexes"]
    }
    assert indexes == {
        "work": (["w_pk", "w_sk"], "KEYS_ONLY"),
        "list": (["l_pk", "l_sk"], "KEYS_ONLY"),
    }
    assert "LocalSecondaryIndexes" not in table
    assert table["StreamSpecification"] == {"StreamViewType": "KEYS_ONLY"}
    assert table["TimeToLiveSpecification"] == {"AttributeName": "ttl", "Enabled": True}
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert "${Stage}" in table["TableName"]["Fn::Sub"]
    assert table["TableName"]["Fn::Sub"].endswith("-v1")


def test_truth_outlives_its_stack_outside_a_laptop() -> None:
    for name in ("MemoryTable", "SealSecret", "MemoryBucket", "ReceiptsBucket"):
        resource = STACK["Resources"][name]
        assert resource["DeletionPolicy"] == resource["UpdateReplacePolicy"] == "Retain"
    protection = of_type(STACK, "AWS::DynamoDB::Table")["MemoryTable"]["DeletionProtectionEnabled"]
    assert protection == {"Fn::If": ["IsLocal", False, True]}


def test_policies_name_what_they_are_for() -> None:
    for name, statement in statements(STACK):
        resource = json.dumps(statement["Resource"]).replace("DomainArn}/hindwise-${Stage}-*", "")
        for allowed_ in ("conversations", "archive"):
            resource = resource.replace(f"${{MemoryBucket.Arn}}/*/{allowed_}/*", "")
        for kind in ("receipts", "digests"):
            resource = resource.replace(f"${{ReceiptsBucket.Arn}}/{kind}/*", "")
        assert "*" not in resource, name
        given = statement["Action"]
        assert not any("*" in each for each in ([given] if isinstance(given, str) else given)), name


CHANGES = {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"}
DECIDES = ("Forget", "Write", "Extract", "Settle", "Consolidate", "Fade", "Review")


@pytest.mark.parametrize("name", [*DECIDES, "Index", "Sweep"])
def test_transactions_may_change_and_delete(name: str) -> None:
    assert allowed(name) >= CHANGES
    assert "dynamodb:BatchWriteItem" in allowed("Forget")


@pytest.mark.parametrize("name", DECIDES)
def test_transactions_that_look_at_a_claim_may(name: str) -> None:
    assert "dynamodb:ConditionCheckItem" in allowed(name)


@pytest.mark.parametrize("name", ["Authorize", "Search", "Inspect"])
def test_readers_cannot_write(name: str) -> None:
    words = {each.partition(":")[2] for each in allowed(name)}
    changes = {each for each in words if each.startswith(("Put", "Update", "Delete", "BatchWrite"))}
    may = {"Search": {"UpdateItem", "PutItem"}, "Inspect": {"UpdateItem"}}
    assert changes == may.get(name, set())


@pytest.mark.parametrize(
    ("role", "action", "keys"),
    [("CountUsage", "UpdateItem", "T#*#B#*"), ("WatchRecalls", "PutItem", "T#*#U#*#B")],
)
def test_readers_change_nothing_but_counters_and_what_audit_mode_watches(
    role: str, action: str, keys: str
) -> None:
    (found,) = (
        statement
        for name, statement in statements(STACK)
        if name == role and statement["Action"] == f"dynamodb:{action}"
    )
    assert found["Condition"] == {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [keys]}}


KEY = {"Ref": "KmsKeyArn"}
KEY_IF_NAMED = {"Fn::If": ["HasKmsKey", KEY, {"Ref": "AWS::NoValue"}]}


def test_key_of_ones_own_keeps_what_is_kept() -> None:
    for name, queue in QUEUES.items():
        held = name != "ScheduleDlq"
        assert queue.get("KmsMasterKeyId") == (KEY_IF_NAMED if held else None), name
    assert of_type(STACK, "AWS::SecretsManager::Secret")["SealSecret"]["KmsKeyId"] == KEY_IF_NAMED
    chosen = of_type(STACK, "AWS::DynamoDB::Table")["MemoryTable"]["SSESpecification"]["Fn::If"]
    assert chosen[0] == "HasKmsKey" and chosen[1]["KMSMasterKeyId"] == KEY


def test_key_of_ones_own_is_granted_only_when_named() -> None:
    for policy in ("UseKmsKey", "EncryptUnderKmsKey"):
        assert STACK["Resources"][policy]["Condition"] == "HasKmsKey"
    assert actions(STACK, "UseKmsKey") == {"kms:Decrypt"}
    assert actions(STACK, "EncryptUnderKmsKey") == {"kms:GenerateDataKey"}
    for name in FUNCTIONS:
        assert only_if("HasKmsKey", "UseKmsKey") in granted(name), name


def test_who_sends_to_a_queue_or_keeps_an_object_may_encrypt() -> None:
    senders = {
        name
        for name in FUNCTIONS
        if {"sqs:SendMessage", "s3:PutObject"} & allowed(name)
        or any("SQSSend" in json.dumps(policy) for policy in granted(name))
    }
    encrypt = only_if("HasKmsKey", "EncryptUnderKmsKey")
    assert senders == {name for name in FUNCTIONS if encrypt in granted(name)}
    assert senders == set(FUNCTIONS) - {"Authorize", "Inspect", "Reinforce", "Settle"}


def test_buckets_are_private_encrypted_and_named_by_stage() -> None:
    buckets = of_type(STACK, "AWS::S3::Bucket")
    named = {name: bucket["BucketName"]["Fn::Sub"] for name, bucket in buckets.items()}
    assert set(named) == {"MemoryBucket", "ReceiptsBucket"}
    assert named["ReceiptsBucket"] == named["MemoryBucket"] + "-receipts"
    for bucket in buckets.values():
        check_bucket(bucket)
    assert "VersioningConfiguration" not in buckets["MemoryBucket"]
    assert buckets["ReceiptsBucket"]["VersioningConfiguration"] == {"Status": "Enabled"}


def check_bucket(bucket: dict[str, Any]) -> None:
    assert "${Stage}" in bucket["BucketName"]["Fn::Sub"]
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    assert len(bucket["PublicAccessBlockConfiguration"]) == 4
    (rule,) = bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    condition, own, default = rule["ServerSideEncryptionByDefault"]["Fn::If"]
    assert (condition, own["KMSMasterKeyID"]) == ("HasKmsKey", KEY)
    assert default == {"SSEAlgorithm": "AES256"}
    (lifecycle,) = bucket["LifecycleConfiguration"]["Rules"]
    assert lifecycle["AbortIncompleteMultipartUpload"]["DaysAfterInitiation"] == 7


def test_a_queue_s_address_leads_to_its_dead_letters() -> None:
    """Functions are told the address of a queue alone."""
    for name in map(str.title, QueueName):
        named = {kind: QUEUES[f"{name}{kind}"]["QueueName"]["Fn::Sub"] for kind in ("Queue", "Dlq")}
        assert named["Queue"] == f"hindwise-${{Stage}}-{name.lower()}"
        assert named["Dlq"] == named["Queue"] + "-dlq"


def test_buckets_are_spoken_to_over_tls_only_and_by_those_who_keep_conversations() -> None:
    policies = {
        policy["Bucket"]["Ref"]: policy
        for policy in of_type(STACK, "AWS::S3::BucketPolicy").values()
    }
    assert set(policies) == set(of_type(STACK, "AWS::S3::Bucket"))
    for bucket, policy in policies.items():
        (denied,) = policy["PolicyDocument"]["Statement"]
        assert (denied["Effect"], denied["Action"]) == ("Deny", "s3:*")
        assert denied["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
        whole, objects = denied["Resource"]
        assert whole == {"Fn::GetAtt": [bucket, "Arn"]}
        assert objects == {"Fn::Sub": f"${{{bucket}.Arn}}/*"}
    rights = {
        name: {each for each in allowed(name) if each.startswith("s3:")} for name in FUNCTIONS
    }
    reads = {"s3:GetObject", "s3:ListBucket"}
    keeps = reads | {"s3:PutObject"}
    assert {name: found for name, found in rights.items() if found} == {
        "Write": keeps | {"s3:DeleteObject"},
        "Forget": keeps | {"s3:DeleteObject"},
        "Fade": keeps | {"s3:DeleteObject"},
        "Review": keeps,
        "Inspect": reads,
        "Extract": reads,
    }


def test_search_domain_is_reached_only_when_named_and_read_by_search() -> None:
    assert actions(STACK, "ReadSearchDomain") == {"es:ESHttpPost"}
    (reads,) = STACK["Resources"]["ReadSearchDomain"]["Properties"]["PolicyDocument"]["Statement"]
    assert reads["Resource"]["Fn::Sub"].endswith("/hindwise-${Stage}-*/_msearch")
    writes = {"es:ESHttpGet", "es:ESHttpHead", "es:ESHttpPost", "es:ESHttpPut"}
    assert actions(STACK, "WriteSearchDomain") == writes
    assert actions(STACK, "TidySearchDomain") == {"es:ESHttpDelete"}
    policies = ("ReadSearchDomain", "WriteSearchDomain", "TidySearchDomain")
    for policy in policies:
        assert STACK["Resources"][policy]["Condition"] == "HasSearchDomain"
    held = {
        name: [each for each in policies if each in json.dumps(granted(name))] for name in FUNCTIONS
    }
    assert {name: found for name, found in held.items() if found} == {
        "Search": ["ReadSearchDomain"],
        "Index": ["WriteSearchDomain"],
        "Sweep": ["WriteSearchDomain", "TidySearchDomain"],
        "Settle": ["ReadSearchDomain"],
    }
    assert only_if("HasSearchDomain", "TidySearchDomain") in granted("Sweep")
    for name in ("Search", "Settle"):
        assert only_if("HasSearchDomain", "ReadSearchDomain") in granted(name)
    for name in ("Index", "Sweep"):
        assert only_if("HasSearchDomain", "WriteSearchDomain") in granted(name)


def test_the_whole_table_is_read_by_the_sweep_alone_to_fill_a_search_domain() -> None:
    assert actions(STACK, "FillSearchDomain") == {"dynamodb:Scan"}
    assert STACK["Resources"]["FillSearchDomain"]["Condition"] == "HasSearchDomain"
    assert only_if("HasSearchDomain", "FillSearchDomain") in granted("Sweep")
    holders = [name for name in FUNCTIONS if "FillSearchDomain" in json.dumps(granted(name))]
    assert holders == ["Sweep"]
    others = {name for name, each in statements(STACK) if "dynamodb:Scan" in json.dumps(each)}
    assert others == {"FillSearchDomain"}


def test_no_function_deletes_a_receipt_or_a_digest() -> None:
    """What proves that something was forgotten, or that an audit is whole, outlives all."""
    assert actions(STACK, "KeepReceipts") == {"s3:GetObject", "s3:PutObject", "s3:ListBucket"}
    for name, statement in statements(STACK):
        if "ReceiptsBucket" in json.dumps(statement["Resource"]):
            assert name == "KeepReceipts"
    holders = [name for name in FUNCTIONS if "KeepReceipts" in json.dumps(granted(name))]
    assert holders == ["Forget", "Review"]
