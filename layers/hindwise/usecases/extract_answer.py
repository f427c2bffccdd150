"""Ask a model what is to be learnt from a window, once, however often that is tried.

What can be used is kept before it is applied: who comes later finds it and asks nobody. A reply
that is no answer, or was cut, is shown to the model once more.
"""

from pydantic import ValidationError

from hindwise.domain.jobs import Job
from hindwise.domain.learnt import Answer, Window, prompt_turn, window_key
from hindwise.domain.ports import Question, Reply
from hindwise.domain.prompts import extract as prompt
from hindwise.domain.prompts.extracted import Extracted
from hindwise.domain.scope import Scope
from hindwise.errors import Unavailable, Unreadable, Unusable
from hindwise.usecases.claims import Meter, Worker
from hindwise.usecases.reasoning import ask


def kept_answer(scope: Scope, job: Job, *, worker: Worker) -> Answer | None:
    """The answer that the window a job goes on at has had already; raises Unreadable."""
    kept = worker.learning.jobs.answer(scope, job.id, window_key(job))
    return _parsed(kept) if kept is not None else None


def answer(scope: Scope, job: Job, window: Window, *, worker: Worker, meter: Meter) -> Answer:
    """What a model makes of a window that has words; kept, or the one that somebody else kept.

    Raises Unusable where it cannot be read after another try, Unavailable, Misconfigured.
    """
    read = _read(scope, window, worker=worker, meter=meter)
    said = Answer(last=window.last, extracted=read).model_dump_json()
    kept = worker.learning.jobs.keep_answer(
        scope, job.id, window_key(job), said, now=worker.clock()
    )
    return _parsed(kept)


def _parsed(kept: str) -> Answer:
    try:
        return Answer.model_validate_json(kept)
    except ValidationError:  # which would tell what was said
        raise Unreadable("a kept answer does not read as one") from None


def _read(scope: Scope, window: Window, *, worker: Worker, meter: Meter) -> Extracted:
    turns = [prompt_turn(one) for one in window.said]
    before = [prompt_turn(one) for one in window.before]
    question = prompt.question(turns, context=before, now=worker.clock())
    reply = _ask(scope, question, worker=worker, meter=meter)
    try:
        first = prompt.read(reply, turns)
    except Unusable as unusable:
        again = prompt.repaired(question, reply, unusable.problem)
        return prompt.read(_ask(scope, again, worker=worker, meter=meter), turns)
    if not first.partial:
        return first
    again = prompt.repaired(question, reply, "truncated")
    try:
        second = prompt.read(_ask(scope, again, worker=worker, meter=meter), turns)
    except (Unusable, Unavailable):
        return first
    return max(first, second, key=lambda one: (not one.partial, len(one.items)))


def _ask(scope: Scope, question: Question, *, worker: Worker, meter: Meter) -> Reply:
    reply = ask(worker.learning, scope, question, now=worker.clock())
    meter.add(reply)
    return reply
