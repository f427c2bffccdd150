"""`hindwise context`: the block of memories that an agent would be given for a question."""

from dataclasses import dataclass
from typing import Annotated

import typer

from hindwise.cli.config import connect
from hindwise.cli.options import Asking, command, said
from hindwise.cli.recall import Now, Question, code_of, here
from hindwise.cli.words import line, note, print_json
from hindwise.client.answers import JsonObject

LEFT_OUT = {
    "room": "left out for want of room",
    "origin": "left out for their origin (--min-origin shows them)",
}


@dataclass(frozen=True)
class Budget(Asking):
    """How much may go into the block."""

    max_tokens: Annotated[int, typer.Option(help="Size of the block, 1 to 32000.")] = 2_000
    background: Annotated[int, typer.Option(help="Standing memories, 0 to 20.")] = 3
    history: Annotated[int, typer.Option(help="Memories for this question, 0 to 50.")] = 5
    now: Now = None
    min_origin: Annotated[
        str | None,
        typer.Option(
            help="The least origin to show: owner, agent, tool, document, other_agent, unknown."
        ),
    ] = None


@command
def context(query: Question, budget: Budget) -> int:
    """Build the block of memories for a prompt."""
    asked: JsonObject = {
        "query": said(query),
        "max_tokens": budget.max_tokens,
        "background": budget.background,
        "history": budget.history,
        "now": budget.now or here(),
    }
    if budget.min_origin is not None:
        asked["min_origin"] = budget.min_origin
    with connect() as api:
        block = api.context(budget.whose, asked)
    if budget.as_json:
        print_json(block.raw())
    elif block.text:
        line(block.text)
        left = block.left_out_reasons or {"room": len(block.left_out)}
        told = "".join(f", {LEFT_OUT.get(why, why)}: {left[why]}" for why in left if left[why])
        note(f"{block.tokens} of {block.max_tokens} tokens, memories: {len(block.included)}{told}")
    else:
        note(f"Nothing is remembered about this for the user {budget.whose}.")
    return code_of(block, empty=not block.included)
