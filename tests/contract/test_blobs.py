"""What every blob store owes: bytes come back, scopes are walls, the first of two wins."""

from hashlib import sha256

import boto3
import pytest
from botocore.config import Config
from moto import mock_aws

from hindwise.adapters.s3 import S3Blobs
from hindwise.domain.scope import Scope
from hindwise.errors import Misconfigured, Unavailable
from tests.contract.blobs_fake import FakeBlobs

BUCKET = "hindwise-test-blobs"
LI = Scope(tenant="acme", user="李雷@example.com")
LI_TOO = Scope(tenant="acme", user="李雷@example.com2")
OTHER_TENANT = Scope(tenant="other", user="李雷@example.com")


def s3(**kwargs):
    return boto3.client(
        "s3",
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        **kwargs,
    )


@pytest.fixture(params=["fake", "moto", pytest.param("ministack", marks=pytest.mark.ministack)])
def blobs(request):
    if request.param == "fake":
        yield FakeBlobs()
        return
    if request.param == "ministack":
        client, name = request.getfixturevalue("bucket")
        yield S3Blobs(lambda: (client, name), page=3)
        return
    with mock_aws():
        client = s3()
        client.create_bucket(Bucket=BUCKET)
        yield S3Blobs(lambda: (client, BUCKET), page=3)


@pytest.mark.parametrize("data", [b"", b"\x00\xff" * 50_000, "原文".encode()])
def test_bytes_come_back_as_they_were(blobs, data):
    assert blobs.put(LI, "conversations/abc/0001.json.gz", data) is True
    assert blobs.get(LI, "conversations/abc/0001.json.gz") == data


def test_what_is_not_there_is_none(blobs):
    assert blobs.get(LI, "nothing") is None


def test_a_second_put_replaces_unless_it_must_be_absent(blobs):
    assert blobs.put(LI, "a", b"1") is True
    assert blobs.put(LI, "a", b"2", if_absent=True) is False
    assert blobs.get(LI, "a") == b"1"
    assert blobs.put(LI, "a", b"3") is True
    assert blobs.get(LI, "a") == b"3"


def test_after_a_delete_the_name_is_free_and_deleting_twice_is_fine(blobs):
    blobs.put(LI, "a", b"1", if_absent=True)
    blobs.delete(LI, "a")
    blobs.delete(LI, "a")
    assert blobs.get(LI, "a") is None
    assert blobs.put(LI, "a", b"2", if_absent=True) is True


def test_a_scope_sees_nothing_of_another(blobs):
    blobs.put(LI, "same/name", b"li")
    for stranger in (LI_TOO, OTHER_TENANT):
        assert blobs.get(stranger, "same/name") is None
        assert list(blobs.names(stranger)) == []
        blobs.delete(stranger, "same/name")
        assert blobs.put(stranger, "same/name", b"x", if_absent=True) is True
    assert blobs.get(LI, "same/name") == b"li"
    assert list(blobs.names(LI)) == ["same/name"]


def test_names_are_listed_in_order_by_prefix(blobs):
    for name in ("b/2", "a/10", "b/1", "a/2", "ab"):
        blobs.put(LI, name, b"x")
    assert list(blobs.names(LI)) == ["a/10", "a/2", "ab", "b/1", "b/2"]
    assert list(blobs.names(LI, "a/")) == ["a/10", "a/2"]
    assert list(blobs.names(LI, "c")) == []


def test_more_names_than_a_page_are_all_listed(blobs):
    wanted = [f"run/{n:04}" for n in range(10)]
    for name in wanted:
        blobs.put(LI, name, b"")
    assert list(blobs.names(LI, "run/")) == wanted


@pytest.mark.parametrize("name", ["", "/a", "a b", "名字", "a\n", "x" * 501, "a?b", "a#b"])
def test_a_name_outside_the_alphabet_is_a_bug_of_the_caller(blobs, name):
    for call in (
        lambda: blobs.put(LI, name, b"x"),
        lambda: blobs.get(LI, name),
        lambda: blobs.delete(LI, name),
    ):
        with pytest.raises(ValueError, match="name"):
            call()


def test_every_key_lies_under_the_hash_of_its_scope():
    with mock_aws():
        client = s3()
        client.create_bucket(Bucket=BUCKET)
        S3Blobs(lambda: (client, BUCKET)).put(LI, "a/b", b"x")
        (entry,) = client.list_objects_v2(Bucket=BUCKET)["Contents"]
    wanted = sha256(f"{LI.tenant}\x1f{LI.user}".encode()).hexdigest()
    assert entry["Key"] == f"{wanted}/a/b"


def calls(blobs):
    return (
        lambda: blobs.put(LI, "a", b"x", if_absent=True),
        lambda: blobs.get(LI, "a"),
        lambda: blobs.delete(LI, "a"),
        lambda: list(blobs.names(LI)),
    )


def test_a_bucket_that_does_not_exist_is_misconfigured():
    with mock_aws():
        for call in calls(S3Blobs(lambda: (s3(), "no-such-bucket"))):
            with pytest.raises(Misconfigured, match="NoSuchBucket"):
                call()


def test_a_store_that_does_not_answer_is_unavailable():
    config = Config(retries={"total_max_attempts": 1})
    client = s3(endpoint_url="http://127.0.0.1:1", config=config)
    for call in calls(S3Blobs(lambda: (client, BUCKET))):
        with pytest.raises(Unavailable, match="does not answer"):
            call()
