"""Histories of a user, and the answers that they get: what is played alone or among others.

The words are few and everybody's, so that what leaks or weighs in from elsewhere is seen. Ids are
told by when they first came up, so that two runs can be compared.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import groupby
from typing import Any

from hypothesis import strategies as st

from hindwise.domain.scope import Scope
from tests.builders import NOW, principal
from tests.integration.http_client import Client, Reply, World, segment

SUBJECTS = ("the red bicycle", "the vault", "a ticket to Chengdu", "红色自行车", "去成都的票")
VERBS = ("was repaired", "opens at nine", "is late", "修好了", "丢了")
ULID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b")
RECALL = re.compile(r'"(?:recall_id|next)": "[^"]*"')


@dataclass(frozen=True)
class Step:
    """One call: what it does, to which of the user's memories, with which words, how much later."""

    does: str
    number: int
    subject: str
    verb: str
    minutes: int


STEPS = st.builds(
    Step,
    does=st.sampled_from(
        ["tell", "tell", "tell", "value", "edit", "forget", "search", "search", "context", "list",
         "entity", "stats", "patterns"]
    ),
    number=st.integers(0, 99),
    subject=st.sampled_from(SUBJECTS),
    verb=st.sampled_from(VERBS),
    minutes=st.integers(1, 3_000),
)  # fmt: skip
HISTORIES = st.lists(STEPS, min_size=4, max_size=14)


@dataclass
class Life:
    """A user's history as it is played; `answers` are what it was told, ids by ordinals."""

    whose: Scope
    steps: list[Step]
    ids: list[str] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)
    answers: list[str] = field(default_factory=list)

    def told(self, reply: Reply) -> None:
        body = reply.body
        if "results" in body:
            body = {**body, "results": _in_order(body["results"])}
        text = json.dumps(body, sort_keys=True, ensure_ascii=False)
        text = ULID.sub(lambda one: self.known.setdefault(one[0], f"#{len(self.known)}"), text)
        text = text.replace(self.whose.user, "WHO").replace(self.whose.tenant, "TENANT")
        self.answers.append(f"{reply.status} {RECALL.sub('', text)}")

    def found(self) -> list[str]:
        """The ids of each search, in order, and nothing else."""
        searches = (one[4:] for one in self.answers if '"results"' in one)
        return [" ".join(re.findall(r'"id": "(#\d+)"', one)) for one in searches]


def _in_order(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Results, those of ids of one millisecond by what they say: among them chance is the order.

    A pattern has its id of the time of what it was made of.
    """
    found = groupby(results, key=lambda one: str(one.get("id"))[:10])
    return [one for _, some in found for one in sorted(some, key=lambda one: str(one["kind"]))]


def play(world: World, lives: Mapping[str, Life], settle: Callable[[], None]) -> None:
    """Play histories beside each other, each step at its own time."""
    clients = {name: Client(principal(tenant=life.whose.tenant)) for name, life in lives.items()}
    moments = []
    for name, life in lives.items():
        at = NOW
        for number, one in enumerate(life.steps):
            at += timedelta(minutes=one.minutes)
            moments.append((at, name, number))
    for at, name, number in sorted(moments):
        world.clock.now = at
        _step(clients[name], lives[name], lives[name].steps[number])
        for whose, touches in world.access.sent:
            world.store.touch(whose, touches)
        world.access.sent.clear()
        settle()


def _step(client: Client, life: Life, step: Step) -> None:
    user, text = {"user_id": life.whose.user}, f"{step.subject} {step.verb}"
    one = life.ids[step.number % len(life.ids)] if life.ids else None
    match step.does:
        case "tell" | "value":
            body: dict[str, Any] = {**user, "content": text, "importance": step.number / 100}
            body |= {"entities": [step.subject], "domain": "things"}
            if step.does == "value":
                body |= {"type": "fact", "subject": step.subject, "attribute": "state"}
                body |= {"value": step.verb, "cardinality": "one"}
            reply = client.send("POST", "/v1/memories", body)
            life.ids.append(str(reply.body["id"]))
        case "edit" | "forget" if one is None:
            return
        case "edit":
            change = {**user, "content": f"{text}!", "reason": "put right"}
            reply = client.send("PATCH", f"/v1/memories/{one}", change)
        case "forget":
            reply = client.send("DELETE", f"/v1/memories/{one}", query=user)
        case "search":
            asked = {**user, "query": text, "explain": True, "top_k": 20}
            reply = client.send("POST", "/v1/search", asked)
        case "context":
            reply = client.send("POST", "/v1/context", {**user, "query": text})
        case "list":
            reply = client.send("GET", "/v1/memories", query={**user, "limit": 100})
        case "entity":
            reply = client.send("GET", f"/v1/entities/{segment(step.subject)}", query=user)
        case "stats":
            reply = client.send("GET", "/v1/stats", query=user)
        case _:
            wish = {**user, "domain": "things", "min_episodes": 2}
            reply = client.send("POST", "/v1/consolidations", wish)
    life.told(reply)
