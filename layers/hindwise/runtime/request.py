"""One HTTP request, whatever shape of event brought it: HTTP API, function URL or REST API.

Everything is checked when it is asked for, so that a handler says what it needs and nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from urllib.parse import parse_qsl

from hindwise.domain.call import Call
from hindwise.domain.ids import ALPHABET, ID_LENGTH
from hindwise.domain.scope import Principal, Scope
from hindwise.domain.text import flaw
from hindwise.errors import Invalid, NotFound
from hindwise.runtime.principal import principal_of, scope_of
from hindwise.runtime.strict_json import MAX_BYTES, JsonObject, body_text, parse_object, shown
from hindwise.usecases.once import RequestKey

MAX_PARAMETERS = 100
Event = Mapping[str, object]


@dataclass(frozen=True)
class Request:
    """A request at server time `now`; `params` are the decoded names in its path.

    Its body may have `most` bytes.
    """

    event: Event
    now: datetime
    params: Mapping[str, str] = field(default_factory=dict)
    most: int = MAX_BYTES

    @cached_property
    def method(self) -> str:
        """The verb in capitals."""
        context = self.event.get("requestContext")
        http = context.get("http") if isinstance(context, Mapping) else None
        method = http.get("method") if isinstance(http, Mapping) else self.event.get("httpMethod")
        return str(method or "").upper()

    @cached_property
    def headers(self) -> dict[str, str]:
        """Headers by their lower-case names."""
        given = self.event.get("headers")
        return {str(k).lower(): str(v) for k, v in (given or {}).items()}  # type: ignore[attr-defined]

    @cached_property
    def principal(self) -> Principal:
        """Who calls; raises Unauthorized."""
        return principal_of(self.event)

    @cached_property
    def text(self) -> str:
        """The body as text; raises TooLarge and Invalid."""
        body = self.event.get("body")
        return body_text(
            str(body) if body is not None else None,
            base64=bool(self.event.get("isBase64Encoded")),
            most=self.most,
        )

    @cached_property
    def body(self) -> JsonObject:
        """The body as a JSON object, with `user_id`."""
        return parse_object(self.text)

    @cached_property
    def fields(self) -> JsonObject:
        """The body without `user_id`, which `scope` has used."""
        return {name: value for name, value in self.body.items() if name != "user_id"}

    @property
    def memory_id(self) -> str:
        """The id in the path; raises NotFound for a malformed one, like for a missing one."""
        return self._id_of("memory")

    @property
    def job_id(self) -> str:
        """The id in the path; raises NotFound for a malformed one, like for a missing one."""
        return self._id_of("job")

    @property
    def receipt_id(self) -> str:
        """The id in the path; raises NotFound for a malformed one, like for a missing one."""
        return self._id_of("receipt")

    def _id_of(self, what: str) -> str:
        given = self.params["id"]
        if len(given) != ID_LENGTH or not set(ALPHABET).issuperset(given):
            raise NotFound(f"there is no {what} {shown(given)}")
        return given

    @cached_property
    def key(self) -> RequestKey | None:
        """The `Idempotency-Key` and what it stands for: method, path, user and body, hashed.

        Raises Invalid unless it is 1 to 255 printable ASCII characters.
        """
        key = self.headers.get("idempotency-key")
        if key is None:
            return None
        if not (1 <= len(key) <= 255 and key.isascii() and key.isprintable()):
            message = "Idempotency-Key must be 1 to 255 printable ASCII characters"
            raise Invalid(message, field="Idempotency-Key")
        said = "\x1f".join((self.method, *self.params.values(), self.scope.user, self.text))
        return RequestKey(key=key, digest=sha256(said.encode()).hexdigest())

    @cached_property
    def query(self) -> dict[str, list[str]]:
        """The query string, decoded; raises Invalid naming the parameter."""
        query: dict[str, list[str]] = {}
        for name, value in self._pairs():
            if wrong := flaw(name) or flaw(value):
                raise Invalid(f"{shown(name)}: holds {wrong}", field=shown(name))
            query.setdefault(name, []).append(value)
        return query

    def _pairs(self) -> list[tuple[str, str]]:
        raw = self.event.get("rawQueryString")
        if isinstance(raw, str):
            try:
                return parse_qsl(
                    raw, keep_blank_values=True, errors="strict", max_num_fields=MAX_PARAMETERS
                )
            except ValueError as error:
                message = f"the query string must be UTF-8 with at most {MAX_PARAMETERS} parameters"
                raise Invalid(message, field="query string") from error
        many = self.event.get("multiValueQueryStringParameters")
        if isinstance(many, Mapping):
            return [(str(name), str(value)) for name, values in many.items() for value in values]
        one = self.event.get("queryStringParameters")
        pairs = one.items() if isinstance(one, Mapping) else ()
        return [(str(name), str(value)) for name, value in pairs]

    def only(self, *names: str) -> None:
        """Raise Invalid for a query parameter that is neither `user_id` nor one of these.

        Whoever adds `dry_run` to a call that knows none must not learn what it did afterwards.
        """
        if extra := sorted(self.query.keys() - {"user_id", *names}):
            raise Invalid(f"{shown(extra[0])}: is not a known field", field=shown(extra[0]))

    def one(self, name: str) -> str | None:
        """A query parameter that may be given once; raises Invalid where it comes twice."""
        values = self.query.get(name, [])
        if len(values) > 1:
            raise Invalid(f"{name} is given twice", field=name)
        return values[0] if values else None

    @cached_property
    def scope(self) -> Scope:
        """Whose memories are meant; raises Invalid naming `user_id`, and Forbidden."""
        in_body = self.method in ("POST", "PATCH", "PUT")
        user = self.body.get("user_id") if in_body else self.one("user_id")
        return scope_of(self.principal, user)

    @cached_property
    def call(self) -> Call:
        """The call as the use cases see it."""
        return Call(scope=self.scope, principal=self.principal, now=self.now)

    @cached_property
    def if_match(self) -> int | None:
        """The version in `If-Match`; raises Invalid where it is none."""
        given = self.headers.get("if-match")
        if given is None or given.strip() == "*":
            return None
        version = given.strip().removeprefix("W/").strip('"')
        if not (version.isascii() and version.isdigit() and len(version) <= 12):
            raise Invalid('If-Match must be a version like "3"', field="If-Match")
        return int(version)
