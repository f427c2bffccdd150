"""What the properties of finding mean, in words; see `described`."""

WORDS = {
    "count": "How many there are",
    "mentions": "How many memories speak of it, of those that were looked at for this page",
    "name": "The name, in the spelling that is used most",
    "neighbours": "Names beside it in those memories, the most frequent first; at most 50",
    "relations": "What memories say of the two: the attribute of the one is the other; at most 10",
}

HERE = {
    ("Entity", "complete"): "Whether all that speaks of it is counted, here on the first page",
    ("Entity", "name"): "The name as it was asked for",
    ("Entity", "results"): "The memories that speak of it, newest first",
    ("Neighbour", "count"): "In how many of those memories it is",
    ("Relation", "id"): "The memory that says so",
    ("Relation", "value"): "Its value",
}
