"""A model for `bench-cost`: what it says has the size that the page speaks of, and costs nothing.

Of a window it learns three facts, of a pair that both stand, of a domain three patterns. Tokens are
counted by the product's own estimate of them.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from hindwise.domain.ports import Question, Reply
from hindwise.domain.tokens import tokens

FACTS = PATTERNS = 3
TURN = re.compile(r"^\[(\d+)\] [^\n]*? user[^:\n]*: (.*)$", re.MULTILINE)
ID = re.compile(r"^\[([0-9A-HJKMNP-TV-Z]{26})\]", re.MULTILINE)


class CostReasoner:
    """Answers at once; `asked` is told the tokens of each question and of its answer."""

    id = "any-model"

    def __init__(self, asked: Callable[[int, int], None]) -> None:
        self._asked = asked

    def ask(self, question: Question) -> Reply:
        """Answer by the shape that is wanted."""
        said = json.dumps(SHAPES[question.shape](question.user), ensure_ascii=False)
        put, got = tokens(question.system) + tokens(question.user), tokens(said)
        self._asked(put, got)
        return Reply(text=said, input_tokens=put, output_tokens=got)


def _extracted(prompt: str) -> dict[str, Any]:
    """Facts that are near each other, so that whoever settles one has neighbours to ask about."""
    talk = prompt.split("<conversation>")[1].split("</conversation>")[0]
    items = [
        {
            "type": "fact",
            "content": f"Maria's weekly meeting about {text[-6:-1]} is on Thursday",
            "entities": ["Maria"],
            "confidence": 0.9,
            "importance": 0.6,
            "quote": text[:40],
            "turns": [int(turn)],
            "worth": "keep",
        }
        for turn, text in TURN.findall(talk)[:FACTS]
    ]
    return {"memories": items, "summaries": [], "intent": "to plan the week"}


def _judged(prompt: str) -> dict[str, Any]:
    stored = prompt.split("<stored_memories>")[1]
    return {
        "decisions": [
            {"id": each, "verdict": "coexist", "confidence": 0.9, "reason": "both stand"}
            for each in ID.findall(stored)
        ]
    }


def _recurring(prompt: str) -> dict[str, Any]:
    ids = ID.findall(prompt)
    patterns = [
        {"content": f"What was planned for a Friday was moved, the {number}. time.",
         "evidence_ids": ids[number :: PATTERNS], "confidence": 0.9, "conflicts": []}
        for number in range(PATTERNS)
    ]  # fmt: skip
    return {"patterns": patterns}


SHAPES: dict[str, Callable[[str], dict[str, Any]]] = {
    "extract": _extracted,
    "judge": _judged,
    "consolidate": _recurring,
}
