"""The readings of one text: as it stands, and each way that it may be meant beneath a disguise."""

from collections.abc import Iterator
from itertools import chain

from hindwise.domain.admission import encodings, folding

_DEPTH = 2
_AT_MOST = 24
"""Readings of one text; what is nested deeper is no message to a model."""


def views(text: str) -> Iterator[tuple[str, str]]:
    """How it is read and what it says then, folded; the first is the text itself, `plain`."""
    seen: set[str] = set()
    for how, view in _readings(text, _DEPTH):
        if view.strip() and view not in seen:
            seen.add(view)
            yield how, view
        if len(seen) >= _AT_MOST:
            return


def _readings(text: str, depth: int) -> Iterator[tuple[str, str]]:
    loose = folding.loose(text)
    plain = folding.single(loose)
    yield "plain", plain
    hidden = {
        "tags": folding.tagged(text),
        "selectors": folding.selected(text),
        "bidi": encodings.overridden(text),
    }
    for how, said in hidden.items():
        if said:
            yield how, folding.folded(said)
    spaced = folding.unspaced(loose)
    yield "spaced", spaced
    whole = folding.spread(loose)
    yield "spaced", whole
    for view in folding.unleeted(whole or spaced or plain):
        yield "leet", view
    for how, said in encodings.turned(whole or folding.visible(text)):
        yield how, folding.folded(said)
    if depth:
        for found in chain(encodings.inner(folding.latin(text)), encodings.inner(whole)):
            for _, view in _readings(found.text, depth - 1):
                yield found.how, view
