"""What whoever keeps records owes: the first of two stays, tenants are walls, names have a form."""

import pytest
from moto import mock_aws

from hindwise.adapters.s3_records import S3Records
from hindwise.errors import Misconfigured
from tests.contract.test_blobs import BUCKET, s3
from tests.memory_records import InMemoryRecords


@pytest.fixture(params=["fake", "moto", pytest.param("ministack", marks=pytest.mark.ministack)])
def records(request):
    if request.param == "fake":
        yield InMemoryRecords()
        return
    if request.param == "ministack":
        client, name = request.getfixturevalue("bucket")
        yield S3Records(lambda: (client, name), page=3)
        return
    with mock_aws():
        client = s3()
        client.create_bucket(Bucket=BUCKET)
        yield S3Records(lambda: (client, BUCKET), page=3)


def test_what_is_kept_stays_as_it_was(records):
    assert records.keep("acme", "receipts/01.json", b"1") is True
    assert records.keep("acme", "receipts/01.json", b"2") is False
    assert records.read("acme", "receipts/01.json") == b"1"
    assert records.read("acme", "digests/01.json") is None


def test_a_tenant_sees_nothing_of_another(records):
    for tenant in ("acme", "acme-2"):
        assert records.keep(tenant, "receipts/01.json", tenant.encode()) is True
    assert records.read("acme-2", "receipts/01.json") == b"acme-2"
    assert list(records.names("acme", "receipts/")) == ["receipts/01.json"]
    assert list(records.names("other", "receipts/")) == []


def test_names_are_listed_in_order_over_pages(records):
    wanted = [f"digests/2026-03-{day:02}/0.json" for day in range(1, 9)]
    for name in reversed(wanted):
        records.keep("acme", name, b"x")
    records.keep("acme", "receipts/01.json", b"x")
    assert list(records.names("acme", "digests/")) == wanted
    assert list(records.names("acme", "digests/2026-03-02")) == wanted[1:2]


@pytest.mark.parametrize("name", ["", "receipts/", "other/1", "receipts//1", "receipts/a b", "x"])
def test_a_name_of_another_form_is_a_bug_of_the_caller(records, name):
    with pytest.raises(ValueError, match="name"):
        records.keep("acme", name, b"x")
    with pytest.raises(ValueError, match="name"):
        records.read("acme", name)


def test_a_bucket_that_does_not_exist_is_misconfigured():
    with mock_aws():
        records = S3Records(lambda: (s3(), "no-such-bucket"))
        for call in (
            lambda: records.keep("acme", "receipts/1", b"x"),
            lambda: records.read("acme", "receipts/1"),
            lambda: list(records.names("acme", "receipts/")),
        ):
            with pytest.raises(Misconfigured, match="NoSuchBucket"):
                call()
