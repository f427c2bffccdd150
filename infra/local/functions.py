"""Runs the functions' real handlers in this process, as Lambda would call them.

One process has one environment and one wiring, so all functions share a store, an embedder and
their caches, and a handler may run several times at once, which on Lambda it never does.
"""

import importlib
import logging
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from infra.local.template import Function, System

Handler = Callable[[dict[str, Any], "Context"], Any]
REGION = "us-east-1"
log = logging.getLogger("hindwise.local")


class FunctionFailed(RuntimeError):
    """A handler raised; its traceback is in the log."""


class Context:
    """What Lambda hands to a handler beside the event."""

    function_version = "$LATEST"
    memory_limit_in_mb = 1024
    log_stream_name = "local"

    def __init__(self, function: Function) -> None:
        self.function_name = function.name
        self.invoked_function_arn = f"arn:aws:lambda:{REGION}:000000000000:function:{function.name}"
        self.log_group_name = f"/hindwise/local/{function.name}"
        self.aws_request_id = str(uuid.uuid4())
        self._ends = time.monotonic() + function.timeout

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until Lambda would end the call; never negative."""
        return max(0, int((self._ends - time.monotonic()) * 1000))


class Functions:
    """The functions of a system, imported once, called by name; `handlers` are there already."""

    def __init__(self, system: System, handlers: Mapping[str, Handler] | None = None) -> None:
        self._system = system
        self._handlers: dict[str, Handler] = dict(handlers or {})
        self._under_way = 0
        self._change = threading.Condition()

    def load(self) -> None:
        """Import every handler, which warms what Lambda would warm in INIT."""
        for name, function in self._system.functions.items():
            module, attribute = function.handler.rsplit(".", 1)
            path = f"{function.folder.replace('/', '.')}.{module}"
            self._handlers[name] = getattr(importlib.import_module(path), attribute)

    def invoke(self, name: str, event: dict[str, Any]) -> Any:
        """Call a handler and return its answer; raises FunctionFailed."""
        with self._counted():
            try:
                return self._handlers[name](event, Context(self._system.functions[name]))
            except Exception as error:
                log.error("%s failed: %s", name, type(error).__name__)
                raise FunctionFailed(name) from error

    def quiesce(self, seconds: float) -> bool:
        """Wait until no call is under way, at most so many seconds; tells whether that came."""
        with self._change:
            return self._change.wait_for(lambda: not self._under_way, seconds)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._change:
            self._under_way += 1
        try:
            yield
        finally:
            with self._change:
                self._under_way -= 1
                self._change.notify_all()


def isolate(endpoint: str) -> None:
    """Take the host's AWS settings from this process, so that nothing can reach a real account."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    os.environ |= {
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_REGION": REGION,
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_CONFIG_FILE": os.devnull,
    }


def environ(system: System, outputs: Mapping[str, str], overrides: Mapping[str, str]) -> None:
    """Give this process the variables that the template gives to the functions."""
    resolved = {name: outputs[output] for name, output in system.variables.items()}
    here = {
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_ENDPOINT_URL": os.environ["AWS_ENDPOINT_URL"],
        "POWERTOOLS_METRICS_DISABLED": "true",
        "POWERTOOLS_LOG_LEVEL": os.environ.get("POWERTOOLS_LOG_LEVEL", "WARNING"),
    }
    os.environ |= {**system.literals, **resolved, **here, **overrides}
