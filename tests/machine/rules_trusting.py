"""Rules of people who forget, restore and review."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from hindwise.domain.memory import Status
from hindwise.domain.scope import Scope
from tests.machine.faults import Fate
from tests.machine.machine import FATES, NUMBERS, WHOSE, Machine

DECISIONS = st.sampled_from(
    [{"action": "approve"}, {"action": "reject"}, {"action": "reopen"}, {"action": "edit"}]
)


class Trusting(Machine):
    """What is taken away, put aside, and let back."""

    @rule(whose=WHOSE, number=NUMBERS, fate=FATES)
    def forget_one(self, whose: Scope, number: int, fate: Fate) -> None:
        if (one := self.pick(whose, number)) is not None:
            self.forget(whose, one, fate)

    @rule(whose=WHOSE, fate=FATES)
    def forget_by_filter(self, whose: Scope, fate: Fate) -> None:
        home = self.plant.truth.world.home(whose)
        self.promises.doomed[whose] |= {one.id for one in home.memories.values() if one.tags}
        body = {"filters": {"tags_any": ["red"]}, "dry_run": False}
        self._forget_many(whose, body, fate)

    @rule(whose=WHOSE, number=NUMBERS, fate=FATES)
    def forget_a_user(self, whose: Scope, number: int, fate: Fate) -> None:
        if number % 3:
            return
        self.clock.forward(seconds=1)
        self.promises.all_doomed(whose)
        done = self._forget_many(whose, {"all": True, "dry_run": False}, fate)
        self.promises.all_doomed(whose)
        if done:
            self.promises.all_forgotten(whose)
        self.clock.forward(seconds=1)

    def _forget_many(self, whose: Scope, body: dict[str, Any], fate: Fate) -> bool:
        reply = self.call(whose, "POST", "/v1/forget", body, fate)
        if reply is None or reply.status != 202:
            return False
        self.promises.receipts[whose].add(str(reply.body["id"]))
        return True

    @rule(whose=WHOSE, number=NUMBERS, decision=DECISIONS, fate=FATES)
    def review(self, whose: Scope, number: int, decision: dict[str, Any], fate: Fate) -> None:
        one = self.pick(whose, number)
        waiting = [
            memory.id
            for memory in self.plant.truth.world.home(whose).memories.values()
            if memory.status in (Status.QUARANTINED, Status.CONTESTED)
        ]
        one = waiting[number % len(waiting)] if waiting and number % 2 else one
        if one is None:
            return
        if decision["action"] == "edit":
            decision = {**decision, "content": f"Put right: {self.promises.tag(whose)}."}
        path = f"/v1/reviews/{one}"
        reply = self.call(whose, "POST", path, {"reason": "so", **decision}, fate, by="reviewer")
        assert reply is None or reply.status in (200, 404, 409, 503), reply

    @rule(whose=WHOSE, undo=st.booleans(), fate=FATES)
    def put_a_source_aside(self, whose: Scope, undo: bool, fate: Fate) -> None:
        body = {"kind": "principal", "dry_run": False, "undo": undo}
        path = "/v1/sources/crawler/quarantine"
        self.call(whose, "POST", path, body, fate, by="reviewer")

    @rule(whose=WHOSE, number=NUMBERS, fate=FATES)
    def restore_from_the_archive(self, whose: Scope, number: int, fate: Fate) -> None:
        home = self.plant.truth.world.home(whose)
        cold = [one.id for one in home.memories.values() if one.status is Status.ARCHIVED]
        if cold:
            path = f"/v1/memories/{cold[number % len(cold)]}/restore"
            reply = self.call(whose, "POST", path, {}, fate)
            assert reply is None or reply.status in (200, 404, 409, 503), reply
