"""The template in an emulated AWS of a test's own, with the environment pointing there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import boto3

from infra.local import functions, stack, template
from infra.local.emulator import Emulator

ROOT = Path(__file__).parents[1]
SYSTEM = template.read(ROOT / "template.yaml")
Outputs = dict[str, str]


@contextmanager
def running(data: Path) -> Iterator[Outputs]:
    """Give the outputs of the stack; puts the environment back afterwards."""
    before = dict(os.environ)
    emulator = Emulator(data)
    emulator.start()
    try:
        functions.isolate(emulator.endpoint)
        boto3.setup_default_session()
        outputs = stack.settle(SYSTEM.stack, {"Stage": "local"})
        functions.environ(SYSTEM, outputs, {"EMBEDDER": "hashed"})
        yield outputs
    finally:
        emulator.stop()
        os.environ.clear()
        os.environ |= before
        boto3.setup_default_session()
