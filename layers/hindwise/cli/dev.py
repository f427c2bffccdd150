"""`hindwise dev`: the local server, which lives in the checkout and not in the package."""

import os
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from hindwise.cli.config import CHECKOUT, DATA, client_settings, in_checkout
from hindwise.cli.options import FAILED, command
from hindwise.cli.words import note

Port = Annotated[int, typer.Option(help="Where to listen on 127.0.0.1.", min=1, max=65_535)]
Data = Annotated[
    Path | None, typer.Option(help="The data folder; default: HINDWISE_DATA, else .hindwise.")
]

OpenSearch = Annotated[
    bool, typer.Option(help="Search with a real OpenSearch node, after `make opensearch-install`.")
]


@command
def dev(port: Port = 8787, data: Data = None, opensearch: OpenSearch = False) -> int:
    """Serve the API on this machine, with an emulated AWS behind it, until Ctrl-C."""
    if not in_checkout():
        note("The local server is part of the checkout, not of the installed package.", "red")
        note("Clone the repository and run `make dev` there; this command then works too.")
        return FAILED
    folder = data or Path(client_settings().hindwise_data or CHECKOUT / DATA)
    arguments = ["--port", str(port), "--data", str(folder.expanduser().resolve())]
    arguments += ["--opensearch"] if opensearch else []
    return _become([sys.executable, "-m", "infra.local.dev", *arguments])


def _become(arguments: list[str]) -> NoReturn:
    """Run a program in place of this one: Ctrl-C reaches it alone, and it may take its time."""
    os.chdir(CHECKOUT)
    sys.stdout.flush()
    os.execv(arguments[0], arguments)
