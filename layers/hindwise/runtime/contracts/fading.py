"""What a sweep is asked with, and what it answers; restoring answers as an edit does."""

from typing import Annotated

from pydantic import Field

from hindwise.domain.fading import Fate, Sweep
from hindwise.runtime.contracts.checking import Contract, checked
from hindwise.runtime.contracts.shapes import COUNT, TEXTS, TRUTH, closed
from hindwise.runtime.strict_json import JsonObject
from hindwise.usecases.sweeping import Report

WORDS_OF = {
    Fate.PURGE: "purged",
    Fate.UNIMPORTANT: "archived_unimportant",
    Fate.DONE: "archived_done",
    Fate.COLD: "archived_cold",
    Fate.TREND: "trends",
    Fate.TURN: "turned",
}
"""What a fate is called in an answer."""


class FadeRequest(Contract):
    """POST /v1/fading."""

    sweep: Sweep
    dry_run: bool = True
    cursor: Annotated[str, Field(max_length=4_096)] | None = None


class RestoreRequest(Contract):
    """POST /v1/memories/{id}/restore has nothing to say but the user."""


def wish_of(fields: JsonObject) -> FadeRequest:
    """What is asked for; raises Invalid naming the field."""
    return checked(FadeRequest, fields)


def nothing_else(fields: JsonObject) -> None:
    """Raise Invalid where restoring is asked for with more than a user."""
    checked(RestoreRequest, fields)


def report_view(report: Report, cursor: str | None) -> JsonObject:
    """A report as the API shows it; `next` goes on where there was no time for more."""
    return {
        "sweep": report.sweep.value,
        "dry_run": report.dry_run,
        "looked": report.looked,
        "kept": report.kept,
        "counts": {word: report.counts.get(fate, 0) for fate, word in WORDS_OF.items()},
        "confidence_steps": {str(steps): many for steps, many in report.steps.items()},
        "ids": {word: [*report.ids.get(fate, ())] for fate, word in WORDS_OF.items()},
        "next": cursor,
    }


def fading() -> dict[str, JsonObject]:
    """The schemas of the answers by their names."""
    words = WORDS_OF.values()
    return {
        "Faded": closed(
            {
                "sweep": {"enum": [*map(str, Sweep)]},
                "dry_run": TRUTH,
                "looked": COUNT,
                "kept": COUNT,
                "counts": {"type": "object", "properties": dict.fromkeys(words, COUNT)},
                "confidence_steps": {"type": "object", "additionalProperties": COUNT},
                "ids": {"type": "object", "properties": dict.fromkeys(words, TEXTS)},
                "next": {"type": ["string", "null"]},
            }
        ),
    }
