"""The template in an emulated AWS of a test's own, with the environment pointing there."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from infra.local import template
from infra.local.emulated_stack import emulated

ROOT = Path(__file__).parents[1]
SYSTEM = template.read(ROOT / "template.yaml")
Outputs = dict[str, str]


@contextmanager
def running(data: Path) -> Iterator[Outputs]:
    """Give the outputs of the stack; puts the environment back afterwards."""
    with emulated(SYSTEM, data, {"EMBEDDER": "hashed"}) as (outputs, _):
        yield outputs
