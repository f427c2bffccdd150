"""Learns from conversations, a window a message, as the queue brings pointers to jobs."""

from collections.abc import Mapping

from hindwise.runtime.batch import each
from hindwise.runtime.telemetry import worker
from hindwise.runtime.wiring import learner, wiring
from hindwise.runtime.worked import count_job
from hindwise.usecases.extract import extract as extract_window


def learn(body: str) -> None:
    """Do the next window of a message's job; raises Invalid for what is none of ours.

    A message is done with once its job knows what came of it, also where that is nothing good: the
    job waits, or has failed and left a pointer among the dead letters.
    """
    scope, job_id = wiring().pointer_in(body)
    job = extract_window(scope, job_id, worker=learner())
    count_job(job, going_on="Windows")


def extract(event: Mapping[str, object]) -> dict[str, object]:
    """Each message succeeds or comes back on its own."""
    return each(event, learn)


handler = worker("extract", extract, warm=("learning", "store", "tools", "screens"))
