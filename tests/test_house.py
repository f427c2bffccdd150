"""The bars of CONTRIBUTING.md, measured: sizes, signatures, environment reads, forbidden words."""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHIPPED = sorted(
    [*(ROOT / "layers" / "hindwise").rglob("*.py"), *(ROOT / "functions").rglob("*.py")]
)
OTHERS = sorted(path for name in ("infra", "bench") for path in (ROOT / name).rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
FILE_LINES, FUNCTION_LINES, CLASS_LINES, APP_LINES, PARAMETERS = 300, 40, 200, 60, 6
LONG_SHARE, ANY_IN_PUBLIC, VARIABLES = 0.02, 5, 25
ENVIRONMENT = {"layers/hindwise/runtime/wiring.py"}
DRAWERS = {"utils", "helpers", "common", "manager", "misc", "base_repository"}
MACHINE = re.compile(r"(?<![\w.$}])/(?:work|tmp|root|home)/")
REGISTRIES = re.compile(
    r"pypi[.]org|pythonhosted[.]org|npmjs[.]|registry[.]npm|crates[.]io|repo1?[.]maven|"
    r"proxy[.]golang|deb[.]debian"
)
GENERATED = {"uv.lock"}
Def = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def lines_of(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def functions(path: Path) -> Iterator[Def]:
    for node in ast.walk(tree(path)):
        if isinstance(node, Def):
            yield node


def arguments(node: Def) -> list[ast.arg]:
    given = node.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return [each for each in every if each.arg not in ("self", "cls")]


def public(node: Def) -> bool:
    return not node.name.startswith("_") or node.name in ("__init__", "__call__")


def code_lines(paths: list[Path]) -> int:
    return sum(len(path.read_text().splitlines()) for path in paths)


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file() and path.name not in GENERATED]


@pytest.mark.parametrize("path", [*SHIPPED, *OTHERS, *TESTS], ids=name_of)
def test_file_is_short(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= FILE_LINES


@pytest.mark.parametrize("path", sorted((ROOT / "functions").glob("*/app.py")), ids=name_of)
def test_app_only_parses_calls_and_maps(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= APP_LINES


def test_few_functions_are_long() -> None:
    sizes = {
        f"{name_of(path)}:{node.name}": lines_of(node)
        for path in [*SHIPPED, *OTHERS]
        for node in functions(path)
    }
    long = {name: size for name, size in sizes.items() if size > FUNCTION_LINES}
    assert len(long) <= LONG_SHARE * len(sizes), long


def test_no_class_is_long() -> None:
    long = {
        f"{name_of(path)}:{node.name}": lines_of(node)
        for path in [*SHIPPED, *OTHERS]
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef) and lines_of(node) > CLASS_LINES
    }
    assert long == {}


def test_functions_take_few_parameters() -> None:
    many = {
        f"{name_of(path)}:{node.name}": len(arguments(node))
        for path in SHIPPED
        for node in functions(path)
        if len(arguments(node)) > PARAMETERS
    }
    assert many == {}


def test_public_signatures_are_typed() -> None:
    untyped, loose = [], []
    for path in SHIPPED:
        for node in filter(public, functions(path)):
            where = f"{name_of(path)}:{node.name}"
            slots = [each.annotation for each in arguments(node)]
            if node.name != "__init__":
                slots.append(node.returns)
            untyped += [where for slot in slots if slot is None]
            loose += [where for slot in slots if slot and re.search(r"\bAny\b", ast.unparse(slot))]
    assert untyped == []
    assert len(loose) <= ANY_IN_PUBLIC, loose


def test_environment_is_read_in_one_place() -> None:
    readers = {
        name_of(path)
        for path in SHIPPED
        if re.search(r"\bos\.(environ|getenv)\b|from os import .*environ", path.read_text())
        and not name_of(path).startswith("layers/hindwise/cli/")
    }
    assert readers <= ENVIRONMENT


def test_settings_are_few() -> None:
    text = (ROOT / "layers" / "hindwise" / "settings.py").read_text()
    fields = set(re.findall(r"^    ([a-z_0-9]+): ", text, re.MULTILINE))
    assert 1 <= len(fields) <= VARIABLES


def test_broad_excepts_are_rare() -> None:
    broad = [
        f"{name_of(path)}:{node.lineno}"
        for path in SHIPPED
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in ("Exception", "BaseException"))
    ]
    assert len(broad) <= max(1, code_lines(SHIPPED) / 1000), broad


def test_no_module_is_a_drawer() -> None:
    assert [name_of(path) for path in [*SHIPPED, *OTHERS] if path.stem in DRAWERS] == []


def test_tests_weigh_as_much_as_the_code_and_mock_next_to_nothing() -> None:
    assert code_lines(TESTS) >= 0.8 * code_lines(SHIPPED)
    mock = re.compile(r"unittest[.]mock|\b(?:Magic|Async)?Mock\(|\bmocker\b|\bpatch[.]object\(")
    uses = sum(len(mock.findall(path.read_text())) for path in TESTS if path != Path(__file__))
    assert uses <= 2 * code_lines(TESTS) / 1000


def test_requirements_of_the_layers_are_those_of_the_lock(tmp_path: Path) -> None:
    layers = tmp_path / "layers"
    layers.mkdir()
    for name in ("pyproject.toml", "uv.lock", "layers/Makefile"):
        shutil.copy(ROOT / name, tmp_path / name)
    uv = f"UV={Path(sys.executable).parent / 'uv'}"
    subprocess.run(["make", "--silent", "-C", layers, "requirements", uv], check=True)
    made = {path.name: path.read_text() for path in layers.glob("*.txt")}
    kept = {path.name: path.read_text() for path in (ROOT / "layers").glob("*.txt")}
    assert made == kept, "run `make requirements`"


def test_no_file_names_a_machine_or_a_registry() -> None:
    found = [
        f"{name_of(path)}: {hit.group()}"
        for path in tracked()
        for pattern in (MACHINE, REGISTRIES)
        for hit in pattern.finditer(path.read_text(errors="ignore"))
    ]
    assert found == []
