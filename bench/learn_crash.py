"""Workers that are killed around random calls they make, until every conversation is learnt from.

The worker is the product's; table, bucket and queue are in memory, so that a call can be died at;
the model is asked over HTTP. A message whose worker dies comes back later, or never: then the sweep
sends for its job again.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random
from typing import Any

from bench.learn_scenes import Said, people
from bench.oracle import Oracle
from hindwise.adapters.reasoners.openai import OpenAIReasoner
from hindwise.domain.conversation import SpeakerRole
from hindwise.domain.jobs import JobState
from hindwise.domain.ports import QueueName
from hindwise.domain.talk import Sent
from hindwise.usecases.extract import extract
from tests.lab import Killed, Lab, die

CALLS = 60
"""Among this many calls, from the first of a delivery, is the one that is died at."""
KILLS = 4
HIDDEN = timedelta(minutes=18)
WINDOW = 3
"""Turns of a window, so that a conversation takes several deliveries."""


def rows(runs: int) -> Iterator[dict[str, Any]]:
    """One row: how many facts and turns were lost or stored twice in so many conversations."""
    scenes = [one for pair in people((runs + 1) // 2) for one in pair][:runs]
    found: Counter[str] = Counter()
    with Oracle(scenes=scenes) as oracle:
        model = OpenAIReasoner(oracle.models[0], key="none", base_url=oracle.url)
        try:
            for number, said in enumerate(scenes):
                found.update(_run(Random(number), said, model))
        finally:
            model.close()
        calls = oracle.calls["extract"]
    yield {
        "what": "crash",
        "on": "stores in memory, model over HTTP",
        "runs": runs,
        "kills": found["kills"],
        "facts": found["facts"],
        "turns": found["turns"],
        "lost": found["lost"],
        "duplicated": found["duplicated"],
        "unfinished": found["unfinished"],
        "windows": found["windows"],
        "llm_calls_per_window": round(calls / found["windows"], 3),
    }


def _run(random: Random, said: Said, model: OpenAIReasoner) -> dict[str, int]:
    """Learn from one conversation under kills; counts what became of it."""
    lab = Lab(model, window_turns=WINDOW)
    lab.worker = lab.fragile()
    taken = lab.say(*_sent(said), id=said.id, user=said.user)
    kills = 0
    for _ in range(KILLS):
        lab.wire.arm(random.randint(1, CALLS), die, after=random.random() < 0.5)
        kills += _worked(lab, comes_back=random.random() < 0.5)
        lab.wire.disarm()
        lab.clock.forward(minutes=5)
        lab.sweep()
    lab.settle()
    facts = Counter(lab.contents(said.user))
    turns = Counter((one.session_id, one.seq) for one in lab.episodes(said.user))
    wanted = {fact.content for fact in said.facts}
    expected = len(said.messages())
    job = lab.job(taken, said.user)
    return {
        "kills": kills,
        "facts": len(wanted),
        "turns": expected,
        "lost": len(wanted - set(facts)) + max(0, expected - len(turns)),
        "duplicated": sum(facts.values()) - len(facts) + sum(turns.values()) - len(turns),
        "unfinished": job.state is not JobState.SUCCEEDED,
        "windows": job.counts.windows,
    }


def _worked(lab: Lab, *, comes_back: bool) -> int:
    """Work on what has arrived; tells how often the worker died."""
    kills = 0
    while message := lab.take():
        try:
            extract(*message, worker=lab.worker)
        except Killed:
            kills += 1
            if comes_back:
                back = (lab.clock() + HIDDEN, *message)
                lab.queues.waiting[QueueName.EXTRACT].append(back)
    return kills


def _sent(said: Said) -> list[Sent]:
    return [
        Sent(
            role=SpeakerRole(one["role"]),
            text=one["content"],
            at=datetime.fromisoformat(one["at"]),
        )
        for one in said.messages()
    ]
