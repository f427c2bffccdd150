"""What `make build` made: each function imports and inits with its artifact and layers alone.

`make check` builds first. The Lambda runtime brings boto3, so the test lends that and nothing else.
"""

import json
import os
import subprocess
import sys
from hashlib import sha256
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.lambda_environment import DOCUMENT, FUNCTIONS, ROOT, environment

pytestmark = pytest.mark.artifacts

BUILD = ROOT / ".aws-sam" / "build"
SHARED = DOCUMENT["Globals"]["Function"]["Layers"]
LAYERS = ("DependenciesLayer", "HindwiseLayer", "EmbedderLayer", "OpenAILayer")
LENT = ("boto3", "botocore", "s3transfer", "urllib3", "python-dateutil", "six", "jmespath")
UNZIPPED_LIMIT = 220 * 1024 * 1024
"""Lambda takes 250 MB; what is left is for what a user adds."""
SIZES = {"DependenciesLayer": 30, "HindwiseLayer": 5, "EmbedderLayer": 90, "OpenAILayer": 45}
UNCHECKED_HASH = 1


def layers_of(name: str) -> list[str]:
    return [each["Ref"] for each in [*SHARED, *FUNCTIONS[name].get("Layers", [])]]


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def digest(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the SDK that Lambda's Python brings along."""
    lent = tmp_path_factory.mktemp("runtime")
    for name in LENT:
        for file in distribution(name).files or []:
            top = file.parts[0]
            if not top.startswith("..") and not top.endswith(".dist-info") and top != "__pycache__":
                source = Path(str(distribution(name).locate_file(top)))
                if not (lent / top).exists():
                    (lent / top).symlink_to(source)
    return lent


def isolated(name: str, runtime: Path) -> dict[str, str]:
    """A function's environment, with its artifact, its layers and the lent SDK to import from."""
    layers = [BUILD / layer / "python" for layer in layers_of(name)]
    return environment(name) | {
        "PATH": os.defpath,
        "PYTHONPATH": ":".join(map(str, [BUILD / name, *layers, runtime])),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_imports_and_inits_as_on_lambda(name: str, runtime: Path) -> None:
    code = "import json, sys, app; print(json.dumps([callable(app.handler), sys.flags.no_site]))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env=isolated(name, runtime),
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [True, 1]


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_function_fits_into_lambda(name: str) -> None:
    folders = [BUILD / name, *(BUILD / layer for layer in layers_of(name))]
    assert sum(map(size, folders)) < UNZIPPED_LIMIT


@pytest.mark.parametrize("layer", LAYERS)
def test_layer_is_lean_and_ships_unchecked_bytecode(layer: str) -> None:
    folder = BUILD / layer / "python"
    assert size(folder) < SIZES[layer] * 1024 * 1024
    sources = list(folder.rglob("*.py"))
    assert sources
    for source in sources:
        compiled = source.parent / "__pycache__" / f"{source.stem}.cpython-313.pyc"
        assert int.from_bytes(compiled.read_bytes()[4:8], "little") == UNCHECKED_HASH, source


def test_layer_holds_only_what_functions_import() -> None:
    package = BUILD / "HindwiseLayer" / "python" / "hindwise"
    assert not (package / "cli").exists() and not (package / "client").exists()
    for layer in LAYERS:
        top = {path.name for path in (BUILD / layer / "python").iterdir()}
        assert not top & {"boto3", "botocore", "pip", "bin", "moto", "rich", "typer"}, layer


@pytest.mark.parametrize("layer", LAYERS)
def test_same_source_gives_same_bytes(layer: str, tmp_path: Path) -> None:
    bin_folder = Path(sys.executable).parent
    subprocess.run(
        ["make", "--silent", "-C", ROOT / "layers", f"build-{layer}", f"ARTIFACTS_DIR={tmp_path}"],
        env=os.environ | {"PATH": f"{bin_folder}:{os.environ['PATH']}"},
        check=True,
    )
    assert digest(tmp_path) == digest(BUILD / layer)
