"""The schemas of what conversations, jobs and queues answer."""

from typing import cast

from hindwise.domain.conversation import SpeakerRole
from hindwise.domain.jobs import JobKind, JobState
from hindwise.domain.ports import QueueName
from hindwise.domain.scope import Origin
from hindwise.runtime.contracts.shapes import COUNT, TEXT, TEXTS, TRUTH, closed, listed, ref
from hindwise.runtime.strict_json import JsonObject

_TEXT_OR_NULL: JsonObject = {"type": ["string", "null"]}
_TIME: JsonObject = {"type": "string", "format": "date-time"}
_TIME_OR_NULL: JsonObject = {"type": ["string", "null"], "format": "date-time"}
_FREE: JsonObject = {"type": "object"}
_STATES: JsonObject = {"enum": [*map(str, JobState)]}
_COUNT_OR_NULL: JsonObject = {"type": ["integer", "null"], "minimum": 0}


def learning() -> dict[str, JsonObject]:
    """The answers by their names; `Counts` is a model of the domain."""
    return {
        "Taken": closed(_taken(), optional=("admission",)),
        "Conversation": closed(_conversation()),
        "Message": closed(_message(), optional=("extra",)),
        "Job": closed(_job(), optional=("source",)),
        "Tries": closed({"broken": COUNT, "waits": COUNT, "lost": COUNT}),
        "Jobs": closed({"results": listed("Job"), "next": _TEXT_OR_NULL}),
        "Depth": closed(
            {
                "name": {"enum": [*map(str, QueueName)]},
                "waiting": _COUNT_OR_NULL,
                "delayed": _COUNT_OR_NULL,
                "in_flight": _COUNT_OR_NULL,
                "dead": _COUNT_OR_NULL,
            }
        ),
        "Queues": closed({"queues": listed("Depth")}),
        "Consolidated": closed(_consolidated()),
        "Preview": closed({"content": TEXT, "evidence_ids": TEXTS}),
        "Redriven": closed({"name": TEXT, "sent": COUNT}),
    }


def _consolidated() -> dict[str, JsonObject]:
    return {
        "status": {"enum": ["created", "partial", "skipped", "accepted"]},
        "reason": TEXT,
        "domain": TEXT,
        "method": {"enum": ["llm", "extractive"]},
        "patterns": listed("Memory"),
        "weakened": TEXTS,
        "refused": {"type": "object", "additionalProperties": COUNT},
        "source_count": COUNT,
        "llm_calls": COUNT,
        "tokens": COUNT,
        "preview": listed("Preview"),
        "job_id": _TEXT_OR_NULL,
    }


def _taken() -> dict[str, JsonObject]:
    return {
        "conversation_id": TEXT,
        "job_id": _TEXT_OR_NULL,
        "state": cast(JsonObject, {"enum": [*map(str, JobState), None]}),
        "added": COUNT,
        "messages": COUNT,
        "turns": COUNT,
        "waiting": COUNT,
        "verbatim": {"enum": ["infer", "no_llm", None]},
        "admission": ref("Admission"),
    }


def _conversation() -> dict[str, JsonObject]:
    return {
        "id": TEXT,
        "agent_id": _TEXT_OR_NULL,
        "task_id": _TEXT_OR_NULL,
        "domain": TEXT,
        "scene": _TEXT_OR_NULL,
        "intent": _TEXT_OR_NULL,
        "participants": TEXTS,
        "metadata": _FREE,
        "infer": TRUTH,
        "ended": TRUTH,
        "created_at": _TIME,
        "updated_at": _TIME,
        "version": COUNT,
        "message_count": COUNT,
        "turn_count": COUNT,
        "waiting": COUNT,
        "job_id": _TEXT_OR_NULL,
        "principal": TEXT,
        "messages": listed("Message"),
        "next": _TEXT_OR_NULL,
    }


def _message() -> dict[str, JsonObject]:
    return {
        "number": COUNT,
        "turn": _COUNT_OR_NULL,
        "role": {"enum": [*map(str, SpeakerRole)]},
        "name": _TEXT_OR_NULL,
        "content": TEXT,
        "at": _TIME_OR_NULL,
        "origin": {"enum": [origin.label for origin in Origin]},
        "redacted": TRUTH,
        "episode_id": _TEXT_OR_NULL,
        "learnt": listed("Memory"),
        "extra": _FREE,
    }


def _job() -> dict[str, JsonObject]:
    return {
        "id": TEXT,
        "kind": {"enum": [*map(str, JobKind)]},
        "state": _STATES,
        "reason": TEXT,
        "conversation_id": _TEXT_OR_NULL,
        "first_turn": COUNT,
        "last_turn": COUNT,
        "next_turn": COUNT,
        "infer": TRUTH,
        "domain": _TEXT_OR_NULL,
        "next_at": _TIME_OR_NULL,
        "counts": ref("Counts"),
        "result": _FREE,
        "created_at": _TIME,
        "updated_at": _TIME,
        "principal": TEXT,
        "source": closed({"kind": TEXT, "id": TEXT}),
        "tries": ref("Tries"),
    }
