"""Rules of conversations, queues and schedules, and of the clock."""

from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import rule

from hindwise.domain.fading import Sweep
from hindwise.domain.ports import QueueName
from hindwise.domain.scope import Scope
from tests.machine.faults import Fate
from tests.machine.machine import FATES, NUMBERS, WHOSE, Machine
from tests.machine.plant import SCOPES, WORKERS

QUEUES = st.sampled_from(list(WORKERS))


class Working(Machine):
    """Whatever works without being asked: once, twice, late, half, in any order."""

    @rule(whose=WHOSE, talk=st.sampled_from(["c1", "c2"]), end=st.booleans(), fate=FATES)
    def converse(self, whose: Scope, talk: str, end: bool, fate: Fate) -> None:
        self.clock.forward(seconds=1)
        tag = self.promises.tag(whose)
        said = [{"role": "user", "content": f"I live in {tag}."}]
        body = {"id": talk, "messages": said, "end": end}
        reply = self.call(whose, "POST", "/v1/conversations", body, fate)
        if reply is not None and reply.status == 202:
            self.promises.turns[whose][tag] = talk

    @rule(name=QUEUES, number=NUMBERS, twice=st.booleans(), fate=FATES)
    def deliver(self, name: QueueName, number: int, twice: bool, fate: Fate) -> None:
        message = self.plant.take(name, number)
        if message is None:
            return
        whose = message[0] if message[0] in SCOPES else SCOPES[0]
        for _ in range(1 + twice):
            done = self.plant.struck(
                lambda: self.plant.hand(name, message), fate, self.meanwhile(whose)
            )
        if not done:
            self.plant.world.queues.send(name, message[0], [message[1]], delay=60)

    @rule(number=NUMBERS)
    def lose_messages(self, number: int) -> None:
        queues = self.plant.world.queues
        name = list(WORKERS)[number % len(WORKERS)]
        queues.waiting[name].clear()

    @rule(fate=FATES)
    def a_minute_passes(self, fate: Fate) -> None:
        self.clock.forward(minutes=1)
        self.plant.struck(self.plant.minute, fate, self.meanwhile(SCOPES[0]))

    @rule(which=st.sampled_from(list(Sweep)), fate=FATES)
    def a_sweep_runs(self, which: Sweep, fate: Fate) -> None:
        self.plant.struck(lambda: self.plant.night(which), fate, self.meanwhile(SCOPES[0]))

    @rule(name=st.sampled_from(["consolidate", "periodic"]), fate=FATES)
    def a_schedule_runs(self, name: str, fate: Fate) -> None:
        self.plant.struck(lambda: self.plant.schedule(name), fate, self.meanwhile(SCOPES[0]))

    @rule(whose=WHOSE, force=st.booleans(), fate=FATES)
    def consolidate(self, whose: Scope, force: bool, fate: Fate) -> None:
        body = {"domain": "deploy", "min_episodes": 2, "force": force}
        self.call(whose, "POST", "/v1/consolidations", body, fate)

    @rule(days=st.sampled_from([0.02, 1, 8, 31, 400]))
    def time_passes(self, days: float) -> None:
        self.clock.forward(days=days)

    @rule(minutes=st.sampled_from([1, 30, 600]))
    def the_clock_is_put_back(self, minutes: int) -> None:
        """But not behind a fence: what is written at a time that was forgotten is hidden by it."""
        homes = self.plant.truth.world.homes.values()
        fences = [one.fence + timedelta(seconds=1) for one in homes if one.fence is not None]
        self.plant.latest = max(self.plant.latest, self.clock())
        earlier = self.clock() - timedelta(minutes=minutes)
        self.clock.now = max([earlier, *fences])
