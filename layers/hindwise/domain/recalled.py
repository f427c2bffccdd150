"""Takes out of a message what its agent was shown from memory, so that it is not learnt again.

Learning from one's own answers makes a memory grow by being read. What counts is our own marks: the
context block, and the JSON in which a tool hands on a search or a context. Where there is nothing
of the kind a text stays as it is, blank for blank.
"""

import json
from collections.abc import Iterable

from pydantic import JsonValue

from hindwise.domain.context import without_blocks
from hindwise.domain.conversation import Message, SpeakerRole

RECALL = "recall_id"
"""The field by which an answer of ours is known."""
NESTING = 6
MARKS = "> \t\r\n|*`#-_"
"""What is left of a block that was quoted or fenced."""


def own_words(message: Message) -> str:
    """What was said in a message beside what was recalled; empty where there was nothing else."""
    if message.role is SpeakerRole.TOOL and RECALL in message.text and _recalled(message.text):
        return ""
    left = without_blocks(message.text)
    return left if left == message.text or left.strip(MARKS) else ""


def _recalled(value: JsonValue, depth: int = NESTING) -> bool:
    """Tell whether an answer of ours is in what a tool gave, wrapped as tools wrap things."""
    if isinstance(value, str):
        if RECALL not in value or value.lstrip()[:1] not in ("{", "["):
            return False
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return False
    if isinstance(value, dict):
        return RECALL in value or (depth > 0 and _any(value.values(), depth))
    return isinstance(value, list) and depth > 0 and _any(value, depth)


def _any(values: Iterable[JsonValue], depth: int) -> bool:
    return any(_recalled(each, depth - 1) for each in values)
