"""Two memories compared: how they stand to each other, and what becomes of both.

Pure and symmetric: whichever of the two is looked at first, the verdict, the one that stays and its
text are the same. Newer is what was said last, never what arrived last. A text is never rewritten:
of two that say the same, one stays as it is and gains what the other had beside its words.
"""

from collections.abc import Set
from datetime import datetime

from hindwise.domain.base import Model
from hindwise.domain.guards import conflicts, differences, same_words
from hindwise.domain.guards_reading import plain, reading
from hindwise.domain.ids import key_hash
from hindwise.domain.memory import (
    Decided,
    Mark,
    PairVerdict,
    SemanticMemory,
    Status,
    Type,
    Verdict,
)
from hindwise.domain.succession import begun, gathered, retired, succeeding
from hindwise.domain.supersession import (
    Standing,
    age,
    slot_key,
    standing,
    stated,
)
from hindwise.domain.text import normalised
from hindwise.domain.yielding import Yielding

KEPT_VERDICTS = 64
KEPT_LABELS = 64
CONFLICTING = frozenset({"update", "contradiction"})
REASONS: dict[str, str] = {
    "same_text": "the same words",
    "similarity": "the same in other words",
    "judge": "a language model compared the two",
}
Pair = tuple[SemanticMemory, SemanticMemory]


class Ruling(Model):
    """How two memories stand to each other; `by` is `same_text`, `similarity`, `judge` or a guard
    (`guard:numbers`) that overruled a judge.
    """

    verdict: Decided
    by: str


class Resolution(Model):
    """What follows from a ruling: the verdict to store, and both records before and after.

    `stays` and `yields` name the two where only one of them stays current or keeps its weight.
    `changed` is empty where neither changes.
    """

    pair: PairVerdict
    changed: tuple[Pair, ...] = ()
    stays: str | None = None
    yields: str | None = None


def comparable(one: SemanticMemory, other: SemanticMemory, *, now: datetime) -> bool:
    """Tell whether two memories are to be compared at all.

    Not where one is no longer current, rests on the other, or both compete for one slot, which is
    decided already where they are written; nor a pattern with what is none.
    """
    for memory in (one, other):
        if memory.status is not Status.ACTIVE:
            return False
        if memory.valid_until is not None and memory.valid_until <= now:
            return False
    if (one.type is Type.PATTERN) != (other.type is Type.PATTERN):
        return False
    if one.id == other.id or one.id in other.evidence_ids or other.id in one.evidence_ids:
        return False
    return slot_key(one) is None or slot_key(one) != slot_key(other)


def basis(one: SemanticMemory, other: SemanticMemory) -> str:
    """What a verdict on two memories rests on, as a hash: another basis is another pair."""
    return key_hash(*sorted(map(_said, (one, other))))


def _said(memory: SemanticMemory) -> str:
    about = (memory.subject, memory.attribute, memory.value, memory.scene)
    times = (memory.event_time.timestamp(), memory.valid_until and memory.valid_until.timestamp())
    weight = (memory.confidence, memory.importance)
    parts = (memory.id, memory.content, memory.type.value, about, times, weight)
    return key_hash(*(repr(part) for part in (*parts, memory.cardinality.value)))


def nearness(one: SemanticMemory, other: SemanticMemory, cosine: float | None) -> float:
    """How much two memories seem to speak of the same: their cosine, or the words they share.

    Words count by their share of the shorter text, without those for the user.
    """
    a, b = (set(reading(each.content).words) - {"user", "我"} for each in (one, other))
    shared = len(a & b) / max(min(len(a), len(b)), 1)
    return max(cosine if cosine is not None else 0.0, shared)


def ruled(
    one: SemanticMemory,
    other: SemanticMemory,
    *,
    cosine: float | None,
    threshold: float,
    now: datetime,
) -> Ruling | None:
    """What rules alone can tell of two memories; None where they leave a doubt."""
    if not (begun(one, now) and begun(other, now)) or differences(one, other):
        return None
    if same_words(one.content, other.content):
        return Ruling(verdict="duplicate", by="same_text")
    if cosine is not None and cosine >= threshold:
        return Ruling(verdict="duplicate", by="similarity")
    return None


def judged(
    one: SemanticMemory, other: SemanticMemory, verdict: Decided, *, now: datetime
) -> Ruling:
    """A judge's verdict, unless a guard knows better: then both are kept."""
    found: tuple[str, ...] = ()
    if verdict == "duplicate":
        found = conflicts(one, other)
        if not (begun(one, now) and begun(other, now)):
            found = (*found, "validity")
    elif verdict in CONFLICTING and normalised(one.scene or "") != normalised(other.scene or ""):
        found = ("scene",)
    if found:
        return Ruling(verdict="coexist", by=f"guard:{','.join(found)}")
    return Ruling(verdict=verdict, by="judge")


def resolved(
    pair: Pair, ruling: Ruling, *, yielding: Yielding, held: Set[str], now: datetime
) -> Resolution:
    """What becomes of a pair.

    `yielding` is the policy of the newer one (`newer`), `held` are the ids of those that hold a
    slot: who takes such a one's place takes its slot too.
    """
    if ruling.verdict == "duplicate":
        return _merged(pair, ruling, yielding=yielding, held=held, now=now)
    if ruling.verdict in CONFLICTING:
        return _settled(pair, ruling, yielding=yielding, held=held, now=now)
    return _resolution(pair, ruling, (), now=now)


