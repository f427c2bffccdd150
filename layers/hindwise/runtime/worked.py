"""What a message's job came to, as a metric: it waits, failed, is done, or was not there to do."""

from hindwise.domain.jobs import Job, JobState
from hindwise.runtime.telemetry import count


def count_job(job: Job | None, *, going_on: str = "JobsWaiting") -> None:
    """Count a job after a delivery; None where there was nothing to do.

    `going_on` is what one is counted as that is open and waits for nothing.
    """
    if job is None:
        count("Echoes")
    elif job.open:
        count("JobsWaiting" if job.reason else going_on)
    else:
        count("JobsFailed" if job.state is JobState.FAILED else "JobsDone")
