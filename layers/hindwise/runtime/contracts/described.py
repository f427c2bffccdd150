"""What the properties of the contract mean, in words, and which of them need none.

Kept apart from the models because a word means the same in a body, a query string and an answer;
what it means in one schema alone stands under that schema's name.
"""

from pydantic import JsonValue

from hindwise.runtime.contracts import audit_schemas as audit
from hindwise.runtime.contracts import described_fading as fading
from hindwise.runtime.contracts import described_finding as finding
from hindwise.runtime.contracts import described_forgetting as forgetting
from hindwise.runtime.contracts import described_learning as learning
from hindwise.runtime.contracts import described_reviews as reviews

PLAIN = frozenset({"content", "created_at", "updated_at", "message", "type", "tenant", "kind"})
"""Names that say all there is to say."""

WORDS = {
    **fading.WORDS,
    **finding.WORDS,
    **learning.WORDS,
    **reviews.WORDS,
    **forgetting.WORDS,
    "access_count": "How often searches gave it back; counted at most once a minute",
    "admission": "What admission noticed, if anything: what was taken out, flagged or held",
    "actor": "The principal that did it",
    "advice": "What to do about it; empty where nothing is needed",
    "age_days": "Days from its event time to `now`; 0 for what lies ahead",
    "agent_id": "Which agent said it. A filter, not a wall: agents of one user share memories",
    "alternatives": "Of a decision: what was weighed and not taken",
    "arms": "Its rank in each arm that nominated it (keyword, vector, recent), with `explain`",
    "as_of": "What was true then: superseded values count, what began later does not. A time with "
    "its zone",
    "at": "When that was",
    "attribute": "With `subject`: of what there is one current value, unless `cardinality` is many",
    "audit": "Who changed what and when, oldest first; no content",
    "author": "Who said or wrote it",
    "background": "Standing memories for the system prompt, which do not depend on the query",
    "bucket": "The day or month",
    "buckets": "Days or months that hold memories, in order",
    "by": "Whether to count by when it happened (`event`) or was written (`record`)",
    "by_kind": "How many there are of each kind",
    "by_status": "How many there are in each state",
    "by_type": "How many semantic memories there are of each type",
    "candidates": "How many memories were ranked",
    "cardinality": "`one`: subject and attribute (and scene) have one current value, the newest by "
    "event time, the default where both are given; `many`: values stand beside each other",
    "ceiling": "How far the word of this key counts, at most",
    "change_reason": "Why this version was made",
    "changed": "Whether this call made a new record or a new version",
    "code": "The word to match on",
    "complete": "False where there are more memories than were examined",
    "confidence": "How sure it is, 0..1, as stated; see `effective_confidence`",
    "contested": "Whether a value more than 0.3 surer, or of higher authority, keeps the slot: "
    "this one is stored, but hidden unless `include` names contested",
    "contribution": "What it added to the score; all contributions sum to it",
    "conversation_id": "The conversation it came from",
    "cosine": "Likeness of query and memory in meaning, -1..1; what `min_score` is compared with",
    "count": "How many memories it holds",
    "coverage": "Share of the user's memories that was looked at; below 1 the oldest were not",
    "created": "Whether it is new",
    "created_from": "Written at or after this time",
    "created_to": "Written before this time",
    "cursor": "`next` of the page before: signed, for the same key and filters, 15 minutes",
    "day": "Day of the month, where no year was named",
    "days": "The days that were meant",
    "comes_after": "Results of higher origin about the same thing: it never stands before them",
    "decision": "What was decided, e.g. created, edited, superseded, forgotten",
    "degraded": "Whether a part was down, so that memories may be missing; `reasons` name it",
    "dependants": "Memories that rest on this one as evidence",
    "dependencies": "Each dependency and its state",
    "details": "More; `field` names the field that was refused",
    "document": "The document it came from",
    "domain": "The area it belongs to, e.g. deploys; `general` where none is named",
    "done_at": "When a to-do was done",
    "dropped": "How many candidates each rule kept out, with `explain`",
    "duplicate": "Whether the same stood already: `id` is the one that stands",
    "effective_confidence": "Confidence now: × 0.9 for each 30 days without use, not below 0.1",
    "embedding": "Whether it can be found by meaning yet",
    "entities": "Names in it: people, places, things",
    "error": "Why it was refused",
    "event_from": "Happened at or after this time (half open: from included, to excluded)",
    "event_time": "When it happened, with its zone, which is kept; the time of writing where it is "
    "left out",
    "event_to": "Happened before this time (half open: from included, to excluded)",
    "event_type": "What sort of event, in your own words",
    "evidence": "Memories that this one rests on",
    "evidence_ids": "Memories that it rests on",
    "examined": "How many of the newest memories were counted",
    "exhausted": "Whether there was nothing more to give, although `top_k` was not reached",
    "expand": "What is given beside the results; a number n means {turns: n}",
    "expected_outcome": "What was expected to come of it",
    "expires_at": "When this scratch value is gone",
    "explain": "Give the parts that sum to each score, the ranks in the arms and what was dropped",
    "external_id": "Your own id, one a user: writing it again edits the memory, and changes "
    "nothing where it says the same",
    "failed": "How many were refused",
    "features": "What the service is set up with, e.g. its embedder",
    "field": "Where it was found, e.g. metadata.note",
    "filters": "Which memories may answer; the names are in the schema of search",
    "findings": "Which rule spoke up, and where; never what it found",
    "first": "The first day",
    "first_turn": "The first turn of the conversation that it came from",
    "flags": "What admission or a sweep noticed about it",
    "history": "Memories for this query",
    "id": "Its id",
    "importance": "How much it matters, 0..1; 0.5 where it is left out",
    "in_place_of": "The superseded memory that matched, in whose place this one stands",
    "include": "States shown beside the current ones: superseded, contested, expired, archived; "
    "obsolete is always shown, ranked lower; quarantined needs the role reviewer; rejected and "
    "forgotten are shown to nobody",
    "included": "Ids of the memories in the block, in its order",
    "index": "Its place in the `items` that were sent",
    "items": "1 to 100 memories, each with a result of its own; a mere text is an episode",
    "key": "The name of a task's scratch value; in a list it needs kind=working",
    "keyword": "Share of the keyword arm",
    "known_at": "What had been learnt by then: only what was written by this time",
    "lag": "Whether more was written lately than could be looked at: the newest may be missing",
    "language": "Its language as recognised, e.g. zh, en; `und` where it is not clear",
    "last": "The last day",
    "last_seen_at": "When it was last said again; left out where it was said once",
    "last_access_at": "When a search last gave it back; null where none has",
    "last_turn": "The last turn of the conversation that it came from",
    "left_out": "Ids of memories that would be in the block, but are not: for want of room, or "
    "because of their origin",
    "left_out_reasons": "How many were left out, by reason: `room`, `origin`",
    "limit": "How many a page, at most; a page may be shorter, only `next: null` ends the list",
    "marks": "What a person said of it; an edit sets them all. `pinned`: comes first in the "
    "background of a context and does not fade; `obsolete`: ranks far lower, and says so; "
    "`wrong`: rejected, and what rests on it is told; `reviewed`: by a reviewer, it is not laid "
    "before one again",
    "matched_identifiers": "Paths, versions, ticket numbers of the query that it holds",
    "matched_terms": "Words of the query that it holds, as they are indexed (stems, Chinese pairs)",
    "max_tokens": "How large the block may be, wrapper included",
    "meaning": "What the word was taken to mean",
    "memory": "The memory as it stands now",
    "metadata": "Free JSON of yours, at most 8 KB; can be filtered by",
    "min_confidence": "Only memories whose effective confidence is at least this, 0..1",
    "min_origin": "The lowest origin of what is shown: owner, agent, tool, document, other_agent, "
    "unknown; without it a context block shows what the stage has set (agent, unless said "
    "otherwise), and a search shows all",
    "min_importance": "Only memories at least this important, 0..1",
    "min_score": "A cosine of query and memory, -1..1, and not the score of a result: what is less "
    "alike is dropped before ranking, also where its words match. Not applied while the embedder "
    "is down",
    "mode": "How to rank: `context` (the default: words, meaning, turns beside it, dates), "
    "`weighted` (keyword, vector and time by `weights`), `rrf` (reciprocal ranks), `score`",
    "month": "The month, where no year was named",
    "never_recalled": "How many no search has given back yet",
    "next": "The cursor of the next page; null at the end, and only there",
    "note": "What there is to say about it",
    "now": "The moment and zone of whoever asks: `yesterday` and ages count from it; the server's "
    "clock in UTC where it is left out",
    "ok": "Whether this step went well",
    "option": "What could have been chosen",
    "origin": "Who vouches for it; a caller may lower it, never raise it above the key's ceiling",
    "other": "The other memory",
    "outcome": "How it ended",
    "outcome_at": "When it ended",
    "parts": "The features whose contributions sum to the score, with `explain`",
    "policy": "What a newer value does to an older one",
    "predecessors": "What it superseded, the nearest first",
    "preset": "Named weights: default, timely, semantic; not together with `weights`",
    "principal": "The key that wrote it, by its name",
    "query": "The question, in any words; time words are read in English and Chinese. Without it a "
    "search lists what the filters let through",
    "rank": "Its place in the order, from 1",
    "reason": "Why; kept with the version",
    "reason_rejected": "Why it was not chosen",
    "reasons": "What was down: `embedder` (found by words only), `index`",
    "recall_id": "The id of this answer",
    "result": "How it ended, in a word",
    "results": "The memories, best or newest first",
    "review_at": "When a decision is due for review",
    "reviewed_at": "When a reviewer let it stand",
    "role": "What the key may do: each role may do what the one before it may",
    "rule": "The id of a rule, e.g. secret.aws_access_key",
    "rules": "Ids of the admission rules that spoke",
    "run_id": "The same as session_id",
    "scene": "Where it holds, e.g. work. Asked for, it shows that scene and what has none",
    "score": "Higher is better, comparable within one answer only; null where nothing was asked",
    "seen": "What was seen",
    "seq": "Its place in its session, from 1; the next one where it is left out",
    "session_id": "The conversation it belongs to: its turns are ranked and given together",
    "settled": "Whether it was compared with its neighbours yet; it is found either way",
    "skipped": "What was left out: optional steps for want of time, `older_memories`, or "
    "`unfiltered_memories` where a filter could not be asked of all",
    "source": "Where it came from",
    "speaker": "Who said it",
    "stage": "The stage that answers, e.g. dev",
    "status": "Its state: active, superseded, contested, obsolete, expired, …",
    "step": "Which step, or how long a bucket is",
    "steps": "The way from write to answer, in order",
    "stored": "How many are stored now, new or known",
    "subject": "Who or what it is about; with `attribute` it names a slot",
    "successors": "What superseded it, the nearest first",
    "summary": "The gist of a long text, used where there is little room",
    "superseded": "Ids of the memories whose place it took",
    "superseded_by": "The memory that took its place",
    "supersedes": "The memories whose place it took",
    "tags": "Labels of yours; all stand beside each other",
    "tags_all": "Has all of these tags",
    "tags_any": "Has one of these tags",
    "task_id": "The task it belongs to, e.g. a ticket; writing a scratch value needs one",
    "terms": "Words of the query that were searched for",
    "text": "Both sections in one block, ready for a prompt",
    "time": "Share of the time arm",
    "time_range_hours": "Happened within so many hours before `now`",
    "time_words": "Time words of the query and the days they were taken to mean",
    "tokenizer": "How tokens were counted",
    "tokens": "How large the block is",
    "tool_results": "What tools gave, as JSON; kept, never searched",
    "top_k": "How many results, 1 to 100",
    "ttl_seconds": "How long a scratch value lives; an hour where it is left out, at most a week",
    "turns": "How many turns before and after each result, or those turns",
    "users": "Whom the key may act for; `*` is everybody of the tenant",
    "valid_from": "From when it holds (included); the event time for a value of a slot",
    "valid_until": "Until when it holds (excluded; after valid_from); then it is hidden as expired",
    "value": "The value in a word, beside the text",
    "vector": "Share of the vector arm",
    "verdict": "What was decided between the two",
    "verdicts": "What was decided between it and others",
    "version": "1 at first, one more with each change; `If-Match` takes it",
    "versions": "What it said before, oldest first",
    "waiting": "How many changes are not projected yet: found by words, not yet by meaning",
    "waiting_more": "Whether more wait than were counted",
    "parked": "Memories that projection has given up on for now, and why",
    "weights": "Shares of the arms in mode `weighted`; only their proportions count",
    "why": "Why it is here",
    "word": "The word as it stands in the query",
}

