"""What follows from a talk: which of it is new, its numbers, and when jobs are made."""

from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindwise.domain.call import Call
from hindwise.domain.conversation import SpeakerRole, mark
from hindwise.domain.jobs import JobState
from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.scope import Origin
from hindwise.domain.talk import Sent, Talk, known, numbered, step, taken_up
from tests.builders import NOW, principal, scope

RULES = LearningRules()


def call(now=NOW, **who):
    return Call(scope=scope(), principal=principal(**who), now=now)


def said(*texts):
    """Turns of user and assistant; `!` is a system message, `-` one without words."""
    role = {"!": SpeakerRole.SYSTEM, "-": SpeakerRole.ASSISTANT}
    return tuple(
        Sent(role=role.get(text[0], SpeakerRole.USER), text="" if text[0] == "-" else text)
        for text in texts
    )


def marks(sent):
    return [mark(one) for one in numbered(sent, messages=0, turns=0)]


@pytest.mark.parametrize(
    ("stored", "sent", "count"),
    [
        ("ab", "abc", 2),
        ("ab", "ab", 2),
        ("abc", "ab", 2),
        ("abc", "bc", 2),
        ("abc", "b", 0),
        ("ab", "bc", 0),
        ("ab", "xy", 0),
        ("", "ab", 0),
        ("!a", "!ab", 2),
        ("!a", "?ab", 2),
        ("!a", "ab", 1),
        ("a-", "a-b", 2),
        ("a-", "a-", 2),
        ("a-", "ab", 1),
        ("a", "a-", 1),
        ("!", "!", 1),
        ("!", "?", 0),
        ("!", "!a", 1),
        ("a!", "!", 1),
        ("aa", "aaa", 2),
        ("aaa", "a", 1),
    ],
)
def test_what_is_sent_anew_is_known_as_far_as_it_goes(stored, sent, count):
    def told(text):
        return marks(said(*("!other" if one == "?" else one for one in text)))

    turns = sum(one not in "!-?" for one in stored)
    assert known(told(sent), told(stored), told(stored), turns) == count


@given(st.lists(st.sampled_from("ab!-"), max_size=8), st.lists(st.sampled_from("ab!-"), max_size=4))
def test_a_grown_conversation_brings_only_what_it_grew_by(stored, more):
    told, sent = marks(said(*stored)), marks(said(*stored, *more))
    turns = sum(not one.startswith("-") for one in told)
    count = known(sent, told, told, turns)
    assert count >= len(stored)
    new = sent[count:]
    assert [one for one in new if one[0] != "-"] == [
        one for one in marks(said(*more)) if one[0] != "-"
    ]


def test_messages_are_numbered_and_only_turns_are_turns():
    made = numbered(said("!be kind", "hi", "-", " ", "ho"), messages=4, turns=2)
    assert [(one.number, one.turn) for one in made] == [
        (5, None), (6, 3), (7, None), (8, None), (9, 4),
    ]  # fmt: skip


def add(before, *texts, now=NOW, by=None, **talk):
    sent = said(*texts)
    who = call(now, **(by or {}))
    return step(before, Talk(messages=sent, **talk), sent, call=who, rules=RULES, new_id="c")


def test_turns_wait_until_there_are_ten():
    made, jobs = None, []
    for number in range(23):
        made = add(made and made.head, f"turn {number}")
        jobs += made.jobs
        assert made.head.version == number + 1
    assert [(job.first_turn, job.last_turn) for job in jobs] == [(1, 10), (11, 20)]
    assert (made.head.turns, made.head.queued, made.head.last_job) == (23, 20, jobs[-1].id)
    assert made.head.idle_at == NOW + timedelta(seconds=600)
    head, job = taken_up(made.head, scope(), now=NOW)
    assert (job.first_turn, job.last_turn, head.idle_at) == (21, 23, None)


def test_an_end_takes_what_waits_and_leaves_nothing_waiting():
    made = add(add(None, "one").head, "two", end=True)
    [job] = made.jobs
    assert (job.first_turn, job.last_turn, job.state) == (1, 2, JobState.ACCEPTED)
    assert made.head.ended and made.head.idle_at is None
    assert job.next_at > NOW
    again = add(made.head, end=True)
    assert not again.changed and not again.jobs
    assert not add(made.head, "more").head.ended


def test_where_nobody_speaks_the_job_is_done_before_it_begins():
    made = add(None, "!be kind", "-", end=True)
    [job] = made.jobs
    assert (job.state, job.next_at, job.last_turn) == (JobState.SUCCEEDED_EMPTY, None, 0)
    assert made.head.last_job == job.id and made.head.turns == 0
    assert not add(None, "!be kind", "-").jobs


def test_an_end_later_takes_what_was_sent_before():
    waiting = add(None, "one").head
    made = add(waiting, end=True)
    assert made.changed and [job.last_turn for job in made.jobs] == [1]


def test_turns_of_another_ceiling_are_not_taken_together():
    owner = add(None, "mine").head
    made = add(owner, "theirs", by={"ceiling": Origin.TOOL, "name": "bot"}, end=True)
    assert [(job.first_turn, job.principal.name) for job in made.jobs] == [
        (1, "tester"),
        (2, "bot"),
    ]
    assert made.jobs[1].principal.ceiling is Origin.TOOL


def test_turns_to_be_learnt_from_in_another_way_are_not_taken_together():
    first = add(None, "one", infer=False).head
    made = add(first, "two", infer=True, end=True)
    assert [(job.first_turn, job.infer) for job in made.jobs] == [(1, False), (2, True)]
    assert made.jobs[0].id != made.jobs[1].id


def test_a_word_may_be_lowered_and_not_raised():
    assert add(None, "x", origin="document").head.sender.ceiling is Origin.DOCUMENT
    low = {"ceiling": Origin.TOOL}
    assert add(None, "x", origin="owner", by=low).head.sender.ceiling is Origin.TOOL


def test_what_is_said_of_a_conversation_is_kept_until_it_is_said_anew():
    first = add(None, "x", domain="deploys", metadata={"a": 1}, participants=("ann",)).head
    made = add(first, "y", scene="work", metadata={"b": 2}).head
    assert (made.domain, made.scene, made.metadata) == ("deploys", "work", {"a": 1, "b": 2})
    assert made.participants == ("ann",)


TALKS = st.lists(
    st.tuples(st.lists(st.sampled_from(["a", "!b", "-"]), max_size=12), st.booleans()), max_size=8
)


@given(TALKS)
def test_jobs_cover_every_turn_once_and_in_order(talks):
    head, jobs, numbers = None, [], []
    for texts, end in talks:
        made = add(head, *texts, end=end)
        head, jobs = made.head, [*jobs, *made.jobs]
        numbers += [one.turn for one in made.messages if one.turn is not None]
    runs = [(job.first_turn, job.last_turn) for job in jobs if job.last_turn]
    assert numbers == list(range(1, len(numbers) + 1))
    assert all(last + 1 == first for (_, last), (first, _) in pairwise(runs))
    assert not runs or runs[0][0] == 1
    if head is not None:
        assert head.queued == (runs[-1][1] if runs else 0)
        assert (head.idle_at is None) == (head.turns == head.queued)
        assert head.turns - head.queued < RULES.trigger_turns
        assert len({job.id for job in jobs}) == len(jobs)
