"""What the properties of finding mean, in words; see `described`."""

WORDS = {
    "compared": "Memories of its verdicts that are not part of its chain, at most 100",
    "conversation_id": "The conversation",
    "number": "Its place among all messages, from 1",
    "readable": "False where what is stored is not what was stored once",
    "redacted": "Whether its words were taken out for good, or are held for review and not told",
    "source_turns": "The turns that it came from as they were said, at most 100: those of its "
    "source, its own, those of its evidence",
    "turn": "Its place among the messages in which something was said aloud, from 1",
    "chain": "What it took the place of, what it rests on as it was said, itself, how it ended and "
    "what took its place, in this order; at most 50 before and after",
    "chain_of": "The better result under which its chain stands",
    "count": "How many there are",
    "cut": "What is not whole, for there is more than is given: chain or entities",
    "expanded": "What stands beside it, with `expand`; each memory is whole only once in the "
    "answer: as a result, in `turns`, or in the first place where it stands",
    "memories": "The newest of them, at most 5",
    "mentions": "How many memories speak of it, of those that were looked at for this page",
    "name": "The name, in the spelling that is used most",
    "neighbours": "Names beside it in those memories, the most frequent first; at most 50",
    "part": "Which part of the chain it is",
    "tier": "How near it is kept. What is not hot, so neither new nor in use, is found by what it "
    "says only: not for being new, nor as background",
    "yielded_to": "The newer memories by which it was weakened: it is shown after them",
    "outdated_by": "The memories that took the place of all that was learnt from this turn: it is "
    "history, and comes after them where the question is about the present",
    "rerank": "Whether the best results are ordered once more by what they say, where the stage "
    "has something that does; the setting where it is left out. It has 2 seconds",
    "rewrite": "Whether a language model may put the question in other words, which are searched "
    "beside it; the setting where it is left out. It has 2 seconds",
    "relations": "What memories say of the two: the attribute of the one is the other; at most 10",
}

HERE = {
    ("History", "cut"): "What is not whole, for there is more than is given",
    ("Found", "rewrite"): "What came of rewriting the question, where it was wanted",
    ("Context", "rewrite"): "What came of rewriting the question, where it was wanted",
    ("Rewriting", "query"): "The question in other words; it was searched beside the one sent",
    (
        "Rewriting",
        "reason",
    ): "Why it was not rewritten: budget, timeout, rate_limited, "
    "unavailable, misconfigured, unusable (the answer was none) or no_model",
    ("SourceTurn", "at"): "When it was said, if that was said",
    ("SourceTurn", "name"): "The name of who said it",
    ("SourceTurn", "role"): "Who said it: user, assistant or tool",
    ("Finding", "redacted"): "Whether what the rule found was cut out of the field",
    ("SourceTurn", "text"): "What was said; empty where it is redacted",
    ("SourceTurns", "first"): "The first of these turns",
    ("SourceTurns", "last"): "The last of these turns",
    ("SourceTurns", "turns"): "The turns, in order",
    ("Around", "entities"): "Names in it, and other memories with the same name in their fields",
    ("Around", "turns"): "Ids of the turns beside it, or beside what it rests on, in order",
    ("ExpandRequest", "chain"): "Whole chains: predecessors, evidence, decision, outcome, "
    "successors, for the best 20 results",
    ("ExpandRequest", "entities"): "Other memories that name the same things, for the best 20 "
    "results and 20 names",
    ("ExpandRequest", "turns"): "How many turns before and after each result",
    ("Mention", "count"): "How many other memories have it in their fields, of the newest 100",
    ("Told", "memory"): "The memory, where it is not elsewhere in the answer already",
    ("Link", "memory"): "The memory, where it is not elsewhere in the answer already",
    ("Link", "at"): "When it ended",
    ("Diagnosis", "rewritten"): "The query as a language model rewrote it, where there is one",
    ("Diagnosis", "rewritten_rank"): "Its place among the candidates for the rewritten query",
    ("Entity", "complete"): "Whether all that speaks of it is counted, here on the first page",
    ("Entity", "name"): "The name as it was asked for",
    ("Entity", "results"): "The memories that speak of it, newest first",
    ("Neighbour", "count"): "In how many of those memories it is",
    ("Relation", "id"): "The memory that says so",
    ("Relation", "value"): "Its value",
}