HERE = {
    **finding.HERE,
    **learning.HERE,
    **fading.HERE,
    **reviews.HERE,
    **forgetting.HERE,
    **audit.HERE,
    ("ContextRequest", "background"): "How many standing memories at most: semantic; those "
    "marked `pinned` first, then the newest important ones",
    ("ContextRequest", "history"): "How many memories for this query at most",
    ("Edit", "metadata"): "Merged with what is there; null removes a key",
    ("Edit", "done"): "Whether a to-do is done: true sets `done_at` to now, false takes it away",
    ("Edit", "reason"): "Why you change it; kept with the version",
    ("Diagnosis", "failed"): "The first step that is not ok; null where all are",
    ("Diagnosis", "rank"): "Its place among the candidates; null where it was none",
    ("DiagnoseRequest", "id"): "The memory that should have been found",
    ("Health", "status"): "ok, or degraded where a dependency does not answer",
    ("Part", "name"): "The feature",
    ("Part", "value"): "The feature's value for this memory",
    ("BatchWritten", "results"): "What became of each item, in the order they were sent",
    ("Written", "id"): "The memory's id: of the new one, or of the one that stands",
    ("Verdict", "reason"): "Why it was decided so",
    ("Audit", "version"): "The version that the change made",
    ("Audit", "reason"): "Why, as the caller said",
    (
        "Admission",
        "decision",
    ): "admit (and flag), redact, quarantine: held for a reviewer, or refuse",
    ("BatchWritten", "held"): "How many of the stored ones wait for a reviewer",
    ("Closed", "dropped"): "How many scratch values went",
    ("Found", "turns"): "Turns beside the results, with `expand`; without those among the results",
    ("Me", "principal"): "The name of the key",
    ("Context", "background"): "The section that does not depend on the query",
    ("Context", "history"): "The section for this query",
}
"""What a name means in one schema alone."""


def described(name: str, schema: dict[str, JsonValue]) -> None:
    """Put words to the properties of the schema `name` that have none."""
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for key, value in properties.items():
            words = HERE.get((name.removesuffix("Hit"), key), WORDS.get(key))
            if words and isinstance(value, dict) and "description" not in value:
                properties[key] = {**value, "description": words}
            _inside(name, properties[key])
    for inner in ("items", "anyOf"):
        _inside(name, schema.get(inner))


def _inside(name: str, inner: JsonValue) -> None:
    for one in inner if isinstance(inner, list) else [inner]:
        if isinstance(one, dict):
            described(name, one)
