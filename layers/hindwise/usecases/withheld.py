"""What is held for a reviewer: to whom it is shown by its id, and how much of it.

To reviewers all of it. Whoever wrote it learns what became of it, but nothing that it says: read
back, it would be as good as let in. To anybody else there is no such memory.
"""

from typing import cast

from hindwise.domain.memory import Memory
from hindwise.domain.scope import Principal, Role
from hindwise.domain.visibility import withheld
from hindwise.errors import NotFound

TOLD = {
    "id", "kind", "status", "version", "flags", "origin", "event_time", "created_at", "updated_at",
    "held",
}  # fmt: skip
"""What is told of it without what it says."""


def shown_to[M: Memory](memory: M, principal: Principal) -> M:
    """The memory as a caller may see it; raises NotFound where it is not to know of it."""
    if unknown_to(memory, principal):
        raise NotFound(f"there is no memory {memory.id}")
    return told_to(memory, principal)


def told_to[M: Memory](memory: M, principal: Principal) -> M:
    """The memory as it is told to who wrote it, or wrote the same: without words if it is held."""
    return unsaid(memory) if hidden_from(memory, principal) else memory


def unknown_to(memory: Memory, principal: Principal) -> bool:
    """Tell whether there is no such memory for a caller: it is held, and of somebody else."""
    return memory.principal != principal.name and hidden_from(memory, principal)


def hidden_from(memory: Memory, principal: Principal) -> bool:
    """Tell whether a memory waits for a reviewer, or was turned away by one, and this is none."""
    return withheld(memory) and not principal.role.covers(Role.REVIEWER)


def unsaid[M: Memory](memory: M) -> M:
    """The memory without what it says."""
    kept = {name: getattr(memory, name) for name in TOLD}
    return cast(M, type(memory).model_validate({**kept, "content": ""}))
