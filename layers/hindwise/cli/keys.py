"""`hindwise keys`: who may use the API. It works on the table: the API itself makes no keys.

On AWS a stage names the table, and one's own credentials open it; without a stage it is the table
of STAGE and MEMORY_TABLE, or the running local server's. Only a key's hash is stored: its secret is
shown once.
"""

import re
import secrets
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer
from botocore.exceptions import BotoCoreError

from hindwise.cli.options import NOTHING, OK, Output, command
from hindwise.cli.stage import is_local, opened
from hindwise.cli.words import line, note, out, plain, print_json, table, when
from hindwise.client.answers import JsonObject
from hindwise.domain.ports import ApiKey, KeyRing
from hindwise.domain.scope import Origin, Principal, Role
from hindwise.domain.text import flaw
from hindwise.errors import Invalid, Misconfigured
from hindwise.runtime.credentials import digest
from hindwise.runtime.principal import scope_of
from hindwise.runtime.tools import Ulids, utc_now

NAME_CHARS = 64
_TENANT = re.compile(r"[a-z0-9-]{1,40}")
LOCAL_TENANT = "local"
Name = Annotated[
    str, typer.Argument(metavar="NAME", help="Who will use the key; the audit shows this name.")
]
KeyId = Annotated[str, typer.Argument(metavar="ID", help="A key's id, as `keys list` shows it.")]


class Ceiling(StrEnum):
    """How far the word of a key counts at most: the labels of `domain.scope.Origin`."""

    OWNER = "owner"
    AGENT = "agent"
    TOOL = "tool"
    DOCUMENT = "document"
    OTHER_AGENT = "other_agent"
    UNKNOWN = "unknown"


keys = typer.Typer(help="Make, list and revoke API keys.", no_args_is_help=True)


@dataclass(frozen=True)
class Ring(Output):
    """Whose keys, on which table."""

    stage: Annotated[
        str,
        typer.Option(help="A stage on AWS, e.g. `dev`; default: see MEMORY_TABLE, else a laptop."),
    ] = ""
    tenant: Annotated[
        str, typer.Option(help="The tenant; only a laptop has a default, `local`.")
    ] = ""


@dataclass(frozen=True)
class Rights(Ring):
    """What a new key allows."""

    role: Annotated[
        Role,
        typer.Option(
            help="A reader recalls; a writer also writes and forgets; a reviewer also decides "
            "about what is held and reads the audit; an admin does all."
        ),
    ] = Role.WRITER
    user: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A user it may act for; repeatable; without it: all users."
        ),
    ] = None
    ceiling: Annotated[
        Ceiling,
        typer.Option(
            help="Whose word it is, at most. Below owner, what reads like orders is held for "
            "review; below agent, all stays out of `context` unless asked for."
        ),
    ] = Ceiling.OWNER
    label: Annotated[str, typer.Option(help="A note for the list.")] = ""


@keys.command("create")
@command
def create(name: Name, rights: Rights) -> int:
    """Make a key; its secret is shown once."""
    ring, stage, tenant = _opened(rights)
    principal = principal_for(name, tenant, rights)
    now = utc_now()
    secret = f"hw_{stage}_{secrets.token_urlsafe(32)}"
    key = ApiKey(
        id=Ulids()(now),
        digest=digest(secret),
        principal=principal,
        created_at=now,
        label=rights.label,
    )
    ring.add(key)
    if rights.as_json:
        print_json({**_view(key), "key": secret})
        return OK
    line(secret)
    note(f"{key.id}: {_rights(key)}. Only its hash is stored; it will not be shown again.")
    return OK


@keys.command("list")
@command
def listed(ring: Ring) -> int:
    """List the keys, newest first; secrets are not stored."""
    held, _, tenant = _opened(ring)
    found = held.all(tenant)
    if ring.as_json:
        print_json({"keys": [_view(key) for key in found]})
    elif found:
        shown = table("id", "name", "made", "state", "may")
        for key in found:
            state = "revoked" if key.revoked_at else "active"
            may = f"{_rights(key)}; {key.label}" if key.label else _rights(key)
            cells = (key.id, key.principal.name, f"{key.created_at:%Y-%m-%d}", state, may)
            shown.add_row(*map(plain, cells))
        out().print(shown)
    return OK if found else NOTHING


@keys.command("revoke")
@command
def revoke(key_id: KeyId, ring: Ring) -> int:
    """Revoke a key; it stops working within a minute."""
    held, _, tenant = _opened(ring)
    at = utc_now()
    done = held.revoke(tenant, key_id, at=at)
    known = None if done else next((one for one in held.all(tenant) if one.id == key_id), None)
    if ring.as_json:
        print_json({"id": key_id, "revoked": done})
    elif done:
        line(f"revoked {key_id} at {when(at)}; it stops working within a minute")
    elif known is not None and known.revoked_at is not None:
        note(f"{key_id} was revoked already, at {when(known.revoked_at)}")
    else:
        note(f"there is no key {key_id}", "red")
    return OK if done else NOTHING


def _opened(ring: Ring) -> tuple[KeyRing, str, str]:
    """The keys, their stage and tenant; raises Misconfigured where no table can be reached."""
    tenant = ring.tenant or (LOCAL_TENANT if is_local(ring.stage) else "")
    if not tenant:
        raise typer.BadParameter("say which tenant", param_hint="--tenant")
    wiring = opened(ring.stage)
    try:
        return wiring.keys, wiring.stage, tenant
    except BotoCoreError as error:
        raise Misconfigured(f"the AWS settings do not work: {error}") from error


def principal_for(name: str, tenant: str, rights: Rights) -> Principal:
    """Who a key is for; raises Invalid for names that no request could ever match."""
    if wrong := flaw(name) or (not name.isprintable() and "a control character"):
        raise Invalid(f"NAME holds {wrong}", field="NAME")
    if not 1 <= len(name) <= NAME_CHARS or not _TENANT.fullmatch(tenant):
        limits = f"NAME has 1 to {NAME_CHARS} characters, a tenant 1 to 40 of a-z, 0-9 and -"
        raise Invalid(limits, field="NAME")
    users = tuple(dict.fromkeys(rights.user or ["*"]))
    made = Principal(
        tenant=tenant,
        name=name,
        role=rights.role,
        users=users,
        ceiling=Origin.of(rights.ceiling.value),
    )
    for user in users:
        scope_of(made, user)
    return made


def _view(key: ApiKey) -> JsonObject:
    shown: JsonObject = key.model_dump(mode="json", exclude={"digest"}, exclude_none=True)
    principal: JsonObject = key.principal.model_dump(mode="json")
    return {**shown, "principal": {**principal, "ceiling": key.principal.ceiling.label}}


def _rights(key: ApiKey) -> str:
    principal = key.principal
    users = "all users" if principal.users == ("*",) else ", ".join(principal.users)
    return f"{principal.role.value} for {users}, as {principal.ceiling.label} at most"
