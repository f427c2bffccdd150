"""What the properties of forgetting mean, in words; see `described`."""

WORDS = {
    "all": "True: everything that is there of the user now",
    "ids": "Ids of memories; of a receipt those that were named, and what went along",
    "finished_at": "When a whole look found nothing any more; null until then",
    "left": "What the last look still found, by store; `changes` are those that the index has "
    "still to take",
    "matched": "Of how many memories that would be",
    "of": "What it goes along with; of a receipt the id of the one that it is a part of, or empty",
    "receipt_id": "The receipt of it; null for a scratch value, which has none",
    "requested_at": "When it was asked for",
}

HERE = {
    ("Along", "of"): "The id of the memory that it goes along with",
    ("Along", "why"): "turn: the memory came from it; echo: it repeats the words; learnt: nothing "
    "else bears it",
    ("ForgetRequest", "dry_run"): "Only tell what would be forgotten; false forgets it",
    ("ForgetRequest", "filters"): "Those that every one of these lets through, as in a search; not "
    "empty, and no null in it. What lets nothing through forgets nothing",
    ("ForgetRequest", "ids"): "These memories; one that is not there refuses all of them",
    (
        "ForgetRequest",
        "query",
    ): "Only with `dry_run`: names the memories that hold all its words; what is "
    "held for review it names to reviewers only",
    (
        "ForgetRequest",
        "reason",
    ): "A code like `user-request`, no sentence: it outlives memories",
    ("Forgotten", "dependants"): "What had rested on it and stays: less sure now, and flagged "
    "`evidence_changed`",
    ("Forgotten", "along"): "What went with it: the episodes of the turns that it came from, whose "
    "words are redacted, what had repeated its words, and what was learnt from it alone",
    ("Preview", "along"): "What would go along, of the first 25",
    ("Preview", "by_kind"): "How many of each kind",
    ("Preview", "complete"): "False where there are more memories than were looked at",
    ("Preview", "counts"): "For `all`: how much there is in each store",
    ("Preview", "dry_run"): "Nothing was changed",
    ("Receipt", "by"): "The key that asked for it",
    ("Receipt", "counts"): "How much there was of it in each store",
    ("Receipt", "reason"): "The code that was given, or empty",
    ("Receipt", "state"): "accepted; running; complete once nothing is found any more",
    ("Receipts", "results"): "Receipts, newest first",
}
