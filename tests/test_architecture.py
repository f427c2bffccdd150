"""The import arrows, checked: entry points -> use cases -> domain <- adapters."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "layers" / "hindwise"
MAY_IMPORT = {
    "domain": {"domain"},
    "usecases": {"domain", "usecases"},
    "adapters": {"domain", "adapters"},
    "runtime": {"domain", "usecases", "adapters", "runtime"},
}
MODULES = sorted(PACKAGE.rglob("*.py"))


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_arrows_point_inward(path):
    here = path.relative_to(PACKAGE).parts[0]
    for name in imported(path):
        parts = name.split(".")
        if parts[0] == "hindwise" and len(parts) > 1 and here in MAY_IMPORT:
            assert parts[1] in MAY_IMPORT[here] | {"errors", "settings"}, name
        if here in ("domain", "usecases"):
            assert parts[0] not in {
                "boto3",
                "botocore",
                "pynamodb",
                "opensearchpy",
                "openai",
                "aws_lambda_powertools",
                "os",
            }, name
