"""What is asked: a query, its filters, and how its result is to be ranked.

A filter is a conjunction of conditions on named fields of the record; the same conditions are
evaluated in every arm of the index and again on the record that is read from the table.
"""

import json
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, JsonValue

from hindwise.domain.base import Model
from hindwise.domain.memory import Status
from hindwise.domain.retention import DEFAULT, Retention
from hindwise.domain.scope import Origin


class Operator(StrEnum):
    """How a field is compared; `eq` on a list field means that it holds the value."""

    EQ = "eq"
    NE = "ne"
    IN = "in"
    ALL = "all"
    GT = "gt"
    GTE = "gte"
    LT = "lt"
    LTE = "lte"


class Condition(Model):
    """`field` `op` `value`. A `field` of `metadata.NAME` means that entry of the metadata.

    Times are compared as instants.
    """

    field: str
    op: Operator = Operator.EQ
    value: JsonValue | AwareDatetime


class Filter(Model):
    """All of these must hold; `none_of` are conditions that must not."""

    all_of: tuple[Condition, ...] = ()
    none_of: tuple[Condition, ...] = ()


def kept_filter(wanted: Filter) -> str:
    """A filter as JSON, in which a time can be told from a text that looks like one."""
    form = wanted.model_dump(mode="json")
    for part in ("all_of", "none_of"):
        for one, kept in zip(getattr(wanted, part), form[part], strict=True):
            kept["time"] = isinstance(one.value, datetime)
    return json.dumps(form, ensure_ascii=False, sort_keys=True)


def filter_from(text: str) -> Filter:
    """Read back what `kept_filter` gave."""
    form = json.loads(text)
    for part in ("all_of", "none_of"):
        for kept in form[part]:
            if kept.pop("time"):
                kept["value"] = datetime.fromisoformat(kept["value"])
    return Filter.model_validate(form)


class View(Model):
    """Which states may be seen, and as of when.

    `include` names states shown beside the active ones. `as_of` asks what was true then, `known_at`
    what had been learnt by then. With `during` (from, to before) values that held at some time in
    between are shown beside those that hold now: a question that names days of the past asks so.
    """

    include: frozenset[Status] = frozenset()
    as_of: AwareDatetime | None = None
    known_at: AwareDatetime | None = None
    scene: str | None = None
    during: tuple[AwareDatetime, AwareDatetime] | None = None


class Weights(Model):
    """Shares of the three arms in the `weighted` mode; not negative, not all zero."""

    keyword: Annotated[float, Field(ge=0)] = 0.3
    vector: Annotated[float, Field(ge=0)] = 0.4
    time: Annotated[float, Field(ge=0)] = 0.3


Mode = Literal["context", "weighted", "rrf", "score"]
PRESETS = {
    "default": Weights(),
    "timely": Weights(keyword=0.25, vector=0.25, time=0.5),
    "semantic": Weights(keyword=0.2, vector=0.5, time=0.3),
}


class Expand(Model):
    """What is given beside each result, whose ranks it does not change.

    Up to `turns` turns before and after it, other memories that name the same `entities`, and the
    `chain` that it is part of.
    """

    turns: Annotated[int, Field(ge=0, le=10)] = 0
    entities: bool = False
    chain: bool = False

    @property
    def any(self) -> bool:
        """Tell whether anything is wanted at all."""
        return bool(self.turns or self.entities or self.chain)


class Query(Model):
    """One search. `now` is the caller's clock with the caller's zone; `min_score` is a cosine.

    What is of an origin below `min_origin` is neither found nor ranked with what is found.
    `rewrite` tells whether a language model may put it in other words, `rerank` whether the best
    are ordered once more; None leaves both to the setting. `fading` says how fast what is believed
    fades, and what is hot.
    """

    text: str = ""
    filter: Filter = Filter()
    view: View = View()
    top_k: Annotated[int, Field(ge=1, le=100)] = 10
    mode: Mode = "context"
    weights: Weights = Weights()
    min_score: Annotated[float, Field(ge=-1, le=1)] | None = None
    min_confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    min_origin: Origin | None = None
    now: AwareDatetime
    fading: Retention = DEFAULT
    explain: bool = False
    expand: Expand = Expand()
    rewrite: bool | None = None
    rerank: bool | None = None
