"""What a forgotten memory leaves behind and only a query finds.

Old versions, projections of every embedder, links, verdicts, and what a reasoner said about the
turns that it was learnt from.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from hindwise.adapters.dynamodb import keys
from hindwise.adapters.dynamodb.expressions import Item, Key, beginning
from hindwise.adapters.dynamodb.table import Table
from hindwise.domain.changes import Forget
from hindwise.domain.memory import said_in
from hindwise.domain.scope import Scope

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import QueryInputTypeDef


def left_behind(table: Table, scope: Scope, forgets: Sequence[Forget]) -> list[Key]:
    """The keys of all such rows, each once."""
    memories = [action.memory for action in forgets]
    own = [query for action in forgets for query in _of_memory(scope, action)]
    rows = _keys(_all(table, own))
    told = [(action.memory.id, one) for action in forgets for one in action.told or ()]
    rows += [keys.edge(scope, *link) for link in told]
    rows += [(pk, keys.mirrored(sk)) for pk, sk in rows if pk == keys.part(scope, "P")]
    ranges = [said for memory in memories if (said := said_in(memory)) is not None]
    answers = [query for said in ranges for query in _of_turns(table, scope, *said)]
    rows += _keys(_all(table, answers))
    return list(dict.fromkeys(rows))


def _of_memory(scope: Scope, forget: Forget) -> "Iterator[QueryInputTypeDef]":
    memory_id = forget.memory.id
    yield beginning(keys.part(scope, "H"), f"{memory_id}#")
    yield beginning(*keys.document(scope, memory_id, ""))
    if forget.told is None:
        yield beginning(*keys.edge(scope, memory_id, ""))
    yield beginning(keys.part(scope, "P"), f"{keys.short(memory_id)}#")


def _of_turns(
    table: Table, scope: Scope, conversation_id: str, first: int, last: int
) -> "Iterator[QueryInputTypeDef]":
    """What was said about turns: the answers of all jobs that cover one of them."""
    for entry in table.rows(beginning(*keys.job_entry(scope, conversation_id, ""))):
        if int(entry["first_turn"]["N"]) <= last and first <= int(entry["last_turn"]["N"]):
            yield beginning(*keys.answer(scope, entry["job_id"]["S"]))


def _all(table: Table, queries: "Sequence[QueryInputTypeDef]") -> Iterator[Item]:
    """The keys of the rows of several queries."""
    asked: list[QueryInputTypeDef] = [
        {**query, "ProjectionExpression": "pk, sk"} for query in queries
    ]
    found = table.spread(lambda query: list(table.rows(query)), asked)
    return (item for items in found for item in items)


def _keys(items: Iterable[Item]) -> list[Key]:
    return [(item["pk"]["S"], item["sk"]["S"]) for item in items]
