"""Who asks, and whose memories are meant.

A scope is tenant + user. The agent is provenance and a filter, not a wall: agents of one user share
what is known.
"""

from enum import IntEnum, StrEnum

from hindwise.domain.base import Model


class Scope(Model):
    """One user of one tenant: the wall that nothing crosses.

    `tenant` is `[a-z0-9-]{1,40}`, `user` 1..256 bytes of UTF-8.
    """

    tenant: str
    user: str


class Role(StrEnum):
    """What a credential may do; each role may do all that the ones before it may."""

    READER = "reader"
    WRITER = "writer"
    REVIEWER = "reviewer"
    ADMIN = "admin"

    def covers(self, needed: "Role") -> bool:
        """Tell whether this role may do what `needed` may."""
        order = list(Role)
        return order.index(self) >= order.index(needed)


class Origin(IntEnum):
    """Who vouches for a memory, from least to most; the number is its authority."""

    UNKNOWN = 0
    OTHER_AGENT = 1
    DOCUMENT = 2
    TOOL = 3
    AGENT = 4
    OWNER = 5

    @property
    def label(self) -> str:
        """The word used in the API, e.g. `other_agent`."""
        return self.name.lower()

    @classmethod
    def of(cls, label: str) -> "Origin":
        """Read the API's word; raises KeyError for any other."""
        return cls[label.upper()] if label.islower() else cls[label]


class Principal(Model):
    """The owner of a credential: what it may do, for which users, and how far its word counts."""

    tenant: str
    name: str
    role: Role
    users: tuple[str, ...] = ("*",)
    ceiling: Origin = Origin.OWNER

    def may_act_for(self, user: str) -> bool:
        """Tell whether this credential is allowed to act for `user`."""
        return "*" in self.users or user in self.users

    @property
    def only_user(self) -> str | None:
        """The user of a single-user credential, so that it need not be named in each call."""
        return self.users[0] if len(self.users) == 1 and self.users[0] != "*" else None
