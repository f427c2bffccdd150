"""What `doctor` looks at, one function a question; each says what, why, and what to do next.

The first checks only: address, health, key, user, clock, backlog, jobs, search, embedder, an empty
store.
None of them changes anything, nor counts as an access: the search that is tried can match nothing.
"""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Literal

from hindwise.cli.fade import swept
from hindwise.cli.reasons import GIVEN_UP, why
from hindwise.cli.words import counted, memories
from hindwise.client import calls
from hindwise.client.answers import JsonObject, Me, Stats
from hindwise.client.api import Api
from hindwise.client.errors import Answered, ClientError

SKEW_SECONDS = 60
PATIENCE_SECONDS = 3.0
SAMPLE = 50
UNLEARNT = ("accepted", "running", "failed", "quarantined")
"""States of jobs that have not learnt, or never will by themselves."""
NAMED = 5
"""Parked memories that are named one by one."""
NO_MEMORY = "hindwise-doctor-asks-for-no-memory"
ENGLISH_ONLY = re.compile(r"(^|[-_/])(en|english)([-_.]|$)|all-minilm|all-mpnet|gtr-t5", re.I)


@dataclass(frozen=True)
class Finding:
    """What was found, its likely cause, and the next step; a `note` needs no action."""

    level: Literal["broken", "degraded", "note"]
    what: str
    cause: str
    next: str

    def raw(self) -> JsonObject:
        """The finding as JSON."""
        return {**asdict(self)}


@dataclass(frozen=True)
class Subject:
    """What is examined: the API, the user, and ways to see time and let it pass."""

    api: Api
    user: str
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    sleep: Callable[[float], None] = time.sleep


def findings(subject: Subject) -> Iterator[Finding]:
    """Everything that is not as it should be, the worst first; ends where nothing more can be
    asked.
    """
    try:
        yield from _health(subject)
        yield from _clock(subject)
        me = subject.api.me()
        stats = subject.api.stats(subject.user)
    except ClientError as error:
        yield _unusable(error, subject)
        return
    yield from _waiting(subject, stats)
    yield from _parked(stats)
    yield from _learning(subject)
    yield from _reviews(stats)
    yield from _search(subject)
    yield from _embedder(subject, me)
    yield from _fading(subject)
    yield from _empty(subject, stats, me)


def _unusable(error: ClientError, subject: Subject) -> Finding:
    status = error.status if isinstance(error, Answered) else None
    if status in (401, 403) and "user" in str(error):
        return Finding("broken", f"the key may not act for the user {subject.user}", str(error),
                       "say --user NAME, or make a key that allows the user: "
                       f"hindwise keys create NAME --user {subject.user}")  # fmt: skip
    if status in (401, 403):
        return Finding("broken", "the key is not accepted", str(error) or "no key was sent",
                       "set HINDWISE_KEY, or make one: hindwise keys create NAME")  # fmt: skip
    if status is not None:
        return Finding("broken", f"the service answers with {status}", str(error),
                       "look at what the server printed, or at the function's log")  # fmt: skip
    return Finding("broken", f"no Hindwise at {subject.api.url}", str(error),
                   "start it with `hindwise dev`, or set HINDWISE_URL")  # fmt: skip


def _health(subject: Subject) -> Iterator[Finding]:
    health = subject.api.health()
    for name, state in health.dependencies.items():
        if state != "ok":
            yield Finding("broken", f"the {name} does not answer", state,
                          "locally: restart the server; on AWS: see the table's alarms and the "
                          "functions' permissions")  # fmt: skip


def _clock(subject: Subject) -> Iterator[Finding]:
    theirs = subject.api.server_time()
    skew = (subject.clock() - theirs).total_seconds() if theirs is not None else 0.0
    if abs(skew) > SKEW_SECONDS:
        side = "ahead of" if skew > 0 else "behind"
        yield Finding("degraded", f"this clock is {abs(skew):.0f} s {side} the server's",
                      "one of the two is not synchronised",
                      "set the clock: `yesterday` and the age of memories follow it")  # fmt: skip


def _waiting(subject: Subject, stats: Stats) -> Iterator[Finding]:
    if not stats.waiting:
        return
    subject.sleep(PATIENCE_SECONDS)
    later = subject.api.stats(subject.user)
    if not later.waiting:
        return
    many = f"{later.waiting}{' or more' if later.waiting_more else ''}"
    if later.waiting_more or later.waiting < stats.waiting:
        yield Finding("note", f"{many} changes wait to be projected",
                      "more was written than projection has done yet",
                      "wait; they are found by their words, not yet by meaning")  # fmt: skip
    else:
        yield Finding("degraded", f"{many} changes wait to be projected, and none was done in "
                      f"{PATIENCE_SECONDS:g} s", "projection stands still, or the embedder does "
                      "not answer", "see what the function `index` logged, its dead-letter queue, "
                      "and the embedder's key and address")  # fmt: skip


