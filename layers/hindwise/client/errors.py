"""What can go wrong between a caller and the API.

* ClientError
  - Unreachable   nobody answers at the address, or not in time
  - NotHindwise   somebody answers, but not this API
  - Unsendable    the request cannot be put into UTF-8 JSON
  - Answered      the API said no: status, code, message, field
"""

from collections.abc import Mapping

from pydantic import JsonValue


class ClientError(Exception):
    """Base of the client's errors; `code` is the word to match on."""

    code = "client"


class Unreachable(ClientError):
    """Nobody answers at the address, or not in time."""

    code = "unreachable"


class NotHindwise(ClientError):
    """The answer does not have the shape that the contract promises."""

    code = "not_hindwise"


class Unsendable(ClientError):
    """The request holds text that is no valid Unicode, or a number that JSON does not have."""

    code = "invalid"


class Answered(ClientError):
    """The API refused: its HTTP `status`, its `code`, its message, and `details` if it gave any."""

    def __init__(
        self, message: str, *, status: int, code: str, details: Mapping[str, JsonValue]
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.details = dict(details)

    @property
    def field(self) -> str | None:
        """The field that was refused, where the API names one."""
        field = self.details.get("field")
        return field if isinstance(field, str) else None
