"""Lets mem0 learn from conversations, in an environment of its own: it imports nothing of ours.

Reads `{"url", "dimensions", "home", "conversations": [{"user", "messages"}]}` from standard input,
writes `{"version", "memories": {user: [text]}, "failed"}` to standard output. Model and embeddings
are at `url`; its vectors stay in memory, what it writes is below `home`.
"""

import json
import logging
import os
import sys
from importlib.metadata import version
from typing import Any


def main() -> None:
    """Add every conversation in turn, then list what is known of each user."""
    asked = json.load(sys.stdin)
    os.environ |= {"MEM0_TELEMETRY": "false", "MEM0_DIR": asked["home"], "HF_HUB_OFFLINE": "1"}
    logging.disable(logging.CRITICAL)
    from mem0 import Memory  # it reads the environment when it is imported

    memory = Memory.from_config(config(asked))
    failed = 0
    for one in asked["conversations"]:
        said = [{"role": each["role"], "content": each["content"]} for each in one["messages"]]
        try:
            memory.add(said, user_id=one["user"], infer=True)
        except Exception:
            failed += 1
    users = dict.fromkeys(one["user"] for one in asked["conversations"])
    found = {user: known(memory, user) for user in users}
    json.dump({"version": version("mem0ai"), "memories": found, "failed": failed}, sys.stdout)


def config(asked: dict[str, Any]) -> dict[str, Any]:
    """The defaults, with model, embeddings and files where they are asked to be."""
    server = {"api_key": "none", "openai_base_url": asked["url"]}
    dimensions = asked["dimensions"]
    return {
        "llm": {"provider": "openai", "config": {"model": "scripted-model", **server}},
        "embedder": {
            "provider": "openai",
            "config": {"model": "any", "embedding_dims": dimensions, **server},
        },
        "vector_store": {
            "provider": "qdrant",
            "config": {
                "path": f"{asked['home']}/vectors",
                "embedding_model_dims": dimensions,
                "on_disk": False,
            },
        },
        "history_db_path": f"{asked['home']}/history.db",
    }


def known(memory: Any, user: str) -> list[str]:
    """Everything that is remembered of a user."""
    found = memory.get_all(filters={"user_id": user}, top_k=1_000)
    return [one["memory"] for one in found["results"]]


if __name__ == "__main__":
    main()
