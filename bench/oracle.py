"""A model over real HTTP that knows the scenes: it says their facts and judges their pairs rightly.

It reads the prompts of the product and of mem0, and gives both the same facts. Every `breaking`-th
extraction gets a reply that cannot be used as it is, in turn
prose, an answer that is cut off, nothing, and JSON of another shape. It also embeds, with the
product's own embedder, for a system that wants an embedding service.
"""

import json
import re
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

from bench.learn_scenes import POISONED, Fact, Said, contradictions
from hindwise.domain.ports import Embedder
from infra.local.fake_llm import ANY, Asked, FakeLlm, Script
from infra.local.fake_llm import Said as Answer
from infra.local.openai_http import Answer as Sent
from infra.local.openai_http import Recorded

TURN = re.compile(r"^\[(\d+)\] [^\n]*? user[^:\n]*: (.*)$", re.MULTILINE)
TALK = re.compile(r"<conversation>\n(.*?)\n</conversation>", re.DOTALL)
NEW_MESSAGES = re.compile(r"## New Messages\n(.*?)\n\n## Observation Date", re.DOTALL)
PARTS = re.compile(r"<new_memory>\n(.*?)\n</new_memory>\n\n<stored_memories>\n(.*?)\n</", re.DOTALL)
OTHER = "You are a Memory Extractor"
"""How mem0's prompt begins."""


@dataclass
class Oracle(FakeLlm):
    """Knows the facts of `scenes`; of `breaking` extractions one is broken (0: none)."""

    scenes: Sequence[Said] = ()
    breaking: int = 0
    embedder: Embedder | None = None
    tokens: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._facts = {fact.said: fact for one in self.scenes for fact in one.facts}
        self._contents = {fact.content for fact in self._facts.values()}
        self._ended = set(contradictions(self.scenes))
        self._breaks = cycle((_prose, _cut, _nothing, _misshapen))
        self._counting = threading.Lock()
        self.always(ANY, self._said)

    def answer(self, asked: Recorded) -> Sent:
        """Embed, or say what is known; calls and tokens are counted by task."""
        if self.embedder is not None and asked.path.endswith("/embeddings"):
            return self._embedded(self.embedder, asked.body["input"])
        sent = super().answer(asked)
        usage = json.loads(sent.data).get("usage", {}) if sent.status == 200 else {}
        with self._counting:
            self.tokens["all"] += usage.get("total_tokens", 0)
        return sent

    def _embedded(self, embedder: Embedder, given: str | list[str]) -> Sent:
        texts = [given] if isinstance(given, str) else given
        with self._counting:
            vectors = embedder.documents(texts)
        data = [
            {"object": "embedding", "index": number, "embedding": list(map(float, vector or ()))}
            for number, vector in enumerate(vectors)
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        body = {"object": "list", "model": "any", "data": data, "usage": usage}
        return Sent(json.dumps(body).encode())

    def _said(self, asked: Asked) -> Script:
        if asked.task == "judge":
            self._count("judge")
            return {"decisions": list(self._judged(asked.user))}
        nth = self._count("extract")
        if POISONED in asked.user:
            return _prose("")
        whole = self._other(asked.user) if OTHER in asked.system else self._learnt(asked.user)
        if self.breaking and nth % self.breaking == 0:
            return next(self._breaks)(json.dumps(whole, ensure_ascii=False))
        return whole

    def _count(self, task: str) -> int:
        with self._counting:
            self.calls[task] += 1
            return self.calls[task]

    def _learnt(self, prompt: str) -> dict[str, Any]:
        talk = TALK.search(prompt)
        turns = TURN.findall(talk[1]) if talk else []
        known = [(int(turn), self._facts.get(said)) for turn, said in turns]
        items = [fact.item(turn) for turn, fact in known if fact is not None]
        return {"memories": items, "summaries": [], "intent": None}

    def _other(self, prompt: str) -> dict[str, Any]:
        talk = NEW_MESSAGES.search(prompt)
        text = talk[1] if talk else ""
        known: list[Fact] = [fact for said, fact in self._facts.items() if said in text]
        items = [{"id": str(n), "text": fact.content} for n, fact in enumerate(known)]
        return {"memory": items}

    def _judged(self, prompt: str) -> Iterator[dict[str, Any]]:
        """A decision for each neighbour: what ends the other, what is the same, what is neither."""
        parts = PARTS.search(prompt)
        if parts is None:
            return
        new = self._content(parts[1])
        for line in parts[2].splitlines():
            old = self._content(line)
            verdict = "unrelated"
            if {(old, new), (new, old)} & self._ended:
                verdict = "contradiction"
            elif old == new:
                verdict = "duplicate"
            yield {"id": line[1 : line.index("]")], "verdict": verdict, "confidence": 0.95}

    def _content(self, line: str) -> str:
        return next((one for one in self._contents if line.endswith(f": {one}")), "")


def _prose(whole: str) -> Script:
    return Answer("Certainly! I have noted everything that was said.")


def _cut(whole: str) -> Script:
    return Answer(whole[: len(whole) // 2], finish="length")


def _nothing(whole: str) -> Script:
    return Answer("")


def _misshapen(whole: str) -> Script:
    return Answer('{"result": "ok", "count": 3}')
