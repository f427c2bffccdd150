"""What of a memory goes into the search index, as a function of the record and the turn before it.

The previous turn is part of the embedded text because that is worth more recall than any ranking
weight (window embedding: .801 against .817 recall@10 on LoCoMo); its price is that whoever changes
a turn must project its successor as well. `Document.words` are `analysis.index_words`, so that the
index is searched and the keyword score is recomputed over the same terms: one-character queries
match the single characters in there, longer queries hold none.
"""

from datetime import datetime
from hashlib import sha256

from hindwise.domain.analysis import identifiers, index_words, speaks_chinese
from hindwise.domain.document import ASKS, CHINESE, DATED, Document
from hindwise.domain.memory import Episode, LongTermMemory, Status
from hindwise.domain.timewords import asks, dated

_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
BEFORE_CHARS = 500
"""Of the turn before: embedders read the beginning of a text, and that has to be this turn's."""


def document_of(
    memory: LongTermMemory, previous: LongTermMemory | None, embedder_id: str
) -> tuple[Document, str]:
    """Project a record; give its document, still without a vector, and the text to embed.

    `previous` is the record at the place before it in its session, if there is one. Nothing but
    content is analysed or embedded: no metadata, captions or tool results.
    """
    embedded = embedded_text(memory, previous)
    document = Document(
        id=memory.id,
        version=memory.version,
        words=" ".join(index_words(dated_text(memory))),
        exact=identifiers(memory.content),
        chars=len(memory.content),
        flags=flags_of(memory.content),
        facets=facets_of(memory),
        text_hash=sha256(f"{embedder_id}\x1f{embedded}".encode()).hexdigest(),
    )
    return document, embedded


def spoken_text(memory: LongTermMemory) -> str:
    """The content behind its speaker's name, where there is one."""
    speaker = memory.speaker if isinstance(memory, Episode) else None
    return f"{speaker}: {memory.content}" if speaker else memory.content


def dated_text(memory: LongTermMemory) -> str:
    """The spoken text behind its date, in words of its language and in the memory's own offset.

    `[07 May 2023] Ann: Hello` or `2023年5月7日 7号 用户: 你好`, worth .02 recall of BM25.
    """
    return prefix_of(memory, CHINESE if speaks_chinese(memory.content) else 0) + memory.content


def prefix_of(memory: LongTermMemory, flags: int) -> str:
    """What stands before the content in the words of a document with these `flags`."""
    speaker = memory.speaker if isinstance(memory, Episode) else None
    return _date_words(memory.event_time, flags) + (f"{speaker}: " if speaker else "")


def embedded_text(memory: LongTermMemory, previous: LongTermMemory | None) -> str:
    """The spoken text, behind that of the previous turn of its session while that is active."""
    text = spoken_text(memory)
    if previous is None or not _precedes(previous, memory):
        return text
    return f"{spoken_text(previous)[-BEFORE_CHARS:]} {text}"


def facets_of(memory: LongTermMemory) -> LongTermMemory:
    """The record without its texts: what filters, visibility and ranking look at."""
    outcome = memory.outcome and memory.outcome.model_copy(update={"note": None})
    emptied: dict[str, object] = {
        "content": "",
        "change_reason": None,
        "verdicts": tuple(one.model_copy(update={"reason": ""}) for one in memory.verdicts),
        "alternatives": (),
        "expected_outcome": None,
        "outcome": outcome,
        "audit_head": "",
        "claims": (),
    }
    if isinstance(memory, Episode):
        emptied |= {"summary": None, "tool_results": ()}
    return memory.model_copy(update=emptied)


def flags_of(text: str) -> int:
    """Whether a text asks, names a time, or holds Chinese, as a bit set of document's flags."""
    flags = ASKS if asks(text) else 0
    flags |= DATED if dated(text) else 0
    return flags | (CHINESE if speaks_chinese(text) else 0)


def _precedes(previous: LongTermMemory, memory: LongTermMemory) -> bool:
    return (
        isinstance(memory, Episode)
        and isinstance(previous, Episode)
        and memory.session_id is not None
        and previous.session_id == memory.session_id
        and previous.status is Status.ACTIVE
    )


def _date_words(moment: datetime, flags: int) -> str:
    if flags & CHINESE:
        return f"{moment.year}年{moment.month}月{moment.day}日 {moment.day}号 "
    return f"[{moment.day:02d} {_MONTHS[moment.month - 1]} {moment.year}] "
