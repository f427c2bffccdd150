"""`make invoke FUNCTION=write`: one built function with an event, as `sam local invoke`, no Docker.

Each invoke has an emulated AWS of its own, made from template.yaml and seeded with what the sample
events speak of, so that every one of them succeeds, in any order. The answer goes to standard
output, what the function logs to standard error.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hindwise.runtime.wiring import Wiring
from infra.local import built, stack, template
from infra.local.emulated_runtime import EmulatedRuntime, RuntimeFailed, running
from infra.local.emulated_stack import emulated
from infra.local.emulator import ROOT, EmulatorFailed
from infra.local.seed import EVENTS, seed

FAILURES = (built.NotBuilt, RuntimeFailed, EmulatorFailed, stack.StackFailed)


@dataclass(frozen=True)
class Stage:
    """The template's resources in an emulated AWS, with this process's environment set for them."""

    system: template.System
    outputs: Mapping[str, str]
    endpoint: str

    @contextmanager
    def function(
        self, name: str, log: Path, overrides: Mapping[str, str] | None = None
    ) -> Iterator[EmulatedRuntime]:
        """A built function, called `write` or `WriteFunction`, with its variables of this stage."""
        package = built.named(name)
        variables = built.environment(package, self.system, self.outputs, self.endpoint)
        with running(package, variables | dict(overrides or {}), log) as runtime:
            yield runtime

    def wiring(self) -> Wiring:
        """The product's parts on this stage, in this process."""
        return Wiring(dict(os.environ))


@contextmanager
def staged(data: Path) -> Iterator[Stage]:
    """A seeded stage that is gone afterwards; raises EmulatorFailed, StackFailed."""
    system = template.read(ROOT / "template.yaml")
    with emulated(system, data, {}) as (outputs, endpoint):
        stage = Stage(system, outputs, endpoint)
        seed(stage.wiring())
        yield stage


def main(arguments: Sequence[str] | None = None) -> int:
    """Invoke and print: 0 after an answer, 1 after an error of the function or of the runtime."""
    parser = argparse.ArgumentParser(prog="infra.local.invoke", description=__doc__)
    parser.add_argument("function", help="write, search, …; or its name in the template")
    parser.add_argument(
        "--event", type=Path, help="a file; tests/events/FUNCTION.json if not given"
    )
    options = parser.parse_args(arguments)
    try:
        name = built.named(options.function).name
        short = name.removesuffix("Function").lower()
        event = json.loads((options.event or EVENTS / f"{short}.json").read_text())
        with tempfile.TemporaryDirectory(prefix="hindwise-invoke-") as folder:
            answer = invoked(name, event, Path(folder))
    except (*FAILURES, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(answer, ensure_ascii=False, indent=2))
    return int(isinstance(answer, dict) and "errorType" in answer)


def invoked(name: str, event: object, data: Path) -> Any:
    """The answer of a function on a stage of its own; its log is printed to standard error."""
    log = data / "function.log"
    with staged(data) as stage:
        try:
            with stage.function(name, log) as runtime:
                return runtime.invoke(event)
        finally:
            print(log.read_text() if log.exists() else "", end="", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
