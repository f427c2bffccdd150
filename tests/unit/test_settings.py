"""The environment is read in typed groups, and everything wrong with it is named at once."""

import pytest

from hindwise.errors import Misconfigured
from hindwise.settings import (
    EmbedderSettings,
    LlmSettings,
    QueueSettings,
    SealSettings,
    SearchSettings,
    StoreSettings,
    require,
)

GOOD = {"STAGE": "dev", "MEMORY_TABLE": "memories", "ACCESS_QUEUE_URL": "url", "SECRET_ARN": "arn"}


def test_groups_read_their_own_variables() -> None:
    store = StoreSettings.from_env(GOOD | {"AWS_ENDPOINT_URL": "http://127.0.0.1:1"})
    assert (store.stage, store.memory_table) == ("dev", "memories")
    assert store.aws_endpoint_url == "http://127.0.0.1:1"
    assert SearchSettings.from_env({"SEARCH_COVERAGE": "7"}).search_coverage == 7
    assert EmbedderSettings.from_env({}).embedder == "auto"


def test_blank_counts_as_not_set() -> None:
    env = {"EMBEDDER": "", "EMBEDDING_DIMENSIONS": "", "OPENAI_API_KEY": ""}
    assert EmbedderSettings.from_env(env) == EmbedderSettings()
    with pytest.raises(Misconfigured, match="MEMORY_TABLE"):
        StoreSettings.from_env(GOOD | {"MEMORY_TABLE": ""})


def test_all_that_is_missing_is_named_at_once() -> None:
    with pytest.raises(Misconfigured) as caught:
        require({}, StoreSettings, QueueSettings, SealSettings)
    for name in ("STAGE", "MEMORY_TABLE", "ACCESS_QUEUE_URL"):
        assert str(caught.value).count(name) == 1
    require(GOOD, StoreSettings, QueueSettings, SealSettings)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("STAGE", "Pro d"),
        ("STAGE", "a" * 17),
        ("SEARCH_COVERAGE", "0"),
        ("SEARCH_COVERAGE", "many"),
        ("SEARCH_BACKEND", "files"),
        ("EMBEDDER", "word2vec"),
        ("EMBEDDING_DIMENSIONS", "-1"),
    ],
)
def test_malformed_value_is_named(name: str, value: str) -> None:
    with pytest.raises(Misconfigured, match=f"^{name}: "):
        require(GOOD | {name: value}, StoreSettings, SearchSettings, EmbedderSettings)


def test_seal_needs_one_place_for_its_secret() -> None:
    with pytest.raises(Misconfigured, match="SECRET_ARN or SECRET_FILE"):
        SealSettings.from_env({"STAGE": "dev"})
    assert SealSettings.from_env({"STAGE": "dev", "SECRET_FILE": "secret"}).secret_arn == ""


def test_secrets_do_not_show() -> None:
    settings = EmbedderSettings.from_env({"OPENAI_API_KEY": "sk-secret"})
    assert "sk-secret" not in repr(settings)
    with pytest.raises(Misconfigured) as caught:
        EmbedderSettings.from_env({"OPENAI_API_KEY": "sk-secret", "EMBEDDER": "sk-secret"})
    assert "sk-secret" not in str(caught.value)


def test_opensearch_needs_its_address() -> None:
    with pytest.raises(Misconfigured, match="OPENSEARCH_ENDPOINT: needed"):
        SearchSettings.from_env({"SEARCH_BACKEND": "opensearch"})
    given = {"SEARCH_BACKEND": "opensearch", "OPENSEARCH_ENDPOINT": "https://search.example.org"}
    assert SearchSettings.from_env(given).search_backend == "opensearch"
    assert SearchSettings.from_env({"OPENSEARCH_ENDPOINT": ""}).search_backend == "table"


@pytest.mark.parametrize(
    "endpoint", ["search.example.org", "ftp://x", "https://x/path", "https://"]
)
def test_an_address_is_scheme_and_host(endpoint: str) -> None:
    with pytest.raises(Misconfigured, match=r"^OPENSEARCH_ENDPOINT: "):
        SearchSettings.from_env({"OPENSEARCH_ENDPOINT": endpoint})


def test_an_address_needs_a_model_and_must_be_one() -> None:
    with pytest.raises(Misconfigured, match="LLM_MODEL: needed"):
        LlmSettings.from_env({"LLM_BASE_URL": "http://l/v1"})
    with pytest.raises(Misconfigured, match=r"^LLM_BASE_URL: "):
        LlmSettings.from_env({"LLM_MODEL": "m", "LLM_BASE_URL": "localhost:11434"})
    assert LlmSettings.from_env({}).llm_model == ""
