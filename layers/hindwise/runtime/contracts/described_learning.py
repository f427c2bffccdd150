"""What the properties of conversations, jobs and queues mean, in words; see `described`."""

WORDS = {
    "added": "How many of the messages were new; what was sent before is known again",
    "broken": "Replies of a model that could not be used",
    "dead": "How many were given up on; null where it cannot be told",
    "delayed": "How many are to be worked on later",
    "dry_run": "Only tell whether there is enough: nothing is stored and no model asked; without a "
    "model the patterns that would be stored are in `preview`",
    "duplicates": "How many were known already",
    "end": "Whether the turns are learnt from at once; else when there are ten, or none came for "
    "ten minutes",
    "ended": "Whether an end was told, and nothing came after it",
    "episode_id": "The episode that the turn became; null where it has not",
    "extra": "What else the message carried, e.g. tool calls; never read",
    "force": "Whether any two episodes are enough",
    "held": "How many wait for a person to look at them",
    "in_flight": "How many are being worked on",
    "infer": "Whether facts are learnt from the turns; without, the turns themselves are kept, as "
    "they are without a language model",
    "input_tokens": "Tokens that a language model read",
    "intent": "What the conversation is about",
    "job_id": "The job that learns from the last turn; null while that waits for more",
    "learnt": "What was learnt from the turn, by its evidence",
    "lines": "Lines of a file, each a JSON object as text, without the first, which says what the "
    "file is",
    "llm_calls": "Calls of a language model",
    "lost": "How often whoever worked on it went silent",
    "method": "How patterns are found: `llm`, or `extractive` where there is no language model",
    "min_episodes": "How many important episodes in no pattern there must be; 5 unless it is set "
    "otherwise",
    "message_count": "How many messages there are",
    "messages": "1 to 1,000 messages, each of at most 20,000 characters; a text is a user's. "
    "Contents may be texts, lists of parts, or null",
    "next_at": "When it is looked at again, if nothing happens before; null at the end",
    "next_turn": "The turn with which it goes on",
    "number": "Its place among all messages, from 1",
    "output_tokens": "Tokens that a language model wrote",
    "participants": "Who takes part",
    "patterns": "The patterns that were found, new ones and those that rest on more evidence now",
    "preview": "With `dry_run`: the patterns that would be stored, as far as no model is needed",
    "queues": "The queues of work",
    "redacted": "Whether its words were forgotten, or wait for a reviewer and are told to no other",
    "refused": "What a model offered and was not taken, by reason",
    "sent": "How many were sent to be worked on again",
    "source_count": "How many episodes were looked at",
    "state": "accepted, running; at the end succeeded, succeeded_empty (there was nothing to "
    "remember), partial (some of what the model said could not be used), failed, quarantined, "
    "dismissed",
    "tries": "What went wrong since it last went on",
    "turn": "Its place among the turns, from 1; null where nobody speaks",
    "turn_count": "How many of the messages are turns",
    "verbatim": "Why turns are only kept as they are: `infer` (it was asked for) or `no_llm` "
    "(there is no language model); null where facts are learnt",
    "waits": "How often a dependency was down or slow",
    "weakened": "The ids of older patterns that a new one contradicts; they are less sure now",
    "windows": "How many runs of turns are done",
}

HERE = {
    ("Consolidated", "status"): "created; partial (something that was offered could not be taken); "
    "skipped (nothing was stored, see reason); accepted (the job goes on)",
    ("Consolidated", "reason"): "Why nothing was stored, or why the job waits",
    ("Consolidated", "domain"): "The area that was looked at",
    ("Consolidated", "tokens"): "Tokens that a language model read and wrote",
    ("Consolidated", "job_id"): "The job that goes on where a model was too slow; else null",
    ("ConsolidationRequest", "domain"): "The area that is looked at; episodes of `general` join "
    "every one",
    ("Conversation", "id"): "The conversation's id, which is its session's",
    ("Conversation", "messages"): "A page of the messages, in order",
    ("Conversation", "waiting"): "How many turns wait for more before they are learnt from",
    ("Conversation", "principal"): "The key that sent the last message",
    ("ConversationRequest", "id"): "The conversation's id, which is its session's; may also be "
    "called conversation_id, session_id or run_id. Without / and ?. A new one where it is left out",
    ("ConversationRequest", "domain"): "The area that its episodes belong to",
    ("Counts", "created"): "How many memories were made",
    ("Counts", "superseded"): "How many memories lost their place to newer ones",
    ("Counts", "contested"): "How many surer values kept their place",
    ("Counts", "turns"): "How many turns are done",
    ("Depth", "name"): "The queue",
    ("Depth", "waiting"): "How many wait to be worked on; null where it cannot be told",
    ("Job", "result"): "What came of it, where that is more than counts",
    (
        "Job",
        "reason",
    ): "Why it waits, failed or kept turns verbatim, in a word or two; no content",
    ("Job", "counts"): "What it did so far",
    ("Job", "domain"): "The area that is consolidated",
    ("Job", "principal"): "The key whose work it is",
    ("Job", "first_turn"): "The first turn that it learns from",
    ("Job", "last_turn"): "The last turn that it learns from",
    ("Jobs", "results"): "Jobs, newest first",
    ("Message", "name"): "Who speaks",
    ("Message", "role"): "user, assistant, tool, system or developer",
    ("MessageBody", "role"): "Who speaks; system and developer messages are kept and never learnt "
    "from",
    ("MessageBody", "name"): "The name of who speaks",
    ("MessageBody", "at"): "When it was said, with its zone",
    ("Redriven", "name"): "The queue",
    ("Taken", "messages"): "How many messages the conversation has now",
    ("Taken", "turns"): "How many of them are turns",
    ("Taken", "state"): "The state of the job when this was answered first",
    ("Taken", "waiting"): "How many turns wait for more before they are learnt from",
}
