"""Tries changes of the ranking on the development sets, without index, table or handlers.

    RECALL_BENCH_DATA=FOLDER python -m bench.ranking_lab --modes context,score
    RECALL_BENCH_DATA=FOLDER python -m bench.ranking_lab --set context.SPEAKER=0.4 keyword.KIN=0

Documents and embedded texts are the product's (`projection`); nomination is exact over the scope;
the ranking is `domain.ranking` itself. With --set, the run is compared question by question with
the one before it: mean gain, its bootstrap interval, and the gain of each conversation, because a
gain that not all conversations share is chance. Vectors are kept in RECALL_BENCH_CACHE.
"""

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from heapq import nlargest
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path += [path for path in (str(ROOT), str(ROOT / "layers")) if path not in sys.path]

import numpy as np  # noqa: E402

import bench.one_thread  # noqa: E402, F401
from bench.embeddings import KeptEmbedder, cache_folder  # noqa: E402
from bench.product import embedder  # noqa: E402
from hindwise.domain.analysis import asked_words, identifiers  # noqa: E402
from hindwise.domain.document import Candidate, Document  # noqa: E402
from hindwise.domain.memory import Episode  # noqa: E402
from hindwise.domain.projection import document_of  # noqa: E402
from hindwise.domain.query import Weights  # noqa: E402
from hindwise.domain.ranking import Asked, missing_places, rank, recompute_keyword  # noqa: E402
from hindwise.domain.timewords import read  # noqa: E402

PER_ARM = 100
KS = (5, 10, 20)
SETS = ("locomo", "memorybank", "probe")
NOT_COUNTED = "5"
"""LoCoMo's adversarial questions: their evidence is not an answer."""
SAID = "%I:%M %p on %d %B, %Y"
EVIDENCE = re.compile(r"D:?\s*(\d+)\s*:\s*0*(\d+)")
WRITTEN = datetime(2024, 6, 1, tzinfo=UTC)


@dataclass
class Question:
    """`gold` are the places of the turns that answer it."""

    text: str
    gold: frozenset[int]
    now: datetime
    vector: Any = None


@dataclass
class Conversation:
    """A scope: its documents in order of speech, their vectors, and its questions."""

    name: str
    documents: list[Document]
    vectors: Any
    questions: list[Question]

    def beside(self, places: Sequence[tuple[str, int]]) -> Iterator[Document]:
        """The documents at (session, seq) places."""
        at = {(d.facets.session_id, getattr(d.facets, "seq", None)): d for d in self.documents}
        yield from (at[place] for place in places if place in at)


def locomo(folder: Path) -> Iterator[tuple[str, list[dict[str, Any]], list[dict[str, Any]]]]:
    """LoCoMo's conversations as (name, turns, questions)."""
    for sample in json.loads((folder / "locomo10.json").read_text("utf-8")):
        talk, turns = sample["conversation"], []
        for number in sorted(int(k[8:]) for k in talk if re.fullmatch(r"session_\d+", k)):
            begun = datetime.strptime(talk[f"session_{number}_date_time"].strip(), SAID)
            for i, turn in enumerate(talk[f"session_{number}"]):
                caption = turn.get("blip_caption")
                text = turn["text"] + (f" [shares a picture: {caption}]" if caption else "")
                time = (begun + timedelta(seconds=20 * i)).isoformat()
                turns.append(
                    {"id": turn["dia_id"], "text": text, "time": time, "session": number}
                    | {"speaker": turn["speaker"]}
                )
        questions = [
            {"text": one["question"], "evidence": list(evidence(one["evidence"]))}
            for one in sample["qa"]
            if str(one["category"]) != NOT_COUNTED
        ]
        yield sample["sample_id"], turns, questions


def evidence(cells: Sequence[str]) -> Iterator[str]:
    """The turn ids in LoCoMo's cells, which hold lists and leading zeros."""
    for cell in cells:
        yield from (f"D{session}:{turn}" for session, turn in EVIDENCE.findall(str(cell)))


def jsonl(folder: Path) -> Iterator[tuple[str, list[dict[str, Any]], list[dict[str, Any]]]]:
    """One conversation a line."""
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            one = json.loads(line)
            yield one["id"], one["turns"], one["questions"]


def conversations(name: str, folder: Path, model: KeptEmbedder) -> Iterator[Conversation]:
    """A set, projected and embedded."""
    for title, turns, questions in (locomo if name == "locomo" else jsonl)(folder / name):
        episodes = list(written(turns))
        pairs = zip([None, *episodes], episodes, strict=False)
        projected = [document_of(turn, before, model.id) for before, turn in pairs]
        vectors = model.documents([text for _, text in projected])
        blank = [0.0] * model.dimensions
        place = {turn["id"]: i for i, turn in enumerate(turns)}
        asked = []
        for one in questions:
            gold = frozenset(place[turn] for turn in one["evidence"] if turn in place)
            if gold:
                now = max(turn.event_time for turn in episodes)
                asked.append(Question(one["text"], gold, now, np.array(model.query(one["text"]))))
        matrix = np.array([blank if vector is None else vector for vector in vectors])
        yield Conversation(title, [document for document, _ in projected], matrix, asked)


