"""The template's resources in an emulated AWS that lasts as long as a block, for one process."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import boto3

from infra.local import functions, stack
from infra.local.emulator import Emulator
from infra.local.template import System


@contextmanager
def emulated(
    system: System, data: Path, given: Mapping[str, str]
) -> Iterator[tuple[dict[str, str], str]]:
    """Give the stack's outputs and the endpoint, with this process's environment set for them.

    `given` are variables of the functions. Nothing is saved, and the environment is put back.
    Raises EmulatorFailed, StackFailed.
    """
    before = dict(os.environ)
    emulator = Emulator(data)
    emulator.start()
    try:
        functions.isolate(emulator.endpoint)
        boto3.setup_default_session()
        outputs = stack.settle(system.stack, {"Stage": "local"})
        functions.environ(system, outputs, given)
        yield outputs, emulator.endpoint
    finally:
        emulator.abandon()
        os.environ.clear()
        os.environ |= before
        boto3.setup_default_session()
