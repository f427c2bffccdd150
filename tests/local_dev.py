"""A dev server as a person starts it: a process of its own, its terminal, its data folder."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TOOLS = {name: os.environ[name] for name in ("PATH", "JAVA_HOME") if name in os.environ}
HOST = {
    "AWS_PROFILE": "production",
    "AWS_ACCESS_KEY_ID": "host",
    "AWS_SESSION_TOKEN": "host",
    "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
    "AWS_DEFAULT_REGION": "eu-west-1",
    "EMBEDDER": "hashed",
}


class Dev:
    """One run of `python -m infra.local.dev`."""

    def __init__(self, data: Path, port: int, *options: str, **env: str) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.data = data
        self.key_file = data / "key"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "infra.local.dev", f"--port={port}", f"--data={data}", *options],
            cwd=ROOT,
            env={**TOOLS, **HOST, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def greeting(self) -> str:
        assert self.process.stdout is not None
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if line.startswith("Ctrl-C"):
                break
        else:
            assert self.process.stderr is not None
            raise AssertionError(self.process.stderr.read())
        return "".join(lines)

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        request = urllib.request.Request(
            self.url + path,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "authorization": f"Bearer {self.key_file.read_text().strip()}",
                "content-type": "application/json",
            },
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.loads(answer.read())

    def found(self, query: str) -> list[str]:
        results = self.ask("/v1/search", {"user_id": "me", "query": query})["results"]
        return [each["content"] for each in results]

    def remember(self, content: str) -> str:
        body = {"user_id": "me", "kind": "episodic", "content": content}
        return str(self.ask("/v1/memories", body)["id"])

    def stop(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str, str]:
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err
