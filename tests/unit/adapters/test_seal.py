"""Seals differ by purpose, stage and secret, and survive a rotation."""

import hmac
import stat
import subprocess
import sys
from hashlib import sha256
from threading import Thread

import boto3
import pytest
from botocore.config import Config
from moto import mock_aws

from hindwise.adapters.seal import (
    FileSecret,
    HmacSeal,
    SecretsManagerSecret,
    accepted,
    derived_key,
)
from hindwise.errors import Misconfigured, Unavailable

OLD, NEW, NEWEST = (letter * 40 for letter in "abc")


class Held:
    """A secret whose versions the test sets."""

    def __init__(self, *versions):
        self.now = tuple(version.encode() for version in versions)
        self.later = None
        self.looked = 0

    def versions(self):
        return self.now

    def refresh(self):
        self.looked += 1
        before, self.now = self.now, self.later or self.now
        return self.now != before


def test_hkdf_gives_what_rfc_5869_says():
    """Appendix A.3: no salt, no info; its output's first block."""
    found = derived_key(b"\x0b" * 22, b"")
    assert found.hex() == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"


def test_a_digest_is_a_mac_under_the_derived_key():
    key = derived_key(OLD.encode(), b"hindwise\x1fdev\x1fcursor")
    wanted = hmac.new(key, "数据".encode(), sha256).hexdigest()
    assert HmacSeal("dev", Held(OLD)).digest("cursor", "数据") == wanted


def test_purpose_stage_secret_and_data_all_count():
    digests = {
        HmacSeal(stage, Held(secret)).digest(purpose, data)
        for stage in ("dev", "prod")
        for secret in (OLD, NEW)
        for purpose in ("cursor", "audit")
        for data in ("one", "two")
    }
    assert len(digests) == 16


@pytest.mark.parametrize("wrong", ["", "0" * 64, "é", "\ud800", "x" * 10_000])
def test_only_the_digest_of_these_data_matches(wrong):
    seal = HmacSeal("dev", Held(OLD))
    good = seal.digest("cursor", "data")
    assert seal.matches("cursor", "data", good)
    assert not seal.matches("cursor", "data", wrong)
    assert not seal.matches("cursor", "data", good.upper())
    assert not seal.matches("audit", "data", good)
    assert not seal.matches("cursor", "other", good)


def test_data_that_utf8_cannot_hold_can_be_sealed():
    seal = HmacSeal("dev", Held(OLD))
    assert seal.matches("cursor", "\ud800", seal.digest("cursor", "\ud800"))


def test_while_the_secret_rotates_both_versions_are_accepted_and_the_new_one_signs():
    before, during, after = Held(OLD), Held(NEW, OLD), Held(NEWEST, NEW)
    digest = HmacSeal("dev", before).digest("cursor", "data")
    assert HmacSeal("dev", during).matches("cursor", "data", digest)
    assert not HmacSeal("dev", after).matches("cursor", "data", digest)
    assert HmacSeal("dev", during).digest("cursor", "data") == HmacSeal("dev", Held(NEW)).digest(
        "cursor", "data"
    )


def test_a_container_that_missed_the_rotation_looks_again():
    stale = Held(OLD)
    stale.later = (NEW.encode(), OLD.encode())
    fresh_digest = HmacSeal("dev", Held(NEW)).digest("cursor", "data")
    seal = HmacSeal("dev", stale)
    assert seal.matches("cursor", "data", fresh_digest)
    assert stale.looked == 1
    assert seal.matches("cursor", "data", fresh_digest)
    assert stale.looked == 1


def test_a_file_secret_is_generated_once_and_only_its_owner_reads_it(tmp_path):
    path = tmp_path / ".hindwise" / "secret"
    first = FileSecret(path).versions()
    assert FileSecret(path).versions() == first
    assert len(first) == 1
    assert len(first[0]) == 64
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list(path.parent.iterdir()) == [path]


def test_two_laptops_have_two_secrets(tmp_path):
    assert FileSecret(tmp_path / "a").versions() != FileSecret(tmp_path / "b").versions()


def test_threads_that_start_together_agree(tmp_path):
    path = tmp_path / "new" / "secret"
    found = []
    threads = [Thread(target=lambda: found.append(FileSecret(path).versions())) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 12
    assert len(set(found)) == 1


def test_processes_that_start_together_agree(tmp_path):
    code = (
        "import sys, pathlib; from hindwise.adapters.seal import FileSecret;"
        "sys.stdin.read();"
        "print(FileSecret(pathlib.Path(sys.argv[1])).versions())"
    )
    path = str(tmp_path / "new" / "secret")
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"PYTHONPATH": ":".join(sys.path)},
            text=True,
        )
        for _ in range(4)
    ]
    answers = [process.communicate("")[0] for process in running]
    assert all(answers)
    assert len(set(answers)) == 1


