"""Candidates and questions for ranking tests, analysed as the product does."""

from collections.abc import Iterable
from datetime import datetime

from hindwise.domain.analysis import identifiers, query_words
from hindwise.domain.document import Candidate
from hindwise.domain.memory import LongTermMemory
from hindwise.domain.projection import document_of
from hindwise.domain.ranking import Asked, Part, Ranked
from hindwise.domain.timewords import read
from tests.builders import NOW


def candidate(
    memory: LongTermMemory, *, keyword: float | None = None, cosine: float | None = None
) -> Candidate:
    return Candidate(document_of(memory, None, "test")[0], keyword=keyword, cosine=cosine)


def asked(text: str, *, now: datetime = NOW) -> Asked:
    return Asked(
        text=text,
        terms=tuple(query_words(text)),
        exact=tuple(identifiers(text)),
        time=read(text, now),
        now=now,
    )


def ids(items: Iterable[Candidate | Ranked]) -> list[str]:
    candidates = (one.candidate if isinstance(one, Ranked) else one for one in items)
    return [one.document.id for one in candidates]


def parts_of(item: Ranked) -> dict[str, Part]:
    return {part.name: part for part in item.parts}
