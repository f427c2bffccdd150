"""Hindwise running on a laptop: the emulated AWS, the functions, what feeds them, the HTTP API."""

import importlib
import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path

from hindwise.settings import LlmSettings
from infra.local import functions, keys, search_node, stack, template
from infra.local.demo_llm import MODEL, DemoLlm
from infra.local.emulator import ROOT, Emulator, EmulatorFailed
from infra.local.gateway import Gateway, Server
from infra.local.given import overrides, searched
from infra.local.pumps import DRAIN_SECONDS, Pump, StreamPump
from infra.local.queue_pump import QueuePump
from infra.local.schedule_pump import Diary, SchedulePump
from infra.local.search_node import NodeFailed, SearchNode
from infra.local.template import System

STAGE = "local"
PARAMETERS = {"Stage": STAGE, "SearchCoverage": "200000"}
"""A process that lives on can hold more of a scope than a Lambda container."""
KEPT = ("SECRET_ARN", "SECRET_FILE", "MEMORY_BUCKET")
"""Where secret, conversations and receipts are, for commands that work on the table itself."""
DEMO = "a demo of a few rules, no language model; for one, start with LLM_MODEL and LLM_BASE_URL"


def pumps_of(
    system: System, outputs: Mapping[str, str], called: functions.Functions, *, diary: Diary
) -> list[Pump]:
    """What feeds the functions: a pump for each stream, queue and schedule of the template."""
    return [
        *(StreamPump(each, outputs, called) for each in system.streams),
        *(QueuePump(each, outputs, called) for each in system.queues),
        *(SchedulePump(each, called, diary) for each in system.schedules),
    ]


class Dev:
    """A running Hindwise: `start` it, then `stop` it; `url` is where it answers."""

    def __init__(self, data: Path, port: int, *, opensearch: bool = False) -> None:
        self.node = SearchNode(data / "opensearch")
        self._told = data / "run" / "index-told"
        self._index = ""
        self.search = ""
        self.model = ""
        self.url = f"http://127.0.0.1:{port}"
        self.key = ""
        self.key_file = data / "key"
        self._address = data / "run" / "server.json"
        self._data, self._port, self._opensearch = data, port, opensearch
        self._emulator = Emulator(data)
        self._demo: DemoLlm | None = None
        self._pumps: list[Pump] = []
        self._server: Server | None = None
        self._functions: functions.Functions | None = None

    def start(self) -> None:
        """Start everything.

        Raises EmulatorFailed, StackFailed, NodeFailed, Misconfigured for a variable, OSError for a
        taken port.
        """
        given = overrides(opensearch=self._opensearch)
        system = template.read(ROOT / "template.yaml")
        self._functions = functions.Functions(system)
        self._server = Server(self._port, Gateway(system, self._functions))
        self._emulator.start()
        functions.isolate(self._emulator.endpoint)
        if self._emulator.had_state and not stack.exists():
            self._emulator.abandon()
            raise EmulatorFailed(
                f"the state in {self._data / 'aws'} could not be read and is left as it is; "
                f"{self._data / 'emulator.log'} says why"
            )
        self._find(given)
        self._learn(given)
        outputs = stack.settle(system.stack, PARAMETERS)
        functions.environ(system, outputs, given)
        self._functions.load()
        wiring = importlib.import_module("hindwise.runtime.wiring").wiring()
        self.key = keys.local_key(self.key_file, wiring.keys, stage=STAGE)
        diary = Diary(self._data / "run" / "schedules.json")
        self._pumps = pumps_of(system, outputs, self._functions, diary=diary)
        for pump in self._pumps:
            pump.start()
        threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True).start()
        said = {"url": self.url, "pid": os.getpid(), "search": searched(given)}
        said["kept"] = {name: os.environ.get(name, "") for name in KEPT}
        self._address.write_text(json.dumps(said))

    def _find(self, given: dict[str, str]) -> None:
        """See to the index that answers searches; adds where it is to the functions' variables.

        Only the one that the last start used, and that was told of all that was saved and nothing
        else, is kept: another is dropped, and fills itself again.
        """
        self.search = "in the functions, over the table"
        told = self._told.read_text() if self._told.exists() else ""
        self._told.unlink(missing_ok=True)
        if given.get("SEARCH_BACKEND") == "opensearch":
            self._index = given.get("OPENSEARCH_ENDPOINT") or "its own node"
            endpoint = given.get("OPENSEARCH_ENDPOINT") or self.node.start()
            if not search_node.answers(endpoint):
                raise NodeFailed(f"OPENSEARCH_ENDPOINT: nothing answers at {endpoint}")
            given["OPENSEARCH_ENDPOINT"] = endpoint
            self.search = f"OpenSearch at {endpoint}"
            if told != self._index:
                search_node.drop(endpoint, f"hindwise-{STAGE}-*")

    def _learn(self, given: dict[str, str]) -> None:
        """See to the model that learns, the demo's rules where none is set; `none` for none."""
        if given.get("LLM_MODEL") == "none":
            del given["LLM_MODEL"]
            self.model = "no model: turns are kept word for word, patterns are extracted by rules"
            return
        if "LLM_MODEL" not in given:
            self._demo = DemoLlm().__enter__()
            given |= {"LLM_MODEL": MODEL, "LLM_BASE_URL": self._demo.url, "LLM_API_KEY": "none"}
            self.model = DEMO
            return
        address, _ = LlmSettings.from_env(given).asked
        self.model = f"{given['LLM_MODEL']} at {address or 'api.openai.com'}"

    @property
    def lost(self) -> bool:
        """Tell whether the emulated AWS, and with it what it held, is gone."""
        return self._emulator.ended

    def stop(self) -> bool:
        """Refuse new requests and new work, finish what is under way, drain the stream, save.

        Tells whether it was saved.
        """
        if self.key:
            self._address.unlink(missing_ok=True)
        if self._server is not None:
            if self._pumps:
                self._server.shutdown()
            self._server.server_close()
        for pump in self._pumps:
            if not isinstance(pump, StreamPump):
                pump.stopping.set()
        if self._functions is not None:
            self._functions.quiesce(0 if self.lost else 10)
        for pump in self._pumps:
            pump.stopping.set()
        for pump in self._pumps:
            pump.join(0 if self.lost else DRAIN_SECONDS + 5)
        if self._demo is not None:
            self._demo.__exit__()
        self.node.stop()
        saved = self._emulator.stop()
        if saved and self._index:
            self._told.write_text(self._index)
        return saved
