"""The coat every handler wears: warm start, structured logs, metrics, and the last line of defence.

Nothing a caller wrote reaches a log or a metric. A traceback is logged as places in our code and
the names of exception types, because messages of foreign exceptions quote their input. Metrics are
made per call (EphemeralMetrics): the usual class shares one set between threads.
"""

import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Protocol

from hindwise.errors import HindwiseError
from hindwise.runtime.edge import answered
from hindwise.runtime.http import FAULT, Api, HttpResponse, rendered
from hindwise.runtime.wiring import warm as warm_up
from hindwise.runtime.wiring import wiring

if TYPE_CHECKING:
    from aws_lambda_powertools import Logger

Event = Mapping[str, object]
Figures = dict[tuple[str, str], float]
"""What a call has measured, by name and unit."""
_figures: ContextVar[Figures | None] = ContextVar("figures", default=None)


class Context(Protocol):
    """What we use of Lambda's context."""

    aws_request_id: str


@cache
def logger() -> "Logger":
    """The structured logger of the process."""
    from aws_lambda_powertools import Logger

    return Logger(use_rfc3339=True, utc=True)


def count(name: str, number: float = 1) -> None:
    """Add to a metric of the current call, e.g. `Degraded`."""
    figures = _figures.get()
    if figures is not None:
        figures[name, "Count"] = figures.get((name, "Count"), 0) + number


def lasting(name: str, seconds: float) -> None:
    """Set a metric of the current call that is a time, e.g. `OldestChangeSeconds`."""
    figures = _figures.get()
    if figures is not None:
        figures[name, "Seconds"] = seconds


@contextmanager
def measured(operation: str) -> Iterator[dict[str, str]]:
    """Collect the figures of one call and emit them; the dimension may be set while it runs."""
    figures: Figures = {}
    dimensions = {"operation": operation}
    token = _figures.set(figures)
    try:
        yield dimensions
    finally:
        _figures.reset(token)
        if figures:
            _emit(figures, dimensions)


def _emit(figures: Figures, dimensions: Mapping[str, str]) -> None:
    from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

    metrics: EphemeralMetrics = EphemeralMetrics()
    for name, value in dimensions.items():
        metrics.add_dimension(name, value)
    for (name, unit), number in figures.items():
        metrics.add_metric(name, MetricUnit(unit), number)
    metrics.flush_metrics()


def prepare() -> None:
    """Load what the first call would otherwise wait for."""
    import aws_lambda_powertools.metrics  # noqa: F401

    logger()


def fault(error: BaseException, *, operation: str, request_id: str) -> None:
    """Log an unforeseen exception by type and place, without its message."""
    kinds: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(kinds) < 8:
        kinds.append(type(cause).__name__)
        cause = cause.__cause__ or cause.__context__
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    logger().error(
        "unforeseen exception",
        extra={
            "operation": operation,
            "request_id": request_id,
            "exceptions": kinds,
            "places": places[-20:],
        },
    )


def entrypoint(api: Api, *, warm: tuple[str, ...] = ()) -> Callable[[Event, Context], HttpResponse]:
    """The Lambda handler of an API function; builds the `warm` collaborators during INIT."""
    warm_up(*warm, also=prepare)

    def handler(event: Event, context: Context) -> HttpResponse:
        with measured("unknown") as dimensions:
            try:
                route, request = api.matched(event, wiring().clock())
                dimensions["operation"] = route.operation if route else "unknown"
                response = rendered(answered(api, route, request))
            except Exception as error:
                request_id = getattr(context, "aws_request_id", "")
                fault(error, operation=dimensions["operation"], request_id=request_id)
                response = rendered(FAULT)
            count("Requests")
            if response["statusCode"] >= 500:
                count("Faults")
            return response

    return handler


class WorkerFailed(Exception):
    """An unforeseen exception in a worker, without its message."""


def worker[Result](
    operation: str, act: Callable[[Event], Result], *, warm: tuple[str, ...] = ()
) -> Callable[[Event, Context], Result]:
    """The Lambda handler of a function that no HTTP request calls; its exceptions are Lambda's.

    Lambda logs their messages, so a foreign one is replaced by its name.
    """
    warm_up(*warm, also=prepare)

    def handler(event: Event, context: Context) -> Result:
        with measured(operation):
            try:
                return act(event)
            except Exception as error:
                fault(error, operation=operation, request_id=getattr(context, "aws_request_id", ""))
                count("Faults")
                if isinstance(error, HindwiseError):
                    raise
                raise WorkerFailed(f"{operation}: {type(error).__name__}") from None

    return handler
