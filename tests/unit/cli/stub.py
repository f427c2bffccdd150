"""An API that answers what a test tells it to, over real HTTP, and keeps what it was asked."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from typer.testing import CliRunner, Result

from hindwise.cli.app import app

AT = "2023-05-02T20:01:00+08:00"


@dataclass(frozen=True)
class Asked:
    """A request as it came in."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: Any


@dataclass
class Stub:
    """Answers by (method, path), one after the other, the last one again and again."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    answers: dict[tuple[str, str], list[tuple[int, Any, dict[str, str]]]] = field(
        default_factory=dict
    )

    def says(
        self, call: str, body: Any, *, status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        """Add an answer to `GET /v1/…`; a callable is given the request."""
        method, path = call.split(" ")
        self.answers.setdefault((method, path), []).append((status, body, headers or {}))

    def run(self, *arguments: str, stdin: str | bytes | None = None, **env: str) -> Result:
        """Run the command line against this server."""
        settings = {
            "HINDWISE_URL": self.url,
            "HINDWISE_KEY": "hw_test_key",
            "HINDWISE_USER": "",
            "COLUMNS": "100",
        }
        return CliRunner().invoke(app, arguments, input=stdin, env={**settings, **env})


@contextmanager
def serving() -> Iterator[Stub]:
    """Serve while the block runs."""
    stub = Stub()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            parts = urlsplit(self.path)
            asked = Asked(
                method=self.command,
                path=parts.path,
                query=parse_qs(parts.query),
                headers={name.lower(): value for name, value in self.headers.items()},
                body=json.loads(self.rfile.read(length)) if length else None,
            )
            stub.asked.append(asked)
            nothing = [(404, {"message": "Not Found"}, {})]
            left = stub.answers.get((asked.method, asked.path), nothing)
            status, body, headers = left.pop(0) if len(left) > 1 else left[0]
            if callable(body):
                status, body = body(asked)
            raw = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in {"content-length": str(len(raw)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)

        do_GET = do_POST = do_DELETE = answer

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    stub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def memory(**fields: Any) -> dict[str, Any]:
    """A memory as the API shows it."""
    return {
        "id": "01J00000000000000000000001",
        "kind": "episodic",
        "content": "我们看了丝绸展览",
        "status": "active",
        "origin": "owner",
        "importance": 0.5,
        "confidence": 0.8,
        "effective_confidence": 0.72,
        "version": 1,
        "event_time": AT,
        "created_at": AT,
        "updated_at": AT,
        "language": "zh",
        "principal": "laptop",
        **fields,
    }


def hit(**fields: Any) -> dict[str, Any]:
    """A search result, with its reasons."""
    parts = [
        {"name": "keyword", "value": 0.5, "contribution": 0.25},
        {"name": "vector", "value": 1.0, "contribution": 0.3},
        {"name": "weakened", "value": 1.0, "contribution": -0.05},
        {"name": "importance", "value": 0.5, "contribution": 0.0},
    ]
    why = {
        "rank": 1,
        "age_days": 900.0,
        "effective_confidence": 0.72,
        "matched_terms": ["展览"],
        "time_words": [
            {
                "word": "5月2日",
                "meaning": "date",
                "days": {"first": "2023-05-02", "last": "2023-05-02"},
            }
        ],
        "evidence_ids": ["01J0000000000000000000000E"],
        "supersedes": ["01J0000000000000000000000S"],
        "arms": {"keyword": 2, "vector": 1},
        "parts": parts,
    }
    return {**memory(), "score": 0.5, "why": {**why, **fields.pop("why", {})}, **fields}


def found(*hits: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """The answer to a search."""
    state = {"degraded": False, "reasons": [], "lag": False, "skipped": []}
    return {"results": [*hits], "recall_id": "R", **state, "coverage": 1.0, **fields}
