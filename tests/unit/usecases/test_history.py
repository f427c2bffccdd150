"""The history of a memory leads back to the very words, and names what is not whole."""

from hashlib import sha256

import pytest

from hindwise.domain.changes import PutChunk
from hindwise.domain.conversation import Chunk, Message, SpeakerRole
from hindwise.domain.drafts import EpisodeDraft
from hindwise.domain.memory import Source
from hindwise.errors import NotFound, Unavailable
from hindwise.usecases import history as usecase
from hindwise.usecases.history import History, history
from hindwise.usecases.learning import Learning
from hindwise.usecases.transcript import Transcript, blob_name, packed, redact
from tests.builders import NOW
from tests.contract.blobs_fake import FakeBlobs
from tests.memory_queues import InMemoryBudget, InMemoryQueues
from tests.unit.usecases.desk import Desk, home, residence

WORDS = ("我搬到上海了", "恭喜！", "猫也来了")


class Past:
    """A desk with one conversation in three turns, kept word for word and as episodes."""

    def __init__(self) -> None:
        self.desk, self.blobs = Desk(), FakeBlobs()
        self.learning = Learning(
            conversations=self.desk.store.conversations,
            jobs=self.desk.store.jobs,
            blobs=self.blobs,
            queues=InMemoryQueues(self.desk.clock),
            reasoner=None,
            budget=InMemoryBudget(1, 1),
        )
        roles = (SpeakerRole.USER, SpeakerRole.ASSISTANT, SpeakerRole.USER)
        said = [
            Message(number=turn, turn=turn, role=role, text=text)
            for turn, (role, text) in enumerate(zip(roles, WORDS, strict=True), 1)
        ]
        self.blob, data = blob_name("c1", "x"), packed(said)
        self.blobs.put(home(), self.blob, data)
        chunk = Chunk(
            conversation_id="c1", first=1, count=3, first_turn=1, turns=3, blob=self.blob,
            digest=sha256(data).hexdigest(), at=NOW,
        )  # fmt: skip
        self.desk.store.commit(home(), [PutChunk(chunk=chunk)])
        self.turns = [
            self.desk.write(EpisodeDraft(content=text, session_id="c1", seq=turn)).id
            for turn, text in enumerate(WORDS, 1)
        ]

    def of(self, memory_id: str, user: str = "ada") -> History:
        call = self.desk.call(user)
        return history(memory_id, call=call, store=self.desk.store, learning=self.learning)

    def words(self, memory_id: str) -> list[tuple[int | None, str, bool]]:
        return [
            (one.turn, one.text, one.redacted)
            for said in self.of(memory_id).source_turns
            for one in said.turns
        ]


def test_a_memory_leads_to_the_words_of_its_source_and_of_its_evidence() -> None:
    past = Past()
    by_evidence = past.desk.known("用户住在上海", evidence_ids=(past.turns[0],)).id
    assert past.words(by_evidence) == [(1, WORDS[0], False)]
    source = Source(conversation_id="c1", first_turn=2, last_turn=3)
    by_source = past.desk.known("用户有猫", source=source).id
    assert past.words(by_source) == [(2, WORDS[1], False), (3, WORDS[2], False)]
    assert past.words(past.turns[2]) == [(3, WORDS[2], False)]
    assert past.of(past.turns[0]).dependants[0].id == by_evidence
    assert past.of(past.desk.said("elsewhere", session_id="c2").id).source_turns == ()


def test_redacted_words_are_gone_and_marked() -> None:
    past = Past()
    known = past.desk.known("用户住在上海", evidence_ids=(past.turns[0], past.turns[1])).id
    said = Transcript(past.learning.conversations, past.blobs)
    redact("c1", 1, 1, ledger=past.desk.ledger(), said=said)
    assert past.words(known) == [(1, "", True), (2, WORDS[1], False)]


def test_words_that_are_not_what_was_stored_are_not_told_as_such() -> None:
    past = Past()
    past.blobs.put(home(), past.blob, b"[]")
    (said,) = past.of(past.turns[0]).source_turns
    assert (said.readable, said.turns, said.first) == (False, (), 1)


def test_an_outage_is_no_empty_history(monkeypatch: pytest.MonkeyPatch) -> None:
    past = Past()

    def down(*_: object) -> bytes:
        raise Unavailable("the bucket does not answer")

    monkeypatch.setattr(past.blobs, "get", down)
    with pytest.raises(Unavailable):
        past.of(past.turns[0])


def test_the_chain_has_its_verdicts_and_who_else_was_compared() -> None:
    past = Past()
    past.desk.write(residence("住在北京", "2026-01-10T00:00:00Z", confidence=0.9))
    past.desk.write(residence("住在上海", "2026-03-01T00:00:00Z", confidence=0.9))
    doubt = past.desk.write(residence("住在拉萨", "2026-03-05T00:00:00Z", confidence=0.2))
    assert doubt.contested
    found = past.of(doubt.id)
    assert [one.content for one in found.compared] == ["住在上海"]
    assert (found.predecessors, found.successors) == ((), ())
    (old,) = past.of(found.compared[0].id).predecessors
    assert old.content == "住在北京"
    assert [one.other for one in old.verdicts] == [found.compared[0].id]
    assert found.cut == ()


def test_limits_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    past = Past()
    monkeypatch.setattr(usecase, "LINKED", 2)
    monkeypatch.setattr(usecase, "TURNS", 2)
    known = past.desk.known("all of it", evidence_ids=tuple(past.turns)).id
    assert past.of(known).cut == ("evidence",)
    whole = Source(conversation_id="c1", first_turn=1, last_turn=3)
    known = past.desk.known("the whole talk", source=whole).id
    assert past.of(known).cut == ("source_turns",)
    assert [turn for turn, _, _ in past.words(known)] == [1, 2]
    monkeypatch.setattr(usecase, "CHARS", 1)
    monkeypatch.setattr(usecase, "TURNS", 100)
    two = Source(conversation_id="c1", first_turn=1, last_turn=1)
    known = past.desk.known("x", source=two, evidence_ids=(past.turns[2],)).id
    assert past.of(known).cut == ("source_turns",)


def test_another_user_has_no_history_of_it() -> None:
    past = Past()
    with pytest.raises(NotFound):
        past.of(past.turns[0], "bob")
