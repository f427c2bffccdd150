"""Commands that take a text, which may begin with a dash as an option does."""

import re
from typing import Any

import typer
from typer.core import TyperCommand

_SAID = re.compile(r"-[^-A-Za-z].*|-.*\s.*", re.DOTALL)


class Telling(TyperCommand):
    """A command with a text; where its line cannot be read, it says how to type one like `-5`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what was typed; raises BadParameter for a dashed text that is taken for options."""
        given = [*args]
        try:
            return super().parse_args(ctx, args)
        except typer.TyperException as error:
            name = getattr(error, "option_name", None)
            if name is None or isinstance(error, typer.BadParameter):
                raise
            dashed = next((one for one in given if _SAID.fullmatch(one) and one[:2] == name), None)
            if dashed is None:
                raise
            hint = f"{name!r} is no option; a text that begins with a dash goes last, after --: "
            raise typer.BadParameter(f"{hint}-- '{dashed}'", ctx=ctx) from error
