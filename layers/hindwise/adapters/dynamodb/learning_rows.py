"""Rows of learning to models and back; as in `rows`, a record is one JSON `body`.

Beside it stand only what conditions and the index `work` need: a job is in it until it is done, a
conversation while turns of it wait for more.
"""

from datetime import datetime

from pydantic import ValidationError

from hindwise.adapters.dynamodb import keys
from hindwise.adapters.dynamodb.expressions import Item, Key, Value, key_of, number, text
from hindwise.adapters.dynamodb.rows import micros, ttl
from hindwise.domain.base import Model
from hindwise.domain.conversation import Chunk, Conversation
from hindwise.domain.jobs import Job
from hindwise.domain.memory import PairVerdict, millis
from hindwise.domain.scope import Scope
from hindwise.errors import Unreadable


def read[M: Model](model: type[M], item: Item) -> M:
    """Read a row's body; raises Unreadable, without the cause, which quotes it."""
    try:
        return model.model_validate_json(item["body"]["S"])
    except (KeyError, ValidationError):
        raise Unreadable(f"the body of a {model.__name__.lower()} cannot be read") from None


def standing(item: Item, fence: datetime | None) -> bool:
    """Tell whether a row lies before a fence, by when what it is of was begun."""
    return fence is None or int(item.get("born", {}).get("N", "0")) > millis(fence)


def conversation_row(scope: Scope, conversation: Conversation) -> dict[str, Value]:
    """A conversation's row; its id stands beside the body, for its key is only a hash."""
    row = key_of(keys.conversation(scope, conversation.id))
    row |= {
        "body": text(conversation.model_dump_json()),
        "version": number(conversation.version),
        "conversation_id": text(conversation.id),
        "born": number(millis(conversation.created_at)),
    }
    return row | _work(conversation.id, conversation.idle_at)


def chunk_row(scope: Scope, chunk: Chunk) -> dict[str, Value]:
    """A chunk's row."""
    row = key_of(keys.chunk(scope, chunk.conversation_id, chunk.first))
    row |= {"body": text(chunk.model_dump_json()), "blob_name": text(chunk.blob)}
    return row | {"born": number(millis(chunk.at))}


def job_row(scope: Scope, job: Job) -> dict[str, Value]:
    """A job's row."""
    row = key_of(keys.job(scope, job.id))
    row |= {
        "body": text(job.model_dump_json()),
        "version": number(job.version),
        "job_state": text(job.state),
        "claim_token": text(job.token),
        "born": number(millis(job.created_at)),
    }
    return row | _work(job.id, job.next_at if job.open else None)


def job_entry(scope: Scope, conversation_id: str, job: Job) -> dict[str, Value]:
    """A job's entry among those of its conversation, with the turns it covers."""
    return key_of(keys.job_entry(scope, conversation_id, job.id)) | {
        "job_id": text(job.id),
        "first_turn": number(job.first_turn),
        "last_turn": number(job.last_turn),
        "born": number(millis(job.created_at)),
    }


def _work(word: str, at: datetime | None) -> dict[str, Value]:
    """The attributes that put a row into the index `work`, none where it is due never."""
    if at is None:
        return {}
    bucket = keys.bucket(word, keys.WORK_BUCKETS)
    return {"w_pk": text(keys.job_bucket(bucket)), "w_sk": text(keys.moment(at))}


def answer_row(key: Key, answer: str, until: datetime) -> dict[str, Value]:
    """What a reasoner said; gone after `until`."""
    row = key_of(key) | {"answer": text(answer)}
    return row | {"ends_at": number(micros(until)), "ttl": ttl(until)}


def answer_of(item: Item | None, now: datetime) -> str | None:
    """Read what a reasoner said, None where nothing is there or it is over."""
    if item is None or int(item["ends_at"]["N"]) <= micros(now):
        return None
    return item["answer"]["S"]


def verdict_row(scope: Scope, pair: PairVerdict) -> dict[str, Value]:
    """A verdict's row, under its ids in order."""
    key, _ = sorted(keys.verdicts(scope, pair.one, pair.other))
    return key_of(key) | {"body": text(pair.model_dump_json()), "basis": text(pair.basis)}
