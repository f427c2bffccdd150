"""Conversations, jobs, answers and verdicts: written once or as they were read, and read back."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from hindwise.domain import changes as c
from hindwise.domain.conversation import Conversation
from hindwise.domain.jobs import Counts, Job, JobState
from hindwise.domain.memory import Source
from tests import builders
from tests.builders import NOW
from tests.contract.backends import Backend

SCOPE = builders.scope("张三#1")
OTHER = builders.scope("张三")
RUNNING = {"state": JobState.RUNNING, "token": "mine", "claimed_until": NOW + timedelta(minutes=4)}


def later[M: (Conversation, Job)](before: M, **changes: object) -> M:
    return before.model_copy(update={"version": before.version + 1, **changes})


@pytest.mark.parametrize("name", ["chat-1", "对话#1/ö %23", "x" * 256, "漢" * 256])
def test_a_conversation_comes_back_as_it_was(backend: Backend, name: str):
    talk = builders.conversation(name, metadata={"n": 0.1, "深": [None]}, messages=3, turns=2)
    job = builders.job(conversation_id=name, first_turn=1, last_turn=2)
    chunk = builders.chunk(of=name)
    put = [c.PutConversation(conversation=talk), c.PutChunk(chunk=chunk), c.PutJob(job=job)]
    backend.store.commit(SCOPE, put)
    assert backend.conversations.get(SCOPE, name) == talk
    assert backend.conversations.chunks(SCOPE, name) == [chunk]
    assert backend.jobs.get(SCOPE, job.id) == job
    assert backend.jobs.of_conversation(SCOPE, name) == [job]
    for scope, other in ((OTHER, name), (SCOPE, name[:-1] or "y"), (SCOPE, name + "1")):
        assert backend.conversations.get(scope, other) is None
        assert backend.conversations.chunks(scope, other) == []
        assert backend.jobs.of_conversation(scope, other) == []
    assert backend.jobs.get(OTHER, job.id) is None


def test_a_conversation_is_written_only_as_it_was_read(backend: Backend):
    talk = builders.conversation()
    first = c.PutConversation(conversation=talk)
    backend.store.commit(SCOPE, [first])
    longer = later(talk, messages=2)
    backend.store.commit(SCOPE, [c.PutConversation(conversation=longer, before=talk)])
    stale = c.PutConversation(conversation=later(talk, messages=9), before=talk)
    missing = builders.conversation("chat-2")
    unknown = c.PutConversation(conversation=later(missing), before=missing)
    for lost in (first, stale, unknown):
        with pytest.raises(c.Raced) as raced:
            backend.store.commit(SCOPE, [lost, c.PutChunk(chunk=builders.chunk(40))])
        assert raced.value.actions == (lost,)
    assert backend.conversations.get(SCOPE, talk.id) == longer
    assert backend.conversations.chunks(SCOPE, talk.id) == []


def test_messages_are_said_to_be_somewhere_once(backend: Backend):
    chunks = [builders.chunk(first) for first in (1, 3, 5, 1_000_000)]
    for chunk in reversed(chunks):
        backend.store.commit(SCOPE, [c.PutChunk(chunk=chunk)])
    read = backend.conversations.chunks
    assert read(SCOPE, "chat-1") == chunks
    assert read(SCOPE, "chat-1", after=1) == chunks[1:]
    assert read(SCOPE, "chat-1", after=2, limit=2) == chunks[1:3]
    assert read(SCOPE, "chat-1", limit=2, latest=True) == chunks[2:]
    assert read(SCOPE, "chat-1", after=3, limit=9, latest=True) == chunks[2:]
    elsewhere = builders.chunk(3, blob="conversations/other")
    with pytest.raises(c.Raced):
        backend.store.commit(SCOPE, [c.PutChunk(chunk=elsewhere)])
    with pytest.raises(c.Raced):
        backend.store.commit(SCOPE, [c.PutChunk(chunk=elsewhere, before=elsewhere)])
    with pytest.raises(c.Raced):
        backend.store.commit(SCOPE, [c.PutChunk(chunk=builders.chunk(7), before=chunks[1])])
    backend.store.commit(SCOPE, [c.PutChunk(chunk=elsewhere, before=chunks[1])])
    assert read(SCOPE, "chat-1", after=1, limit=1) == [elsewhere]


def test_a_job_is_written_only_as_it_was_read(backend: Backend):
    job = builders.job(counts=Counts(refused={"floor": 2}), result={"ids": ["a"]})
    backend.store.commit(SCOPE, [c.PutJob(job=job)])
    running = later(job, **RUNNING)
    backend.store.commit(SCOPE, [c.PutJob(job=running, before=job)])
    for lost in (c.PutJob(job=job), c.PutJob(job=later(job), before=job)):
        with pytest.raises(c.Raced) as raced:
            backend.store.commit(SCOPE, [lost])
        assert raced.value.on(c.PutJob)
    assert backend.jobs.get(SCOPE, job.id) == running


def test_of_many_that_claim_a_job_one_has_it(backend: Backend):
    job = builders.job()
    backend.store.commit(SCOPE, [c.PutJob(job=job)])

    def claim(number: int) -> bool:
        claimed = later(job, **(RUNNING | {"token": str(number)}))
        try:
            backend.store.commit(SCOPE, [c.PutJob(job=claimed, before=job)])
        except c.Raced:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(claim, range(12)))
    assert won.count(True) == 1
    held = backend.jobs.get(SCOPE, job.id)
    assert held is not None
    assert held.token == str(won.index(True))


def test_a_commit_under_a_claim_is_done_only_while_it_is_held(backend: Backend):
    job = builders.job(**RUNNING)
    backend.store.commit(SCOPE, [c.PutJob(job=job)])
    mine = c.UnderClaim(job_id=job.id, token="mine")
    done = builders.fact("The user drinks tea.")
    backend.store.commit(SCOPE, [c.Create(memory=done), mine])
    foreign = c.UnderClaim(job_id=job.id, token="theirs")
    missing = c.UnderClaim(job_id=builders.new_id(), token="mine")
    for claim in (foreign, missing):
        lost = builders.fact("The user drinks coffee.")
        with pytest.raises(c.Raced) as raced:
            backend.store.commit(SCOPE, [c.Create(memory=lost), claim])
        assert raced.value.actions == (claim,)
        assert backend.store.get(SCOPE, [lost.id]) == {}
    ended = later(job, state=JobState.SUCCEEDED, token="", next_at=None)
    backend.store.commit(SCOPE, [mine, c.PutJob(job=ended, before=job)])
    lost = builders.fact("The user drinks milk.")
    with pytest.raises(c.Raced) as raced:
        backend.store.commit(SCOPE, [c.Create(memory=lost), mine])
    assert raced.value.on(c.UnderClaim)
    assert list(backend.store.get(SCOPE, [done.id, lost.id])) == [done.id]


def test_a_commit_that_rests_on_a_memory_is_done_only_while_that_stands(backend: Backend):
    there = builders.episode("I drink tea.")
    backend.store.commit(SCOPE, [c.Create(memory=there)])
    done, late = builders.fact("The user drinks tea."), builders.fact("The user drinks it hot.")
    rests = c.Stands(memory_id=there.id)
    backend.store.commit(SCOPE, [c.Create(memory=done), rests])
    backend.store.commit(SCOPE, [c.Forget(memory=there, at=NOW)])
    for condition in (rests, c.Stands(memory_id=builders.new_id())):
        with pytest.raises(c.Raced) as raced:
            backend.store.commit(SCOPE, [c.Create(memory=late), condition])
        assert raced.value.actions == (condition,)
    assert list(backend.store.get(SCOPE, [done.id, late.id])) == [done.id]


@pytest.mark.parametrize("first", ["claim", "job"])
def test_a_job_that_was_taken_over_is_not_written_under_the_old_claim(backend: Backend, first):
    job = builders.job(**RUNNING)
    backend.store.commit(SCOPE, [c.PutJob(job=job)])
    taken = later(job, token="theirs")
    backend.store.commit(SCOPE, [c.PutJob(job=taken, before=job)])
    actions: list[c.Action] = [
        c.UnderClaim(job_id=job.id, token="mine"),
        c.PutJob(job=later(job, next_turn=7), before=job),
    ]
    with pytest.raises(c.Raced) as raced:
        backend.store.commit(SCOPE, actions if first == "claim" else actions[::-1])
    assert raced.value.on(c.UnderClaim)
    assert raced.value.on(c.PutJob)
    assert backend.jobs.get(SCOPE, job.id) == taken


def test_jobs_are_listed_newest_first_page_by_page(backend: Backend):
    jobs = [builders.job(at=NOW + timedelta(seconds=n), conversation_id="c") for n in range(7)]
    for job in jobs:
        backend.store.commit(SCOPE, [c.PutJob(job=job)])
        backend.jobs.keep_answer(SCOPE, job.id, 0, "said", now=NOW)
    newest = jobs[::-1]
    assert backend.jobs.page(SCOPE, after=None, limit=100) == newest
    assert backend.jobs.page(SCOPE, after=None, limit=3) == newest[:3]
    assert backend.jobs.page(SCOPE, after=newest[2].id, limit=3) == newest[3:6]
    assert backend.jobs.page(SCOPE, after=newest[5].id, limit=3) == newest[6:]
    assert backend.jobs.page(SCOPE, after=newest[6].id, limit=3) == []
    assert backend.jobs.page(OTHER, after=None, limit=3) == []
    assert backend.jobs.of_conversation(SCOPE, "c") == newest


@pytest.mark.parametrize("name", ["", "#", "x" * 5_000, "漢" * 300, "J#1"])
def test_ids_of_any_kind_are_looked_up_and_not_there(backend: Backend, name: str):
    assert backend.jobs.get(SCOPE, name) is None
    assert backend.jobs.page(SCOPE, after=name, limit=3) == []
    assert backend.jobs.answer(SCOPE, name, 0) is None
    assert backend.jobs.verdict(SCOPE, name, "x") is None
    assert backend.jobs.of_conversation(SCOPE, name) == []
    assert backend.conversations.get(SCOPE, name) is None


def test_the_first_answer_stands_for_fourteen_days(backend: Backend):
    keep = backend.jobs.keep_answer
    assert keep(SCOPE, "job", 0, '{"items": ["ö"]}', now=NOW) == '{"items": ["ö"]}'
    assert keep(SCOPE, "job", 0, "another", now=NOW) == '{"items": ["ö"]}'
    assert keep(SCOPE, "job", 1, "", now=NOW) == ""
    assert backend.jobs.answer(SCOPE, "job", 0) == '{"items": ["ö"]}'
    assert backend.jobs.answer(SCOPE, "job", 1) == ""
    assert backend.jobs.answer(SCOPE, "job", 2) is None
    assert backend.jobs.answer(OTHER, "job", 0) is None
    late = backend.clock.forward(days=14)
    assert backend.jobs.answer(SCOPE, "job", 0) is None
    assert keep(SCOPE, "job", 0, "another", now=late) == "another"
    assert backend.jobs.answer(SCOPE, "job", 0) == "another"


def test_an_answer_that_was_dropped_makes_room_for_another(backend: Backend):
    for window in (0, 1):
        backend.jobs.keep_answer(SCOPE, "job", window, "said", now=NOW)
    for _ in range(2):
        backend.jobs.drop_answer(SCOPE, "job", 0)
    backend.jobs.drop_answer(OTHER, "job", 1)
    assert backend.jobs.answer(SCOPE, "job", 1) == "said"
    assert backend.jobs.keep_answer(SCOPE, "job", 0, "another", now=NOW) == "another"


def test_of_answers_that_come_at_once_all_get_the_same(backend: Backend):
    def keep(number: int) -> str:
        return backend.jobs.keep_answer(SCOPE, "job", 0, str(number), now=NOW)

    with ThreadPoolExecutor(8) as pool:
        kept = set(pool.map(keep, range(12)))
    assert len(kept) == 1
    assert backend.jobs.answer(SCOPE, "job", 0) in kept


def test_a_pair_is_decided_once_whichever_is_named_first(backend: Backend):
    one, other = builders.new_id(), builders.new_id()
    said = builders.pair(other, one, verdict="update", winner=one)
    backend.store.commit(SCOPE, [c.PutVerdict(pair=said)])
    assert backend.jobs.verdict(SCOPE, one, other) == said
    assert backend.jobs.verdict(SCOPE, other, one) == said
    assert backend.jobs.verdict(OTHER, one, other) is None
    again = c.PutVerdict(pair=builders.pair(one, other))
    memory = builders.fact()
    with pytest.raises(c.Raced) as raced:
        backend.store.commit(SCOPE, [c.Create(memory=memory), again])
    assert raced.value.actions == (again,)
    assert backend.store.get(SCOPE, [memory.id]) == {}


def test_a_pair_is_decided_again_only_where_it_says_something_else(backend: Backend):
    one, other = builders.new_id(), builders.new_id()
    first = builders.pair(one, other, basis="a")
    second = builders.pair(one, other, verdict="update", winner=one, basis="b")
    absent = builders.pair(one, other, basis="c")
    backend.store.commit(SCOPE, [c.PutVerdict(pair=first, before=absent)])
    with pytest.raises(c.Raced):
        backend.store.commit(SCOPE, [c.PutVerdict(pair=second, before=second)])
    backend.store.commit(SCOPE, [c.PutVerdict(pair=second, before=first)])
    assert backend.jobs.verdict(SCOPE, other, one) == second
    with pytest.raises(c.Raced):
        backend.store.commit(SCOPE, [c.PutVerdict(pair=first)])


@pytest.mark.parametrize("which", [0, 1])
def test_forgetting_either_of_a_pair_takes_its_verdict_away(backend: Backend, which: int):
    pair = [builders.fact("tea"), builders.fact("coffee")]
    third = builders.fact("milk")
    named = [(pair[0], pair[1]), (pair[0], third), (pair[1], third)]
    backend.store.commit(SCOPE, [c.Create(memory=one) for one in (*pair, third)])
    for one, other in named:
        backend.store.commit(SCOPE, [c.PutVerdict(pair=builders.pair(one.id, other.id))])
    gone = pair[which]
    backend.store.commit(SCOPE, [c.Forget(memory=gone, at=NOW)])
    left = [pair for pair in named if backend.jobs.verdict(SCOPE, pair[0].id, pair[1].id)]
    assert left == [pair for pair in named if gone not in pair]


def test_forgetting_takes_away_what_was_said_about_its_turns(backend: Backend):
    jobs = [
        builders.job(conversation_id=talk, first_turn=first, last_turn=first + 9)
        for talk, first in (("chat-1", 1), ("chat-1", 11), ("chat-1", 21), ("chat-10", 11))
    ]
    backend.store.commit(SCOPE, [c.PutJob(job=job) for job in jobs])
    source = Source(conversation_id="chat-1", first_turn=12, last_turn=21)
    learnt = builders.fact(source=source)
    turn = builders.episode(session_id="chat-10", seq=20)
    free = builders.fact("said elsewhere")
    backend.store.commit(SCOPE, [c.Create(memory=one) for one in (learnt, turn, free)])
    for job in jobs:
        for window in range(2):
            backend.jobs.keep_answer(SCOPE, job.id, window, "said", now=NOW)

    def answered() -> list[bool]:
        windows = [(job.id, window) for job in jobs for window in range(2)]
        return [backend.jobs.answer(SCOPE, *window) is not None for window in windows]

    backend.store.commit(SCOPE, [c.Forget(memory=free, at=NOW)])
    assert all(answered())
    backend.store.commit(SCOPE, [c.Forget(memory=learnt, at=NOW)])
    assert answered() == [True, True, False, False, False, False, True, True]
    backend.store.commit(SCOPE, [c.Forget(memory=turn, at=NOW)])
    assert answered() == [True, True] + [False] * 6
