"""How a server wants a chat completion to be asked for; each kind knows other parameters."""

import re
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import JsonValue

from hindwise.domain.ports.learning import Question

Format = Literal["json_schema", "json_object", "none"]
LEAST_TOKENS = 256
_NUMBERS = re.compile(r"(?<![\d.])\d{3,6}(?![\d.]*\d)")


@dataclass(frozen=True)
class Dialect:
    """One way to ask.

    `format` is how JSON is demanded beside the prompt, `new_limit` whether the limit is called
    `max_completion_tokens`, `temperature` whether one (0) may be sent, `most` how many tokens of
    answer may be asked for.
    """

    format: Format = "json_schema"
    new_limit: bool = True
    temperature: bool = True
    most: int | None = None

    def body(self, question: Question) -> dict[str, JsonValue]:
        """What a request for a question holds beside model and messages."""
        body: dict[str, JsonValue] = {
            self.limit: min(question.max_tokens, self.most or question.max_tokens),
        }
        if self.temperature:
            body["temperature"] = 0
        if self.format == "json_schema" and question.schema_:
            named: JsonValue = {
                "name": question.shape,
                "schema": question.schema_,
                "strict": True,
            }
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        elif self.format != "none":
            body["response_format"] = {"type": "json_object"}
        return body

    @property
    def limit(self) -> str:
        """The name of the parameter that limits the answer."""
        return "max_completion_tokens" if self.new_limit else "max_tokens"


def plainer(dialect: Dialect, complaint: str, wanted: int) -> Dialect | None:
    """What to try after a request was found malformed; None where nothing is left to try.

    `complaint` is what the server said, in lower case: a parameter that it names is given up, else
    the demand for JSON is, step by step. A smaller number beside the name of the limit, of which
    `wanted` was asked, is the most that it allows.
    """
    if dialect.temperature and "temperature" in complaint:
        return replace(dialect, temperature=False)
    if dialect.limit in complaint:
        allowed = [int(digits) for digits in _NUMBERS.findall(complaint)]
        fitting = [number for number in allowed if LEAST_TOKENS <= number < wanted]
        if fitting:
            return replace(dialect, most=max(fitting))
        return replace(dialect, new_limit=not dialect.new_limit)
    if dialect.format == "json_schema":
        return replace(dialect, format="json_object")
    if dialect.format == "json_object":
        return replace(dialect, format="none")
    return None
