"""Conversations and the model that reads them, for tests of extraction: over real HTTP.

`Reader` answers by what it is shown: for each of its lessons whose mark stands in a turn that is to
be learnt from, the items of that lesson, with the number of that turn.
"""

import re
from typing import Any

from hindwise.adapters.reasoners.openai import OpenAIReasoner
from infra.local.fake_llm import Asked, FakeLlm

TURN = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)


class Reader:
    """What a model finds in a conversation: items by a mark that stands in the turn."""

    def __init__(self, **lessons: list[dict[str, Any]]) -> None:
        self.lessons = lessons

    def __call__(self, asked: Asked) -> dict[str, Any]:
        memories = []
        for number, text in shown(asked):
            for mark, items in self.lessons.items():
                if mark in text:
                    memories += [{**one, "turns": [int(number)]} for one in items]
        return {"memories": memories}


def shown(asked: Asked) -> list[tuple[str, str]]:
    """The turns that a question is about, by number, without those that come before."""
    block = asked.user.split("<conversation>")[1].split("</conversation>")[0]
    return TURN.findall(block)


def item(content: str, **more: Any) -> dict[str, Any]:
    """What a model says of one thing that it learnt."""
    return {"type": "fact", "content": content, "confidence": 0.9, "importance": 0.6, **more}


def reasoner(llm: FakeLlm) -> OpenAIReasoner:
    return OpenAIReasoner("scripted-model", key="k", base_url=llm.url)
