"""A thousand conversations through the queue: how fast, at what cost, and is each accounted for.

It is the laptop's stage: the functions' handlers in this process, fed by the emulated AWS's stream,
queues and schedules (table, bucket and queues are MiniStack's), the model over HTTP. One in a
hundred conversations is poison: no reply about it can ever be used. It must end as a failed job and
a dead letter, and hold nobody up.
"""

import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from bench.learn_scenes import Said, contents, people
from bench.oracle import Oracle
from bench.product import TENANT, event_of
from hindwise.domain.jobs import Job, JobState
from hindwise.domain.memory import SemanticMemory
from hindwise.domain.ports import QueueName
from hindwise.domain.scope import Scope
from hindwise.errors import Unavailable
from hindwise.runtime.wiring import Wiring, use_wiring
from infra.local import template
from infra.local.emulated_stack import emulated
from infra.local.emulator import ROOT
from infra.local.functions import Functions
from infra.local.runner import pumps_of
from infra.local.schedule_pump import Diary

POISON = 100
"""Of so many conversations one is poison."""
WRITERS = 4
TRIES = 10
"""A client's patience with 503, a second apart: a conversation that is sent again is the same."""
LOOK_SECONDS = 2.0
PATIENCE_SECONDS = 3_600.0
DONE = {JobState.SUCCEEDED, JobState.SUCCEEDED_EMPTY, JobState.PARTIAL}


def rows(number: int, embedder: str = "use") -> Iterator[dict[str, Any]]:
    """One row: so many conversations, from the first request to the end of the last job."""
    scenes = list(_scenes(number))
    with ExitStack() as cleanup:
        enter = cleanup.enter_context
        oracle = enter(Oracle(scenes=scenes))
        given = {"EMBEDDER": embedder, "LLM_MODEL": oracle.models[0], "LLM_BASE_URL": oracle.url}
        given |= {"LLM_API_KEY": "none", "SEARCH_COVERAGE": "2000"}
        system = template.read(ROOT / "template.yaml")
        data = Path(enter(tempfile.TemporaryDirectory(prefix="hindwise-bench-")))
        outputs, _ = enter(emulated(system, data, given))
        wired = enter(use_wiring(Wiring(dict(os.environ))))
        called = Functions(system)
        called.load()
        pumps = pumps_of(system, outputs, called, diary=Diary(data / "schedules.json"))
        for pump in pumps:
            pump.start()
            cleanup.callback(pump.join, 20)
        cleanup.callback(lambda: [pump.stopping.set() for pump in pumps])
        began = time.monotonic()
        jobs = _taken_in(scenes, called)
        accepted = time.monotonic() - began
        ended = _ended(jobs, wired)
        seconds = time.monotonic() - began
        yield {**_row(scenes, jobs, ended, wired), **_spent(oracle, number),
               "accepted_per_s": round(number / accepted, 2), "per_s": round(number / seconds, 2),
               "seconds": round(seconds, 1)}  # fmt: skip


def _scenes(number: int) -> Iterator[Said]:
    """Conversations of as many people as it takes; some are poison, with no facts to expect."""
    every = [one for pair in people((number + 1) // 2) for one in pair][:number]
    for position, one in enumerate(every):
        poison = position % POISON == POISON // 2
        yield replace(one, facts=(), poison=True) if poison else one


def _taken_in(scenes: Sequence[Said], called: Functions) -> dict[Said, str]:
    """Post every conversation, several at once; gives the job of each."""

    def post(said: Said) -> str:
        body = {"user_id": said.user, "id": said.id, "messages": said.messages()}
        event = event_of("/v1/conversations", json.dumps(body, ensure_ascii=False))
        for _ in range(TRIES):
            answer = called.invoke("WriteFunction", event)
            if answer["statusCode"] == 202:
                return str(json.loads(answer["body"])["job_id"])
            time.sleep(1)
        raise RuntimeError(f"a conversation was not taken in: {answer['body']}")

    with ThreadPoolExecutor(WRITERS) as pool:
        return dict(zip(scenes, pool.map(post, scenes), strict=True))


def _ended(jobs: Mapping[Said, str], wired: Wiring) -> dict[Said, Job]:
    """Wait until no job is open, or patience is at its end; gives those that have ended."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    open_jobs, ended = dict(jobs), dict[Said, Job]()
    while open_jobs and time.monotonic() < deadline:
        time.sleep(LOOK_SECONDS)
        for said, job_id in list(open_jobs.items()):
            job = _patiently(partial(wired.learning.jobs.get, _scope(said), job_id))
            if job is not None and not job.open:
                ended[said] = job
                del open_jobs[said]
    return ended


def _row(
    scenes: Sequence[Said], jobs: Mapping[Said, str], ended: Mapping[Said, Job], wired: Wiring
) -> dict[str, Any]:
    dead = _dead(wired)
    good = {said: job for said, job in ended.items() if not said.poison}
    learnt = {said: _known(wired, said) for said in good}
    whole = [
        said
        for said, job in good.items()
        if job.state in DONE and contents([said]) <= set(learnt[said])
    ]
    poison = [said for said in scenes if said.poison]
    isolated = [
        said
        for said in poison
        if said in ended and ended[said].state is JobState.FAILED and jobs[said] in dead
    ]
    return {
        "what": "queue",
        "on": "ministack",
        "conversations": len(scenes),
        "accounted_share": round((len(whole) + len(isolated)) / len(scenes), 4),
        "turns": sum(len(said.messages()) for said in scenes),
        "states": dict(Counter(job.state.value for job in ended.values())),
        "open_jobs": len(jobs) - len(ended),
        "poison": len(poison),
        "poison_isolated": len(isolated),
        "others_held_up": len(scenes) - len(poison) - len(whole),
    }


def _dead(wired: Wiring) -> set[str]:
    """The jobs that dead letters point at; they are taken, so that each is seen once."""
    found: set[str] = set()
    take = partial(wired.learning.queues.letters, QueueName.EXTRACT, 10)
    while letters := _patiently(take):
        found |= {letter.id for letter in letters}
        wired.learning.queues.drop(QueueName.EXTRACT, letters)
    return found


def _known(wired: Wiring, said: Said) -> list[str]:
    """All sentences that were ever learnt of somebody."""
    page = _patiently(lambda: wired.store.page(_scope(said), after=None, examine=1_000))
    return [one.content for one in page.memories if isinstance(one, SemanticMemory)]


def _patiently[A](ask: Callable[[], A]) -> A:
    """Ask until the emulated AWS, which may be busy, has answered; raises Unavailable."""
    for _ in range(TRIES):
        with suppress(Unavailable):
            return ask()
        time.sleep(1)
    return ask()


def _scope(said: Said) -> Scope:
    return Scope(tenant=TENANT, user=said.user)


def _spent(oracle: Oracle, number: int) -> dict[str, float]:
    return {
        "llm_calls_per_conversation": round(oracle.calls.total() / number, 3),
        "extract_calls_per_conversation": round(oracle.calls["extract"] / number, 3),
        "tokens_per_conversation": round(oracle.tokens["all"] / number),
    }
