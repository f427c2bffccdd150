"""The state machine: what every set of rules shares, and the end to which all histories come."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant

from hindwise.domain.scope import Scope
from hindwise.runtime.wiring import use_wiring
from tests.integration.http_client import Reply
from tests.machine import ending, invariants
from tests.machine.faults import CALM, Blow, Fate
from tests.machine.plant import SCOPES, Plant
from tests.machine.promises import Promises, Told, foreign

BLOWS = st.builds(
    Fate,
    blow=st.sampled_from([blow for blow in Blow if blow is not Blow.NONE]),
    call=st.one_of(st.integers(1, 6), st.integers(1, 30)),
)
FATES = st.one_of(st.just(CALM), st.just(CALM), BLOWS)
WHOSE = st.sampled_from(SCOPES)
NUMBERS = st.integers(0, 999)
PLACES = st.sampled_from(["lives_in", "works_at"])


class Machine(RuleBasedStateMachine):
    """A stage, what its callers were told, and what was there after the last step."""

    def __init__(self) -> None:
        super().__init__()
        self.plant = Plant()
        self.promises = Promises()
        self.before = invariants.Seen()
        self._wiring = use_wiring(self.plant.world)
        self._wiring.__enter__()

    @property
    def clock(self) -> Any:
        return self.plant.world.clock

    def pick(self, whose: Scope, number: int) -> str | None:
        """One of the ids that a scope's callers know."""
        known = sorted(self.promises.accepted[whose])
        return known[number % len(known)] if known else None

    def meanwhile(self, whose: Scope) -> Callable[[], None]:
        """What somebody else does of the same scope: an edit, a forgetting, a value of a slot."""

        def act() -> None:
            number = len(self.promises.tags[whose])
            one = self.pick(whose, number)
            if number % 3 == 0 or one is None:
                self.write(whose, {"type": "fact", "content": "", **slot("lives_in")}, CALM)
            elif number % 3 == 1:
                self.edit(whose, one, {"content": ""}, CALM)
            else:
                self.forget(whose, one, CALM)

        return act

    def call(
        self, whose: Scope, method: str, path: str, body: dict[str, Any], fate: Fate, **how: Any
    ) -> Reply | None:
        """Make a call; no answer is a fault of ours, and none speaks of another scope."""
        reply: Reply | None = self.plant.struck(
            lambda: self.plant.send(whose, method, path, body, **how),
            fate,
            self.meanwhile(whose),
        )
        if reply is not None:
            unwell = fate.blow is not Blow.NONE and reply.status == 503
            assert reply.status < 500 or unwell, (path, body, reply.status, reply.body)
            assert not foreign(str(reply.body), whose), reply.body
        return reply

    def write(self, whose: Scope, body: dict[str, Any], fate: Fate, by: str = "owner") -> None:
        """Write what carries a tag; who gets no answer may ask again."""
        tag = self.promises.tag(whose)
        said = {**body, "content": f"{body['content']} {tag}".strip()}
        if "attribute" in body:
            said |= {"content": f"The user has {body['attribute']} {tag}.", "value": tag}
        told = Told(self.clock(), whose, "POST", "/v1/memories", said, by, f"key-{tag}", (tag,))
        self.promises.calls.append(told)
        self.ask(told, fate)

    def ask(self, told: Told, fate: Fate) -> None:
        """Make a call that writes, for the first time or again, and note what is promised."""
        reply = self.call(
            told.whose, told.method, told.path, told.body, fate, by=told.by, key=told.key
        )
        if reply is None or reply.status >= 400:
            return
        answers = reply.body.get("results", [reply.body])
        self.promises.told(told, tuple(one.get("id") for one in answers))

    def edit(self, whose: Scope, one: str, change: dict[str, Any], fate: Fate) -> None:
        """Change a memory; a new content carries a tag of its own."""
        if "content" in change:
            change = {"content": f"Put right: {self.promises.tag(whose)}."}
        body = {"reason": "the machine says so", **change}
        reply = self.call(whose, "PATCH", f"/v1/memories/{one}", body, fate)
        assert reply is None or reply.status in (200, 202, 400, 403, 404, 409, 503), reply

    def forget(self, whose: Scope, one: str, fate: Fate) -> None:
        """Forget a memory: from the answer on it is gone for good."""
        self.promises.doomed[whose].add(one)
        reply = self.call(whose, "DELETE", f"/v1/memories/{one}", {}, fate)
        if reply is not None and reply.status == 200:
            gone = {one, *reply.body["along"]}
            self.promises.doomed[whose] |= gone
            self.promises.forgotten[whose] |= gone

    @invariant()
    def all_holds(self) -> None:
        self.before = invariants.check(self.plant.truth.world, self.promises, self.before)

    def teardown(self) -> None:
        try:
            ending.comes_to_rest(self.plant, self.promises)
            self.all_holds()
        finally:
            self._wiring.__exit__(None, None, None)


def slot(attribute: str) -> dict[str, Any]:
    """A slot with one value at a time, as a write names it."""
    return {"subject": "user", "attribute": attribute, "cardinality": "one"}
