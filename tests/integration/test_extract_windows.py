"""Long and growing conversations, window by window, and what becomes of each turn and offer."""

import pytest

from hindwise.domain.changes import PutConversation, PutJob
from hindwise.domain.jobs import JobState
from hindwise.domain.scope import Origin
from hindwise.usecases.extract import extract
from hindwise.usecases.forget import forget
from hindwise.usecases.transcript import Transcript
from infra.local.fake_llm import FakeLlm, Said
from tests.builders import scope
from tests.integration.talks import TURN, Reader, item, reasoner, shown
from tests.lab import Lab, at, sent

LONG = "I went to the market. " * 30


@pytest.fixture(scope="module")
def running():
    with FakeLlm() as llm:
        model = reasoner(llm)
        yield llm, model
        model.close()


@pytest.fixture
def llm(running):
    running[0].hush()
    running[0].always("extract", [])
    return running[0]


@pytest.fixture
def lab(running):
    return Lab(running[1])


def read(llm):
    """The turns of each question, in the order asked."""
    return [[int(number) for number, _ in shown(one)] for one in llm.asked("extract")]


def test_a_long_conversation_is_read_once_in_windows_with_what_went_before(llm, lab):
    taken = lab.say(*(f"turn {number}" for number in range(1, 51)))
    lab.settle()
    assert read(llm) == [[*range(1, 21)], [*range(21, 41)], [*range(41, 51)]]
    before = [TURN.findall(one.user.split("<conversation>")[0]) for one in llm.asked("extract")]
    assert [[int(number) for number, _ in one] for one in before] == [
        [], [17, 18, 19, 20], [37, 38, 39, 40],
    ]  # fmt: skip
    job = lab.job(taken)
    assert (job.state, job.counts.windows, job.counts.turns, job.counts.llm_calls) == (
        JobState.SUCCEEDED_EMPTY, 3, 50, 3,
    )  # fmt: skip
    assert [one.seq for one in lab.episodes()] == [*range(1, 51)]
    assert {one.importance for one in lab.episodes()} == {0.2}


def test_a_growing_conversation_is_read_once_and_in_no_turn_twice(llm, lab):
    said = []
    for number in range(1, 48):
        said.append(f"turn {number}")
        lab.say(*said, whole=True, end=number % 13 == 0)
        if number % 3 == 0:
            lab.deliver()
        lab.clock.forward(minutes=2)
    lab.settle()
    lab.clock.forward(minutes=11)
    lab.settle()
    assert sorted(turn for turns in read(llm) for turn in turns) == [*range(1, 48)]
    assert [one.content for one in lab.episodes()] == said


def test_a_window_holds_so_many_characters_and_a_longer_turn_stands_alone(llm, lab):
    lab.say("a" * 7_000, "b" * 6_000, "c" * 15_000, "d", "e")
    lab.settle()
    assert read(llm) == [[1], [2], [3], [4, 5]]
    before = llm.asked("extract")[-1].user.split("<conversation>")[0]
    assert "c" * 500 + " … " + "c" * 500 in before and "c" * 501 not in before


def test_a_long_turn_has_the_models_summary_and_without_one_its_first_sentences(llm, lab):
    summary = {"turn": 1, "summary": "The user went to the market thirty times."}
    llm.say("extract", {"memories": [], "summaries": [summary], "intent": "go shopping"})
    lab.say(LONG, LONG)
    lab.settle()
    first, second = lab.episodes()
    assert first.summary == summary["summary"] and first.content == LONG
    assert second.summary.startswith("I went to the market. I went")
    assert lab.talk().intent == "go shopping"


def test_an_intent_that_a_model_read_out_of_turns_goes_with_any_of_them(llm, lab):
    llm.always("extract", {"memories": [], "intent": "buy a ring in secret"})
    lab.say("a", "b", id="read")
    lab.say("a", "b", id="told", intent="ask")
    lab.settle()
    said = Transcript(lab.learning.conversations, lab.blobs)
    for one in lab.turn_ids("read")[:1] + lab.turn_ids("told")[:1]:
        forget(one, ledger=lab.ledger(), said=said)
    assert (lab.talk("read").intent, lab.talk("told").intent) == (None, "ask")
    lab.say("c", id="read", whole=False)
    lab.settle()
    assert lab.talk("read").intent == "buy a ring in secret"
    lab.say("d", id="read", intent="ask", whole=False)
    forget(lab.turn_ids("read")[1], ledger=lab.ledger(), said=said)
    assert lab.talk("read").intent == "ask"


