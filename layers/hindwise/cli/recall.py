"""`hindwise recall`: what is remembered about a question, and why each answer came back."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

import typer
from rich.padding import Padding

from hindwise.cli.beside import show_beside
from hindwise.cli.config import connect
from hindwise.cli.options import DEGRADED, NOTHING, OK, Asking, command, said
from hindwise.cli.remember import json_object
from hindwise.cli.words import (
    DOT,
    age,
    kind_of,
    line,
    marked,
    note,
    out,
    plain,
    print_json,
    table,
    when,
)
from hindwise.client.answers import JsonObject
from hindwise.client.finding import Found, Hit, State, TimeWord

Question = Annotated[
    str, typer.Argument(metavar="QUERY", help="The question; `-` reads it from standard input.")
]
Now = Annotated[
    str | None,
    typer.Option(help="Ask as of this moment (`yesterday` counts from it); default: now, here."),
]

OWN_WORD = frozenset({"owner", "agent"})
"""Origins that need no label beside a text."""


@dataclass(frozen=True)
class Search(Asking):
    """How to search."""

    why: Annotated[bool, typer.Option("--why", help="Say why each memory came back.")] = False
    top_k: Annotated[int, typer.Option("--top-k", "-k", help="How many, 1 to 100.")] = 10
    mode: Annotated[str, typer.Option(help="context, weighted, rrf or score.")] = "context"
    filter: Annotated[
        str | None,
        typer.Option(help='Only these, as JSON: {"kind": "semantic", "tags_any": ["work"]}.'),
    ] = None
    include: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STATE", help="Also show superseded, contested, obsolete, …; repeatable."
        ),
    ] = None
    now: Now = None
    as_of: Annotated[str | None, typer.Option(help="What was true then: a time with its zone.")] = (
        None
    )
    known_at: Annotated[str | None, typer.Option(help="What had been learnt by then.")] = None
    scene: Annotated[str | None, typer.Option(help="What holds in this scene, or anywhere.")] = None
    rewrite: Annotated[
        bool | None,
        typer.Option(
            "--rewrite/--no-rewrite", help="Let a language model put it in other words too."
        ),
    ] = None


@dataclass(frozen=True)
class Beside:
    """What to show beside each result."""

    turns: Annotated[int, typer.Option(help="Turns before and after each, up to 10.")] = 0
    chain: Annotated[
        bool, typer.Option("--chain", help="What it replaced, rests on and led to, in order.")
    ] = False
    entities: Annotated[
        bool, typer.Option("--entities", help="Other memories that name the same things.")
    ] = False

    @property
    def wanted(self) -> JsonObject:
        """What is wanted, as the API takes it; nothing where nothing is."""
        wanted: JsonObject = {
            "turns": self.turns, "chain": self.chain, "entities": self.entities,
        }  # fmt: skip
        return wanted if any(wanted.values()) else {}


@command
def recall(query: Question, search: Search, beside: Beside) -> int:
    """Find memories, best first."""
    asked: JsonObject = {
        "query": said(query),
        "top_k": search.top_k,
        "mode": search.mode,
        "now": search.now or here(),
        "explain": search.why,
    }
    if search.filter is not None:
        asked["filters"] = json_object(search.filter, "--filter")
    if search.include:
        asked["include"] = [*search.include]
    for name in ("as_of", "known_at", "scene", "rewrite"):
        if (value := getattr(search, name)) is not None:
            asked[name] = value
    if beside.wanted:
        asked["expand"] = beside.wanted
    with connect() as api:
        found = api.search(search.whose, asked)
    if search.as_json:
        print_json(found.raw())
    elif search.why:
        _explain(found)
    else:
        _list(found.results)
        show_beside(found)
    if not found.results and not search.as_json:
        note(f"Nothing is remembered about this for the user {search.whose}.")
    return code_of(found, empty=not found.results)


def here() -> str:
    """This moment with this machine's zone, so that `yesterday` means the asker's yesterday."""
    return datetime.now().astimezone().isoformat()


def code_of(state: State, *, empty: bool) -> int:
    """The exit code of an answer; says on the way what it lacks."""
    if state.rewrite is not None and not state.rewrite.query:
        note(f"Not put in other words: {state.rewrite.reason}.", "yellow")
    if state.lag:
        note("Some of the newest memories are not searchable yet.", "yellow")
    if state.degraded:
        reasons = ", ".join(state.reasons) or "a part is down"
        note(f"Degraded: {reasons}; memories may be missing (`hindwise doctor`).", "yellow")
        return DEGRADED
    return NOTHING if empty else OK


def _list(hits: Sequence[Hit]) -> None:
    """The results as a table; who said it has a column where anybody did."""
    if not hits:
        return
    spoken = any(hit.speaker for hit in hits)
    shown = table("#", "score", "when", "what", *(["who"] if spoken else []), "memory")
    for hit in hits:
        cells = [str(hit.why.rank), _score(hit), f"{hit.event_time:%Y-%m-%d}", kind_of(hit)]
        cells += [hit.speaker or ""] if spoken else []
        shown.add_row(*map(plain, [*cells, noted(hit) + hit.content + label(hit)]))
    out().print(shown)


def text_of(hit: Hit) -> str:
    """A memory's text with its state, its speaker and its label."""
    return noted(hit) + (f"{hit.speaker}: " if hit.speaker else "") + hit.content + label(hit)


