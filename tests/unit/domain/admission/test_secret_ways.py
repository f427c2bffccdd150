"""The ways in which a secret is spoken of where no maker marks it, and what is spoken of alike."""

import pytest

from hindwise.domain.admission.redaction import redacted
from hindwise.domain.admission.secrets import secrets
from hindwise.domain.trust_rules import TrustRules

DRAWN = "R7mQ2xV9kLp4WzT8nYb3Hc6D"
HEX = "7c36179751c66712228453a74b1bc359"
UUID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"Put `{DRAWN}` in for the client secret.", DRAWN),
        (f"{DRAWN}是腾讯云 SecretKey", DRAWN),
        (f"先用这个百度 Secret Key「{DRAWN}」跑一下", DRAWN),
        (f"华为云 SK\n{DRAWN}", DRAWN),
        (f"auth token:\n\n```\n{HEX}\n```", HEX),
        (f"use this aws_secret_access_key today - {DRAWN}, please", DRAWN),
        (f"a token of some service: acme_pat_{DRAWN}", f"acme_pat_{DRAWN}"),
        (f"figd_{DRAWN}", f"figd_{DRAWN}"),
        (f"https://open.feishu.cn/open-apis/bot/v2/hook/{UUID}", UUID),
        (f"https://a.blob.core.windows.net/c?sp=rl&sig={DRAWN}{DRAWN}%3D", DRAWN),
        ("curl -u admin:Bo4ng6Qa https://api.example.com", "Bo4ng6Qa"),
        ("key id AKIAQWJ7F4\nFQSWGTFWLM", "FQSWGTFWLM"),
        (f"I rotated the auth token; the new one: {HEX}", HEX),
        ("我的登录密码，即Sunflower8591#", "Sunflower8591#"),
        ("her bank password's tiger7826", "tiger7826"),
        ("密码换成了harbor5631!", "harbor5631!"),
        ("账号 admin 密码 cozdYTxfgnpb", "cozdYTxfgnpb"),
        ("用Melon9708!做密码", "Melon9708!"),
        ("use harbor4683! as the password", "harbor4683!"),
        ("credentials: admin / harbor4263$", "harbor4263$"),
        ("root:4LT8PHZ4Hu@10.1.2.3", "4LT8PHZ4Hu"),
        ("REDIS_PASS=2iND8GOlNOY8tt", "2iND8GOlNOY8tt"),
    ],
)
def test_goes(text: str, secret: str) -> None:
    assert secret not in redacted(text, TrustRules())[0]


@pytest.mark.parametrize(
    "text",
    [
        f"the record's key is {UUID}",
        f"cache key {HEX}",
        f"public key AAAAC3NzaC1lZDI1NTE5{DRAWN}",
        f"key fingerprint SHA256:{DRAWN}",
        f"account sid AC{HEX}",
        "The S3 key is exports/2024/Q3/AnnualReport-Version2-FINAL.pdf",
        "The key file lives at /etc/nginx/ssl/Server2024KeyBundleV3Final.pem",
        "boarding pass: LH2034/12A",
        f"access token of the trace {HEX}",
        "the primary key is order_2024_items_v2",
        "pull registry.io/token-service:2024.11.05-build77",
        "Password hashing uses PBKDF2-HMAC-SHA256",
        "密码管理器 1Password8 很好用",
        "账号 li2024 密码错误",
        f"thread_{DRAWN}{DRAWN}",
        "dp_calculate_the_total_2_of_all",
        "wraps sk-learn\nand-other-packages here",
    ],
)
def test_stays(text: str) -> None:
    assert not list(secrets(text))
