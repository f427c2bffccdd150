"""A client between the adapter and a real one: lets answers be lost, refused or cut short."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from botocore.exceptions import ClientError, ReadTimeoutError


def refusal(code: str, *reasons: str) -> ClientError:
    """The error that DynamoDB answers with."""
    answer: Any = {"Error": {"Code": code, "Message": code}}
    if reasons:
        answer["CancellationReasons"] = [{"Code": reason} for reason in reasons]
    return ClientError(answer, "Anything")


def lost() -> ReadTimeoutError:
    """What the SDK raises when no answer comes."""
    return ReadTimeoutError(endpoint_url="http://table")


class Flaky:
    """Passes calls on; the next ones of a method go as they were told to."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._plans: dict[str, list[Callable[[Callable[..., Any], Any], Any]]] = {}
        self.calls: Counter[str] = Counter()
        self.sent: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._client, name)

        def call(**request: Any) -> Any:
            self.calls[name] += 1
            self.sent.append(request)
            plans = self._plans.get(name)
            return plans.pop(0)(real, request) if plans else real(**request)

        return call

    def plan(self, method: str, *steps: Callable[[Callable[..., Any], Any], Any]) -> None:
        """Let the next calls of `method` be answered by `steps` instead."""
        self._plans.setdefault(method, []).extend(steps)

    def refuse(self, method: str, *errors: Exception) -> None:
        """Let the next calls of `method` raise, having done nothing."""

        def refusing(error: Exception) -> Callable[[Callable[..., Any], Any], Any]:
            def step(real: Callable[..., Any], request: Any) -> Any:
                raise error

            return step

        self.plan(method, *(refusing(error) for error in errors))
