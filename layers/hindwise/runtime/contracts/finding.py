"""The schemas of what finding answers."""

from collections.abc import Mapping
from typing import cast, get_args

from pydantic import JsonValue

from hindwise.domain.conversation import SpeakerRole
from hindwise.runtime.contracts.shapes import COUNT, TEXT, TEXTS, TRUTH, closed, listed, ref
from hindwise.runtime.strict_json import JsonObject
from hindwise.usecases.chains import Part


def finding(named: Mapping[str, JsonObject]) -> dict[str, JsonObject]:
    """The answers of search and context, given the schemas of the memories in them."""
    more: dict[str, JsonObject] = {
        "score": {"type": ["number", "null"]},
        "cosine": {"type": "number"},
        "why": ref("Why"),
        "expanded": ref("Around"),
    }
    hits = {}
    for name in ("Episode", "SemanticMemory"):
        memory = named[name]
        properties = {**cast(dict[str, JsonObject], memory["properties"]), **more}
        required = [*cast(list[str], memory["required"]), "score", "why"]
        hits[f"{name}Hit"] = cast(
            JsonObject, {**memory, "properties": properties, "required": required}
        )
    state = {"degraded": TRUTH, "reasons": TEXTS, "lag": TRUTH, "skipped": TEXTS}
    state["rewrite"] = ref("Rewriting")
    found: dict[str, JsonObject] = {
        "results": {"type": "array", "items": {"anyOf": [ref(name) for name in hits]}},
        "recall_id": TEXT,
        **state,
        "exhausted": TRUTH,
        "candidates": COUNT,
        "turns": listed("Episode"),
        "coverage": {"type": "number", "minimum": 0, "maximum": 1},
        "dropped": {"type": "object", "additionalProperties": COUNT},
    }
    block = {"background": TEXT, "history": TEXT, "text": TEXT, "tokens": COUNT}
    block |= {"max_tokens": COUNT, "tokenizer": TEXT, "included": TEXTS, "left_out": TEXTS}
    block["left_out_reasons"] = {"type": "object", "additionalProperties": COUNT}
    return {
        **hits,
        **_beside(),
        "Found": closed(found, optional=("coverage", "dropped", "rewrite")),
        "Entity": closed(
            {
                "name": TEXT,
                "results": listed("Memory"),
                "next": {"type": ["string", "null"]},
                "mentions": COUNT,
                "neighbours": listed("Neighbour"),
                "complete": TRUTH,
                "degraded": TRUTH,
                "reasons": TEXTS,
                "lag": TRUTH,
            }
        ),
        "Context": closed({**block, "recall_id": TEXT, **state}, optional=("rewrite",)),
    }


def _beside() -> dict[str, JsonObject]:
    """What stands beside a result."""
    told: dict[str, JsonObject] = {"id": TEXT, "memory": ref("Memory")}
    parts: list[JsonValue] = [*get_args(Part)]
    link: dict[str, JsonObject] = {
        "part": {"enum": parts},
        **told,
        "outcome": ref("Outcome"),
        "at": {"type": "string", "format": "date-time"},
    }
    around = {"turns": TEXTS, "entities": listed("Mention"), "chain": listed("Link")}
    return {
        "Told": closed(told, optional=("memory",)),
        "Link": closed(link, optional=("id", "memory", "outcome", "at")),
        "Mention": closed({"name": TEXT, "count": COUNT, "memories": listed("Told")}),
        "Around": closed(
            {**around, "chain_of": TEXT, "cut": TEXTS},
            optional=("chain_of",),
        ),
    }


def source_turns() -> dict[str, JsonObject]:
    """Turns of conversations as they were said."""
    said: dict[str, JsonObject] = {
        "turn": COUNT,
        "number": COUNT,
        "role": {"enum": [*map(str, SpeakerRole)]},
        "name": TEXT,
        "text": TEXT,
        "at": {"type": "string", "format": "date-time"},
        "redacted": TRUTH,
    }
    run: dict[str, JsonObject] = {
        "conversation_id": TEXT,
        "first": COUNT,
        "last": COUNT,
        "readable": TRUTH,
        "turns": listed("SourceTurn"),
    }
    return {
        "SourceTurn": closed(said, optional=("name", "at")),
        "SourceTurns": closed(run),
    }
