"""Bodies that the contract shows, in English and Chinese; a test sends each of them."""

from hindwise.runtime.strict_json import JsonObject

EXAMPLES: dict[str, JsonObject] = {
    "WriteBody": {
        "episode": {
            "summary": "Something that happened",
            "value": {
                "user_id": "ann",
                "kind": "episodic",
                "content": "The Friday deploy failed: disk full.",
                "task_id": "deploys",
                "event_time": "2026-01-16T17:40:00+08:00",
            },
        },
        "slot": {
            "summary": "Something known, of which there is one current value",
            "value": {
                "user_id": "ann",
                "type": "preference",
                "content": "喜欢靠窗的座位",
                "subject": "ann",
                "attribute": "seat",
                "value": "window",
            },
        },
        "turns": {
            "summary": "The turns of a conversation",
            "value": {
                "user_id": "ann",
                "items": [
                    {"content": "我五月去成都", "speaker": "ann", "session_id": "s1"},
                    {"content": "好的，要订机票吗？", "speaker": "assistant", "session_id": "s1"},
                ],
            },
        },
        "scratch": {
            "summary": "A task's scratch value",
            "value": {"user_id": "ann", "task_id": "t1", "key": "step", "content": "2 of 5"},
        },
    },
    "Edit": {
        "edit": {
            "value": {
                "user_id": "ann",
                "content": "Prefers aisle seats",
                "value": "aisle",
                "reason": "she said so",
            }
        }
    },
    "ConversationRequest": {
        "chinese": {
            "summary": "A conversation, as far as it has come; sent again, it is known again",
            "value": {
                "user_id": "ann",
                "id": "trip",
                "messages": [
                    {"role": "user", "content": "我五月去成都", "at": "2026-04-14T09:05:00+08:00"},
                    {"role": "assistant", "content": "好的，要订机票吗？"},
                ],
            },
        },
        "verbatim": {
            "summary": "Keep the turns, learn nothing from them",
            "value": {
                "user_id": "ann",
                "infer": False,
                "messages": [
                    {"role": "user", "content": [{"type": "text", "text": "I collect old maps."}]}
                ],
            },
        },
    },
    "MessagesRequest": {
        "append": {
            "summary": "Go on; facts are learnt at ten turns, ten idle minutes, or an end",
            "value": {
                "user_id": "ann",
                "messages": [{"role": "user", "content": "And I moved to Brno."}],
                "end": True,
            },
        }
    },
    "ForgetRequest": {
        "ask": {
            "summary": "What would go; nothing is forgotten",
            "value": {"user_id": "ann", "query": "door code"},
        },
        "filter": {
            "value": {
                "user_id": "ann",
                "filters": {"task_id": "trip-7"},
                "dry_run": False,
                "reason": "user-request",
            }
        },
        "user": {
            "summary": "Everything of a user",
            "value": {"user_id": "ann", "all": True, "dry_run": False},
        },
    },
    "ConsolidationRequest": {
        "domain": {
            "summary": "What recurs in one area's episodes",
            "value": {"user_id": "ann", "domain": "deploys"},
        },
        "dry": {
            "summary": "Ask nobody and store nothing: is there enough?",
            "value": {"user_id": "ann", "min_episodes": 3, "dry_run": True},
        },
    },
    "JobRequest": {"job": {"value": {"user_id": "ann"}}},
    "RedriveRequest": {"redrive": {"value": {}}},
    "CloseRequest": {"close": {"value": {"user_id": "ann"}}},
    "RestoreRequest": {"restore": {"value": {"user_id": "ann"}}},
    "FadeRequest": {
        "foretell": {
            "summary": "What the next night would archive",
            "value": {"user_id": "ann", "sweep": "archive"},
        },
        "purge": {"value": {"user_id": "ann", "sweep": "purge", "dry_run": False}},
    },
    "SearchRequest": {
        "english": {
            "value": {
                "user_id": "ann",
                "query": "what went wrong with the deploy last Friday?",
                "now": "2026-01-19T09:00:00+08:00",
                "filters": {"kind": "episodic", "event_from": "2026-01-01T00:00:00Z"},
            }
        },
        "chinese": {
            "value": {"user_id": "ann", "query": "她喜欢坐在哪里？", "top_k": 3, "explain": True}
        },
        "list": {
            "summary": "Without a query: what the filters let through",
            "value": {"user_id": "ann", "filters": {"type": ["preference", "fact"]}},
        },
    },
    "ContextRequest": {
        "chinese": {
            "value": {"user_id": "ann", "query": "帮她订一张去成都的机票", "max_tokens": 500}
        },
        "english": {"value": {"user_id": "ann", "query": "Plan the next deploy", "background": 0}},
    },
    "DiagnoseRequest": {
        "diagnose": {
            "value": {"user_id": "ann", "query": "which seat?", "id": "01M8QCGNX990QFJ5HRBNF1WPC6"}
        }
    },
    "ReviewRequest": {
        "approve": {"value": {"user_id": "ann", "action": "approve"}},
        "edit": {
            "summary": "Let it stand with other words",
            "value": {
                "user_id": "ann",
                "action": "edit",
                "content": "喜欢靠过道的座位",
                "reason": "她自己这么说的",
            },
        },
    },
    "SourceRequest": {
        "count": {
            "summary": "Count what came from a conversation",
            "value": {"user_id": "ann", "kind": "conversation"},
        },
        "quarantine": {
            "value": {
                "user_id": "ann",
                "kind": "document",
                "reason": "the page was forged",
                "dry_run": False,
            }
        },
    },
    "ImportRequest": {
        "line": {
            "summary": "A line of a file that `hindwise export` wrote",
            "value": {
                "user_id": "ann",
                "lines": [
                    '{"line":"memory","id":"01KF0R9N40F45T3X78B8AZAE7R","kind":"semantic",'
                    '"content":"喜欢靠窗的座位","origin":"owner","type":"preference",'
                    '"event_time":"2026-01-15T18:30:00+08:00",'
                    '"created_at":"2026-01-15T10:30:00Z","updated_at":"2026-01-15T10:30:00Z"}'
                ],
            },
        },
    },
}
