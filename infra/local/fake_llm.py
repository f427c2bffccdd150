"""A pretended language model behind OpenAI's `/v1/chat/completions`, on loopback.

It says what it was told to say, by the task it is asked to do (`extract`, `judge`, `consolidate`,
`rewrite`): first what waits in the task's queue, then what waits for any task, then what it always
says. Where nothing is scripted it answers 500, so that no test passes on an answer nobody wrote.

    with FakeLlm() as llm:
        llm.say("extract", {"memories": []}, Said(status=429, headers={"Retry-After": "3"}))
        llm.always("judge", lambda asked: {"decisions": []})
        OpenAIReasoner("any-model", key="k", base_url=llm.url)
        assert llm.asked("extract")[0].user.startswith("...")
"""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from infra.local.openai_http import Answer, OpenAIHttp, Recorded, refusal

ANY = "*"
TASKS = {
    '"memories"': "extract",
    '"decisions"': "judge",
    '"patterns"': "consolidate",
    '"hostile"': "opinion",
    '"query"': "rewrite",
}
"""What a prompt that demands JSON names, and which task that is."""


@dataclass(frozen=True)
class Said:
    """One answer: a message, or something that goes wrong instead.

    `text` None gives a message without content; `parts` sends the text as a list of parts. `body`
    replaces the whole response, `status` other than 200 is an error with `headers`, and `text`
    for what it complains of. `ends` is `dropped` or `short` for a connection that breaks. `usage`
    None leaves the numbers out; without any they are counted by characters. `delay` is in seconds,
    `trickle` too: so long blanks come before the answer.
    """

    text: str | None = ""
    finish: str = "stop"
    refusal: str | None = None
    reasoning: str | None = None
    parts: bool = False
    usage: Mapping[str, Any] | None = field(default_factory=dict)
    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    trickle: float = 0.0
    ends: Literal["whole", "short", "dropped"] = "whole"


@dataclass(frozen=True)
class Asked:
    """One question that arrived, as the model sees it; `format` is what `response_format` asks."""

    task: str
    system: str
    user: str
    format: str | None
    body: dict[str, Any]
    headers: Mapping[str, str]
    key: str


Script = Said | str | dict[str, Any] | list[Any] | Callable[[Asked], Any]


@dataclass
class FakeLlm(OpenAIHttp):
    """Serves while it is entered as a context.

    `unsupported` are the kinds of `response_format` (`json_schema`, `json_object`) and the other
    parameters (`max_tokens`, `max_completion_tokens`, `temperature`) that are refused with 400, as
    many compatible servers do; whether it `explains` by name what it does not know.
    """

    models: tuple[str, ...] = ("scripted-model",)
    unsupported: frozenset[str] = frozenset()
    explains: bool = True

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._queues: dict[str, list[Script]] = {}
        self._always: dict[str, Script] = {}

    def say(self, task: str, *scripts: Script, times: int = 1) -> None:
        """Say these in turn, the whole of them `times` over, when asked to do `task` (`*`: any).

        An object or list is said as JSON; a function is given the question and returns any of the
        others.
        """
        with self._lock:
            self._queues.setdefault(task, []).extend(scripts * times)

    def always(self, task: str, script: Script) -> None:
        """Say this whenever nothing else waits for `task` (`*`: any)."""
        with self._lock:
            self._always[task] = script

    def hush(self) -> None:
        """Forget what was to be said, and what was asked."""
        with self._lock:
            self._queues.clear()
            self._always.clear()
            self.requests.clear()

    def asked(self, task: str = ANY) -> list[Asked]:
        """The questions that arrived so far, in order, those refused included."""
        chats = [one for one in list(self.requests) if one.path.endswith("/chat/completions")]
        every = [question(one) for one in chats]
        return [one for one in every if task in (ANY, one.task)]

    def answer(self, asked: Recorded) -> Answer:
        """What to say to a request."""
        if (asked.method, asked.path) == ("GET", "/v1/models"):
            data = [{"id": name, "object": "model"} for name in self.models]
            return Answer(json.dumps({"object": "list", "data": data}).encode())
        if (asked.method, asked.path) != ("POST", "/v1/chat/completions"):
            return refusal(404)
        one = question(asked)
        for name in self.unsupported & {one.format, *asked.body}:
            return refusal(400, said=f"unsupported parameter: {name}" if self.explains else None)
        said = self._next(one)
        if said is None:
            return refusal(500)
        if said.status != 200:
            return refusal(
                said.status, headers=said.headers, delay=said.delay, said=said.text or None
            )
        body = said.body if said.body is not None else response(said, asked.body)
        sent = Answer(json.dumps(body).encode(), headers=said.headers, delay=said.delay)
        return replace(sent, ends=said.ends, trickle=said.trickle)

    def _next(self, asked: Asked) -> Said | None:
        with self._lock:
            script: Any = None
            for name in (asked.task, ANY):
                if waiting := self._queues.get(name):
                    script = waiting.pop(0)
                    break
            else:
                script = self._always.get(asked.task, self._always.get(ANY))
        if callable(script):
            script = script(asked)
        if script is None or isinstance(script, Said):
            return script
        text = script if isinstance(script, str) else json.dumps(script, ensure_ascii=False)
        return Said(text)


def question(recorded: Recorded) -> Asked:
    """Read a request as a question; the task is told by the schema's name, else by the prompt."""
    messages = recorded.body.get("messages", [])
    system = "\n".join(one["content"] for one in messages if one["role"] == "system")
    user = "\n".join(one["content"] for one in messages if one["role"] == "user")
    wanted = recorded.body.get("response_format") or {}
    named = wanted.get("json_schema", {}).get("name")
    task = named or next((task for mark, task in TASKS.items() if mark in system), "")
    return Asked(
        task=task,
        system=system,
        user=user,
        format=wanted.get("type"),
        body=recorded.body,
        headers=recorded.headers,
        key=recorded.key,
    )


def response(said: Said, asked: Mapping[str, Any]) -> dict[str, Any]:
    """A completion in OpenAI's form."""
    content: Any = said.text
    if said.parts and said.text is not None:
        half = len(said.text) // 2
        content = [{"type": "text", "text": said.text[:half]},
                   {"type": "text", "text": said.text[half:]}]  # fmt: skip
    message: dict[str, Any] = {"role": "assistant", "content": content, "refusal": said.refusal}
    if said.reasoning is not None:
        message["reasoning_content"] = said.reasoning
    choice = {"index": 0, "message": message, "finish_reason": said.finish, "logprobs": None}
    body: dict[str, Any] = {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": asked.get("model"),
        "choices": [choice],
    }
    if said.usage is not None:
        put = sum(len(str(one.get("content"))) for one in asked.get("messages", [])) // 4
        got = len(said.text or "") // 4
        counted = {"prompt_tokens": put, "completion_tokens": got, "total_tokens": put + got}
        body["usage"] = {**counted, **said.usage}
    return body
