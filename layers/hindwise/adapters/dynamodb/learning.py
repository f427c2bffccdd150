"""`ports.Conversations` and `ports.Jobs` on the table.

What is due is read from the index `work`, which may lag a moment behind: a job that is looked at
once too often finds nothing to do. Of a conversation the index knows only a hash, so its row is
read.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from itertools import islice

from hindwise import errors
from hindwise.adapters.dynamodb import keys, learning_rows, rows
from hindwise.adapters.dynamodb.expressions import Item, Key, beginning, indexed_under, number, text
from hindwise.adapters.dynamodb.fences import fence_of
from hindwise.adapters.dynamodb.reading import readable
from hindwise.adapters.dynamodb.rows import micros
from hindwise.adapters.dynamodb.table import Table
from hindwise.domain.conversation import Chunk, Conversation
from hindwise.domain.fence import require_after
from hindwise.domain.jobs import Job
from hindwise.domain.memory import PairVerdict
from hindwise.domain.ports import Due
from hindwise.domain.scope import Scope

ANSWER_LASTS = timedelta(days=14)
ANSWER_BYTES = 380_000
"""Bytes of an answer that a row takes: DynamoDB's 400 KB, less its key."""


class DynamoConversations:
    """Conversations and where their messages are."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def get(
        self, scope: Scope, conversation_id: str, *, now: datetime | None = None
    ) -> Conversation | None:
        """Read a conversation; raises Unreadable, and `Behind` where it is to be written `now`."""
        key = keys.conversation(scope, conversation_id)
        found = _standing(self._table, scope, [key], now=now)
        return learning_rows.read(Conversation, found[0]) if found else None

    def page(self, scope: Scope, *, after: str | None, limit: int) -> list[Conversation]:
        """Read a scope's conversations, by their keys; an unreadable one is named.

        One query each, past its chunks and jobs, of which there may be many more.
        """
        home, own = keys.conversation(scope, "" if after is None else after)
        low = "" if after is None else f"{own}$"
        fence = rows.fence_in([self._table.get(keys.fence(scope)) or {}])
        found: list[Conversation] = []
        while len(found) < limit:
            query = beginning(home, "", limit=1)
            query["KeyConditionExpression"] = "pk = :pk AND sk > :low"
            query["ExpressionAttributeValues"] = {":pk": text(home), ":low": text(low or "#")}
            items, _ = self._table.page(query, None)
            if not items:
                break
            [item] = items
            low = item["sk"]["S"].partition("#")[0] + "$"
            if (
                "body" in item
                and "#" not in item["sk"]["S"]
                and learning_rows.standing(item, fence)
            ):
                found += readable([item], partial(learning_rows.read, Conversation))
        return found

    def chunks(
        self,
        scope: Scope,
        conversation_id: str,
        *,
        after: int = 0,
        limit: int | None = None,
        latest: bool = False,
    ) -> list[Chunk]:
        """Read where its messages are, in order: the chunks that begin after message `after`.

        At most `limit` of them, the first ones, or with `latest` the last ones. Raises Unreadable.
        """
        home, low = keys.chunk(scope, conversation_id, after + 1)
        query = beginning(home, "", newest=latest, limit=limit or 0)
        query["KeyConditionExpression"] = "pk = :pk AND sk BETWEEN :low AND :high"
        values = {":pk": text(home), ":low": text(low), ":high": text(keys.after_chunks(low))}
        query["ExpressionAttributeValues"] = values
        fence = fence_of(self._table, scope)
        all_ = (one for one in self._table.rows(query) if learning_rows.standing(one, fence))
        items = list(islice(all_, limit))
        return [learning_rows.read(Chunk, item) for item in (items[::-1] if latest else items)]


def _standing(
    table: Table, scope: Scope, wanted: list[Key], *, now: datetime | None = None
) -> list[Item]:
    """Read rows by key, without those that lie behind the scope's fence, as `now` must not."""
    items = table.get_many([*wanted, keys.fence(scope)])
    fence = rows.fence_in(items)
    if now is not None:
        require_after(fence, now)
    return [one for one in items if "body" in one and learning_rows.standing(one, fence)]


