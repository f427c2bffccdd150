"""What a consolidation is asked with, and what it answers."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

from pydantic import Field, JsonValue

from hindwise.domain.drafts import ShortId
from hindwise.domain.memory import Memory
from hindwise.domain.patterns import GENERAL
from hindwise.runtime.contracts.checking import Contract, checked
from hindwise.runtime.contracts.views import memory_view
from hindwise.runtime.http import Answer
from hindwise.runtime.strict_json import JsonObject
from hindwise.usecases.consolidate import Consolidated, Wish

MOST_EPISODES = 50


class ConsolidationRequest(Contract):
    """POST /v1/consolidations."""

    domain: ShortId = GENERAL
    min_episodes: Annotated[int, Field(ge=1, le=MOST_EPISODES)] = 5
    dry_run: bool = False
    force: bool = False


def wish_of(fields: JsonObject) -> Wish:
    """What is asked for; raises Invalid naming the field and its limit."""
    asked = checked(ConsolidationRequest, fields)
    given = asked.min_episodes if "min_episodes" in asked.model_fields_set else None
    return Wish(domain=asked.domain, min_episodes=given, dry_run=asked.dry_run, force=asked.force)


def consolidated_answer(
    consolidated: Consolidated, domain: str, made: Mapping[str, Memory], now: datetime
) -> Answer:
    """200 with what came of it, or 202 and where the job can be asked after.

    `made` are the records of the patterns.
    """
    outcome, job = consolidated.outcome, consolidated.job
    view: JsonObject = {
        "status": "accepted" if outcome is None else outcome.status,
        "reason": (job.reason if job else "") if outcome is None else outcome.reason,
        "domain": domain,
        "method": "llm" if outcome is None else outcome.method,
        "patterns": [],
        "weakened": [],
        "refused": {},
        "source_count": 0,
        "llm_calls": job.counts.llm_calls if job else 0,
        "tokens": job.counts.input_tokens + job.counts.output_tokens if job else 0,
        "preview": [],
        "job_id": job.id if job else None,
    }
    if outcome is None:
        headers = {} if job is None else {"location": f"/v1/jobs/{job.id}"}
        return Answer(view, 202, headers)
    patterns: list[JsonValue] = [
        memory_view(made[one], now) for one in outcome.patterns if one in made
    ]
    proposals = consolidated.preview.proposals if consolidated.preview else ()
    preview: list[JsonValue] = [
        {"content": one.content, "evidence_ids": [*one.evidence_ids]} for one in proposals
    ]
    return Answer(
        {
            **view,
            "patterns": patterns,
            "weakened": [*outcome.weakened],
            "refused": {**outcome.refused},
            "source_count": outcome.source_count,
            "llm_calls": outcome.llm_calls,
            "tokens": outcome.tokens,
            "preview": preview,
        }
    )