def noted(hit: Hit) -> str:
    """Its state where it is not simply active, or that it tells what no longer holds."""
    return marked(hit) or ("(outdated) " if hit.why.outdated_by else "")


def label(hit: Hit) -> str:
    """Where a memory comes from that is neither the owner's nor the agent's own word."""
    return "" if hit.origin in OWN_WORD else f" [{hit.origin.replace('_', ' ')}]"


def _score(hit: Hit) -> str:
    return "-" if hit.score is None else f"{hit.score:.3f}"


def _explain(found: Found) -> None:
    if found.rewrite is not None and found.rewrite.query:
        line(f"also asked as: {found.rewrite.query}")
    for hit in found.results:
        line(f"{hit.why.rank}. {text_of(hit)}", "bold")
        for told in why(hit):
            out().print(Padding(plain(told), (0, 0, 0, 3), expand=False))
        line("")
    show_beside(found)


def why(hit: Hit) -> list[str]:
    """The reasons of one result, a line each."""
    reasons = hit.why
    told = [
        DOT.join([hit.id, kind_of(hit), when(hit.event_time), f"age {age(reasons.age_days)}"]),
        f"rank {reasons.rank}{DOT}confidence {reasons.effective_confidence:.2f}"
        + "".join(f"{DOT}{arm} #{rank}" for arm, rank in reasons.arms.items()),
    ]
    matched = [*reasons.matched_terms, *reasons.matched_identifiers]
    told += [f"matched: {' '.join(matched)}"] if matched else ["matched: no word, by meaning only"]
    if reasons.time_words:
        told.append(f"time: {'; '.join(map(_time, reasons.time_words))}")
    if reasons.evidence_ids:
        told.append(f"evidence: {', '.join(reasons.evidence_ids)}")
    if reasons.supersedes:
        told.append(f"supersedes: {', '.join(reasons.supersedes)}")
    if reasons.yielded_to:
        told.append(f"weakened by: {', '.join(reasons.yielded_to)}")
    if reasons.outdated_by:
        told.append(f"outdated by: {', '.join(reasons.outdated_by)}")
    if reasons.in_place_of:
        told.append(f"in place of: {reasons.in_place_of}")
    return told + sum_of(hit)


def _time(word: TimeWord) -> str:
    if word.days is None:
        meaning = {"latest": "the newer the better", "newest": "the newest match"}
        return f"{word.word} ({meaning.get(word.meaning, word.meaning)})"
    first, last = word.days.first, word.days.last
    return f"{word.word} = {first if first == last else f'{first} to {last}'}"


def sum_of(hit: Hit) -> list[str]:
    """The score as the sum of its parts, the largest first; parts that add nothing are left out."""
    parts = [part for part in hit.why.parts if round(part.contribution, 3)]
    if hit.score is None or not parts:
        return []
    parts.sort(key=lambda part: -abs(part.contribution))
    words = [f"{part.name} {part.contribution:+.3f}" for part in parts]
    rest = hit.score - math.fsum(part.contribution for part in parts)
    if round(rest, 3):
        words.append(f"rounding {rest:+.3f}")
    return [f"score {hit.score:.3f} = {' '.join(words)}"]
