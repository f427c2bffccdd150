"""What became of something that was to be written."""

from pydantic import Field

from hindwise.domain.admission import Admission
from hindwise.domain.base import Model
from hindwise.domain.memory import Memory


class Written(Model):
    """What became of a draft or an edit.

    `outcome` is `created`, `duplicate` (of the memory that stands already) or `updated` (by an edit
    or external id). `memory` is None only where a repeated request's memory has been forgotten
    since. An edit that is to be held is `created`: a record of its own, beside the one it changes.
    """

    id: str
    outcome: str = "created"
    memory: Memory | None = None
    superseded: tuple[str, ...] = ()
    contested: bool = False
    admission: Admission = Field(default_factory=Admission)
