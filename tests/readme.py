"""README.md as data: the commands that it shows and the calls that it makes."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "samples/README.md")
] + sorted((ROOT / "docs").glob("*.md"))
README = (ROOT / "README.md").read_text()
_BLOCK = re.compile(r"^```bash\n(.*?)^```", re.DOTALL | re.MULTILINE)
_SHELL = "\n".join(_BLOCK.findall(README)).replace("\\\n", " ")
RECIPES = "\n".join(_BLOCK.findall((ROOT / "docs" / "recipes.md").read_text()))
COMMANDS = [line for line in _SHELL.splitlines() if line.startswith("hindwise ")]
INLINE = [
    words
    for page in PAGES
    for words in re.findall(r"`(hindwise [^`]+)`", page.read_text().replace("\n", " "))
]
_CURL = re.compile(r"curl -s (?:-X (\w+) )?(\S+) (.*?)(?=\ncurl|\n\n|\nID=|\Z)", re.DOTALL)
_BODY = re.compile(r"-d '(.*?)'", re.DOTALL)
_KEY = re.compile(r'"Idempotency-Key: ([^"]+)"')


_RECIPE = re.compile(r"^(?:post|get|patch|delete) .*?(?=^\w+ |\Z)", re.DOTALL | re.MULTILINE)


class Shown(NamedTuple):
    """A call of the README: its path with its query, below the address; `$ID` stands for an id."""

    method: str
    path: str
    body: dict[str, Any]
    key: str | None


def calls() -> Iterator[Shown]:
    """Every curl of the README, in order."""
    for method, url, rest in _CURL.findall(_SHELL):
        body, key = _BODY.search(rest), _KEY.search(rest)
        yield Shown(
            method=method or ("POST" if body else "GET"),
            path=url.strip('"').replace("$API", "/v1"),
            body=json.loads(body[1]) if body else {},
            key=key[1] if key else None,
        )


def recipes() -> Iterator[str]:
    """Every call of docs/recipes.md, in order, as it is typed."""
    yield from _RECIPE.findall(RECIPES)
