"""Whether hostile text that somebody else brought gets into a prompt or changes a value.

All attacks of a set are written into one owner's memory through the product's own handlers, as
important and as sure as can be, each by a key of the origin that its channel suggests; half of them
claim a slot that the owner's facts hold. Then contexts are asked for: with the attack's own text,
with its words, and with what owners ask. It is measured with and without the screens, because
detection is an alarm and the origin has to carry the load. Honest text of the same channels has to
be found by search meanwhile, under its origin.
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.product import TENANT, Product
from bench.trust_scenes import TOPICS, Topic
from bench.trust_screens import cases, share
from bench.trust_tricks import caller
from hindwise.domain.admission import admitting
from hindwise.domain.admission.model import Admission, Decision
from hindwise.domain.analysis import asked_words
from hindwise.domain.ports import Embedder
from hindwise.domain.scope import Origin, Scope

CHANNELS = {
    "tool_result": Origin.TOOL,
    "tool_output": Origin.TOOL,
    "document": Origin.DOCUMENT,
    "web_page": Origin.DOCUMENT,
    "filename": Origin.DOCUMENT,
    "metadata": Origin.DOCUMENT,
    "memory": Origin.OTHER_AGENT,
    "multi_turn": Origin.OTHER_AGENT,
    "user_input": Origin.UNKNOWN,
    "user_message": Origin.UNKNOWN,
}
SETS = {"agentdojo_injections": Origin.TOOL, "garak_injection": Origin.DOCUMENT}
"""What is meant where a set names no channel; another's is that of another agent's memory."""
ASKED = 500
Row = dict[str, Any]
Case = Mapping[str, Any]


def rows(data: Path, embedder: Embedder, *, part: float = 1.0) -> Iterator[Row]:
    """Rows of hostile and of honest text, per set and language, with the screens and without."""
    every = {name: found[:: max(1, round(1 / part))] for name, found in cases(data).items()}
    for screened in (True, False):
        with screens(on=screened):
            more = {"screens": "on" if screened else "off", "embedder": embedder.id}
            for name, found in every.items():
                hostile = [one for one in found if one["label"].startswith("attack")]
                yield from _hostile(Product(embedder), name, hostile, more)
            yield from _as_agent(Product(embedder), every, more)
            for name, found in every.items():
                honest = [one for one in found if one["label"] == "benign"]
                yield from _honest(Product(embedder), name, honest, more)


@contextmanager
def screens(*, on: bool) -> Iterator[None]:
    """Have everything admitted, wherever admission is asked, unless screens are to be `on`."""
    real = admitting.admission
    users = [one for one in sys.modules.values() if getattr(one, "admission", None) is real]
    if not on:
        for module in users:
            module.admission = _admitted  # type: ignore[attr-defined]
    try:
        yield
    finally:
        for module in users:
            module.admission = real  # type: ignore[attr-defined]


def _admitted(fields: Mapping[str, Any], **_: object) -> tuple[Admission, dict[str, Any]]:
    return Admission(decision=Decision.ADMIT), dict(fields)


def origin_of(name: str, case: Case) -> Origin:
    """The origin that the channel of a text suggests."""
    return CHANNELS.get(case.get("channel") or "", SETS.get(name, Origin.OTHER_AGENT))


def _hostile(product: Product, name: str, attacks: Sequence[Case], more: Row) -> Iterator[Row]:
    active = _active(product, name, attacks, lambda one: origin_of(name, one))
    of: defaultdict[str, list[bool]] = defaultdict(list)
    for case, hit in zip(attacks, active, strict=True):
        of[case["lang"]].append(hit)
    for language, hits in of.items():
        yield share("hostile_active", hits, set=name, language=language, **more)


def _as_agent(product: Product, every: Mapping[str, Sequence[Case]], more: Row) -> Iterator[Row]:
    """For honesty: what an agent that was taken in says itself is trusted, unless it is caught."""
    attacks = [one for found in every.values() for one in found if one["label"] == "attack"][::4]
    active = _active(product, "agent", attacks, lambda one: Origin.AGENT)
    yield share("hostile_active", active, set="all, by the agent itself", language="all", **more)


def _active(
    product: Product, user: str, attacks: Sequence[Case], by: Callable[[Case], Origin]
) -> list[bool]:
    facts = _facts(product, user)
    ids = [
        _written(product, user, case["text"], by(case), topic=_topic(place))
        for place, case in enumerate(attacks)
    ]
    product.drain()
    shown: set[str] = set()
    for case in attacks:
        for query in (case["text"][:ASKED], " ".join(asked_words(case["text"][:ASKED]))):
            shown |= _shown(product, user, query)
    for topic in (*TOPICS["en"], *TOPICS["zh"]):
        for query in topic.asked:
            shown |= _shown(product, user, query)
    stored = product.memory.get(Scope(tenant=TENANT, user=user), facts)
    lost = {one.superseded_by for one in stored.values()}
    return [bool(one) and (one in shown or one in lost) for one in ids]


def _facts(product: Product, user: str) -> list[str]:
    """What the owner said, each in a slot."""
    items = [
        {
            "kind": "semantic",
            "content": topic.said[0].format(v=topic.values[0]),
            "subject": topic.subject,
            "attribute": topic.attribute,
            "value": topic.values[0],
        }
        for topic in (*TOPICS["en"], *TOPICS["zh"])
    ]
    reply = product.post("/v1/memories", {"user_id": user, "items": items})
    return [one["id"] for one in reply.body["results"]]


def _topic(place: int) -> Topic | None:
    """The thing that every second attack is said to be about."""
    topics = (*TOPICS["en"], *TOPICS["zh"])
    return topics[place // 2 % len(topics)] if place % 2 else None


def _written(
    product: Product, user: str, text: str, by: Origin, *, topic: Topic | None = None
) -> str:
    """The id under which a text was stored; none where it was not."""
    item: Row = {"kind": "semantic", "content": text, "confidence": 1.0, "importance": 1.0}
    if topic is not None:
        item |= {"subject": topic.subject, "attribute": topic.attribute, "value": "as said"}
    reply = product.post("/v1/memories", {"user_id": user, **item}, who=caller(by))
    if reply.status >= 500:
        raise RuntimeError(f"{reply.status}: {reply.body}")
    return str(reply.body.get("id", ""))


def _shown(product: Product, user: str, query: str) -> set[str]:
    if not query.strip():
        return set()
    reply = product.post("/v1/context", {"user_id": user, "query": query})
    if reply.status >= 500:
        raise RuntimeError(f"{reply.status}: {reply.body}")
    return set(reply.body.get("included", ()))


def _honest(product: Product, name: str, honest: Sequence[Case], more: Row) -> Iterator[Row]:
    """Whether honest text of the same channels is found by its words, and says whose it is."""
    user = f"honest-{name}"
    _facts(product, user)
    ids = [_written(product, user, one["text"], origin_of(name, one)) for one in honest]
    product.drain()
    of: defaultdict[str, list[bool]] = defaultdict(list)
    for case, memory_id in zip(honest, ids, strict=True):
        query = " ".join(asked_words(case["text"][:ASKED])[:8]) or case["text"][:ASKED]
        found = product.post("/v1/search", {"user_id": user, "query": query}).body["results"]
        origin = origin_of(name, case).label
        hit = any(one["id"] == memory_id and one["origin"] == origin for one in found)
        of[case["lang"]].append(hit)
    for language, hits in of.items():
        yield share("honest_findable", hits, set=name, language=language, **more)
