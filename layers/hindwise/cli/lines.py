"""Import files: one JSON object a line, a memory or a whole conversation, as memories to be sent.

Each memory gets an `external_id` where it has none, from what it says or from where it stands in
its conversation: importing a file twice, or after an interruption, stores nothing twice.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from hashlib import sha256
from typing import NoReturn
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import JsonValue

from hindwise.client.answers import JsonObject

_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)")
TIMES = ("event_time", "valid_from", "valid_until", "review_at")
SAY_ZONE = "has no zone; say which with --zone +08:00 or --zone Asia/Shanghai"
# `questions` are what evaluation files ask about a conversation; they are not remembered.
OF_CONVERSATION = frozenset({"id", "turns", "lang", "user_id", "questions"})
OF_TURN = frozenset({"id", "text", "speaker", "session", "time"})


NO_JSON = "is not JSON"


class BadLine(ValueError):
    """A line, or a turn in it, that cannot be a memory; the message names the field."""


@dataclass(frozen=True)
class Entry:
    """A memory to be sent, the number of its line and its place in it.

    `user` is whose it is by the file, `conversation` the id of the conversation it is a turn of.
    """

    line: int
    memory: JsonObject
    place: str = ""
    user: str | None = None
    conversation: str | None = None


def zone_of(text: str) -> tzinfo:
    """The zone that `+08:00` or `Asia/Shanghai` names; raises ValueError."""
    if text.upper() in ("Z", "UTC"):
        return timezone(timedelta(0))
    if match := _OFFSET.fullmatch(text):
        sign = -1 if match[1] == "-" else 1
        offset = sign * timedelta(hours=int(match[2]), minutes=int(match[3]))
        return timezone(offset)
    try:
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, OSError, ValueError) as error:
        raise ValueError(f"there is no zone {text!r}") from error


def parsed(raw: bytes) -> JsonObject | None:
    """The object on a line, None where it is blank; raises BadLine."""
    try:
        text = raw.decode("utf-8-sig").strip()
        value = json.loads(text, parse_constant=_refused) if text else None
    except UnicodeDecodeError as error:
        raise BadLine("is not UTF-8") from error
    except BadLine:
        raise
    except (ValueError, RecursionError) as error:
        raise BadLine(f"{NO_JSON}: {error}") from error
    if value is not None and not isinstance(value, dict):
        raise BadLine("must be a JSON object")
    return value


def _refused(word: str) -> NoReturn:
    raise BadLine(f"{NO_JSON}: {word} is no JSON number")


def entries(number: int, said: JsonObject, zone: tzinfo | None) -> Iterator[Entry]:
    """The memories of a line; raises BadLine before the first where any of them is malformed."""
    if "turns" in said:
        yield from _turns(number, said, zone)
        return
    if "messages" in said:
        raise BadLine("has messages and no turns: `hindwise ingest` takes such a file")
    memory = {name: _timed(name, value, zone) for name, value in said.items()}
    user = memory.pop("user_id", None)
    owner = None if user is None else _word(user, "user_id")
    if "key" not in memory and memory.get("kind") != "working":
        memory.setdefault("external_id", f"import:{_hash(said)}")
    yield Entry(number, memory, user=owner)


def _hash(said: JsonObject) -> str:
    text = json.dumps(said, sort_keys=True, ensure_ascii=True)
    return sha256(text.encode()).hexdigest()[:32]


def _timed(name: str, value: JsonValue, zone: tzinfo | None) -> JsonValue:
    return _zoned(value, zone, name) if name in TIMES and isinstance(value, str) else value


def _zoned(text: str, zone: tzinfo | None, field: str) -> str:
    """A time with its zone: its own, or the one that was said for all."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise BadLine(f"{field}: must be a time like 2026-01-15T18:30:00+08:00") from error
    if moment.tzinfo is not None:
        return text
    if zone is None:
        raise BadLine(f"{field}: {text} {SAY_ZONE}")
    return moment.replace(tzinfo=zone).isoformat()


def _turns(number: int, said: JsonObject, zone: tzinfo | None) -> list[Entry]:
    """A conversation's turns as episodes, each at its place in its session, counted from 1."""
    _known(said, OF_CONVERSATION, "")
    name = _word(said.get("id"), "id")
    turns = said["turns"]
    if not isinstance(turns, list):
        raise BadLine("turns: must be a list")
    user = said.get("user_id")
    owner = None if user is None else _word(user, "user_id")
    places: dict[str, int] = {}
    made = []
    for index, turn in enumerate(turns):
        at = f"turns.{index}"
        if not isinstance(turn, dict):
            raise BadLine(f"{at}: must be an object")
        _known(turn, OF_TURN, f"{at}.")
        session = f"{name}/{_word(turn.get('session', 0), f'{at}.session')}"
        places[session] = places.get(session, 0) + 1
        memory = _episode(turn, at, name=name, zone=zone)
        memory |= {"session_id": session, "seq": places[session]}
        made.append(Entry(number, memory, place=at, user=owner, conversation=name))
    return made


def _episode(turn: JsonObject, at: str, *, name: str, zone: tzinfo | None) -> JsonObject:
    text, time, speaker = turn.get("text"), turn.get("time"), turn.get("speaker")
    if not isinstance(text, str):
        raise BadLine(f"{at}.text: must be a string")
    memory: JsonObject = {
        "kind": "episodic",
        "content": text,
        "external_id": f"import:{name}/{_word(turn.get('id'), f'{at}.id')}",
    }
    if speaker is not None:
        memory["speaker"] = _word(speaker, f"{at}.speaker")
    if time is not None:
        memory["event_time"] = _zoned(_word(time, f"{at}.time"), zone, f"{at}.time")
    return memory


def _known(said: JsonObject, names: Iterable[str], at: str) -> None:
    if unknown := sorted(said.keys() - {*names}):
        raise BadLine(f"{at}{unknown[0]}: is not a known field of a conversation")


def _word(value: JsonValue, field: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise BadLine(f"{field}: must be a string or a whole number")
    return str(value)
