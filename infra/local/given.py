"""What the calling shell sets for the functions, as with `sam local --env-vars`."""

import os

from hindwise.settings import EmbedderSettings, LlmSettings, SearchSettings, require

OVERRIDES = ("EMBEDDER", "EMBEDDING_MODEL", "EMBEDDING_DIMENSIONS", "OPENAI_API_KEY",
             "OPENAI_BASE_URL", "LLM_MODEL", "LLM_BASE_URL", "LLM_API_KEY", "RULES",
             "SEARCH_COVERAGE", "SEARCH_BACKEND",
             "OPENSEARCH_ENDPOINT")  # fmt: skip
"""What may be set."""
UNSTARTED = "http://127.0.0.1:9200"
"""Stands for the endpoint of a node that is yet to be started, where variables are checked."""


def overrides(*, opensearch: bool = False) -> dict[str, str]:
    """What the calling shell sets for the functions; raises Misconfigured naming what is wrong.

    `opensearch`, or an endpoint, asks for OpenSearch; without an endpoint it is a node of our own.
    """
    given = {name: os.environ[name] for name in OVERRIDES if os.environ.get(name)}
    if opensearch:
        given["SEARCH_BACKEND"] = "opensearch"
    elif "OPENSEARCH_ENDPOINT" in given:
        given.setdefault("SEARCH_BACKEND", "opensearch")
    require(
        {"OPENSEARCH_ENDPOINT": UNSTARTED, **given}, EmbedderSettings, SearchSettings, LlmSettings
    )
    return given


def searched(given: dict[str, str]) -> dict[str, str]:
    """Index and embedder, for commands that work on them; without the key, which names one too.

    Who learns is left out: what works on an index asks no model.
    """
    others = ("OPENAI_API_KEY", "LLM_", "RULES")
    named = {name: value for name, value in given.items() if not name.startswith(others)}
    if "OPENAI_API_KEY" in given and given.get("EMBEDDER", "auto") == "auto":
        named["EMBEDDER"] = "openai"
    return named
