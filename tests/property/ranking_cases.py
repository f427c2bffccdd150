"""Candidates and questions of every shape that a ranking may meet."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import strategies as st

from hindwise.domain.document import Candidate, Document
from hindwise.domain.memory import Episode, SemanticMemory, Status, Type, Verdict
from hindwise.domain.ranking import Asked
from hindwise.domain.timewords import read

MODES = ("context", "weighted", "rrf", "score")
QUESTIONS = (
    "",
    "tea",
    "tea tea ann athletic",
    "When did Ann drink tea last time, now or on 7 May?",
    "最近上次3月12日几点喝茶",
    "茶",
    "v2.3.1-rc.4",
)
UPDATED = datetime(2026, 1, 1, tzinfo=UTC)
zones = st.integers(-23, 23).map(lambda hours: timezone(timedelta(hours=hours)))
moments = st.datetimes(timezones=zones)
shares = st.floats(0, 1)
arm_scores = st.none() | st.floats(width=32) | st.floats(-1, 1)
others = st.integers(0, 99).map("{:026d}".format)
words = st.lists(
    st.sampled_from(
        [*("tea", "ann", "茶", "喝茶", "v2.3.1", "rc", "4"), *("oolong", "athletic", "athleticism")]
    ),
    max_size=8,
).map(" ".join)
verdicts = st.builds(
    Verdict,
    other=others,
    verdict=st.just("contradiction"),
    policy=st.sampled_from(["supersede", "weaken", "coexist"]),
    at=st.just(UPDATED),
)


@st.composite
def memories(draw):
    common = {
        "id": f"{draw(st.integers(0, 99)):026d}",
        "content": "",
        "importance": draw(shares),
        "confidence": draw(shares),
        "event_time": draw(moments),
        "created_at": draw(moments),
        "updated_at": UPDATED,
        "last_access_at": draw(st.none() | moments),
        "access_count": draw(st.integers(0, 10**9)),
        "status": draw(st.sampled_from([Status.ACTIVE, Status.OBSOLETE, Status.SUPERSEDED])),
        "superseded_by": draw(st.none() | others),
        "verdicts": tuple(draw(st.lists(verdicts, max_size=2))),
        "session_id": draw(st.sampled_from([None, "s", "t"])),
    }
    if draw(st.booleans()):
        return SemanticMemory(type=draw(st.sampled_from(list(Type))), **common)
    speaker = draw(st.sampled_from([None, "", " ", "Ann", "Bob (x"]))
    return Episode(seq=draw(st.none() | st.integers(0, 9)), speaker=speaker, **common)


@st.composite
def candidates(draw, cosines=arm_scores):
    memory = draw(memories())
    document = Document(
        id=memory.id,
        version=1,
        words=draw(words),
        exact=draw(st.sampled_from([(), ("v2.3.1-rc.4",)])),
        chars=draw(st.integers(0, 20_000)),
        flags=draw(st.integers(0, 7)),
        facets=memory,
    )
    return Candidate(document, keyword=draw(arm_scores), cosine=draw(cosines))


several = st.lists(candidates(), max_size=8, unique_by=lambda one: one.document.id)


@st.composite
def questions(draw):
    text, now = draw(st.sampled_from(QUESTIONS)), draw(moments)
    return Asked(
        text=text,
        terms=tuple(text.lower().split()),
        exact=("v2.3.1-rc.4",) if "rc" in text else (),
        time=read(text, now),
        now=now,
    )