def test_an_intent_that_a_caller_gave_stays_and_a_lost_race_is_read_again(llm, lab):
    llm.always("extract", {"memories": [], "intent": "guess"})
    lab.say("a", id="told", intent="ask")
    lab.store.faults.race_next(on=PutConversation)
    lab.store.faults.race_next(on=PutConversation)
    lab.say("a", id="silent")
    lab.settle()
    assert (lab.talk("told").intent, lab.talk("silent").intent) == ("ask", "guess")


def test_turns_with_nothing_but_what_was_recalled_teach_nothing_and_ask_nobody(llm, lab):
    block = '<memories note="dated">\n2026-03-01 fact 90% Lea has a cat\n</memories>'
    taken = lab.say(block, block)
    lab.settle()
    assert lab.job(taken).state is JobState.SUCCEEDED_EMPTY
    assert read(llm) == [] and lab.memories() == []


def test_a_turn_is_as_important_as_what_was_learnt_from_it(llm, lab):
    llm.say("extract", [
        {**item("The user has two dogs", importance=0.4), "turns": [1, 3]},
        {**item("The dogs are called Bo and Mo", importance=0.7), "turns": [3]},
        {**item("The user may want a cat", importance=0.9), "turns": [2]},
    ])  # fmt: skip
    lab.say("a", "b", "c", "d")
    lab.settle()
    assert [one.importance for one in lab.episodes()] == [0.4, 0.2, 0.7, 0.2]


def test_what_is_learnt_has_the_least_authority_of_its_turns_and_they_are_its_evidence(llm, lab):
    llm.say("extract", [
        {**item("Both said so"), "turns": [1, 2]},
        {**item("A tool found it"), "turns": [3]},
        {**item("The user said so"), "turns": [1]},
    ])  # fmt: skip
    lab.say(sent("a", name="Kim"), sent("b", role="assistant"), sent("c", role="tool"))
    lab.settle()
    ids = [one.id for one in lab.episodes()]
    learnt = {one.content: one for one in lab.learnt()}
    both, tool, own = (
        learnt[one] for one in ("Both said so", "A tool found it", "The user said so")
    )
    assert (both.origin, tool.origin, own.origin) == (Origin.AGENT, Origin.TOOL, Origin.OWNER)
    assert [one.evidence_ids for one in (both, tool, own)] == [tuple(ids[:2]), (ids[2],), (ids[0],)]
    assert (both.source.first_turn, both.source.last_turn, both.source.author) == (1, 2, None)
    assert (own.source.conversation_id, own.source.author) == ("c1", "Kim")
    assert [one.speaker for one in lab.episodes()] == ["Kim", "assistant", "tool"]


def test_what_a_model_says_twice_is_stored_once(llm, lab):
    twice = [{**item("The user has two dogs"), "turns": [1]}, {**item("x" * 201), "turns": [1]}]
    llm.say("extract", twice * 2)
    taken = lab.say("a")
    lab.settle()
    counts = lab.job(taken).counts
    assert (counts.created, counts.held, counts.duplicates, len(lab.learnt())) == (1, 2, 1, 2)


def test_a_lowered_word_stays_low_in_what_is_learnt_from_it(llm, lab):
    llm.say("extract", [{**item("The page says so"), "turns": [1]}])
    lab.say("a page", origin="document")
    lab.settle()
    assert {one.origin for one in lab.memories()} == {Origin.DOCUMENT}


def test_what_is_said_again_has_more_evidence_and_is_no_surer(llm, lab):
    llm.always("extract", Reader(DOGS=[item("The user has two dogs", confidence=0.7)]))
    lab.say(sent("DOGS", when="2026-03-01T10:00:00+01:00"), id="c1")
    lab.settle()
    [before] = lab.learnt()
    for number in (2, 3):
        lab.clock.forward(days=1)
        lab.say(sent("DOGS", when=f"2026-03-0{number}T10:00:00+01:00"), id=f"c{number}")
        lab.settle()
    [after] = lab.learnt()
    assert after.evidence_ids == tuple(one.id for one in lab.episodes())
    assert after.last_seen_at == at("2026-03-03T10:00:00+01:00")
    for name in ("id", "confidence", "importance", "created_at", "event_time", "content"):
        assert getattr(after, name) == getattr(before, name)
    assert [lab.jobs()[number].counts.duplicates for number in range(3)] == [0, 1, 1]


