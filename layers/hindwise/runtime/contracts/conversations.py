"""Bodies of the conversations' calls as talks, in the shapes in which agents really send messages.

A message's content may be a text, a list of parts or nothing. Texts are joined, everything else a
message carries is kept beside them and never read. What a tool gave back inside of a user's message
is a message of the tool: it is not the user's word.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, Field, JsonValue

from hindwise.domain.conversation import SpeakerRole
from hindwise.domain.drafts import Id, Label, Metadata, OriginLabel, ShortId
from hindwise.domain.memory import CONTENT_BYTES, CONTENT_CHARS
from hindwise.domain.talk import PARTICIPANTS, Sent, Talk
from hindwise.errors import Invalid, TooLarge
from hindwise.runtime.contracts.checking import Contract, checked, joined, renamed
from hindwise.runtime.strict_json import JsonObject, refuse_flaws

MAX_MESSAGES = 1_000
NAMES = ("id", "conversation_id", "session_id", "run_id")
"""What a conversation's id is called; all mean the same."""
ROLES: dict[str, SpeakerRole] = {role.value: role for role in SpeakerRole} | {
    "human": SpeakerRole.USER,
    "ai": SpeakerRole.ASSISTANT,
    "model": SpeakerRole.ASSISTANT,
    "function": SpeakerRole.TOOL,
}
TEXTS = frozenset({"text", "input_text", "output_text"})
_TIMES = {"timestamp": "at", "time": "at", "created_at": "at"}
_READ = {"role", "content", "name", "at"}
Participants = Annotated[tuple[Label, ...], Field(max_length=PARTICIPANTS)]


def _fit_for_a_path(given: str) -> str:
    """Gateways decode a path before they match it."""
    if given in (".", "..") or "/" in given or "?" in given:
        raise ValueError("must not hold / or ?, nor be . or ..: it is a part of paths")
    return given


ConversationId = Annotated[Id, AfterValidator(_fit_for_a_path)]
Part = str | dict[str, JsonValue]
Kept = Annotated[JsonValue, Field(description="Kept, never read")]


class MessageBody(Contract):
    """One message, as chat APIs know it."""

    role: Annotated[str, Field(json_schema_extra={"enum": sorted(ROLES)})]
    content: str | list[Part] | None = None
    name: Label | None = None
    at: AwareDatetime | None = None
    id: Kept = None
    type: Kept = None
    status: Kept = None
    refusal: Kept = None
    annotations: Kept = None
    audio: Kept = None
    function_call: Kept = None
    tool_calls: Kept = None
    tool_call_id: Kept = None
    reasoning_content: Kept = None
    parts: Kept = None


class _Talk(Contract):
    """What is said of a conversation beside its messages."""

    infer: bool | None = None
    agent_id: Id | None = None
    task_id: ShortId | None = None
    domain: ShortId | None = None
    scene: Label | None = None
    intent: Label | None = None
    origin: OriginLabel | None = None
    participants: Participants = ()
    metadata: Metadata = Field(default_factory=dict)


_Messages = Annotated[
    str | MessageBody | list[MessageBody], Field(description="1 to 1,000; a text is a user's")
]


class ConversationRequest(_Talk):
    """POST /v1/conversations: a conversation from its beginning, as far as it has come."""

    messages: _Messages
    id: ConversationId | None = None
    end: bool = True


class MessagesRequest(_Talk):
    """POST /v1/conversations/{id}/messages: what was said since; without any only with `end`."""

    messages: _Messages | None = None
    end: bool = False


def conversation_of(fields: JsonObject) -> Talk:
    """The talk that a body describes.

    Raises Invalid naming every wrong field, and TooLarge naming the field and its limit.
    """
    named, sent = _named(fields), _messages(fields)
    body = checked(ConversationRequest, {**named, "messages": ""})
    return Talk.model_validate({**_said(body), "messages": sent, "whole": True})


def continuation_of(given_id: str, fields: JsonObject) -> Talk:
    """The talk that goes on with the conversation of a path; raises like `conversation_of`."""
    conversation_id = conversation_id_of(given_id)
    more = {name: value for name, value in fields.items() if name != "messages"}
    body = checked(MessagesRequest, more)
    if "messages" not in fields and not body.end:
        message = "messages: is missing; only with end: true may there be none"
        raise Invalid(message, field="messages")
    sent = _messages(fields) if "messages" in fields else ()
    return Talk.model_validate({**_said(body), "messages": sent, "id": conversation_id})


class _Named(Contract):
    id: ConversationId


def conversation_id_of(given: str) -> str:
    """The id in a path; raises Invalid naming `id`."""
    return checked(_Named, {"id": given}).id


def _said(body: ConversationRequest | MessagesRequest) -> dict[str, object]:
    return {name: value for name, value in body if name != "messages"}


