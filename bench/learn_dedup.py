"""How labelled pairs of statements are settled: what is merged, what supersedes, what is kept.

    python -m bench.learn_dedup --embedders use hashed

Each pair is told to a user of its own through the product's use cases, on stores in memory; the
older one first and, once more, last. Vectors are the embedder's, the judge is asked over HTTP and
says what the label says: measured is what the product makes of it, not a model's wits.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import timedelta
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

from bench import rows as table
from bench.embeddings import KeptEmbedder, cache_folder
from bench.product import embedder as made
from hindwise.adapters.reasoners.openai import OpenAIReasoner
from hindwise.domain.drafts import SemanticDraft
from hindwise.domain.memory import SemanticMemory, Status
from hindwise.domain.ports import Embedder, Reasoner
from infra.local.fake_llm import Asked, FakeLlm
from tests.unit.usecases.settling import SHOWN, SettlingDesk

PAIRS = Path(__file__).with_name("dedup_pairs.jsonl")
REPLACED = frozenset({"update", "contradiction"})
SAME_SLOT = frozenset({"duplicate", *REPLACED})


class Pair(NamedTuple):
    """Two statements, the older first, and how they stand to each other (`kind`).

    `kind` is duplicate, update, contradiction, coexist or related.
    """

    kind: str
    language: str
    older: str
    newer: str


class Ends(NamedTuple):
    """How many pairs ended as they should, and how many were merged that say something else."""

    right: int
    wrong_merges: int


def pairs() -> list[Pair]:
    """The labelled pairs."""
    lines = PAIRS.read_text(encoding="utf-8").splitlines()
    return [Pair(**json.loads(line)) for line in lines]


def rewritten(found: Sequence[Pair]) -> list[Pair]:
    """Each statement beside itself in other case and width, with another stop."""
    texts = dict.fromkeys(text for one in found for text in (one.older, one.newer))
    return [Pair("duplicate", "und", text, f" {text.upper()}. ") for text in texts]


def rows(embedder: Embedder) -> Iterator[dict[str, Any]]:
    """One row a way of settling.

    `settled_share` is of the pairs told, `merged_share` of those that say the same: without slots
    and without a judge the rest is doubt, and doubt keeps both.
    """
    every = pairs()
    slotted = [one for one in every if one.kind in SAME_SLOT]
    with ExitStack() as stack:
        llm = stack.enter_context(FakeLlm())
        llm.always("judge", _labelled(every))
        model = OpenAIReasoner(llm.models[0], key="none", base_url=llm.url)
        stack.callback(model.close)
        ways = (
            ("none", "scripted", slotted, None),
            ("none", "none", every, None),
            ("none", "rewritten", rewritten(every), None),
            ("scripted", "none", every, model),
        )
        for judge, slots, told, reasoner in ways:
            yield _row(told, judge=judge, slots=slots, embedder=embedder, reasoner=reasoner)


def _row(
    told: Sequence[Pair],
    *,
    judge: str,
    slots: str,
    embedder: Embedder,
    reasoner: Reasoner | None,
) -> dict[str, Any]:
    ends = [
        _settled(one, late, slots=slots, embedder=embedder, reasoner=reasoner)
        for one, late in zip(_twice(told), cycle((False, True)), strict=False)
    ]
    alone = (judge, slots) == ("none", "none")
    asked = [one for one, pair in zip(ends, _twice(told), strict=True) if not alone or _same(pair)]
    right = sum(one.right for one in asked) / len(asked)
    share = "merged_share" if alone else "settled_share"
    return {
        "what": "dedup",
        "judge": judge,
        "given": {"scripted": "slots", "rewritten": "the same words"}.get(slots, "text"),
        "embedder": embedder.id,
        "pairs": len(told),
        "wrong_merges": sum(one.wrong_merges for one in ends),
        share: round(right, 3),
        **table.machine(),
    }


def _twice(told: Sequence[Pair]) -> list[Pair]:
    return [one for one in told for _ in range(2)]


def _same(pair: Pair) -> bool:
    return pair.kind == "duplicate"


def _labelled(told: Sequence[Pair]) -> Any:
    """A judge that says of two texts what their label says."""
    kinds = {frozenset((one.older, one.newer)): one.kind for one in told}

    def decide(asked: Asked) -> dict[str, Any]:
        (_, new), *others = SHOWN.findall(asked.user)
        said = [(one, kinds.get(frozenset((new, content)))) for one, content in others]
        verdicts = {one: "unrelated" if kind == "related" else kind for one, kind in said if kind}
        return {"decisions": [{"id": one, "verdict": word} for one, word in verdicts.items()]}

    return decide


def _settled(
    pair: Pair, late: bool, *, slots: str, embedder: Embedder, reasoner: Reasoner | None
) -> Ends:
    """Tell a pair, the older one last if `late`, compare, and look at what is current."""
    desk = SettlingDesk(embedder=embedder, reasoner=reasoner)
    moment = desk.clock()
    first = _draft(pair, pair.older, slots).model_copy(
        update={"event_time": moment - timedelta(days=30)}
    )
    second = _draft(pair, pair.newer, slots).model_copy(update={"event_time": moment})
    for draft in (second, first) if late else (first, second):
        desk.write(draft)
        desk.drain()
    current = [one.content for one in desk.all() if one.status is Status.ACTIVE]
    merged = any(_merged(one) for one in desk.all())
    wanted = {
        "duplicate": len(current) == 1,
        **dict.fromkeys(REPLACED, current == [pair.newer]),
    }.get(pair.kind, len(current) == 2)
    return Ends(int(wanted), int(merged and pair.kind != "duplicate"))


def _merged(memory: SemanticMemory) -> bool:
    return any(one.verdict == "duplicate" for one in memory.verdicts)


def _draft(pair: Pair, text: str, slots: str) -> SemanticDraft:
    """What an extractor makes of a statement: its words, with a slot where those are given."""
    if slots != "scripted":
        return SemanticDraft(content=text)
    value = "the same" if pair.kind == "duplicate" else text
    return SemanticDraft(content=text, subject="user", attribute="told", value=value)


def main() -> None:
    """Measure with each embedder that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedders", nargs="+", default=["use", "hashed"])
    found = []
    for name in parser.parse_args().embedders:
        for row in rows(KeptEmbedder(made(name), cache_folder())):
            table.show(row)
            found.append(row)
    table.write("learn_dedup", found)


if __name__ == "__main__":
    main()
