"""What stands beside the results of `recall`: turns, chains, and memories with the same names."""

from collections.abc import Iterator

from hindwise.cli.words import line, marked
from hindwise.client.answers import Memory
from hindwise.client.finding import Around, Found, Hit


def show_beside(found: Found) -> None:
    """Print what stands beside each result that has anything beside it."""
    texts = {one.id: one for one in (*found.results, *found.turns)}
    texts |= {one.id: one for hit in found.results for one in _told(hit.expanded)}
    for hit in found.results:
        if hit.expanded is None:
            continue
        lines = [*_turns(hit, texts), *_chain(hit.expanded, texts), *_names(hit.expanded, texts)]
        if hit.expanded.cut:
            lines.append(f"there is more: {', '.join(hit.expanded.cut)}")
        if lines:
            line(f"\n{hit.why.rank}. beside it", "bold")
        for one in lines:
            line(f"   {one}")


def _told(around: Around | None) -> Iterator[Memory]:
    """The memories that are whole beside a result."""
    if around is not None:
        yield from (link.memory for link in around.chain if link.memory is not None)
        beside = (one for name in around.entities for one in name.memories)
        yield from (one.memory for one in beside if one.memory is not None)


def _text(memory_id: str, texts: dict[str, Memory]) -> str:
    memory = texts.get(memory_id)
    if memory is None:
        return memory_id
    speaker = f"{memory.speaker}: " if memory.speaker else ""
    return f"{memory.event_time:%Y-%m-%d}  {marked(memory)}{speaker}{memory.content}"


def _turns(hit: Hit, texts: dict[str, Memory]) -> Iterator[str]:
    around = hit.expanded or Around()
    for one in around.turns:
        yield f"{'>' if one == hit.id else ' '} {_text(one, texts)}"


def _chain(around: Around, texts: dict[str, Memory]) -> Iterator[str]:
    if around.chain_of is not None:
        yield f"in the chain of {around.chain_of}"
    for link in around.chain:
        if link.id is not None:
            yield f"{link.part}: {_text(link.id, texts)}"
        elif link.outcome is not None:
            note = f" ({link.outcome.note})" if link.outcome.note else ""
            yield f"{link.part}: {link.outcome.result}{note}"


def _names(around: Around, texts: dict[str, Memory]) -> Iterator[str]:
    for name in around.entities:
        yield f"{name.name}: {name.count} more"
        yield from (f"  {_text(one.id, texts)}" for one in name.memories)
