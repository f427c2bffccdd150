"""What the properties of fading mean, in words; see `described`."""

WORDS = {
    "archive": "Where it is while it is archived: the object, what it was before, and why",
    "digest": "The sha256 of the stored object, 64 hex digits",
    "restored_at": "When it was last brought back from the archive",
}

HERE = {
    ("Archived", "name"): "The object's name in the scope's part of the bucket",
    ("Archived", "size"): "The object's size in bytes",
    ("Archived", "status"): "What it was before: active or obsolete",
    (
        "Archived",
        "why",
    ): "unimportant, done (a closed to-do) or cold (old and never recalled)",
    ("Archived", "at"): "When it was archived",
}
