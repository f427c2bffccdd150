"""Why a job waits, failed, or learnt nothing, in words: the API has a code, people a question."""

from collections.abc import Iterable

from hindwise.client.learning import Job

_ASKED_AGAIN = "it is asked again by itself, and nothing is lost"
_MODEL = {
    "unavailable": f"the language model does not answer; {_ASKED_AGAIN}",
    "timeout": f"the language model is too slow; {_ASKED_AGAIN}",
    "rate_limited": f"the language model takes no more calls for now; {_ASKED_AGAIN}",
    "misconfigured": "the language model refuses the call: check LLM_MODEL, LLM_BASE_URL and its "
    f"key; {_ASKED_AGAIN}",
    "budget": "the model calls of the day are spent; it goes on tomorrow (UTC)",
}
_REPLY = {
    "not_json": "is not JSON",
    "wrong_shape": "is not of the shape that was asked for",
    "truncated": "is cut off",
    "empty": "is empty",
    "refused": "is a refusal",
    "filtered": "was filtered by its host",
}
_OTHER = {
    "infer": "the turns are kept as they are, and nothing else is learnt",
    "no_llm": "there is no language model: the turns are kept as they are, and nothing else is "
    "learnt",
    "no_words": "nobody said anything in it",
    "lost": "whoever worked on it went silent, too often",
}
SAID = {
    **_MODEL,
    **{code: f"the language model's answer {said}" for code, said in _REPLY.items()},
    **_OTHER,
}
GIVEN_UP = frozenset({"failed", "quarantined"})
RETRY = "`hindwise jobs retry ID` tries again, `hindwise jobs dismiss ID` lets it go"


def why(job: Job) -> str:
    """Why a job is where it is, in a sentence; empty where its state says it all."""
    said = SAID.get(job.reason, "")
    if job.state not in GIVEN_UP:
        return said
    said = said.replace(f"; {_ASKED_AGAIN}", "")
    return "; ".join(filter(None, (said, RETRY)))


def explained(jobs: Iterable[Job]) -> list[str]:
    """What to say beneath a list of jobs: `reason: why`, each once."""
    named = {f"{job.reason or job.state}: {told}": None for job in jobs if (told := why(job))}
    return [*named]