def written(turns: Sequence[dict[str, Any]]) -> Iterator[Episode]:
    """Turns as episodes, numbered from 1 in their session, as the product numbers them."""
    count: dict[str, int] = {}
    for i, turn in enumerate(turns):
        session = str(turn.get("session", 0))
        count[session] = count.get(session, 0) + 1
        time = datetime.fromisoformat(turn.get("time") or WRITTEN.isoformat())
        yield Episode(
            id=f"{i:026d}",
            content=turn["text"],
            speaker=turn.get("speaker") or None,
            session_id=session,
            seq=count[session],
            event_time=time if time.tzinfo else time.replace(tzinfo=UTC),
            created_at=WRITTEN,
            updated_at=WRITTEN,
        )


def found(talk: Conversation, question: Question, mode: str) -> list[int]:
    """The places of the best, in order."""
    asked = Asked(
        text=question.text,
        terms=tuple(asked_words(question.text)),
        exact=identifiers(question.text),
        time=read(question.text, question.now),
        now=question.now,
    )
    cosines = talk.vectors @ question.vector
    everything = [Candidate(document) for document in talk.documents]
    recompute_keyword(everything, asked.terms, asked.exact)
    scored = [i for i, one in enumerate(everything) if one.keyword is not None]
    words = nlargest(PER_ARM, scored, key=lambda i: everything[i].keyword or 0.0)
    near = nlargest(PER_ARM, range(len(cosines)), key=lambda i: cosines[i])
    for i in near:
        everything[i].cosine = float(cosines[i])
    candidates = [everything[i] for i in dict.fromkeys([*words, *near])]
    only_words = Weights(keyword=1, vector=0, time=0) if mode == "bm25" else None
    plain: Any = "weighted" if mode == "bm25" else mode
    ranked = rank(candidates, asked, mode=plain, weights=only_words)
    if mode == "context":
        candidates += map(Candidate, talk.beside(missing_places(candidates, ranked)))
        ranked = rank(candidates, asked)
    return [int(one.candidate.document.id) for one in ranked[: max(KS)]]


def recalls(talks: Sequence[Conversation], mode: str) -> tuple[Any, list[str]]:
    """Recall at each of KS for each question, and the conversation it belongs to."""
    rows, names = [], []
    for talk in talks:
        for one in talk.questions:
            best = found(talk, one, mode)
            rows.append([len(one.gold.intersection(best[:k])) / len(one.gold) for k in KS])
            names.append(talk.name)
    return np.array(rows), names


def gain(before: Any, after: Any, names: Sequence[str]) -> str:
    """The mean gain of recall@10, its 95 % bootstrap interval, and each conversation's."""
    difference = (after - before)[:, 1]
    draws = np.random.default_rng(0).integers(0, len(names), (2000, len(names)))
    low, high = np.percentile(difference[draws].mean(1), (2.5, 97.5))
    each = [difference[[n == name for n in names]].mean() for name in dict.fromkeys(names)]
    told = " ".join(f"{one:+.3f}" for one in each)
    return f"{difference.mean():+.4f} ({low:+.4f}..{high:+.4f})  each: {told}"


def change(settings: Sequence[str]) -> None:
    """Set constants of ranking modules, `module.NAME=number`."""
    for setting in settings:
        path, _, value = setting.partition("=")
        module, _, name = path.partition(".")
        target = import_module(f"hindwise.domain.ranking.{module}")
        if not hasattr(target, name):
            raise SystemExit(f"there is no {path}")
        setattr(target, name, float(value))


def main() -> None:
    """Print recall of each set and mode, and what --set changes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", default=os.environ.get("RECALL_BENCH_DATA"))
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--modes", default="context")
    parser.add_argument("--embedder", default="use")
    parser.add_argument("--set", nargs="*", default=[], metavar="MODULE.NAME=NUMBER")
    given = parser.parse_args()
    if not given.data:
        raise SystemExit("say where the data is: --data or RECALL_BENCH_DATA")
    model = KeptEmbedder(embedder(given.embedder), cache_folder())
    sets = {n: list(conversations(n, Path(given.data), model)) for n in given.sets.split(",")}
    runs = [(n, mode) for n in sets for mode in given.modes.split(",")]
    before = {run: recalls(sets[run[0]], run[1]) for run in runs}
    for (name, mode), (rows, _) in before.items():
        print(f"{name:12} {mode:9} n={len(rows):4} ", *(f"{x:.4f}" for x in rows.mean(0)))
    if given.set:
        change(given.set)
        for name, mode in runs:
            rows, names = recalls(sets[name], mode)
            print(f"{name:12} {mode:9} changed ", *(f"{x:.4f}" for x in rows.mean(0)))
            print(f"{'':24}{gain(before[name, mode][0], rows, names)}")


if __name__ == "__main__":
    main()
