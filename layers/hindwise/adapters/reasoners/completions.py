"""What a chat completion says, however a server fills it in; nothing in it is taken for granted."""

from typing import Literal

from pydantic import JsonValue

from hindwise.domain.ports.learning import Reply
from hindwise.errors import Unavailable

Finish = Literal["stop", "length", "refused", "filtered", "empty"]
_LENGTH = frozenset({"length", "max_tokens", "max_output_tokens"})
_FILTERED = frozenset({"content_filter", "safety", "content_filtered"})


def reply_of(body: dict[str, JsonValue], model: str) -> Reply:
    """Read the body of an answer; raises `errors.Unavailable` for an error in its place."""
    choices = body.get("choices")
    if choices is None and body.get("error") is not None:
        raise Unavailable(
            f"{model}: unavailable", details={"reasoner": model, "reason": "unavailable"}
        )
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    text, finish = _said(message if isinstance(message, dict) else {}, _reason(choice))
    usage = body.get("usage")
    counted = usage if isinstance(usage, dict) else {}
    return Reply(
        text=text,
        finish=finish,
        input_tokens=_count(counted, "prompt_tokens", "input_tokens"),
        output_tokens=_count(counted, "completion_tokens", "output_tokens"),
    )


def _reason(choice: JsonValue) -> str:
    reason = choice.get("finish_reason") if isinstance(choice, dict) else None
    return reason.casefold() if isinstance(reason, str) else ""


def _said(message: dict[str, JsonValue], reason: str) -> tuple[str, Finish]:
    """The text and why it ends; a text that was only thought counts where nothing else was said."""
    text = _joined(message.get("content"))
    if reason in _FILTERED:
        return "", "filtered"
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal.strip() and not text.strip():
        return "", "refused"
    if reason in _LENGTH:
        return text, "length"
    if not text.strip():
        text = _joined(message.get("reasoning_content") or message.get("reasoning"))
    return (text, "stop") if text.strip() else ("", "empty")


def _joined(content: JsonValue) -> str:
    """A content's text, also where it comes in parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (part.get("text") if isinstance(part, dict) else part for part in content)
    return "".join(part for part in parts if isinstance(part, str))


def _count(usage: dict[str, JsonValue], *names: str) -> int:
    for name in names:
        value = usage.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12:
            return int(value)
    return 0
