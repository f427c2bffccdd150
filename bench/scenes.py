"""Makes memories for the speed benchmarks: dialogue in English and Chinese, in sessions of 25.

A few hundred sentences are analysed and embedded for real; every memory is one of them with a
number of its own and a vector moved a little, so that a hundred thousand are made in seconds and
words and vectors are still spread as in real text. The same number gives the same memory.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import islice, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindwise.domain.document import Document, Vector
from hindwise.domain.ids import derived_id
from hindwise.domain.memory import Episode, LongTermMemory, SemanticMemory
from hindwise.domain.ports import Embedder
from hindwise.domain.projection import document_of, facets_of
from hindwise.domain.scope import Origin, Scope

BEGAN = datetime(2025, 1, 6, 9, 0, tzinfo=UTC)
TURNS = 25
"""Turns of one session."""
KNOWN = 20
"""One memory in so many is an important fact, so that context blocks have a background."""
MOVED = 0.35
"""How far a vector is moved from its sentence's, against its length of 1."""
WHO = ("Maria", "Tom", "Aisha", "李雷", "韩梅梅")
ENGLISH = (
    "I moved the {thing} to {day} because of the {cause}.",
    "Did you see that the {thing} failed again after the {cause}?",
    "We agreed to pay for the {thing} before {day}, whatever the {cause} brings.",
    "My sister wants a {thing} for her birthday on {day}.",
    "The {cause} cost us two hours, so the {thing} waits until {day}.",
)
CHINESE = (
    "因为{cause}，我把{thing}改到了{day}。",
    "{day}之前要把{thing}的钱付掉，别忘了{cause}。",
    "我妹妹{day}过生日，想要{thing}。",
    "{thing}又坏了，是不是{cause}的问题？",
)
THINGS = (
    ("release", "piano lesson", "flight to Lisbon", "dentist appointment", "blue bicycle",
     "rent contract", "cooking class", "database migration", "garden fence"),
    ("发布会", "钢琴课", "去成都的机票", "牙医预约",
     "蓝色自行车", "租房合同", "烹饪班", "数据迁移"),
)  # fmt: skip
DAYS = (("Monday", "Thursday", "the 7th of May", "next week"), ("周一", "周四", "五月七号", "下周"))
CAUSES = (
    ("storm", "new manager", "strike", "headache", "budget cut"),
    ("台风", "新经理", "罢工", "头疼", "预算"),
)
QUESTIONS = (
    "When did Maria move the release?",
    "What does the sister want for her birthday?",
    "去成都的机票什么时候付钱？",
    "Why did the database migration fail?",
    "韩梅梅的钢琴课改到哪天了？",
    "Who complained about the storm and the garden fence?",
    "蓝色自行车怎么了？",
    "How long does the rent contract wait?",
)


def sentences() -> list[str]:
    """All sentences, English and Chinese by turns."""
    sides = [
        [form.format(thing=thing, day=day, cause=cause) for form, thing, day, cause in filled]
        for filled in (
            product(ENGLISH, THINGS[0], DAYS[0], CAUSES[0]),
            product(CHINESE, THINGS[1], DAYS[1], CAUSES[1]),
        )
    ]
    return [text for pair in zip(*sides, strict=False) for text in pair]


def questions() -> Iterator[str]:
    """Questions without end, no two alike, so that no cache has seen one."""
    number = 0
    while True:
        for question in QUESTIONS:
            yield f"{question} ({number})"
            number += 1


@dataclass(frozen=True)
class Made:
    """A memory of a scope and what is projected of it."""

    scope: Scope
    memory: LongTermMemory
    document: Document


class Scene:
    """Makes any number of memories for an embedder."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder.id
        self._texts = sentences()
        vectors = [one for one in embedder.documents(self._texts) if one is not None]
        self._vectors: NDArray[np.float32] = np.array(vectors, np.float32)
        self._plain: list[Document] = []

    def made(self, count: int, scopes: int, *, tenant: str) -> Iterator[Made]:
        """`count` memories over `scopes` users `u0`, `u1`, ... of a tenant, scope after scope."""
        each = count // scopes
        for user in range(scopes):
            scope = Scope(tenant=tenant, user=f"u{user}")
            for place in range(each):
                yield self._one(scope, user * each + place, place)

    def _one(self, scope: Scope, number: int, place: int) -> Made:
        at = BEGAN + timedelta(minutes=place)
        text = f"{self._texts[number % len(self._texts)]} ({number})"
        same: dict[str, Any] = {"id": derived_id(at, scope.user, str(number)), "content": text}
        same |= {"event_time": at, "created_at": at, "updated_at": at}
        same |= {"session_id": f"s{place // TURNS}", "origin": Origin.OWNER, "principal": "bench"}
        memory: LongTermMemory
        if place % KNOWN == KNOWN - 1:
            memory = SemanticMemory(**same, importance=0.8)
        else:
            who = WHO[number % len(WHO)]
            memory = Episode(**same, seq=place % TURNS + 1, speaker=who)
        return Made(scope=scope, memory=memory, document=self._document(memory, number))

    def _document(self, memory: LongTermMemory, number: int) -> Document:
        base = number % len(self._texts)
        if base >= len(self._plain):
            self._plain += [self._analysed(memory, at) for at in range(len(self._plain), base + 1)]
        plain = self._plain[base]
        return replace(
            plain,
            id=memory.id,
            words=f"{plain.words} {number}",
            facets=facets_of(memory),
            text_hash=f"{number:064x}",
            vector=self._moved(base, number),
        )

    def _analysed(self, memory: LongTermMemory, base: int) -> Document:
        known = memory.model_copy(update={"content": self._texts[base]})
        return document_of(known, None, self._embedder)[0]

    def _moved(self, base: int, number: int) -> Vector:
        noise = np.random.default_rng(number).standard_normal(self._vectors.shape[1])
        moved = self._vectors[base] + MOVED * noise / np.linalg.norm(noise)
        return array("f", (moved / np.linalg.norm(moved)).astype(np.float32).tobytes())


def bodies(count: int, users: int) -> Iterator[dict[str, object]]:
    """Bodies of POST /v1/memories: one new turn each, users by turns."""
    texts = sentences()
    for number in islice(range(10**9), count):
        yield {
            "user_id": f"u{number % users}",
            "kind": "episodic",
            "content": f"{texts[number * 7 % len(texts)]} (new {number})",
            "session_id": f"new{number // TURNS}",
            "speaker": WHO[number % len(WHO)],
        }