def test_a_second_line_is_the_version_before_and_refresh_finds_it(tmp_path):
    path = tmp_path / "secret"
    path.write_text(OLD + "\n")
    secret = FileSecret(path)
    assert secret.versions() == (OLD.encode(),)
    path.write_text(f"{NEW}\n{OLD}\n")
    assert secret.versions() == (OLD.encode(),)
    assert secret.refresh()
    assert secret.versions() == (NEW.encode(), OLD.encode())
    assert not secret.refresh()


@pytest.mark.parametrize("text", ["", "\n", "short\n", f"{OLD}\nshort\n"])
def test_a_file_without_a_proper_secret_is_named_and_left_alone(tmp_path, text):
    path = tmp_path / "secret"
    path.write_text(text)
    with pytest.raises(Misconfigured, match="secret file secret"):
        FileSecret(path).versions()
    assert path.read_text() == text


def test_a_path_that_cannot_be_a_file_is_misconfigured(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(Misconfigured):
        FileSecret(tmp_path / "file" / "secret").versions()
    with pytest.raises(Misconfigured):
        FileSecret(tmp_path).versions()


def test_a_third_version_is_one_too_many():
    assert accepted([b"c" * 40, b"b" * 40, b"a" * 40], "x") == (b"c" * 40, b"b" * 40)


@pytest.fixture
def client():
    with mock_aws():
        yield boto3.client(
            "secretsmanager",
            region_name="eu-central-1",
            aws_access_key_id="test",
            aws_secret_access_key="test",
        )


class Ticking:
    def __init__(self, client):
        self.seconds = 0.0
        self.calls = 0
        client.meta.events.register("before-call.secretsmanager.GetSecretValue", self._count)

    def __call__(self):
        return self.seconds

    def _count(self, **_):
        self.calls += 1


def test_a_secret_is_read_once_and_both_versions_hold_while_it_rotates(client):
    client.create_secret(Name="stage", SecretString=OLD)
    clock = Ticking(client)
    secret = SecretsManagerSecret(client, "stage", clock)
    assert secret.versions() == (OLD.encode(),)
    seal = HmacSeal("dev", secret)
    seal.digest("cursor", "a")
    seal.digest("audit", "b")
    assert clock.calls == 2
    client.put_secret_value(SecretId="stage", SecretString=NEW)
    assert secret.versions() == (OLD.encode(),)
    clock.seconds = 61
    assert seal.matches("cursor", "a", HmacSeal("dev", Held(NEW)).digest("cursor", "a"))
    assert secret.versions() == (NEW.encode(), OLD.encode())


def test_forged_digests_cost_at_most_one_look_a_minute(client):
    client.create_secret(Name="stage", SecretString=OLD)
    clock = Ticking(client)
    seal = HmacSeal("dev", SecretsManagerSecret(client, "stage", clock))
    for _ in range(20):
        assert not seal.matches("cursor", "a", "forged")
    assert clock.calls == 2
    clock.seconds = 60
    for _ in range(20):
        assert not seal.matches("cursor", "a", "forged")
    assert clock.calls == 4


def test_a_missing_secret_is_misconfigured_and_a_binary_one_works(client):
    with pytest.raises(Misconfigured, match="ResourceNotFound"):
        SecretsManagerSecret(client, "none", lambda: 0.0).versions()
    client.create_secret(Name="binary", SecretBinary=bytes(range(32)))
    found = SecretsManagerSecret(client, "binary", lambda: 0.0).versions()
    assert found == (bytes(range(32)),)


def test_a_secrets_manager_that_does_not_answer_is_unavailable():
    client = boto3.client(
        "secretsmanager",
        region_name="eu-central-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        endpoint_url="http://127.0.0.1:1",
        config=Config(retries={"total_max_attempts": 1}),
    )
    with pytest.raises(Unavailable, match="does not answer"):
        SecretsManagerSecret(client, "stage", lambda: 0.0).versions()


def test_a_refusal_that_may_pass_is_unavailable(client):
    client.create_secret(Name="stage", SecretString=OLD)
    client.delete_secret(SecretId="stage")
    with pytest.raises(Unavailable, match="InvalidRequest"):
        SecretsManagerSecret(client, "stage", lambda: 0.0).versions()
