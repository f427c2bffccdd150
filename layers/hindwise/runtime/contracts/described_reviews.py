"""What the properties of reviews, sources and users mean, in words; see `described`."""

WORDS = {
    "action": "`approve` lets it stand, `reject` hides it for good, `edit` lets it stand with "
    "other words, `reopen` takes it out of use until somebody decides again",
    "against": "What a contested memory did not get the place of",
    "fields": "With `edit`: what else changes, as in PATCH",
    "jobs": "The jobs, one for each user",
    "kinds": "Why it is listed: quarantined, contested, periodic (recalled most and never looked "
    "at), consensus (others say otherwise), decision (due for review)",
    "prefix": "What the user ids begin with",
    "reviews": "How many wait for a reviewer, by why they do",
    "undo": "Whether what was quarantined with this source is put back",
    "user_id": "Whose memories they are",
}

HERE = {
    ("ReviewRequest", "content"): "With `edit`: the words that it is to have",
    ("ReviewRequest", "reason"): "Why; kept with the version",
    ("SourceRequest", "kind"): "`conversation` (or session), `document`, or `principal`: the name "
    "of the key that wrote",
    ("SourceRequest", "source"): "The source, where the path says `-`: an address with / or ? "
    "stands in no path",
    ("SourceJob", "job_id"): "The job that does it; `GET /v1/jobs/{id}` tells how far it is",
    ("SourceRequest", "dry_run"): "Only count what would be quarantined; the job tells",
    ("SourceRequest", "cursor"): "`next` of the call before, to go on with more users",
    ("SourceOrdered", "next"): "Where users are left, what to send as `cursor`; null at the end",
    ("SourceOrdered", "dry_run"): "Whether nothing is changed",
    ("Reviewed", "memory"): "The memory as it is then",
    ("Review", "rules"): "What admission or a sweep noticed about it",
    ("Reviews", "results"): "What waits, the newest memories first; a page may be short",
    ("Users", "results"): "Users, in a fixed order",
    ("Job", "source"): "Of a quarantine: the source's kind and id",
}
