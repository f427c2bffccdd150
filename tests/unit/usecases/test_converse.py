"""Taking in what was said: the words first, one transaction, then whoever learns."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from hindwise.domain.audit import chain_of, unbroken
from hindwise.domain.changes import Answered, PutConversation
from hindwise.domain.conversation import SpeakerRole
from hindwise.domain.jobs import JobState
from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.ports import QueueName
from hindwise.domain.talk import Sent, Talk
from hindwise.errors import Invalid, NotFound, Unavailable
from hindwise.usecases.converse import Taken, converse
from hindwise.usecases.learning import Learning
from hindwise.usecases.once import RequestKey, replaying
from hindwise.usecases.transcript import Transcript
from tests.builders import scope
from tests.contract.blobs_fake import FakeBlobs
from tests.memory_queues import InMemoryBudget, InMemoryQueues
from tests.unit.usecases.desk import Desk


class Room:
    """Where people talk."""

    def __init__(self):
        self.desk, self.blobs = Desk(), FakeBlobs()
        self.queues = InMemoryQueues(self.desk.clock)
        self.rules()

    def rules(self, **given):
        self.learning = Learning(
            conversations=self.desk.store.conversations,
            jobs=self.desk.store.jobs,
            blobs=self.blobs,
            queues=self.queues,
            reasoner=None,
            budget=InMemoryBudget(10, 10_000),
            rules=LearningRules(llm_configured=True, **given),
        )

    def say(self, *texts, ledger=None, **talk):
        sent = tuple(Sent(role=SpeakerRole.USER, text=text) for text in texts)
        given = Talk(**{"id": "c", "messages": sent, **talk})
        return converse(given, ledger=ledger or self.desk.ledger(), learning=self.learning)

    def told(self, conversation_id="c"):
        said = Transcript(self.learning.conversations, self.blobs)
        page = said.page(scope(), conversation_id, limit=1_000)
        return [(one.number, one.turn, one.text) for one in page.messages]

    def jobs(self):
        return self.learning.jobs.page(scope(), after=None, limit=100)


@pytest.fixture
def room():
    return Room()


def test_words_lie_where_the_table_says_before_anybody_is_sent_for(room):
    taken = room.say("hello", "there", end=True)
    [job] = room.jobs()
    assert taken == Taken(
        conversation_id="c", job_id=job.id, state=JobState.ACCEPTED, added=2, messages=2, turns=2
    )
    assert room.told() == [(1, 1, "hello"), (2, 2, "there")]
    assert room.queues.take(QueueName.EXTRACT) == (scope(), job.id)


def test_a_conversation_without_a_name_gets_one(room):
    one, other = room.say("a", id=None), room.say("a", id=None)
    assert one.conversation_id != other.conversation_id
    assert room.told(one.conversation_id) == [(1, 1, "a")]


def test_what_grows_is_stored_once_and_jobs_cover_only_what_is_new(room):
    first = room.say("a", "b", whole=True, end=True)
    grown = room.say("a", "b", "c", whole=True, end=True)
    assert (grown.added, grown.turns) == (1, 3)
    runs = sorted((job.first_turn, job.last_turn) for job in room.jobs())
    assert runs == [(1, 2), (3, 3)]
    again = room.say("a", "b", "c", whole=True, end=True)
    assert (again.added, again.job_id) == (0, grown.job_id) != (0, first.job_id)
    assert room.say("b", "c", whole=True, end=True).job_id == grown.job_id
    assert room.say("x", whole=True, end=True).added == 1
    assert [text for _, _, text in room.told()] == ["a", "b", "c", "x"]


def test_a_long_conversation_is_known_again_from_its_chunks(room):
    texts = [f"turn {number}" for number in range(150)]
    for text in texts:
        room.say(text)
    assert room.say(*texts, "more", whole=True).added == 1
    assert room.say(*texts[:100], whole=True).added == 0
    assert room.say(*texts[80:], "more", whole=True).added == 0
    assert room.say(*texts[80:], whole=True).added == 70


def test_nothing_is_taken_in_where_the_words_cannot_be_kept(room):
    room.blobs.down = True
    with pytest.raises(Unavailable):
        room.say("hello", end=True)
    room.blobs.down = False
    assert room.learning.conversations.get(scope(), "c") is None
    assert not room.jobs() and not room.queues.sent


def test_what_failed_to_commit_is_not_there(room):
    room.desk.store.faults.fail_next(on="commit")
    with pytest.raises(Unavailable):
        room.say("hello", end=True)
    assert not room.jobs() and not room.queues.sent
    assert room.say("hello", end=True).added == 1
    assert room.told() == [(1, 1, "hello")]


def test_a_lost_race_decides_again_and_leaves_no_words_behind(room):
    room.desk.store.faults.race_next(3, on=PutConversation)
    room.say("hello", end=True)
    assert room.told() == [(1, 1, "hello")] and len(room.jobs()) == 1
    assert len(list(room.blobs.names(scope()))) == 1
    room.desk.store.faults.race_next(999, on=PutConversation)
    with pytest.raises(Unavailable, match="writers"):
        room.say("more")
    assert len(list(room.blobs.names(scope()))) == 1


def test_writers_at_once_lose_nothing_and_double_nothing(room):
    def say(number):
        return room.say(f"w{number} a", f"w{number} b")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(say, range(24)))
    told = room.told()
    assert [number for number, _, _ in told] == list(range(1, 49))
    assert [turn for _, turn, _ in told] == list(range(1, 49))
    assert {text for _, _, text in told} == {f"w{n} {x}" for n in range(24) for x in "ab"}
    runs = sorted((job.first_turn, job.last_turn) for job in room.jobs())
    assert [turn for first, last in runs for turn in range(first, last + 1)] == [
        *range(1, runs[-1][1] + 1)
    ]
    assert len(list(room.blobs.names(scope()))) == 24


def test_the_same_conversation_sent_by_many_at_once_is_stored_once(room):
    def say(_):
        return room.say("a", "b", "c", whole=True, end=True)

    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(say, range(16)))
    assert len(room.told()) == 3 and len(room.jobs()) == 1
    assert {one.job_id for one in taken} == {room.jobs()[0].id}
    assert sum(one.added for one in taken) == 3


def repeated(room, key="k", digest="d", text="hello"):
    def act(ledger):
        return room.say(text, end=True, ledger=ledger)

    return replaying(
        RequestKey(key=key, digest=digest), act, Taken.model_validate_json,
        ledger=room.desk.ledger(), requests=room.desk.store.requests,
    )  # fmt: skip


def at(minute, text, role=SpeakerRole.USER):
    moment = datetime(2026, 4, 1, 9, minute, tzinfo=UTC)
    return Sent(role=role, text=text, at=moment)


def test_an_append_that_is_tried_again_without_a_key_is_stored_once(room):
    one, two, three = (at(minute, "yes") for minute in range(3))
    first = room.say(messages=(one, two))
    assert room.say(messages=(one, two)).model_copy(update={"added": 2}) == first
    assert room.say(messages=(two, three)).added == 1
    assert room.say(messages=(one,)).added == 0, "others came in between"
    assert room.say(messages=(two, one)).added == 2, "said in another order"
    assert room.say(messages=(three,), end=True).job_id is not None
    assert [text for _, _, text in room.told()] == ["yes"] * 5
    assert room.say(messages=(at(2, "yes", SpeakerRole.ASSISTANT),)).added == 1


def test_what_is_said_twice_at_no_known_time_is_said_twice(room):
    room.say("yes")
    assert room.say("yes").messages == 2
    half = (at(0, "so"), Sent(role=SpeakerRole.USER, text="yes"))
    room.say(messages=half)
    assert room.say(messages=half).messages == 6


def test_appends_tried_again_by_many_at_once_are_stored_once(room):
    said = [(at(minute, f"{minute}"),) for minute in range(4)]
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda one: room.say(messages=one), said * 3))
    assert sum(one.added for one in taken) == 4
    assert sorted(text for _, _, text in room.told()) == ["0", "1", "2", "3"]


def test_a_repeated_request_is_answered_as_it_was(room):
    assert repeated(room) == repeated(room)
    assert len(room.told()) == 1 and len(room.queues.sent) == 1


def test_the_same_request_at_once_is_done_once(room):
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda _: repeated(room), range(8)))
    assert len({one.job_id for one in taken}) == 1
    assert len(room.told()) == 1 and len(list(room.blobs.names(scope()))) == 1


def test_a_race_on_the_request_is_for_whoever_holds_the_key(room):
    room.desk.store.faults.race_next(on=Answered)
    with pytest.raises(Unavailable, match="same request"):
        repeated(room)
    assert not list(room.blobs.names(scope()))
    assert repeated(room).added == 1


def test_what_a_conversation_is_without_a_model_is_said(room):
    assert room.say("a", infer=False).verbatim == "infer"
    room.learning = Learning(
        **{**vars(room.learning), "rules": LearningRules(llm_configured=False)}
    )
    assert room.say("a", id="d").verbatim == "no_llm"


def test_no_model_and_no_queue_is_waited_for(room):
    room.queues.down = True
    assert room.say("hello", end=True).state is JobState.ACCEPTED
    [job] = room.jobs()
    assert job.next_at is not None and job.next_at > room.desk.clock()


def test_metadata_does_not_grow_without_bound(room):
    room.say("a", metadata={"a": "x" * 5_000})
    with pytest.raises(Invalid, match="metadata"):
        room.say("b", metadata={"b": "x" * 5_000})
    assert len(room.told()) == 1


def test_there_is_no_end_of_what_never_began(room):
    with pytest.raises(NotFound):
        room.say(end=True)
    assert room.learning.conversations.get(scope(), "c") is None


def test_who_said_something_when_is_in_an_unbroken_chain(room):
    room.say("a")
    room.say("b")
    room.say(end=True)
    head = room.learning.conversations.get(scope(), "c")
    chain = room.desk.store.audit(scope(), chain_of("c"))
    assert [(one.decision, one.actor) for one in chain] == [
        ("told", "tester"), ("told", "tester"), ("ended", "tester"),
    ]  # fmt: skip
    assert unbroken(chain, head.audit_head, room.desk.tools.seal)
