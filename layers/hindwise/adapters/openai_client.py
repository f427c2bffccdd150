"""One client of the `openai` package, for whoever asks a server that speaks OpenAI's API.

The package takes 0.65 s to import, so it is imported when the first client is opened.
"""

from threading import Lock
from typing import TYPE_CHECKING

from hindwise.errors import Misconfigured

if TYPE_CHECKING:
    from openai import OpenAI

OPENAI_URL = "https://api.openai.com/v1"


class OpenAIClient:
    """Opens a client for `base_url` when it is needed; `whose` names who needs it in an error."""

    def __init__(self, whose: str, *, key: str, base_url: str) -> None:
        self.base_url = base_url or OPENAI_URL
        self._whose = whose
        self._key = key
        self._lock = Lock()
        self._client: OpenAI | None = None

    def opened(self) -> "OpenAI":
        """The client, which retries nothing; raises `errors.Misconfigured` without the package."""
        with self._lock:
            if self._client is None:
                try:
                    from openai import OpenAI
                except ModuleNotFoundError as error:
                    raise Misconfigured(
                        f"{self._whose} needs: pip install hindwise[openai]"
                    ) from error
                self._client = OpenAI(
                    api_key=self._key or "none", base_url=self.base_url, max_retries=0
                )
        return self._client

    def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None