def _named(fields: JsonObject) -> JsonObject:
    """The fields but the messages, with one name for the id; raises Invalid where two differ."""
    rest = {name: value for name, value in fields.items() if name not in ("messages", *NAMES)}
    given = [name for name in NAMES if name in fields]
    for name in given[1:]:
        if fields[name] != fields[given[0]]:
            message = f"{name} and {given[0]} mean the same, but differ; send one"
            raise Invalid(message, field=name)
    for name in given[:1]:
        try:
            checked(_Named, {"id": fields[name]})
        except Invalid as error:
            message = str(error).replace("id:", f"{name}:", 1)
            raise Invalid(message, field=name) from None
    return {**rest, **({"id": fields[given[0]]} if given else {})}


def _messages(fields: JsonObject) -> tuple[Sent, ...]:
    if "messages" not in fields:
        raise Invalid("messages: is missing", field="messages")
    given = fields["messages"]
    if isinstance(given, str):
        given = {"role": "user", "content": given}
    if isinstance(given, dict):
        given = [given]
    if not isinstance(given, list) or not given:
        message = f"messages: must be a list of 1 to {MAX_MESSAGES} messages"
        raise Invalid(message, field="messages")
    if len(given) > MAX_MESSAGES:
        message = f"messages: at most {MAX_MESSAGES} at a time; append the others"
        raise TooLarge(message, details={"field": "messages", "limit": MAX_MESSAGES})
    found: list[Sent] = []
    for index, one in enumerate(given):
        found += _sent(one, f"messages.{index}")
    return tuple(found)


def _sent(given: JsonValue, at: str) -> Iterator[Sent]:
    """The messages in one: itself, after what tools gave back in it."""
    if not isinstance(given, dict):
        raise Invalid(f"{at}: must be an object with role and content", field=at)
    named = renamed(given, _TIMES, at=at)
    if "content" not in named and "parts" in named:
        named = renamed(named, {"parts": "content"}, at=at)
    role = _role(named, at)
    refuse_flaws(named, at)
    parts = _parts(named.get("content"), joined(at, "content"))
    body = checked(MessageBody, {**named, "content": None}, at=at)
    extra: JsonObject = body.model_dump(mode="json", exclude=_READ, exclude_none=True)
    texts, others, handed_on = [], [], False
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif part.get("type") == "tool_result" and role is not SpeakerRole.TOOL:
            yield _of_tool(part, body, joined(at, "content"))
            handed_on = True
        elif _is_text(part):
            texts.append(str(part["text"]))
        else:
            others.append(part)
    if others:
        extra["parts"] = [*others]
    text = _fitting("\n".join(texts), joined(at, "content"))
    if text or extra or not handed_on:
        yield Sent(role=role, text=text, name=body.name, at=body.at, extra=extra)


def _role(named: JsonObject, at: str) -> SpeakerRole:
    given, field = named.get("role"), joined(at, "role")
    if given is None:
        raise Invalid(f"{field}: is missing", field=field)
    if not isinstance(given, str) or given.lower() not in ROLES:
        said = given if isinstance(given, str) and given.isidentifier() and len(given) < 32 else ""
        unknown = f"{said!r} is no role; " if said else ""
        message = f"{field}: {unknown}must be {', '.join(SpeakerRole)}"
        raise Invalid(message, field=field)
    return ROLES[given.lower()]


def _parts(content: JsonValue, at: str) -> list[Part]:
    """The parts of a content; raises Invalid where it is none."""
    if content is None:
        return []
    if isinstance(content, str):
        return [content]
    if isinstance(content, dict):
        content = [content]
    parts = content if isinstance(content, list) else None
    if parts is None or not all(isinstance(part, str | dict) for part in parts):
        raise Invalid(f"{at}: must be a text, a list of parts or null", field=at)
    for index, part in enumerate(parts):
        if isinstance(part, dict) and part.get("type") in TEXTS and not _is_text(part):
            field = f"{at}.{index}.text"
            raise Invalid(f"{field}: must be a text", field=field)
    return [part for part in parts if isinstance(part, str | dict)]


def _is_text(part: Mapping[str, JsonValue]) -> bool:
    return part.get("type", "text") in TEXTS and isinstance(part.get("text"), str)


def _of_tool(part: dict[str, JsonValue], body: MessageBody, at: str) -> Sent:
    """What a tool gave back, as the message of the tool that it is."""
    inner = _parts(part.get("content"), at)
    texts = [
        str(one if isinstance(one, str) else one["text"])
        for one in inner
        if isinstance(one, str) or _is_text(one)
    ]
    text = _fitting("\n".join(texts), at)
    return Sent(role=SpeakerRole.TOOL, text=text, at=body.at, extra={"parts": [part]})


def _fitting(text: str, at: str) -> str:
    """The text; raises TooLarge where it is too long for a memory."""
    size = len(text.encode())
    if len(text) > CONTENT_CHARS or size > CONTENT_BYTES:
        over = len(text) > CONTENT_CHARS
        limit = CONTENT_CHARS if over else CONTENT_BYTES
        unit = "characters" if over else "bytes of UTF-8"
        message = f"{at}: at most {limit} {unit} a message"
        raise TooLarge(message, details={"field": at, "limit": limit})
    return text
