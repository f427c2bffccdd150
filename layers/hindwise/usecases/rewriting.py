"""Rewriting a question before it is searched, by a language model, where that is wanted.

The question as it was sent is always searched as well, in the meantime: what a model makes of it
can only add. Whatever keeps the model from answering in two seconds is named, and costs no result.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime

from hindwise.domain.base import Model
from hindwise.domain.call import Call
from hindwise.domain.prompts import rewrite
from hindwise.domain.query import Query
from hindwise.domain.ranking import united
from hindwise.domain.text import normalised
from hindwise.domain.timewords import TimeAsked
from hindwise.errors import HindwiseError, Unavailable
from hindwise.usecases.engine import Engine
from hindwise.usecases.gather import Gathered, gather, timed
from hindwise.usecases.learning import Learning
from hindwise.usecases.reasoning import ask

SECONDS = 2.0
SKIPPED = "rewrite"
"""The word for it among what an answer `skipped`."""


class Rewriting(Model):
    """What came of it: the question in other words, or why there are none.

    `reason` is `budget`, `timeout`, `rate_limited`, `unavailable`, `misconfigured`, `unusable` (the
    answer was none) or `no_model`.
    """

    query: str | None = None
    reason: str | None = None


def begun(
    query: Query, *, call: Call, learning: Learning | None, unasked: bool = False
) -> Callable[[], Rewriting] | None:
    """Begin to rewrite a question, if it is wanted; the result waits for the rest of two seconds.

    Without a word in the call, the setting decides, or `unasked` where there is a model at all.
    """
    has_model = learning is not None and learning.reasoner is not None
    default = (learning is not None and learning.rules.rewrite_queries) or (unasked and has_model)
    if not query.text.strip() or not (default if query.rewrite is None else query.rewrite):
        return None
    if learning is None or not has_model:
        return lambda: Rewriting(reason="no_model")
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="rewrite")
    future = thread.submit(_asked, query, call, learning)
    thread.shutdown(wait=False)
    return lambda: _result(future)


def _result(future: Future[Rewriting]) -> Rewriting:
    try:
        return future.result(timeout=SECONDS)
    except TimeoutError:
        return Rewriting(reason="timeout")


def _asked(query: Query, call: Call, learning: Learning) -> Rewriting:
    question = rewrite.question(query.text, query.now)
    question = question.model_copy(update={"seconds": min(question.seconds, SECONDS)})
    try:
        return Rewriting(query=rewrite.read(ask(learning, call.scope, question, now=call.now)))
    except Unavailable as error:
        return Rewriting(reason=str(error.details.get("reason", error.code)))
    except HindwiseError as error:
        return Rewriting(reason=error.code)


@dataclass(frozen=True, slots=True)
class Both:
    """What was gathered for a question: in all, as it was `sent`, and in `other` words.

    `query` has the view of both.
    """

    gathered: Gathered
    sent: Gathered
    query: Query
    rewriting: Rewriting | None
    other: Gathered | None = None


def gather_both(
    query: Query,
    *,
    call: Call,
    engine: Engine,
    learning: Learning | None,
    unasked: bool = False,
) -> Both:
    """Gather for the question as it was sent and, where it is wanted, in a model's words.

    Raises Unavailable as `gather` does.
    """
    result = begun(query, call=call, learning=learning, unasked=unasked)
    query = timed(query)
    sent = gather(call.scope, query, engine=engine, now=call.now)
    rewriting = result() if result else None
    again = _in_other_words(query, rewriting) if rewriting else None
    if again is None:
        return Both(sent, sent, query, rewriting)
    again = timed(again)
    other = gather(call.scope, again, engine=engine, now=call.now)
    view = query.view if query.view.during else again.view
    query = query.model_copy(update={"view": view})
    return Both(_in_one(sent, other, view.during), sent, query, rewriting, other)


def _in_one(sent: Gathered, other: Gathered, during: tuple[datetime, datetime] | None) -> Gathered:
    """Both in one; what a result matched may be of either."""
    asked = sent.asked.model_copy(
        update={
            "terms": _each((*sent.asked.terms, *other.asked.terms)),
            "exact": _each((*sent.asked.exact, *other.asked.exact)),
            "time": TimeAsked(words=_each((*sent.asked.time.words, *other.asked.time.words))),
        }
    )
    return Gathered(
        asked=asked,
        ranked=united(sent.ranked, other.ranked, during, terms=asked.terms),
        reasons=[*_each((*sent.reasons, *other.reasons))],
        lag=sent.lag or other.lag,
        coverage=sent.coverage,
        skipped=_each((*sent.skipped, *other.skipped)),
        dropped=sent.dropped,
        withheld=_better(sent.withheld, other.withheld),
    )


def _better(ranks: dict[str, int], others: dict[str, int]) -> dict[str, int]:
    """The better of two ranks of each id."""
    both = {one: [each[one] for each in (ranks, others) if one in each] for one in ranks | others}
    return {one: min(its) for one, its in both.items()}


def _each[T](several: tuple[T, ...]) -> tuple[T, ...]:
    """Each once, in order."""
    return tuple(dict.fromkeys(several))


def _in_other_words(query: Query, rewriting: Rewriting) -> Query | None:
    """The query in the other words; None where there are none, or they are the same."""
    text = rewriting.query
    if text is None or normalised(text) == normalised(query.text):
        return None
    return query.model_copy(update={"text": text})
