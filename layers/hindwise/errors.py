"""Every error this package raises, as one tree; `runtime.http` turns each into its HTTP answer.

* HindwiseError
  - Permanent            the same call will fail again
    - Invalid        400 names the field and the limit
    - Unauthorized   401 no usable credential
    - Forbidden      403 the credential does not allow it
    - NotFound       404 no such thing in this scope (a foreign id looks the same)
    - Conflict       409 lost a race, or an idempotency key was used for another body
    - TooLarge       413 names the limit
    - Refused        422 admission said no
    - Misconfigured  500 a setting is missing or malformed
    - Unreadable     500 a stored row does not read as what it should be
  - Transient            the same call may work later
    - Limited        429 over a rate or a budget
    - Unavailable    503 a dependency did not answer in time
    - Unusable       503 a language model's reply is no answer
"""

from collections.abc import Mapping


class HindwiseError(Exception):
    """Base of all our errors.

    `status` is what HTTP answers and `code` is the word clients match on.
    """

    status = 500
    code = "internal"

    def __init__(self, message: str, *, details: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.details = dict(details or {})


class Permanent(HindwiseError):
    """The same call will fail again."""


class Transient(HindwiseError):
    """The same call may succeed later; `retry_after` is in seconds."""

    retry_after = 1


class Invalid(Permanent):
    """The request is malformed; `details["field"]` names the field, the message names the limit."""

    status = 400
    code = "invalid"

    def __init__(
        self, message: str, *, field: str | None = None, details: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(
            message, details={**({"field": field} if field else {}), **(details or {})}
        )


class Unauthorized(Permanent):
    """There is no usable credential."""

    status = 401
    code = "unauthorized"


class Forbidden(Permanent):
    """The credential does not allow this."""

    status = 403
    code = "forbidden"


class NotFound(Permanent):
    """There is no such thing in this scope."""

    status = 404
    code = "not_found"


class Conflict(Permanent):
    """A concurrent change won, or an idempotency key already stands for another body."""

    status = 409
    code = "conflict"


class TooLarge(Permanent):
    """A body, text or list is over its limit; the message names the limit."""

    status = 413
    code = "too_large"


class Refused(Permanent):
    """Admission does not let this in."""

    status = 422
    code = "refused"


class Misconfigured(Permanent):
    """A setting is missing or malformed; the message names every wrong one."""

    code = "misconfigured"


class Unreadable(Permanent):
    """A stored row does not read as what it should be; its message and cause hold no content."""

    code = "unreadable"


class Limited(Transient):
    """Over a rate or a budget."""

    status = 429
    code = "limited"


class Unavailable(Transient):
    """A dependency did not answer in time; nothing was changed, or a retry converges."""

    status = 503
    code = "unavailable"


class Unusable(Transient):
    """A language model's reply is no answer; nothing was learnt from it, which is not "nothing".

    `problem` is `refused`, `filtered`, `empty`, `truncated`, `not_json` or `wrong_shape`.
    """

    status = 503
    code = "unusable"

    def __init__(self, problem: str) -> None:
        super().__init__(f"the model's reply is {problem}", details={"reason": problem})
        self.problem = problem
