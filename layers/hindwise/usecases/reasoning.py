"""Asking a language model within a tenant's daily budget.

The budget is reserved before the call and settled after it, so that many workers at once cannot
overspend it. What a failed call has cost is not known: one that was turned away costs nothing and
is no call, or an hour in which a host is down would use up the day; one that may have been worked
on costs its question.
"""

from datetime import UTC, datetime, time, timedelta

from hindwise.domain.ports.learning import Question, Reply
from hindwise.domain.scope import Scope
from hindwise.domain.tokens import tokens
from hindwise.errors import Misconfigured, Unavailable
from hindwise.usecases.learning import Learning

FREE = frozenset({"rate_limited", "unavailable"})


def ask(learning: Learning, scope: Scope, question: Question, *, now: datetime) -> Reply:
    """Ask once, at the tenant's expense; the reply says what it used, estimated if nobody counted.

    Raises `errors.Unavailable` (`details["reason"]`: `rate_limited`, `timeout`, `unavailable`, or
    `budget`; `details["retry_after"]` in seconds where known) and `errors.Misconfigured`.
    """
    if learning.reasoner is None:
        raise Misconfigured("LLM_MODEL: no language model is configured")
    size = tokens(question.system) + tokens(question.user)
    reserved = size + question.max_tokens
    if not learning.budget.reserve(scope.tenant, reserved, now=now):
        raise exhausted(now)
    used, calls = size, 1
    try:
        reply = _counted(learning.reasoner.ask(question), size)
        used, calls = reply.input_tokens + reply.output_tokens, reply.calls
        return reply
    except (Unavailable, Misconfigured) as error:
        if isinstance(error, Misconfigured) or error.details.get("reason") in FREE:
            used = calls = 0
        raise
    finally:
        learning.budget.settle(scope.tenant, reserved=reserved, used=used, calls=calls, now=now)


def exhausted(now: datetime) -> Unavailable:
    """The error for a budget that is used up: the next one begins with the next UTC day."""
    today = now.astimezone(UTC)
    tomorrow = datetime.combine(today.date() + timedelta(days=1), time(), UTC)
    wait = max(1, round((tomorrow - today).total_seconds()))
    error = Unavailable(
        "today's budget for the language model is used up",
        details={"reason": "budget", "retry_after": wait},
    )
    error.retry_after = wait
    return error


def _counted(reply: Reply, size: int) -> Reply:
    """The reply with what it used, where its host did not say."""
    if reply.input_tokens or reply.output_tokens:
        return reply
    return reply.model_copy(update={"input_tokens": size, "output_tokens": tokens(reply.text)})
