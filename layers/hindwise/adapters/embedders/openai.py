"""Embeddings from OpenAI, or from any server that speaks its API at another `base_url`.

The `openai` package is imported at the first call. Whatever goes wrong there becomes
`errors.Unavailable`, a refused key too: search then goes on by keywords and says why, instead of
failing.
"""

import math
from collections.abc import Iterator, Sequence

from hindwise.adapters.embedders.texts import asked, speaking, spread, usable
from hindwise.adapters.openai_client import OPENAI_URL, OpenAIClient
from hindwise.domain.document import Vector
from hindwise.errors import Unavailable

BATCH_TEXTS = 256
BATCH_CHARS = 100_000
"""Keeps a request under the API's 300,000 tokens: a Chinese character is at most 2 to 3 of them."""
INPUT_CHARS = 4_000
"""Keeps a text under the API's 8,191 tokens, by the same count for Chinese."""
QUERY_SECONDS = 2.0
DOCUMENT_SECONDS = 20.0
LONGEST_WAIT = 60


class OpenAIEmbedder:
    """Embeds with `model` at `base_url`.

    `dimensions` is what the model gives; it is sent along, to shorten the vectors, where `shortens`
    is true (default: text-embedding-3 models can).
    """

    def __init__(
        self,
        model: str,
        dimensions: int,
        *,
        key: str,
        base_url: str = OPENAI_URL,
        shortens: bool | None = None,
    ) -> None:
        self.id = f"{model}:{dimensions}"
        self.dimensions = dimensions
        self._model = model
        self._client = OpenAIClient("this embedder", key=key, base_url=base_url)
        self._shortens = "text-embedding-3" in model if shortens is None else shortens

    def warm(self) -> None:
        """Import the package now; raises `errors.Misconfigured` where the extra is missing."""
        self._client.opened()

    def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        self._client.close()

    def query(self, text: str) -> Vector:
        """Embed a question within about 2 s, without retrying."""
        clean = asked(text, self.id, INPUT_CHARS)
        rows = self._rows([clean], seconds=QUERY_SECONDS, retries=0)
        return usable(rows, [0], self.id, self.dimensions)[0]

    def documents(self, texts: Sequence[str]) -> list[Vector | None]:
        """Embed stored texts in order, None for one without a word; retries once a request."""
        places, kept = speaking(texts, INPUT_CHARS)
        rows: list[list[float]] = []
        for batch in batches(kept):
            rows += self._rows(batch, seconds=DOCUMENT_SECONDS, retries=1)
        return spread(usable(rows, places, self.id, self.dimensions), places, len(texts))

    def _rows(self, texts: list[str], *, seconds: float, retries: int) -> list[list[float]]:
        client = self._client.opened()
        import openai

        limits = openai.Timeout(seconds, connect=min(1.0, seconds))
        try:
            answer = client.with_options(timeout=limits, max_retries=retries).embeddings.create(
                model=self._model,
                input=texts,
                dimensions=self.dimensions if self._shortens else openai.omit,
            )
            rows = {row.index: row.embedding for row in answer.data}
            return [rows[place] for place in range(len(texts))]
        except openai.OpenAIError as error:
            raise translated(error, self.id) from error
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise Unavailable(
                f"{self.id}: the answer cannot be read",
                details={"embedder": self.id, "reason": "malformed"},
            ) from error


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Cut texts into requests of at most 256 texts and 100,000 characters."""
    batch: list[str] = []
    chars = 0
    for text in texts:
        if batch and (len(batch) == BATCH_TEXTS or chars + len(text) > BATCH_CHARS):
            yield batch
            batch, chars = [], 0
        batch.append(text)
        chars += len(text)
    if batch:
        yield batch


def translated(error: Exception, embedder: str) -> Unavailable:
    """Our error for one of the `openai` package's, without what the server said.

    An answer may quote the text that was sent, and errors end up in logs.
    """
    import openai

    wait = None
    if isinstance(error, openai.APITimeoutError):
        reason = "timeout"
    elif isinstance(error, openai.APIStatusError):
        reason = f"status {error.status_code}"
        wait = _seconds(error.response.headers.get("retry-after"))
    elif isinstance(error, openai.APIConnectionError):
        reason = "no connection"
    else:
        reason = "malformed"
    ours = Unavailable(f"{embedder}: {reason}", details={"embedder": embedder, "reason": reason})
    if wait is not None:
        ours.retry_after = wait
    return ours


def _seconds(header: str | None) -> int | None:
    """Read Retry-After where it is a number of seconds, at most a minute."""
    try:
        seconds = math.ceil(float(header or ""))
    except (ValueError, OverflowError):
        return None
    return min(max(seconds, 1), LONGEST_WAIT)