def newer(pair: Pair) -> SemanticMemory:
    """The one of two that was said last."""
    return max(pair, key=stated)


def survivor(pair: Pair, *, yielding: Yielding, now: datetime) -> SemanticMemory:
    """Which of two that say the same stays.

    That of higher authority, then the one surer by more than the margin, then the fuller text, then
    the older.
    """
    one, other = pair
    if one.origin != other.origin:
        return max(pair, key=lambda each: each.origin)
    for each, against in (pair, (other, one)):
        if yielding.surer(each, against, now):
            return each
    sizes = {each.id: len(plain(each.content)) for each in pair}
    if sizes[one.id] != sizes[other.id]:
        return max(pair, key=lambda each: sizes[each.id])
    return min(pair, key=age)


def _merged(
    pair: Pair, ruling: Ruling, *, yielding: Yielding, held: Set[str], now: datetime
) -> Resolution:
    stays = survivor(pair, yielding=yielding, now=now)
    goes = next(each for each in pair if each.id != stays.id)
    reason = REASONS.get(ruling.by, ruling.by)
    verdict = Verdict(other=goes.id, verdict="duplicate", reason=reason, at=now)
    more = _gained(stays, goes) if goes.origin >= stays.origin else {}
    kept = _touched(stays, verdict, now).model_copy(update=more)
    kept = succeeding(kept, goes, same=True)
    if goes.id in held:
        kept = _inheriting(kept, goes, value=True)
    gone = retired(goes, stays, verdict.model_copy(update={"other": stays.id}))
    return _resolution(pair, ruling, ((goes, gone), (stays, kept)), stays=stays, now=now)


def _gained(stays: SemanticMemory, goes: SemanticMemory) -> dict[str, object]:
    """What a memory gains from one that says the same; a lower authority gives it nothing."""
    people = {Mark.PINNED, Mark.REVIEWED} & set(goes.marks)
    return {
        "evidence_ids": gathered(stays.evidence_ids, goes.evidence_ids),
        "entities": _united(stays.entities, goes.entities),
        "tags": _united(stays.tags, goes.tags),
        "importance": max(stays.importance, goes.importance),
        "confidence": max(stays.confidence, goes.confidence),
        "last_seen_at": max(_last(stays), _last(goes)),
        "marks": tuple(sorted({*stays.marks, *people})),
    }


def _settled(
    pair: Pair, ruling: Ruling, *, yielding: Yielding, held: Set[str], now: datetime
) -> Resolution:
    new = newer(pair)
    old = next(each for each in pair if each.id != new.id)
    reason = REASONS.get(ruling.by, ruling.by)
    mine = Verdict(other=old.id, verdict=ruling.verdict, reason=reason, at=now)
    if standing(new, old, yielding=yielding, now=now) is Standing.CONTESTED:
        lost = _touched(new, mine, now).model_copy(
            update={"status": Status.CONTESTED, "settled": True}
        )
        firm = _touched(old, mine.model_copy(update={"other": new.id}), now)
        return _resolution(pair, ruling, ((new, lost), (old, firm)), stays=old, now=now)
    mine = mine.model_copy(update={"policy": yielding.policy})
    theirs = mine.model_copy(update={"other": new.id})
    after = _touched(new, mine, now)
    if yielding.policy == "supersede":
        after = succeeding(after, old)
        gone = retired(old, new, theirs)
    else:
        gone = yielding.kept(old, theirs)
    if old.id in held and yielding.policy != "coexist":
        after = _inheriting(after, old, value=False)
    stays = None if yielding.policy == "coexist" else new
    return _resolution(pair, ruling, ((old, gone), (new, after)), stays=stays, now=now)


def _resolution(
    pair: Pair,
    ruling: Ruling,
    changed: tuple[Pair, ...],
    *,
    stays: SemanticMemory | None = None,
    now: datetime,
) -> Resolution:
    after = {each.id: each for each in pair} | {before.id: after for before, after in changed}
    one, other = sorted(after)
    verdict = PairVerdict(
        one=one,
        other=other,
        verdict=ruling.verdict,
        winner=stays.id if stays is not None else None,
        by=ruling.by,
        basis=basis(after[one], after[other]),
        at=now,
    )
    lost = next((each.id for each in pair if stays is not None and each.id != stays.id), None)
    return Resolution(pair=verdict, changed=changed, stays=verdict.winner, yields=lost)


def _touched(memory: SemanticMemory, verdict: Verdict, now: datetime) -> SemanticMemory:
    return memory.model_copy(
        update={
            "verdicts": (*memory.verdicts, verdict)[-KEPT_VERDICTS:],
            "version": memory.version + 1,
            "updated_at": now,
        }
    )


def _inheriting(heir: SemanticMemory, holder: SemanticMemory, *, value: bool) -> SemanticMemory:
    """The heir in its predecessor's slot, unless it speaks of something of its own."""
    own = heir.subject is not None and normalised(heir.subject) != normalised(holder.subject or "")
    if heir.attribute is not None or own:
        return heir
    return heir.model_copy(
        update={
            "subject": holder.subject,
            "attribute": holder.attribute,
            "cardinality": holder.cardinality,
            "value": heir.value or (holder.value if value else None),
            "valid_from": heir.valid_from or heir.event_time,
        }
    )


def _last(memory: SemanticMemory) -> datetime:
    return max(memory.event_time, memory.last_seen_at or memory.event_time)


def _united(mine: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*mine, *theirs)))[:KEPT_LABELS]
