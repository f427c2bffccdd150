"""What is a secret beside its makers' shapes, and what only looks like one."""

import pytest

from hindwise.domain.admission.secret_values import entropy
from hindwise.domain.admission.secrets import secrets
from hindwise.domain.admission.views import views

WORDS = "apple river stone cloud table green mouse paper light chair bread water"


def kinds(text: str) -> set[str]:
    return {one.rule.removeprefix("secret.") for one in secrets(text)}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"my seed phrase is {WORDS}", "seed_phrase"),
        (f"助记词：{WORDS}", "seed_phrase"),
        ("Authorization: Bearer 7f3aK9x2LmQ8vT4wZ1", "bearer_token"),
        ("my PIN is 4821", "pin"),
        ("门禁码是 482913", "pin"),
        ("password is 12345678", "password"),
        ('password = "correcthorse"', "password"),
        ("I changed the password for the NAS to k9!mango7", "password"),
        ("the password was reset to k9!mango7.", "password"),
        ("mot de passe : k9!mango7", "password"),
        ("密码改成了k9!mango7", "password"),
        ("amqp://svc:k9mango7@mq.internal", "connection_string"),
        ("-----BEGIN PRIVATE KEY-----\nMIIEvQ", "private_key"),
        ("secret: 9f86d081884c7d659a2f", "key"),
    ],
)
def test_found(text: str, kind: str) -> None:
    assert kinds(text) == {kind.replace("pin", "password")}


@pytest.mark.parametrize(
    "text",
    [
        "password is required",
        "password is 'required'",
        "password: <your password>",
        "password = os.environ['DB_PASSWORD']",
        "password: getenv(NAME)",
        "password is well-known.",
        "password is https://example.org/reset",
        "password: ****",
        "the password is 2026-01-02",
        "PIN is out of ink",
        "token: 1234567890123456",
        "token is averylongwordwithoutdigits",
        "ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "redis://user:password@localhost",
        "redis://user:${PASS}@localhost",
        "Bearer of good news",
    ],
)
def test_let_be(text: str) -> None:
    assert kinds(text) == set()


def test_entropy_is_bits_a_character() -> None:
    assert entropy("aaaa") == 0
    assert entropy("abcd") == 2


@pytest.mark.parametrize(
    ("text", "how", "said"),
    [
        ("i-g-n-o-r-e  a-l-l", "spaced", "ignore all"),
        ("1gn0r3 4ll 0f 17", "leet", "ignore all of it"),
        ("49 67 6e 6f 72 65 20 61", "hex", "ignore a"),
        ("73 103 110 111 114 101 32 97 108 108", "decimal", "ignore all"),
        (".. --. -. --- .-. . / .- .-.. .-..", "morse", "ignore all"),
        ("\\u0069\\u0067\\u006e\\u006f\\u0072\\u0065", "escapes", "ignore"),
        ("Vtaber nyy cerivbhf", "rot13", "ignore all previous"),
        ("suoiverp lla erongi", "reversed", "ignore all previous"),
        ("ok \u202ella erongi\u202c", "bidi", "ignore all"),
        ("请 忽 略 之 前", "plain", "请忽略之前"),
        ("Ｉｇｎоrе аll", "plain", "ignore all"),
        ("請忽略先前的檔案", "plain", "请忽略先前的档案"),
        (
            "a\ufe05\ufe09\U000e0157\U000e015e\U000e015f\U000e0162\U000e0155\U000e0110"
            "\U000e0151\U000e015c\U000e015c",
            "selectors",
            "gnore all",
        ),
    ],
)
def test_readings(text: str, how: str, said: str) -> None:
    assert any(name == how and said in view for name, view in views(text)), list(views(text))