def test_what_somebody_of_less_authority_says_again_adds_nothing(llm, lab):
    llm.always("extract", Reader(DOGS=[item("The user has two dogs")]))
    lab.say("DOGS")
    lab.settle()
    [before] = lab.learnt()
    taken = lab.say(sent("DOGS", role="assistant"), id="c2")
    lab.settle()
    assert lab.learnt() == [before] and lab.job(taken).counts.duplicates == 1


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, "2026-03-01T10:00:00+01:00"),
        ({"event_time": "2026-02-27"}, "2026-02-27T00:00:00+01:00"),
        ({"valid_from": "2026-02-01"}, "2026-02-01T00:00:00+01:00"),
        ({"valid_from": "2026-04-01"}, "2026-03-01T10:00:00+01:00"),
        ({"valid_from": "2026-02-01", "subject": "user", "attribute": "lives_in"},
         "2026-03-01T10:00:00+01:00"),
        ({"valid_from": "2026-02-01", "subject": "user", "attribute": "likes",
          "cardinality": "many"}, "2026-02-01T00:00:00+01:00"),
    ],
)  # fmt: skip
def test_an_offer_happened_when_it_says_or_when_it_was_said(llm, lab, more, expected):
    llm.say("extract", [{**item("Something"), "turns": [1], **more}])
    lab.say(sent("a", when="2026-03-01T10:00:00+01:00"))
    lab.settle()
    [learnt] = lab.learnt()
    assert learnt.event_time == at(expected)


def test_many_turns_are_kept_at_once_where_no_model_reads_them():
    lab = Lab()
    taken = lab.say(*(f"turn {number}" for number in range(250)))
    assert lab.deliver() == 3
    job = lab.job(taken)
    assert (job.counts.windows, job.counts.turns, job.counts.llm_calls) == (3, 250, 0)
    assert (job.state, job.reason) == (JobState.SUCCEEDED, "no_llm")


def test_a_caller_may_want_turns_as_they_are(llm, lab):
    taken = lab.say("记住我不吃香菜", "好的", infer=False)
    lab.settle()
    job = lab.job(taken)
    assert (job.state, job.reason, job.result) == (
        JobState.SUCCEEDED, "infer", {"mode": "verbatim"},
    )  # fmt: skip
    assert [one.importance for one in lab.episodes()] == [0.7, 0.2]
    assert lab.learnt() == [] and read(llm) == []


def test_a_job_whose_conversation_is_gone_is_let_go(lab):
    taken = lab.say("a")
    lab.store.world.home(scope()).conversations.clear()
    lab.deliver()
    job = lab.job(taken)
    assert (job.state, job.reason) == (JobState.DISMISSED, "gone")


def test_a_truncated_answer_is_asked_for_once_more_and_the_fuller_one_counts(llm, lab):
    cut = '[{"type": "fact", "content": "One", "turns": [1]}, {"type": "fact", "content": "Tw'
    llm.say("extract", Said(cut, finish="length"), [item("One"), item("Two")])
    taken = lab.say("a")
    lab.settle()
    assert (lab.job(taken).state, lab.contents()) == (JobState.SUCCEEDED, ["One", "Two"])
    llm.say("extract", Said(cut, finish="length"), Said(status=429))
    other = lab.say("b", id="c2", user="bob")
    lab.settle()
    assert (lab.job(other, "bob").state, lab.contents("bob")) == (JobState.PARTIAL, ["One"])


def test_a_claim_is_taken_by_one_and_a_crowd_does_not_lose_the_job(lab):
    taken = lab.say("a")
    lab.store.faults.race_next(8, on=PutJob)
    assert extract(scope(), taken.job_id, worker=lab.worker) is None
    lab.store.faults.race_next(3, on=PutJob)
    assert extract(scope(), taken.job_id, worker=lab.worker).state is JobState.SUCCEEDED_EMPTY
    assert extract(scope("bob"), taken.job_id, worker=lab.worker) is None
    assert extract(scope(), "nothing", worker=lab.worker) is None
