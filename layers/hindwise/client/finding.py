"""The API's answers about what was found, and why; see `answers`."""

from pydantic import Field

from hindwise.client.answers import Answer, Memory


class Part(Answer):
    """One reason for a score; the contributions of all parts sum to it."""

    name: str
    value: float
    contribution: float


class Days(Answer):
    """The civil days that a time word was taken to mean."""

    first: str
    last: str


class TimeWord(Answer):
    """A time word of the question and what it was taken to mean."""

    word: str
    meaning: str
    days: Days | None = None


class Why(Answer):
    """Why a memory came back; `arms` are its ranks in the arms that found it."""

    rank: int
    age_days: float
    effective_confidence: float
    tier: str = "hot"
    matched_terms: tuple[str, ...] = ()
    matched_identifiers: tuple[str, ...] = ()
    time_words: tuple[TimeWord, ...] = ()
    evidence_ids: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    in_place_of: str | None = None
    yielded_to: tuple[str, ...] = ()
    outdated_by: tuple[str, ...] = ()
    arms: dict[str, int] = Field(default_factory=dict)
    parts: tuple[Part, ...] = ()


class Told(Answer):
    """A memory beside a result; whole only in the first place of the answer where it stands."""

    id: str
    memory: Memory | None = None


class Outcome(Answer):
    """How something ended."""

    result: str
    note: str | None = None


class Link(Answer):
    """One part of a chain; an outcome has no memory of its own."""

    part: str
    id: str | None = None
    memory: Memory | None = None
    outcome: Outcome | None = None


class Mention(Answer):
    """A name in a result, and other memories that name it."""

    name: str
    count: int
    memories: tuple[Told, ...] = ()


class Around(Answer):
    """What stands beside a result; `turns` are ids, `cut` names what is not whole."""

    turns: tuple[str, ...] = ()
    entities: tuple[Mention, ...] = ()
    chain: tuple[Link, ...] = ()
    chain_of: str | None = None
    cut: tuple[str, ...] = ()


class Hit(Memory):
    """A result: the memory, its score (None where only a filter was asked) and the reasons."""

    score: float | None
    why: Why
    expanded: Around | None = None


class Rewriting(Answer):
    """The question in other words, or why there are none."""

    query: str | None = None
    reason: str | None = None


class State(Answer):
    """What an answer says of how it came about; `reasons` name what was down."""

    degraded: bool
    reasons: tuple[str, ...] = ()
    lag: bool = False
    skipped: tuple[str, ...] = ()
    rewrite: Rewriting | None = None


class Found(State):
    """The answer to a search; `coverage` is the share of the user's memories that was looked at."""

    results: tuple[Hit, ...]
    recall_id: str
    coverage: float | None = None
    turns: tuple[Memory, ...] = ()


class Relation(Answer):
    """What a memory says of two names: `attribute` of `subject` is `value`."""

    subject: str
    attribute: str
    value: str
    id: str


class Neighbour(Answer):
    """A name beside another, and in how many memories."""

    name: str
    count: int
    relations: tuple[Relation, ...] = ()


class Entity(State):
    """What is known of a name: a page of memories, and the names beside it."""

    name: str
    results: tuple[Memory, ...]
    next: str | None = None
    mentions: int
    neighbours: tuple[Neighbour, ...] = ()
    complete: bool


class Context(State):
    """A block for a prompt, the ids that are in it, and those that were left out, and why."""

    text: str
    tokens: int
    max_tokens: int
    included: tuple[str, ...]
    left_out: tuple[str, ...]
    left_out_reasons: dict[str, int] = Field(default_factory=dict)
