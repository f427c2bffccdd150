"""Whose words a claim really repeats, whichever turn it is said to come from.

An assistant that reads out a document does not vouch for it, and a model that reads a window may
name the wrong turn. What a claim adds to the words of whoever counts for more is looked up among
the turns of less authority that went before: where half of it stands there, it is theirs.
"""

from collections.abc import Sequence

from hindwise.domain.analysis import query_words
from hindwise.domain.conversation import Message
from hindwise.domain.scope import Origin

ENOUGH = 0.5
"""Of what a claim adds, so much is no coincidence."""
NOBODY = frozenset(query_words("user users assistant agent tool 用户 助手 助理 工具"))
"""Who is spoken of says nothing about whose words they are."""


def vouched(claim: str, sources: Sequence[Message], heard: Sequence[Message]) -> Origin:
    """The authority of a claim that was drawn from `sources`, among all that was heard.

    The least of its sources, or that of turns before them whose words it repeats.
    """
    own = min(one.origin for one in sources)
    lower = [one for one in heard if one.origin < own and _before(one, sources)]
    classes = sorted({one.origin for one in lower})
    for origin in classes:
        of_it = [one for one in lower if one.origin is origin]
        if repeated(claim, sources, of_it, heard):
            return origin
    return classes[0] if lower and repeated(claim, sources, lower, heard) else own


def repeated(
    claim: str, sources: Sequence[Message], others: Sequence[Message], heard: Sequence[Message]
) -> bool:
    """Tell whether what a claim adds to its owner's words stands in `others`.

    What an assistant says is added; what an owner says is the owner's, and only what a claim has
    beyond it can be another's.
    """
    own = min(one.origin for one in sources)
    said, theirs = [one.text for one in sources], [one.text for one in others]
    if own is Origin.OWNER:
        return borrowed(claim, said, theirs)
    added = (_words([claim]) & _words(said)) - _words(
        [one.text for one in heard if one.origin > own]
    )
    return _of(added, theirs)


def borrowed(claim: str, said: Sequence[str], theirs: Sequence[str]) -> bool:
    """Tell whether half of a claim is not in what was `said`, and half of that is `theirs`."""
    words = _words([claim])
    added = words - _words(said)
    return len(added) >= ENOUGH * len(words) and _of(added, theirs)


def _of(added: frozenset[str], theirs: Sequence[str]) -> bool:
    return bool(added) and len(added & _words(theirs)) >= ENOUGH * len(added)


def _before(turn: Message, sources: Sequence[Message]) -> bool:
    return (turn.turn or 0) < max(one.turn or 0 for one in sources)


def _words(texts: Sequence[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in query_words(text)) - NOBODY
