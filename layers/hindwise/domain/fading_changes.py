"""What fading does to a record in a commit, beside forgetting it.

Access counts make no version, so what was decided by them is committed under them.
"""

from pydantic import AwareDatetime

from hindwise.domain.base import Model
from hindwise.domain.memory import LongTermMemory


class Rewrite(Model):
    """Put `after` in the place of `before` and keep no old version of it.

    The record must still have `before.version`, and must have been accessed `hits` times where that
    is given. The old versions `drop` go, and the old versions `put` are there again.
    """

    before: LongTermMemory
    after: LongTermMemory
    hits: int | None = None
    drop: tuple[int, ...] = ()
    put: tuple[LongTermMemory, ...] = ()


class Looked(Model):
    """Note that fading has nothing to do with version `version` of a memory until `due`.

    None is never. Neither a version nor a change; one that waits for comparison keeps waiting.
    """

    memory: LongTermMemory
    due: AwareDatetime | None
