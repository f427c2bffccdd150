"""Where `make test-localstack` may make and delete tables: never on AWS itself."""

import pytest

from tests.ministack import elsewhere


@pytest.mark.parametrize(
    "endpoint",
    [
        "",
        "127.0.0.1:4566",
        "https://dynamodb.eu-central-1.amazonaws.com",
        "https://dynamodb.eu-central-1.amazonaws.com./",
        "https://amazonaws.com.cn:443/",
        "HTTPS://SQS.us-east-1.AMAZONAWS.COM",
        "https://123456789012.ddb.us-east-1.api.aws",
    ],
)
def test_aws_itself_is_refused(endpoint: str) -> None:
    with pytest.raises(ValueError, match=r"is AWS itself|is no http"):
        elsewhere(endpoint)


def test_an_emulator_is_called_without_the_shell_s_credentials(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAREAL")
    server = elsewhere("http://localhost.localstack.cloud:4566")
    assert server.endpoint == "http://localhost.localstack.cloud:4566"
    assert server.session.get_credentials().access_key == "test"
