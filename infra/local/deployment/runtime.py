"""Has the emulator run a function as Lambda does: its runtime client, its layers, nothing else.

Left alone, the emulator runs Python in its own interpreter, where a function sees the emulator's
packages. As `provided.al2023` it starts a `bootstrap` file instead, and leaves layers out: this
one starts Lambda's own runtime client in the environment of `requirements-runtime.txt`, with the
function's code before its layers before the SDK, which is Lambda's order.
"""

import io
import shlex
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Lock
from urllib.request import urlopen

from infra.local.deployment.account import Account
from infra.local.emulator import ROOT

PYTHON = ROOT / ".venv-runtime" / "bin" / "python"
PROVIDED = "provided.al2023"
BOOTSTRAP = """\
#!/bin/sh
unset {hidden}
export {variables}
export PYTHONPATH="$LAMBDA_TASK_ROOT:{layers}"
exec {python} -m awslambdaric "$_HANDLER"
"""


class Runtime:
    """Runs functions; the files of their layers are kept below `folder`.

    `hidden` are the emulator's own variables, which it would hand on to the functions.
    """

    def __init__(self, account: Account, folder: Path, hidden: Iterable[str]) -> None:
        self._lambda = account.client("lambda")
        self._endpoint = account.endpoint
        self._folder = folder
        self._unpacking = Lock()
        self._hidden = sorted(hidden)

    def take(self, function: str, variables: Mapping[str, str]) -> None:
        """Run a deployed function with these variables from now on."""
        found = self._lambda.get_function(FunctionName=function)
        layers = [layer["Arn"] for layer in found["Configuration"].get("Layers", [])]
        code = _with_bootstrap(_fetched(found["Code"]["Location"]), self.bootstrap(layers))
        self._lambda.update_function_code(FunctionName=function, ZipFile=code)
        self._lambda.get_waiter("function_updated_v2").wait(FunctionName=function)
        self._lambda.update_function_configuration(
            FunctionName=function, Runtime=PROVIDED, Environment={"Variables": dict(variables)}
        )
        self._lambda.get_waiter("function_updated_v2").wait(FunctionName=function)

    def make(self, function: str, source: str, role: str) -> None:
        """Make a function of one file `app.py`, without layers, which runs under `role`."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("app.py", source)
        self._lambda.create_function(
            FunctionName=function,
            Runtime=PROVIDED,
            Role=role,
            Handler="app.handler",
            Timeout=30,
            Code={"ZipFile": _with_bootstrap(out.getvalue(), self.bootstrap([]))},
        )
        self._lambda.get_waiter("function_active_v2").wait(FunctionName=function)

    def bootstrap(self, layers: Sequence[str]) -> str:
        """The file that the emulator starts."""
        given = {
            "AWS_ENDPOINT_URL": self._endpoint,
            "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        return BOOTSTRAP.format(
            hidden=" ".join(self._hidden),
            variables=" ".join(f"{name}={shlex.quote(value)}" for name, value in given.items()),
            layers=self._unpacked(layers) / "python",
            python=shlex.quote(str(PYTHON)),
        )

    def _unpacked(self, layers: Sequence[str]) -> Path:
        """The folder that is /opt on Lambda: the layers in order, one over the other."""
        folder = self._folder / sha256("\n".join(layers).encode()).hexdigest()[:16]
        with self._unpacking:
            if folder.exists():
                return folder
            folder.mkdir(parents=True)
            for arn in layers:
                layer = self._lambda.get_layer_version_by_arn(Arn=arn)
                with zipfile.ZipFile(io.BytesIO(_fetched(layer["Content"]["Location"]))) as archive:
                    archive.extractall(folder)
        return folder


def _fetched(location: str) -> bytes:
    with urlopen(location, timeout=60) as answer:
        content: bytes = answer.read()
    return content


def _with_bootstrap(code: bytes, bootstrap: str) -> bytes:
    out = io.BytesIO(code)
    entry = zipfile.ZipInfo("bootstrap")
    entry.external_attr = 0o755 << 16
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr(entry, bootstrap)
    return out.getvalue()
