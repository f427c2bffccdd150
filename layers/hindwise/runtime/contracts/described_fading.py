"""What the properties of fading mean, in words; see `described`."""

WORDS = {
    "archived_cold": "Archived, for they are old and were never recalled",
    "archived_done": "Closed to-dos, archived",
    "archived_unimportant": "Archived, for they are old and of little importance",
    "purged": "Forgotten, for they are of little importance and nobody ever saw them",
    "sweep": "purge, archive, decay or tiers",
    "trends": "Memories that say what a month of cold episodes was about; not foretold",
    "turned": "Flagged because of the time: expired, faded, a decision to be reviewed",
    "archive": "Where it is while it is archived: the object, what it was before, and why",
    "digest": "The sha256 of the stored object, 64 hex digits",
    "restore": "Of an archived memory: the call that brings it back",
    "restored_at": "When it was last brought back from the archive",
}

HERE = {
    ("FadeRequest", "dry_run"): "Only tell what would be done; so unless you say false",
    ("FadeRequest", "cursor"): "The `next` of an answer: go on from there",
    ("Faded", "dry_run"): "Whether nothing was changed",
    ("Faded", "looked"): "How many memories were looked at",
    ("Faded", "kept"): "How many would go and have to stay: they have too many old versions",
    ("Faded", "counts"): "How many of each kind",
    (
        "Faded",
        "confidence_steps",
    ): "Of `decay`: how many are less sure by how many steps of 30 idle days each",
    ("Faded", "ids"): "The first 100 ids of each kind",
    ("Faded", "next"): "Where to go on, for there was no time for more; null at the end",
    ("Archived", "name"): "The object's name in the scope's part of the bucket",
    ("Archived", "size"): "The object's size in bytes",
    ("Archived", "status"): "What it was before: active or obsolete",
    (
        "Archived",
        "why",
    ): "unimportant, done (a closed to-do) or cold (old and never recalled)",
    ("Archived", "at"): "When it was archived",
}
