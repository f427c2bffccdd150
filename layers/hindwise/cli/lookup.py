"""Ask for one thing by its id and show it, or say that it is not there."""

from collections.abc import Callable

from hindwise.cli.config import connect
from hindwise.cli.options import NOTHING, OK, Asking
from hindwise.cli.words import missing, print_json
from hindwise.client.answers import Answer
from hindwise.client.api import Api
from hindwise.client.errors import Answered


def shown[T: Answer](look: Callable[[Api], T], draw: Callable[[T], None], asking: Asking) -> int:
    """Show what `look` gets, drawn or as JSON; the exit code, NOTHING where the API has no such."""
    with connect() as api:
        try:
            found = look(api)
        except Answered as error:
            if error.status != 404:
                raise
            missing(error, asking.whose, as_json=asking.as_json)
            return NOTHING
    if asking.as_json:
        print_json(found.raw())
    else:
        draw(found)
    return OK