def _parked(stats: Stats) -> Iterator[Finding]:
    for one in stats.parked[:NAMED]:
        yield Finding("degraded", f"the index has not taken the memory {one.id}", one.reason,
                      "it is tried again every hour, and found by its words until then; edit or "
                      "forget it, or see what the function `sweep` logged")  # fmt: skip
    if (more := len(stats.parked) - NAMED) > 0:
        yield Finding("degraded", "the index has not taken "
                      f"{counted(more, 'more memory', 'more memories')}",
                      stats.parked[NAMED].reason,
                      "as above; `GET /v1/stats` lists them")  # fmt: skip


def _learning(subject: Subject) -> Iterator[Finding]:
    """Conversations that are not learnt from: one finding for each reason."""
    try:
        found = subject.api.ask(calls.jobs(subject.user, states=UNLEARNT, limit=100)).results
    except ClientError as error:
        yield Finding("broken", "jobs do not answer", str(error),
                      "see what the function `inspect` logged")  # fmt: skip
        return
    alike = Counter((job.state in GIVEN_UP, why(job)) for job in found if why(job))
    for (ended, cause), number in alike.items():
        many = counted(number, "job")
        what = f"{many} failed" if ended else f"{many} cannot go on yet"
        yield Finding("degraded", what, cause, "see `hindwise jobs list`")


def _reviews(stats: Stats) -> Iterator[Finding]:
    """What waits for a person; quarantined and contested memories are hidden until then."""
    if many := sum(stats.reviews.values()):
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(stats.reviews.items()))
        wait = "waits" if many == 1 else "wait"
        yield Finding("note", f"{memories(many)} {wait} for a reviewer", kinds,
                      "see `hindwise review list`")  # fmt: skip


def _search(subject: Subject) -> Iterator[Finding]:
    asked: JsonObject = {"query": "doctor", "filters": {"external_id": NO_MEMORY}}
    try:
        found = subject.api.search(subject.user, asked)
    except ClientError as error:
        yield Finding("broken", "search does not answer", str(error),
                      "see what the function `search` logged")  # fmt: skip
        return
    for reason in found.reasons if found.degraded else ():
        yield Finding("degraded", f"search works without the {reason}",
                      f"the {reason} is down or does not answer in time",
                      "for an embedder: its key and address; for an index: its domain")  # fmt: skip


def _embedder(subject: Subject, me: Me) -> Iterator[Finding]:
    name = me.features.get("embedder", "")
    model = me.features.get("embedding_model", name) if name in ("auto", "openai") else name
    if name != "hashed" and not ENGLISH_ONLY.search(model):
        return
    newest = subject.api.newest(subject.user, SAMPLE).results
    if any(memory.language.startswith("zh") for memory in newest):
        yield Finding("degraded", f"the embedder {model} does not understand Chinese, and there "
                      "are Chinese memories", "it compares letters, or was trained on English only",
                      "set EMBEDDER=use (built in, many languages), or a multilingual model, and "
                      "start again")  # fmt: skip
    elif name == "hashed":
        yield Finding("note", "the embedder is `hashed`: it compares letters, not meaning",
                      "no other embedder is set or installed",
                      "set EMBEDDER=use, or OPENAI_API_KEY")  # fmt: skip


def _fading(subject: Subject) -> Iterator[Finding]:
    """How many old memories of low importance the next nights take; only an admin may ask."""
    taken = {"purge": 0, "archive": 0}
    try:
        for sweep in taken:
            for part in swept(subject.api, subject.user, sweep, dry_run=True):
                taken[sweep] += sum(part.counts.values())
    except ClientError:
        return
    if many := sum(taken.values()):
        yield Finding("note", f"{memories(many)} {'is' if many == 1 else 'are'} old and of low "
                      "importance, or done",
                      f"the next night archives {taken['archive']} of them and purges "
                      f"{taken['purge']} that nobody ever saw",
                      "nothing, or pin what is to stay: `hindwise fade archive` counts them, and "
                      "`hindwise restore ID` brings an archived one back")  # fmt: skip


def _empty(subject: Subject, stats: Stats, me: Me) -> Iterator[Finding]:
    if not stats.examined:
        yield Finding("note", f"nothing is remembered for the user {subject.user}",
                      f"tenant {me.tenant}, stage {me.stage}: nothing was written, or for another "
                      "user", "hindwise remember TEXT, hindwise import FILE, or say --user "
                      "NAME")  # fmt: skip
