"""Files of conversations: JSON, JSON lines, or a transcript of lines `Speaker: text`.

A file's conversation has one name, so that a file that has grown is known again. Who is neither the
user nor an assistant, a tool or the system speaks in the user's place under a name of their own,
and then the whole file counts as a document: what others said is not the user's word.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from hashlib import sha256
from pathlib import Path

from pydantic import JsonValue

from hindwise.cli.lines import BadLine
from hindwise.client.answers import JsonObject

ROLES = {
    "user": "user", "human": "user", "me": "user", "i": "user", "我": "user", "用户": "user",
    "assistant": "assistant", "ai": "assistant", "bot": "assistant", "agent": "assistant",
    "助手": "assistant", "tool": "tool", "工具": "tool", "system": "system", "系统": "system",
    "developer": "developer",
}  # fmt: skip
_SPEAKER = re.compile(
    r"(?:\[(?P<time>[^\]\n]{4,40})\]\s*)?"
    r"(?P<name>[^\s\[\]:：.,;!?。，；！？][^\[\]:：.,;!?。，；！？\n]{0,39}?)\s*[:：](?!//)\s*(?P<text>.*)"
)
NO_SPEAKER = "no line says who speaks; a transcript has lines like `Ann: hello`"
_TIMES = ("at", "timestamp", "time", "created_at")
_NAMES = ("id", "conversation_id", "session_id", "run_id")


@dataclass(frozen=True)
class Reading:
    """How a file is read: the zone of times without one, and which speaker is the user."""

    zone: tzinfo | None = None
    me: str | None = None


@dataclass(frozen=True)
class Talk:
    """A conversation of a file: its name, its messages, and what else is said of it."""

    name: str
    messages: list[JsonObject]
    fields: JsonObject = field(default_factory=dict)


def talks_of(text: str, *, name: str, how: Reading) -> list[Talk]:
    """The conversations of a file whose own is called `name`; raises BadLine saying where."""
    stripped = text.lstrip("\ufeff").strip()
    if not stripped:
        return []
    timed = _SPEAKER.fullmatch(stripped.split("\n", 1)[0].rstrip())
    if stripped[0] not in "[{" or (timed and timed["time"]):
        messages, fields = _transcript(stripped, how)
        return [Talk(name, messages, fields)]
    found = _json(stripped)
    if isinstance(found, list) and found and all(_is_talk(one) for one in found):
        return [_talk(one, f"{name}-{number}", how) for number, one in enumerate(found, 1)]
    if isinstance(found, dict) and "messages" in found:
        return [_talk(found, name, how)]
    messages = [_timed(_object(one), how) for one in _several(found)]
    return [Talk(name, messages)] if messages else []


def name_of(file: str) -> str | None:
    """A name for the conversation of a file, the same each time; None for standard input."""
    if file == "-":
        return None
    path = Path(file).resolve()
    return f"{path.stem[:60]}-{sha256(str(path).encode()).hexdigest()[:8]}"


def _is_talk(one: JsonValue) -> bool:
    return isinstance(one, dict) and "messages" in one


def _several(found: JsonValue) -> Sequence[JsonValue]:
    return found if isinstance(found, list) else [found]


def _object(one: JsonValue) -> JsonObject:
    if not isinstance(one, dict):
        raise BadLine("each message must be a JSON object with role and content")
    return one


def _json(text: str) -> JsonValue:
    """One JSON document, or the list of those on the lines; raises BadLine naming the line."""
    try:
        found: JsonValue = json.loads(text)
    except RecursionError as error:
        raise BadLine("is nested too deeply") from error
    except ValueError as whole:
        lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
        several: list[JsonValue] = []
        for number, line in lines:
            try:
                several.append(json.loads(line))
            except (ValueError, RecursionError) as error:
                wrong = whole if text[0] == "[" or len(lines) == 1 else error
                raise BadLine(f"line {number}: is not JSON: {wrong}") from error
        return several
    return found


def _talk(found: JsonValue, name: str, how: Reading) -> Talk:
    said = _object(found)
    own = next((said[one] for one in _NAMES if isinstance(said.get(one), str)), name)
    skipped = {*_NAMES, "messages", "end", "user_id"}
    fields = {key: value for key, value in said.items() if key not in skipped}
    given = said["messages"]
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    messages = [_timed(_object(one), how) for one in _several(given)]
    return Talk(str(own), messages, fields)


def _timed(message: JsonObject, how: Reading) -> JsonObject:
    """The message with a zone at its time, where one is known; raises BadLine."""
    if "turns" in message and "role" not in message:
        raise BadLine("has turns and no messages: `hindwise import` takes such a file")
    if "role" not in message:
        raise BadLine("a message has no role; memories go through `hindwise import`")
    for key in _TIMES:
        if isinstance(given := message.get(key), str):
            return {**message, key: _moment(given, how) or given}
    return message


def _moment(text: str, how: Reading) -> str | None:
    """A time with its zone; None where it is no time.

    Raises BadLine where nothing tells its zone.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    if moment.tzinfo is None:
        if how.zone is None:
            raise BadLine(
                f"{text}: has no zone; say which with --zone +08:00 or --zone Asia/Shanghai"
            )
        moment = moment.replace(tzinfo=how.zone)
    return moment.isoformat()


def _transcript(text: str, how: Reading) -> tuple[list[JsonObject], JsonObject]:
    """The messages of a transcript, and what they count for; raises BadLine.

    A line without a time has that of the line before: an answer is not given months later.
    """
    messages: list[JsonObject] = []
    others, moment = False, None
    for at, name, said in _spoken(text):
        if name is None:
            if not messages:
                raise BadLine(f"line 1: {NO_SPEAKER}")
            messages[-1]["content"] = f"{messages[-1]['content']}\n{said}"
            continue
        is_me = how.me is not None and name.casefold() == how.me.casefold()
        role = "user" if is_me else ROLES.get(name.casefold())
        others = others or role is None
        message: JsonObject = {"role": role or "user", "content": said}
        if is_me or name.casefold() not in ROLES:
            message["name"] = name
        if at is not None:
            moment = _moment(at, how) or at
        if moment is not None:
            message["at"] = moment
        messages.append(message)
    for message in messages:
        message["content"] = str(message["content"]).strip()
    return messages, {"origin": "document"} if others else {}


def _spoken(text: str) -> Iterator[tuple[str | None, str | None, str]]:
    """Of each line the time, who speaks (None where the line before goes on), and the words."""
    for line in text.splitlines():
        found = _SPEAKER.fullmatch(line)
        if found and len(found["name"].split()) <= 3:
            yield found["time"], found["name"].strip(), found["text"]
        else:
            yield None, None, line
