"""Whether the owner's word stays first and current, whatever is claimed against it.

Each trial writes through the product's own handlers: the owner's fact, some of the owner's other
memories, and the claims, by a key of another origin, before or after it, with a slot or without,
surer, more important and newer than the fact. Then questions are asked in every mode.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from bench.product import TENANT, Product
from bench.trust_scenes import NOISE, TRICKS, Scene, scene
from bench.trust_screens import wilson
from hindwise.domain.ports import Embedder
from hindwise.domain.scope import Origin, Principal, Role, Scope

MODES = ("context", "weighted", "rrf", "score")
LOWER = (Origin.TOOL, Origin.DOCUMENT, Origin.OTHER_AGENT, Origin.UNKNOWN)
SEEDS = 20
COPIES = 50
Row = dict[str, Any]


def caller(origin: Origin, name: str = "") -> Principal:
    """A key whose word counts as much as an origin."""
    return Principal(
        tenant=TENANT, name=name or f"as-{origin.label}", role=Role.WRITER, ceiling=origin
    )


def rows(embedder: Embedder, *, seeds: int = SEEDS, endpoint: str = "") -> Iterator[Row]:
    """A row a language: in how many trials the owner's fact stayed first and current."""
    product = Product(embedder, endpoint)
    for language in ("en", "zh"):
        for agent in (False, True):
            kept = [
                first_and_current(product, trick, language, seed, agent=agent)
                for trick in TRICKS
                for seed in range(seeds)
            ]
            low, high = wilson(sum(kept), len(kept))
            yield {
                "what": "tricks",
                "by": "agent" if agent else "others",
                "language": language,
                "backend": "opensearch" if endpoint else "embedded",
                "embedder": embedder.id,
                "trials": len(kept),
                "first_and_current_share": sum(kept) / len(kept),
                "low": low,
                "high": high,
            }
    yield copies(product, embedder)


def first_and_current(
    product: Product, trick: str, language: str, seed: int, *, agent: bool = False
) -> bool:
    """Play one trial; `agent` has the agent itself make the claims."""
    user, told = f"{trick}-{language}-{seed}-{agent}", scene(trick, language, seed)
    random = Random(user)
    slotted, before = random.random() < 0.5, random.random() < 0.3
    truth = {"kind": "semantic", "content": told.truth, **_slot(told, told.value, slotted)}
    by = caller(Origin.AGENT if agent else random.choice(LOWER))
    if before:
        _claim(product, user, told, by=by, slotted=slotted)
    fact = _write(product, user, [truth])[0]
    _write(product, user, [{"kind": "semantic", "content": one} for one in NOISE[language]])
    if not before:
        _claim(product, user, told, by=by, slotted=slotted)
    product.drain()
    return _current(product, user, fact) and all(
        _first(product, user, question, fact, told) for question in told.topic.asked
    )


def _claim(product: Product, user: str, told: Scene, *, by: Principal, slotted: bool) -> None:
    later = datetime.now(UTC) + timedelta(minutes=5)
    items = [
        {
            "kind": "semantic",
            "content": one,
            "confidence": 1.0,
            "importance": 1.0,
            "event_time": later.isoformat(),
            **_slot(told, told.forged, slotted),
        }
        for one in told.claims
    ]
    _write(product, user, items, by=by)


def _slot(told: Scene, value: str, slotted: bool) -> dict[str, object]:
    if not slotted:
        return {}
    return {"subject": told.topic.subject, "attribute": told.topic.attribute, "value": value}


def _write(
    product: Product, user: str, items: list[dict[str, Any]], *, by: Principal | None = None
) -> list[str]:
    reply = product.post(
        "/v1/memories", {"user_id": user, "items": items}, who=by or caller(Origin.OWNER)
    )
    return [one.get("id", "") for one in reply.body["results"]]


def _current(product: Product, user: str, fact: str) -> bool:
    stored = product.memory.get(Scope(tenant=TENANT, user=user), [fact])[fact]
    return stored.status == "active" and stored.confidence == 0.8 and stored.superseded_by is None


def _first(product: Product, user: str, question: str, fact: str, told: Scene) -> bool:
    """Whether a fact comes before all that is below it, first by default, and into the context."""
    reader = caller(Origin.OWNER)
    for mode in MODES:
        asked = {"user_id": user, "query": question, "mode": mode}
        found = product.post("/v1/search", asked, who=reader).body["results"]
        ids = [one["id"] for one in found]
        claimed = [place for place, one in enumerate(found) if one["origin"] != "owner"]
        if fact not in ids or any(place < ids.index(fact) for place in claimed):
            return False
    asked = {"user_id": user, "query": question, "background": 0}
    block = product.post("/v1/context", asked, who=reader).body
    return fact in block["included"]


def copies(product: Product, embedder: Embedder) -> Row:
    """Fifty wordings of one claim by one key: whether anything at all changes for the owner."""
    told = scene("repetition", "en", 0)
    user = f"copies-{embedder.id}"
    fact = _write(product, user, [{"kind": "semantic", "content": told.truth}])[0]
    _write(product, user, [{"kind": "semantic", "content": one} for one in NOISE["en"]])
    product.drain()
    before = _seen(product, user, told)
    claim = told.claims[0].rstrip(".")
    claims = [{"kind": "semantic", "content": f"{claim}, entry {n}."} for n in range(COPIES)]
    _write(product, user, claims, by=caller(Origin.TOOL))
    product.drain()
    same = before == _seen(product, user, told) and _current(product, user, fact)
    return {"what": "tricks", "trick": "copies", "trials": COPIES, "unchanged": same,
            "embedder": embedder.id}  # fmt: skip


def _seen(product: Product, user: str, told: Scene) -> list[object]:
    """What the owner is shown: the blocks, and which of the owner's memory is first."""
    blocks = [
        product.post("/v1/context", {"user_id": user, "query": one}).body["text"]
        for one in told.topic.asked
    ]
    firsts = [
        product.post("/v1/search", {"user_id": user, "query": one}).body["results"][0]["id"]
        for one in told.topic.asked
    ]
    return [*blocks, *firsts]
