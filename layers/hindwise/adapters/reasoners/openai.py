"""A language model from OpenAI, or from any server that speaks its API at another `base_url`.

The `openai` package is imported at the first call. It does not retry: who asks knows how long to
wait, and counts. Servers differ in what they know of a request; what one refuses is asked for in a
plainer way, and that is remembered while the process lives.
"""

import json
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from pydantic import JsonValue

from hindwise.adapters.openai_client import OPENAI_URL, OpenAIClient
from hindwise.adapters.reasoners.completions import reply_of
from hindwise.adapters.reasoners.dialect import Dialect, plainer
from hindwise.adapters.reasoners.waits import wait_asked
from hindwise.domain.ports.learning import Question, Reply
from hindwise.errors import HindwiseError, Misconfigured, Unavailable

if TYPE_CHECKING:
    from openai import APIStatusError

CONNECT_SECONDS = 5.0
LEAST_SECONDS = 0.5
"""With less time left than this, a refused request is not made again in a plainer way."""
MOST_BYTES = 4_000_000
"""A longer answer is none."""
MALFORMED = frozenset({400, 422})


class OpenAIReasoner:
    """Asks `model` at `base_url`."""

    def __init__(
        self,
        model: str,
        *,
        key: str,
        base_url: str = "",
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.id = model
        self._client = OpenAIClient("a language model", key=key, base_url=base_url)
        self._monotonic = monotonic
        self._dialect = Dialect(new_limit=self._client.base_url.rstrip("/") == OPENAI_URL)

    def warm(self) -> None:
        """Import the package now; raises `errors.Misconfigured` where the extra is missing."""
        self._client.opened()

    def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        self._client.close()

    def ask(self, question: Question) -> Reply:
        """Ask within about `question.seconds` once the package is loaded, in as few requests as do.

        Raises `errors.Unavailable` and `errors.Misconfigured` as the port says; neither holds a
        word of what was sent or answered.
        """
        self._client.opened()
        ends = self._monotonic() + question.seconds
        dialect, tried = self._dialect, set[Dialect]()
        while True:
            tried.add(dialect)
            outcome = self._once(question, dialect, ends)
            if isinstance(outcome, dict):
                self._dialect = dialect
                return reply_of(outcome, self.id).model_copy(update={"calls": len(tried)})
            status = outcome.status_code
            if status in MALFORMED and _filtered(outcome):
                return Reply(text="", finish="filtered", calls=len(tried))
            simpler = None
            if status in MALFORMED and ends - self._monotonic() > LEAST_SECONDS:
                simpler = plainer(dialect, _complaint(outcome), question.max_tokens)
            if simpler is None or simpler in tried:
                raise self._turned_away(outcome) from outcome
            dialect = simpler

    def _once(
        self, question: Question, dialect: Dialect, ends: float
    ) -> "dict[str, JsonValue] | APIStatusError":
        """Make one request: the body of the answer, or the error of the host for us to look at."""
        client = self._client.opened()
        import httpx2
        import openai

        left = max(LEAST_SECONDS, ends - self._monotonic())
        limits = openai.Timeout(left, connect=min(CONNECT_SECONDS, left))
        try:
            with client.with_options(
                timeout=limits
            ).chat.completions.with_streaming_response.create(
                model=self.id,
                messages=[
                    {"role": "system", "content": question.system},
                    {"role": "user", "content": question.user},
                ],
                extra_body=dialect.body(question),
            ) as response:
                answer = json.loads(self._received(response.iter_bytes(), ends))
        except openai.APIStatusError as error:
            return error
        except (openai.APITimeoutError, httpx2.TimeoutException) as error:
            raise unavailable(self.id, "timeout") from error
        except (openai.OpenAIError, httpx2.HTTPError, ValueError, RecursionError) as error:
            raise unavailable(self.id, "unavailable") from error
        if not isinstance(answer, dict):
            raise unavailable(self.id, "unavailable")
        return answer

    def _received(self, chunks: Iterable[bytes], ends: float) -> bytes:
        """The body; some hosts send blanks while they think, which no timeout of a read notices."""
        body = bytearray()
        for chunk in chunks:
            body += chunk
            if self._monotonic() > ends:
                raise unavailable(self.id, "timeout")
            if len(body) > MOST_BYTES:
                raise unavailable(self.id, "unavailable")
        return bytes(body)

    def _turned_away(self, error: "APIStatusError") -> HindwiseError:
        status = error.status_code
        wait = wait_asked(error.response.headers, now=time.time())
        if status == 429:
            return unavailable(self.id, "rate_limited", wait)
        if status in (408, 504):
            return unavailable(self.id, "timeout", wait)
        if status >= 500 or status in (409, 425):
            return unavailable(self.id, "unavailable", wait)
        return Misconfigured(
            f"LLM_MODEL, LLM_BASE_URL, LLM_API_KEY: {self.id} is refused with status {status}",
            details={"reasoner": self.id, "status": status},
        )


def unavailable(model: str, reason: str, wait: float | None = None) -> Unavailable:
    """Our error for a model that did not answer; `wait` is what its host asked for, in seconds."""
    details: dict[str, object] = {"reasoner": model, "reason": reason}
    if wait is not None:
        details["retry_after"] = wait
    error = Unavailable(f"{model}: {reason}", details=details)
    if wait is not None:
        error.retry_after = max(1, round(wait))
    return error


def _complaint(error: "APIStatusError") -> str:
    """What a host says is wrong; only looked at for names of parameters, never passed on."""
    return error.response.text[:10_000].casefold()


def _filtered(error: "APIStatusError") -> bool:
    """Tell whether a host refuses a question for what it says, as Azure does."""
    return "content_filter" in str(error.code) or "responsibleai" in _complaint(error)
