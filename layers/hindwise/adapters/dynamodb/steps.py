"""The steps of one DynamoDB transaction: each is a row that is put, changed, removed or looked at.

What a step is made for, and under which condition, is decided by `memory_steps`, `learning_steps`
and `transaction`.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from hindwise.adapters.dynamodb import keys, rows
from hindwise.adapters.dynamodb.expressions import Key, Value, key_of
from hindwise.domain.changes import Action
from hindwise.domain.retention import DEFAULT, Retention
from hindwise.domain.scope import Scope

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef


class Step(NamedTuple):
    """One row of a transaction, and the actions it is for.

    A step whose condition may fail without harm (freeing a text that by now stands for another
    memory) is `optional`: the commit is then done without it.
    """

    actions: tuple[Action, ...]
    key: Key
    item: "TransactWriteItemTypeDef"
    optional: bool = False

    @property
    def firm(self) -> bool:
        """Tell whether the commit hangs on a condition of this step."""
        item = self.item
        parts = (item.get("Put"), item.get("Update"), item.get("Delete"))
        conditional = any("ConditionExpression" in part for part in parts if part)
        return not self.optional and (conditional or "ConditionCheck" in item)

    @property
    def sweeping(self) -> bool:
        """Tell whether it only removes a row, whatever is there."""
        gone = self.item.get("Delete")
        return gone is not None and "ConditionExpression" not in gone


class Steps:
    """Makes steps for one scope and one commit, whose change rows `ulid` names.

    A new conversation may take the place of one that lies behind the `fence`.
    `rules` say when fading is to look at a record again.
    """

    def __init__(
        self,
        table: str,
        scope: Scope,
        *,
        ulid: str,
        now: datetime,
        fence: datetime | None = None,
        rules: Retention = DEFAULT,
    ) -> None:
        self._fence = fence
        self._table = table
        self._scope = scope
        self._ulid = ulid
        self._now = now
        self._rules = rules

    def put(
        self,
        action: Action,
        row: Mapping[str, Value],
        condition: str | None = None,
        values: Mapping[str, Value] | None = None,
    ) -> Step:
        """Put a row, whatever is there unless a condition is given."""
        item: TransactWriteItemTypeDef = {"Put": {"TableName": self._table, "Item": row}}
        if condition is not None:
            item["Put"]["ConditionExpression"] = condition
        if values is not None:
            item["Put"]["ExpressionAttributeValues"] = values
        return Step((action,), (row["pk"]["S"], row["sk"]["S"]), item)

    def update(
        self,
        action: Action,
        key: Key,
        change: str,
        condition: str | None,
        values: Mapping[str, Value],
    ) -> Step:
        """Change a row, under a condition where one is given.

        `#status` stands for the attribute `status`, a reserved word.
        """
        item: TransactWriteItemTypeDef = {
            "Update": {
                "TableName": self._table,
                "Key": key_of(key),
                "UpdateExpression": change,
                "ExpressionAttributeValues": values,
            }
        }
        if condition is not None:
            item["Update"]["ConditionExpression"] = condition
        if "#status" in change + (condition or ""):
            item["Update"]["ExpressionAttributeNames"] = {"#status": "status"}
        return Step((action,), key, item)

    def drop(
        self,
        action: Action,
        key: Key,
        condition: str | None = None,
        values: Mapping[str, Value] | None = None,
    ) -> Step:
        """Delete a row, whatever is there unless a condition is given."""
        item: TransactWriteItemTypeDef = {"Delete": {"TableName": self._table, "Key": key_of(key)}}
        if condition is not None:
            item["Delete"]["ConditionExpression"] = condition
        if values is not None:
            item["Delete"]["ExpressionAttributeValues"] = values
        return Step((action,), key, item)

    def check(self, action: Action, key: Key, condition: str, values: Mapping[str, Value]) -> Step:
        """Look at a row that stays as it is."""
        item: TransactWriteItemTypeDef = {
            "ConditionCheck": {
                "TableName": self._table,
                "Key": key_of(key),
                "ConditionExpression": condition,
                "ExpressionAttributeValues": values,
            }
        }
        return Step((action,), key, item)

    def changed(self, action: Action, memory_id: str) -> Step:
        """The change row of a memory in this commit."""
        key = keys.change(self._scope, self._ulid, memory_id)
        return self.put(action, rows.change_row(key, self._ulid, memory_id))