class DynamoJobs:
    """Jobs, the answers their windows got, verdicts, and what is due over all scopes."""

    def __init__(self, table: Table, *, clock: Callable[[], datetime]) -> None:
        self._table = table
        self._clock = clock

    def get(self, scope: Scope, job_id: str) -> Job | None:
        """Read a job; raises Unreadable."""
        found = _standing(self._table, scope, [keys.job(scope, job_id)])
        return learning_rows.read(Job, found[0]) if found else None

    def page(self, scope: Scope, *, after: str | None, limit: int) -> list[Job]:
        """Read a scope's jobs, newest id first, those before `after`; unreadable ones are named."""
        home, own = keys.job(scope, "" if after is None else after)
        query = beginning(home, "J#", newest=True, limit=limit)
        start: Item | None = None
        if after is not None:
            start = {"pk": text(home), "sk": text(own)}
        found: list[Job] = []
        fence = fence_of(self._table, scope)
        while len(found) < limit:
            items, start = self._table.page(query, start)
            items = [one for one in items if learning_rows.standing(one, fence)]
            found += readable(items, partial(learning_rows.read, Job))
            if start is None:
                break
        return found[:limit]

    def of_conversation(self, scope: Scope, conversation_id: str) -> list[Job]:
        """Read the jobs of a conversation, newest id first."""
        entries = self._table.rows(beginning(*keys.job_entry(scope, conversation_id, "")))
        wanted = [keys.job(scope, entry["job_id"]["S"]) for entry in entries]
        items = _standing(self._table, scope, wanted) if wanted else []
        found = readable(items, partial(learning_rows.read, Job))
        return sorted(found, key=lambda job: job.id, reverse=True)

    def due(self, bucket: int, *, now: datetime, limit: int) -> list[Due]:
        """Read what is due in one of the 16 buckets, the longest first."""
        items = self._waiting(keys.job_bucket(bucket), keys.moment(now), limit)
        places = [(item["pk"]["S"], item["sk"]["S"]) for item in items]
        talks = [(pk, sk) for pk, sk in places if not sk.startswith("J#")]
        names = "pk, sk, conversation_id, w_pk"
        talked = self._table.get_many(talks, names) if talks else []
        named = {
            (row["pk"]["S"], row["sk"]["S"]): row["conversation_id"]["S"]
            for row in talked
            if "w_pk" in row
        }
        found = []
        for pk, sk in places:
            if sk.startswith("J#"):
                found.append(Due(scope=keys.scope_of(pk), job_id=keys.job_id(sk)))
            elif (pk, sk) in named:
                found.append(Due(scope=keys.scope_of(pk), conversation_id=named[pk, sk]))
        return found

    def _waiting(self, pk: str, until: str, limit: int) -> list[Item]:
        """The keys of up to `limit` rows under `pk` in the index `work` that came before."""
        query = indexed_under("work", pk, limit=limit)
        query["KeyConditionExpression"] = "w_pk = :pk AND w_sk <= :until"
        query["ExpressionAttributeValues"] = {":pk": text(pk), ":until": text(until)}
        return list(islice(self._table.rows(query), limit))

    def answer(self, scope: Scope, job_id: str, window: int) -> str | None:
        """Read what a reasoner answered for a window of a job."""
        item = self._table.get(keys.answer(scope, job_id, window))
        return learning_rows.answer_of(item, self._clock())

    def keep_answer(
        self, scope: Scope, job_id: str, window: int, answer: str, *, now: datetime
    ) -> str:
        """Store an answer unless there is one; returns the one that is stored (for 14 days).

        Raises TooLarge for one over 380,000 bytes of UTF-8.
        """
        if len(answer.encode()) > ANSWER_BYTES:
            raise errors.TooLarge(f"a reasoner's answer is at most {ANSWER_BYTES} bytes")
        key = keys.answer(scope, job_id, window)
        row = learning_rows.answer_row(key, answer, now + ANSWER_LASTS)
        condition = "attribute_not_exists(pk) OR ends_at <= :now"
        if self._table.put(row, condition, {":now": number(micros(now))}):
            return answer
        standing = learning_rows.answer_of(self._table.get(key), now)
        if standing is None:
            raise errors.Unavailable("the answer that was stored first is gone again")
        return standing

    def drop_answer(self, scope: Scope, job_id: str, window: int) -> None:
        """Remove what a reasoner answered for a window of a job, if there is something."""
        home, own = keys.answer(scope, job_id, window)
        self._table.delete((home, own), "pk = :pk", {":pk": text(home)})

    def verdict(self, scope: Scope, one: str, other: str) -> PairVerdict | None:
        """Read what was decided between two memories, in whichever order they are named."""
        key, _ = sorted(keys.verdicts(scope, one, other))
        item = self._table.get(key)
        return None if item is None else learning_rows.read(PairVerdict, item)

    def unsettled(self, bucket: int, *, before: datetime, limit: int) -> list[tuple[Scope, str]]:
        """Read memories written before a moment that have not been compared, of one bucket."""
        until = keys.moment(before - timedelta(microseconds=1))
        items = self._waiting(keys.settle_bucket(bucket), until, limit)
        return [
            (keys.scope_of(item["pk"]["S"]), item["sk"]["S"].removeprefix("M#")) for item in items
        ]
