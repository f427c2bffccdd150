"""Where the API is and who asks: the command line's environment, read here and nowhere else.

On the machine that runs the server nothing needs to be set: address and key are what the server
keeps in its data folder while it runs. That key is sent to this machine only, and to an address
that nobody named only where the folder's own server says that it is there: at the usual port
another folder's might listen.
"""

import json
import os
from pathlib import Path

from hindwise.client.api import Api, is_address, is_local
from hindwise.errors import Misconfigured
from hindwise.settings import Settings

CHECKOUT = Path(__file__).parents[3]
"""The checkout that this code is in, if it is in one."""
DATA = ".hindwise"
USUAL_URL = "http://127.0.0.1:8787"


class ClientSettings(Settings):
    """Address and key of the API, the user whose memories are meant, the server's data folder.

    Without an address it is the local server's.
    """

    hindwise_url: str = ""
    hindwise_key: str = ""
    hindwise_user: str = "me"
    hindwise_data: str = ""


def client_settings() -> ClientSettings:
    """The settings of this process."""
    return ClientSettings.from_env(os.environ)


def environment() -> dict[str, str]:
    """A copy of this process's environment."""
    return dict(os.environ)


def only_local_aws(variables: dict[str, str]) -> None:
    """Give this process these AWS settings and none of the user's: nothing reaches an account."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    os.environ.update(variables)


def in_checkout() -> bool:
    """Tell whether this code runs from a checkout, which has what a local server needs."""
    return (CHECKOUT / "infra" / "local" / "dev.py").is_file()


def data_folder(settings: ClientSettings) -> Path:
    """The local server's data folder: as set, or the nearest from here up, or the checkout's."""
    if settings.hindwise_data:
        return Path(settings.hindwise_data).expanduser().resolve()
    here = Path.cwd()
    near = (folder / DATA for folder in (here, *here.parents))
    found = next((folder for folder in near if folder.is_dir()), None)
    return found or (CHECKOUT if in_checkout() else here) / DATA


def served_at(settings: ClientSettings) -> str | None:
    """Where the server of the data folder listens, None where none runs."""
    try:
        kept = json.loads((data_folder(settings) / "run" / "server.json").read_text("utf-8"))
        url, pid = str(kept["url"]), int(kept["pid"])
        os.kill(pid, 0)
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return None
    return url if is_address(url) and is_local(url) else None


def address(settings: ClientSettings) -> str:
    """The address as set, or the local server's, or the usual one; raises Misconfigured."""
    if (url := settings.hindwise_url) and not is_address(url):
        raise Misconfigured(f"HINDWISE_URL is {url!r}; it must be like {USUAL_URL}")
    return url or served_at(settings) or USUAL_URL


def key_of(settings: ClientSettings) -> str:
    """The key as set, or for a server on this machine the one it keeps; else empty."""
    url = settings.hindwise_url or served_at(settings)
    if settings.hindwise_key or url is None or not is_local(url):
        return settings.hindwise_key
    try:
        return (data_folder(settings) / "key").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def connect() -> Api:
    """The API of this process's settings; raises Misconfigured."""
    settings = client_settings()
    return Api(address(settings), key_of(settings))
