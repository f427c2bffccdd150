"""What is done once something was recalled: it gets an id, is counted, and may be written down."""

from hindwise.domain.ports.recalls import Place
from hindwise.runtime.request import Request
from hindwise.runtime.telemetry import count
from hindwise.runtime.wiring import wiring
from hindwise.usecases.context import Context
from hindwise.usecases.recalls import Recalled, places
from hindwise.usecases.search import Found


def found(request: Request, query: str, answer: Found) -> str:
    """The id of a search's answer."""
    ranked = tuple(
        Place(id=hit.memory.id, rank=rank, arms=hit.ranks, score=hit.score)
        for rank, hit in enumerate(answer.hits, 1)
    )
    return _recalled(request, "search", query, ranked, answer.degraded)


def shown(request: Request, query: str, answer: Context) -> str:
    """The id of a block."""
    return _recalled(request, "context", query, places(answer.block.included), answer.degraded)


def _recalled(
    request: Request,
    operation: str,
    query: str,
    results: tuple[Place, ...],
    degraded: tuple[str, ...],
) -> str:
    count("Degraded", bool(degraded))
    own = wiring().tools.new_id(request.now)
    audit = wiring().trust.audit
    if audit is not None and audit.recalls is not None:
        seen = Recalled(own, operation, query, results, degraded)
        audit.recalls.saw(seen, call=request.call)
    return own
