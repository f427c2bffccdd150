"""Takes out of a message what its agent was shown from memory, so that it is not learnt again.

Learning from one's own answers makes a memory grow by being read. What counts is our own marks: the
context block, also one that was cut off, and the JSON in which a tool hands on a search. Where
there is nothing of the kind a text stays as it is, blank for blank.
"""

import json
import re
from functools import cache

from hindwise.domain.context import CLOSE, OPEN, is_line
from hindwise.domain.conversation import SpeakerRole

RECALL = "recall_id"
"""The field by which an answer of ours is known."""


@cache
def _opening() -> re.Pattern[str]:
    """The first line of a block; its quotes are escaped where the block stands in JSON."""
    return re.compile(re.escape(OPEN) + r" note=\\?[\"'][^>\n]*>")


def own_words(text: str, role: SpeakerRole) -> str:
    """What was said in a message beside what was recalled; empty where there was nothing else."""
    if role is SpeakerRole.TOOL and _handed_on(text):
        return ""
    kept, position, closes = "", 0, True
    while found := _opening().search(text, position):
        kept += text[position : found.start()]
        end = text.find(CLOSE, found.end()) if closes else -1
        closes = end >= 0
        position = end + len(CLOSE) if closes else _cut_off(text, found.end())
    if not position:
        return text
    return re.sub(r"\n[ \t]*\n\s*\n", "\n\n", kept + text[position:]).strip()


def _handed_on(text: str) -> bool:
    """Tell whether a tool's message is an answer of ours."""
    if RECALL not in text or not text.lstrip().startswith("{"):
        return False
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(said, dict) and RECALL in said


def _cut_off(text: str, start: int) -> int:
    """Where a block that was never closed ends: after the last line that is one of its own."""
    end = text.find("\n", start)
    while end >= 0:
        following = text.find("\n", end + 1)
        line = text[end + 1 : following if following >= 0 else len(text)].strip()
        if not is_line(line):
            return end
        end = following
    return len(text)
