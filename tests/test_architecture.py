"""The import arrows: functions → runtime → usecases → domain ◄ adapters."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "layers" / "hindwise"
MAY_IMPORT = {
    "domain": {"domain", "errors"},
    "usecases": {"domain", "usecases", "errors"},
    "adapters": {"domain", "adapters", "errors", "settings"},
    "runtime": {"domain", "usecases", "runtime", "errors", "settings"},
    "client": {"client"},
    "cli": {"cli", "client", "domain", "errors", "runtime", "settings"},
    "settings.py": {"errors"},
    "errors.py": set(),
    "__init__.py": set(),
}
PURE = {"domain", "usecases"}
FROM_OUTSIDE = sys.stdlib_module_names | {"pydantic", "hindwise"}
MATCHER = PACKAGE / "domain" / "admission" / "matching.py"
"""The one that may import RE2, for its linear time (ADR 0018)."""
ROOT_OF_COMPOSITION = set((PACKAGE / "runtime").glob("wiring*.py"))
MODULES = sorted(PACKAGE.rglob("*.py"))
APPS = sorted((ROOT / "functions").glob("*/*.py"))


def imported(path: Path) -> Iterator[str]:
    """Full names of what a module imports; `from hindwise import x` counts as `hindwise.x`."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            if node.module == "hindwise":
                yield from (f"hindwise.{alias.name}" for alias in node.names)
            else:
                yield node.module or ""


def ours(path: Path) -> set[str]:
    names = (name.split(".") for name in imported(path))
    return {parts[1] for parts in names if parts[0] == "hindwise" and len(parts) > 1}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_arrows_point_inward(path: Path) -> None:
    allowed = MAY_IMPORT[path.relative_to(PACKAGE).parts[0]]
    if path in ROOT_OF_COMPOSITION:
        allowed = allowed | {"adapters"}
    assert ours(path) <= allowed


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if path.relative_to(PACKAGE).parts[0] in PURE],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_inside_is_pure(path: Path) -> None:
    allowed = FROM_OUTSIDE | ({"re2"} if path == MATCHER else set())
    outside = {name.split(".")[0] for name in imported(path)} - allowed
    assert outside == set()
    assert "os" not in {name.split(".")[0] for name in imported(path)}


@pytest.mark.parametrize("path", APPS, ids=lambda path: path.parent.name)
def test_functions_know_no_adapter(path: Path) -> None:
    assert ours(path) <= {"domain", "usecases", "runtime", "errors"}
