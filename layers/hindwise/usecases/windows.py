"""Cut a conversation into windows: so many turns, so many characters, and what went before."""

from hindwise.domain.conversation import Message
from hindwise.domain.jobs import Job
from hindwise.domain.learnt import Window
from hindwise.domain.scope import Scope
from hindwise.usecases.learning import Learning
from hindwise.usecases.transcript import Transcript, heard

CONTEXT_CHARS = 1_000
"""So much of a turn that goes before is shown: its beginning and its end."""
VERBATIM_TURNS = 100
"""Turns that are stored at once where no model has to read them."""


def next_window(
    scope: Scope, job: Job, *, learning: Learning, last: int | None = None, read: bool = True
) -> Window:
    """The window that a job goes on at; one that ends with `last` where that is settled already.

    A turn that is longer than a window stands alone. Where nothing is `read` by a model, a window
    is longer and nothing goes before it. Raises Unreadable, Unavailable.
    """
    rules, first = learning.rules, job.next_turn
    most = rules.window_turns if read else VERBATIM_TURNS
    end = min(job.last_turn, first + most - 1) if last is None else last
    before = max(first - rules.context_turns, 1) if read else first
    transcript = Transcript(learning.conversations, learning.blobs)
    turns = transcript.turns(scope, job.conversation_id or "", before, end)
    said = [one for turn in turns if (one := _own(turn)) is not None]
    chosen = [one for one in said if _turn(one) >= first]
    if read and last is None:
        chosen, end = _fitting(chosen, end, rules.window_chars)
    context = tuple(_clipped(one) for one in said if _turn(one) < first)
    return Window(first=first, last=end, said=tuple(chosen), before=context)


def _turn(message: Message) -> int:
    return message.turn or 0


def _own(message: Message) -> Message | None:
    """The turn in its speaker's own words; None where there are none, or none any more."""
    text = heard(message)
    if message.redacted or not text.strip():
        return None
    return message if text == message.text else message.model_copy(update={"text": text})


def _clipped(message: Message) -> Message:
    """A turn that is only to be understood, without the middle of a long one."""
    if len(message.text) <= CONTEXT_CHARS:
        return message
    half = CONTEXT_CHARS // 2
    text = f"{message.text[:half]} … {message.text[-half:]}"
    return message.model_copy(update={"text": text})


def _fitting(turns: list[Message], end: int, most: int) -> tuple[list[Message], int]:
    """As many turns, one at least, as have `most` characters, and the turn that they go up to."""
    chars = 0
    for position, one in enumerate(turns):
        chars += len(one.text)
        if position and chars > most:
            return turns[:position], _turn(one) - 1
    return turns, end
