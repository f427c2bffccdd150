from datetime import timedelta
from hashlib import sha256

import pytest

from hindwise.domain.changes import PutChunk
from hindwise.domain.context import ENGLISH, Entry, render, without_blocks
from hindwise.domain.conversation import Chunk, Message, SpeakerRole, mark, turn_id
from hindwise.domain.scope import Origin
from hindwise.errors import Unavailable, Unreadable
from hindwise.usecases import transcript
from hindwise.usecases.transcript import Transcript, blob_name, packed
from tests.builders import NOW, scope
from tests.contract.blobs_fake import FakeBlobs
from tests.unit.usecases.desk import Desk

SCOPE = scope("ada")
ROLES = (SpeakerRole.SYSTEM, SpeakerRole.USER, SpeakerRole.ASSISTANT)


class Talk:
    """A conversation stored in chunks of given sizes; every third message is a system's."""

    def __init__(self, *sizes, ceiling=Origin.OWNER):
        self.desk, self.blobs = Desk(), FakeBlobs()
        self.said = Transcript(self.desk.store.conversations, self.blobs)
        number = turn = 0
        for size in sizes:
            first, first_turn, messages = number + 1, turn + 1, []
            for _ in range(size):
                role = ROLES[number % 3]
                number += 1
                turn += role is not SpeakerRole.SYSTEM
                place = None if role is SpeakerRole.SYSTEM else turn
                text = f"words {number}"
                messages.append(Message(number=number, role=role, text=text, turn=place))
            data, blob = packed(messages), blob_name("c", str(first))
            self.blobs.put(SCOPE, blob, data)
            chunk = Chunk(
                conversation_id="c", first=first, count=size, first_turn=first_turn,
                turns=turn + 1 - first_turn, blob=blob, digest=sha256(data).hexdigest(), at=NOW,
                principal="ann", ceiling=ceiling,
            )  # fmt: skip
            self.desk.store.commit(SCOPE, [PutChunk(chunk=chunk)])

    def turns(self, first, last):
        return [(one.turn, one.text) for one in self.said.turns(SCOPE, "c", first, last)]

    def chunks(self):
        return self.said.conversations.chunks(SCOPE, "c")

    def redact(self, first, last):
        transcript.redact("c", first, last, ledger=self.desk.ledger(), said=self.said)

    def stored(self):
        return b"".join(self.blobs.get(SCOPE, name) for name in self.blobs.names(SCOPE)).decode()


def test_turns_are_counted_without_those_who_only_instruct():
    talk = Talk(4, 5)
    assert talk.turns(1, 99) == [(n, f"words {n + (n + 1) // 2}") for n in range(1, 7)]
    assert [turn for turn, _ in talk.turns(3, 4)] == [3, 4]
    assert talk.turns(7, 9) == []


def test_the_last_turns_of_a_long_conversation_are_found_from_its_end(monkeypatch):
    monkeypatch.setattr(transcript, "AT_ONCE", 2)
    talk = Talk(*[1] * 60)
    assert [turn for turn, _ in talk.turns(39, 40)] == [39, 40]
    assert [turn for turn, _ in talk.turns(2, 30)] == list(range(2, 31))


@pytest.mark.parametrize("limit", [1, 2, 5, 8, 9, 50])
def test_pages_hold_every_message_once_and_in_order(limit, monkeypatch):
    monkeypatch.setattr(transcript, "AT_ONCE", 2)
    talk, found, after = Talk(4, 1, 1, 3), [], None
    while True:
        page = talk.said.page(SCOPE, "c", after=after, limit=limit)
        assert len(page.messages) <= limit
        found += [one.number for one in page.messages]
        after = page.after
        if after is None:
            break
    assert found == list(range(1, 10))


def test_a_word_counts_for_no_more_than_whoever_sent_it():
    owner = {one.role: one.origin for one in Talk(3).said.turns(SCOPE, "c", 1, 2)}
    assert owner == {SpeakerRole.USER: Origin.OWNER, SpeakerRole.ASSISTANT: Origin.AGENT}
    low = Talk(3, ceiling=Origin.TOOL).said.turns(SCOPE, "c", 1, 2)
    assert {one.origin for one in low} == {Origin.TOOL}
    assert {one.principal for one in low} == {"ann"}


def test_a_turn_has_one_id_wherever_it_is_read():
    one, other = Talk(3).said.turns(SCOPE, "c", 1, 2)
    assert turn_id(SCOPE, "c", one) == turn_id(SCOPE, "c", Talk(3).said.turns(SCOPE, "c", 1, 1)[0])
    assert turn_id(SCOPE, "c", one) < turn_id(SCOPE, "c", other)
    assert turn_id(SCOPE, "c", one) != turn_id(SCOPE, "d", one)
    with pytest.raises(ValueError, match="chunk"):
        turn_id(SCOPE, "c", Message(number=1, role=SpeakerRole.USER, turn=1))


