"""Takes out of a message what its agent was shown from memory, so that it is not learnt again.

Learning from one's own answers makes a memory grow by being read. What counts is our own marks: the
context block, and the JSON in which a tool hands on a search or a context. Where there is nothing
of the kind a text stays as it is, blank for blank.
"""

import json

from hindwise.domain.context import without_blocks
from hindwise.domain.conversation import Message, SpeakerRole

RECALL = "recall_id"
"""The field by which an answer of ours is known."""


def own_words(message: Message) -> str:
    """What was said in a message beside what was recalled; empty where there was nothing else."""
    handed_on = message.role is SpeakerRole.TOOL and _is_recall(message.text)
    return "" if handed_on else without_blocks(message.text)


def _is_recall(text: str) -> bool:
    """Tell whether a text is an answer of ours."""
    if RECALL not in text or not text.lstrip().startswith("{"):
        return False
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(said, dict) and RECALL in said
