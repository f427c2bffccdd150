"""`hindwise show`: one memory and all that led to it and from it."""

from collections.abc import Sequence
from typing import Annotated

import typer

from hindwise.cli.lookup import shown
from hindwise.cli.options import Asking, command
from hindwise.cli.words import DOT, line, when
from hindwise.client.answers import AuditEntry, History, Memory, SourceTurns
from hindwise.client.api import Api

Id = Annotated[str, typer.Argument(metavar="ID", help="A memory's id.")]
FIELDS = (
    "type", "subject", "attribute", "value", "task_id", "domain", "session_id", "seq", "speaker",
    "external_id", "summary", "scene", "tags", "entities", "metadata", "marks", "flags", "key",
    "expires_at", "valid_from", "valid_until",
)  # fmt: skip
"""What is shown of a memory where it has it, in this order."""
CHAINS = {
    "predecessors": "supersedes",
    "successors": "superseded by",
    "evidence": "rests on",
    "dependants": "is evidence for",
    "compared": "was compared with",
}


@command
def show(memory_id: Id, asking: Asking) -> int:
    """Show one memory with its history."""
    return shown(lambda api: _history(api, asking.whose, memory_id), _print, asking)


def _history(api: Api, user: str, memory_id: str) -> History:
    """The history; a scratch value has none, only itself."""
    memory = api.read(user, memory_id)
    if memory.kind == "working":
        return History(memory=memory)
    return api.history(user, memory_id)


def _print(history: History) -> None:
    memory = history.memory
    line(memory.content, "bold")
    line(DOT.join([memory.id, memory.kind, memory.status, f"version {memory.version}"]))
    line(f"happened {when(memory.event_time)}{DOT}written {when(memory.created_at)}")
    sure = memory.confidence if memory.effective_confidence is None else memory.effective_confidence
    line(f"importance {memory.importance:g}{DOT}confidence {sure:.2f}{DOT}from {memory.origin}")
    said = memory.raw()
    for name in FIELDS:
        if (value := said.get(name)) not in (None, [], {}, ""):
            line(f"{name}: {_value(value)}")
    _versions(history.versions)
    for name, heading in CHAINS.items():
        _chain(heading, getattr(history, name))
    _said(history.source_turns)
    _audit(history.audit)


def _said(sources: Sequence[SourceTurns]) -> None:
    for source in sources:
        line(f"\nsaid in {source.conversation_id}", "bold")
        if not source.readable:
            line("  cannot be read: what is stored is not what was stored once")
        for one in source.turns:
            words = "(redacted)" if one.redacted else one.text
            line(f"  {one.turn}  {one.name or one.role}: {words}")


def _value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _versions(versions: Sequence[Memory]) -> None:
    if versions:
        line("\nearlier versions", "bold")
    for one in versions:
        line(f"  {one.version}  until {one.updated_at:%Y-%m-%d}  {one.content}")


def _chain(heading: str, memories: Sequence[Memory]) -> None:
    if memories:
        line(f"\n{heading}", "bold")
    for one in memories:
        line(f"  {one.id}  {one.event_time:%Y-%m-%d}  {one.status}  {one.content}")


def _audit(entries: Sequence[AuditEntry]) -> None:
    if entries:
        line("\nchanges", "bold")
    for one in entries:
        reason = f" ({one.reason})" if one.reason else ""
        line(f"  {when(one.at)}  version {one.version}  {one.decision} by {one.actor}{reason}")