def test_a_mark_tells_what_says_the_same():
    hello = Message(number=1, role=SpeakerRole.USER, text="hello", at=NOW, turn=1)
    assert mark(hello.model_copy(update={"turn": None})) == f"-{mark(hello)}"
    assert mark(hello) == mark(hello.model_copy(update={"number": 7, "turn": 3}))
    later = {"at": NOW + timedelta(seconds=1)}
    for change in ({"text": "hi"}, {"role": SpeakerRole.TOOL}, {"name": "ann"}, later):
        assert mark(hello.model_copy(update=change)) != mark(hello)


def test_what_is_not_what_was_stored_is_not_read():
    talk = Talk(3)
    [chunk] = talk.chunks()
    talk.blobs.put(SCOPE, chunk.blob, b"[]")
    with pytest.raises(Unreadable, match="not what was stored"):
        talk.turns(1, 2)
    talk.blobs.delete(SCOPE, chunk.blob)
    with pytest.raises(Unreadable, match="gone"):
        talk.turns(1, 2)


def test_what_does_not_read_as_messages_is_said_without_its_words():
    talk = Talk(3)
    [chunk] = talk.chunks()
    data = b'[{"number": 1, "role": "user", "text": ["secret"]}]'
    talk.blobs.put(SCOPE, chunk.blob, data)
    wrong = chunk.model_copy(update={"digest": sha256(data).hexdigest()})
    talk.desk.store.commit(SCOPE, [PutChunk(chunk=wrong, before=chunk)])
    with pytest.raises(Unreadable) as caught:
        talk.turns(1, 2)
    assert "secret" not in f"{caught.value} {caught.value.__cause__}"


def test_redacted_turns_keep_their_place_and_lose_their_words_everywhere():
    talk = Talk(3, 3)
    marks = [chunk.marks for chunk in talk.chunks()]
    talk.redact(2, 3)
    assert talk.turns(1, 9) == [(1, "words 2"), (2, ""), (3, ""), (4, "words 6")]
    assert "words 3" not in talk.stored() and "words 5" not in talk.stored()
    assert len(list(talk.blobs.names(SCOPE))) == 2
    assert [chunk.marks for chunk in talk.chunks()] == marks
    kept = talk.chunks()
    talk.redact(2, 3)
    assert talk.chunks() == kept


def test_a_redaction_that_broke_off_is_completed_by_the_next():
    talk = Talk(3)
    delete, talk.blobs.delete = talk.blobs.delete, _down
    with pytest.raises(Unavailable):
        talk.redact(1, 1)
    talk.blobs.delete = delete
    assert "words 2" in talk.stored()
    talk.redact(1, 1)
    assert "words 2" not in talk.stored()


def test_words_that_are_redacted_while_they_are_read_are_read_without(monkeypatch):
    talk = Talk(3)
    [stale] = talk.chunks()
    talk.redact(1, 1)
    assert [one.text for one in talk.said.messages_of(SCOPE, stale)] == ["words 1", "", "words 3"]


def _down(scope, name):
    raise Unavailable("S3 does not answer")


def test_a_redaction_that_lost_its_race_leaves_nothing_behind():
    talk = Talk(3)
    talk.desk.store.faults.race_next(2, on=PutChunk)
    talk.redact(1, 1)
    assert "words 2" not in talk.stored()
    assert len(list(talk.blobs.names(SCOPE))) == 1
    talk.desk.store.faults.race_next(999, on=PutChunk)
    with pytest.raises(Unavailable):
        talk.redact(2, 2)
    assert len(list(talk.blobs.names(SCOPE))) == 1


CAT = Entry(id="1", day="2026-01-01", label="fact", weight=0.9, text="The cat\nis <Miso>")
BLOCK = render([CAT], [CAT], ENGLISH)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("What is her name?", "What is her name?"),
        (f"{BLOCK}\n\nWhat is her name?", "What is her name?"),
        (f"You help.\n{BLOCK}\nBe kind.\n{BLOCK}", "You help.\n\nBe kind."),
        (BLOCK.replace("\n", "\r\n") + "\r\nHi", "Hi"),
        (BLOCK.removesuffix("\n</memories>") + "\nI moved to Brno.", "I moved to Brno."),
        ("The tag <memories> is ours. I moved.", "The tag <memories> is ours. I moved."),
        (BLOCK, ""),
    ],
)
def test_recalled_memories_are_not_heard(text, left):
    assert without_blocks(text) == left
    message = Message(number=1, role=SpeakerRole.USER, text=text)
    assert transcript.heard(message) == left


def test_blocks_are_taken_out_in_linear_time():
    opened = BLOCK.split("\n")[0]
    assert without_blocks(opened * 3_000 + "x" * 100_000).startswith("x")
