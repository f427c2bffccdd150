"""A stage of the runtime emulator whose functions stay up, as Lambda keeps them between calls.

To start one takes seconds, and most tests call one several times.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from infra.local.emulated_runtime import EmulatedRuntime
from infra.local.invoke import Stage, staged

Key = tuple[str, Path, tuple[tuple[str, str], ...]]


@dataclass(frozen=True)
class WarmStage(Stage):
    """Starts a function once for each log and each set of variables; ends all with the stage."""

    ends: ExitStack
    running: dict[Key, EmulatedRuntime] = field(default_factory=dict)

    @contextmanager
    def function(
        self, name: str, log: Path, overrides: Mapping[str, str] | None = None
    ) -> Iterator[EmulatedRuntime]:
        key = (name, log, tuple(sorted((overrides or {}).items())))
        if key not in self.running:
            self.running[key] = self.ends.enter_context(super().function(name, log, overrides))
        yield self.running[key]


@contextmanager
def warm(data: Path) -> Iterator[WarmStage]:
    """A seeded stage of a test's own."""
    with staged(data) as cold, ExitStack() as ends:
        yield WarmStage(cold.system, cold.outputs, cold.endpoint, ends)
