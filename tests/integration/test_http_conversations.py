"""Conversations over HTTP: what is taken in, what is refused, what is told again."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from hindwise.domain.scope import Role
from tests.builders import principal, scope
from tests.integration.http_client import Client
from tests.integration.test_http_conversations_refused import nothing_left
from tests.integration.test_http_openapi import conforms

ADA = {"user_id": "ada"}
HI = {"role": "user", "content": "I have two dogs.", "at": "2026-04-01T09:00:00+02:00"}
LOVELY = {"role": "assistant", "content": "Lovely!"}


def tell(messages, client=None, **more):
    body = {**ADA, "messages": messages, **more}
    return (client or Client()).send("POST", "/v1/conversations", body)


def append(conversation_id, messages=None, client=None, **more):
    body = {**ADA, **({} if messages is None else {"messages": messages}), **more}
    return (client or Client()).send("POST", f"/v1/conversations/{conversation_id}/messages", body)


def read(conversation_id, client=None, **query):
    path = f"/v1/conversations/{conversation_id}"
    return (client or Client()).send("GET", path, query={**ADA, **query})


def said(reply):
    return [(one["role"], one["content"], one["turn"]) for one in reply.body["messages"]]


def test_a_conversation_is_taken_in_and_told_again(world):
    reply = conforms(tell([HI, LOVELY], id="chat 1%ü", agent_id="bot"), "converse")
    assert reply.status == 202
    job_id = reply.body["job_id"]
    assert reply.headers["location"] == f"/v1/jobs/{job_id}"
    assert reply.body["state"] == "accepted" and reply.body["verbatim"] == "no_llm"
    told = conforms(read("chat%201%25%C3%BC"), "readConversation")
    assert said(told) == [("user", HI["content"], 1), ("assistant", "Lovely!", 2)]
    assert told.body["messages"][0]["at"] == HI["at"]
    assert [one["origin"] for one in told.body["messages"]] == ["owner", "agent"]
    assert told.body["agent_id"] == "bot" and told.body["next"] is None
    job = conforms(Client().send("GET", f"/v1/jobs/{job_id}", query=ADA), "readJob")
    assert (job.body["first_turn"], job.body["last_turn"]) == (1, 2)
    assert job.body["conversation_id"] == "chat 1%ü"
    assert "dogs" not in json.dumps(job.body)


def test_memories_with_messages_are_a_conversation(world):
    body = {**ADA, "messages": [HI], "run_id": "r1", "infer": False}
    reply = conforms(Client().send("POST", "/v1/memories", body), "writeMemories")
    assert (reply.status, reply.body["conversation_id"]) == (202, "r1")
    assert reply.body["verbatim"] == "infer"
    assert read("r1").body["infer"] is False


def test_what_grows_is_known_again(world):
    first = tell([HI, LOVELY], id="c").body
    again = tell([HI, LOVELY], session_id="c").body
    assert (again["added"], again["job_id"]) == (0, first["job_id"])
    more = [HI, LOVELY, {"role": "user", "content": "And I moved to Brno."}]
    grown = tell(more, conversation_id="c").body
    assert grown["added"] == 1 and grown["job_id"] != first["job_id"]
    assert len(said(read("c"))) == 3


def test_turns_are_appended_until_a_job_takes_them(world):
    for number in range(9):
        reply = conforms(append("s", f"turn {number}"), "appendMessages")
        assert reply.status == 202 and reply.body["job_id"] is None
        assert "location" not in reply.headers
    assert append("s", "turn 9").body["job_id"] is not None
    assert append("s", "more").body["waiting"] == 1
    ended = append("s", end=True)
    assert ended.body["waiting"] == 0 and ended.body["state"] == "accepted"
    listed = Client().send("GET", "/v1/jobs", query=ADA).body["results"]
    assert sorted((one["first_turn"], one["last_turn"]) for one in listed) == [(1, 10), (11, 11)]


def test_holding_on_is_possible_from_the_start(world):
    assert tell([HI], id="c", end=False).body["job_id"] is None
    assert tell([HI], id="c").body["job_id"] is not None


def test_shapes_that_agents_really_send(world):
    reply = tell(
        [
            {"role": "system", "content": "You are helpful."},
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": [
                {"type": "text", "text": "I collect"}, {"type": "text", "text": "old maps"},
                {"type": "image_url", "image_url": {"url": "https://example.com/p.png"}}]},
            {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "f"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": None},
            {"role": "assistant", "content": None, "refusal": None},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t",
                                          "content": [{"type": "text", "text": "12 rows"}]}]},
            {"role": "human", "name": "Kim", "content": "ok", "timestamp": "2026-04-01T09:00:00Z"},
        ],
        id="c",
    )  # fmt: skip
    assert reply.status == 202, reply.body
    told = conforms(read("c"), "readConversation")
    assert said(told) == [
        ("system", "You are helpful.", None), ("developer", "Be brief.", None),
        ("user", "I collect\nold maps", 1), ("assistant", "", None), ("tool", "", None),
        ("assistant", "", None), ("tool", "12 rows", 2), ("user", "ok", 3),
    ]  # fmt: skip
    assert told.body["messages"][3]["extra"]["tool_calls"][0]["id"] == "c1"
    assert told.body["messages"][2]["extra"]["parts"][0]["type"] == "image_url"
    assert told.body["messages"][6]["origin"] == "tool"
    assert told.body["participants"] == ["Kim"]


def test_shapes_of_other_chat_libraries(world):
    tell(
        [
            {"role": "model", "parts": [{"text": "Hello"}]},
            {"role": "user", "content": "Hi", "parts": [{"type": "text", "text": "Hi"}]},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"},
                                              {"type": "text", "text": "Yes."}]},
            {"role": "tool", "content": {"rows": 12}},
            {"type": "message", "role": "USER", "content": [{"type": "input_text", "text": "ok"}]},
        ],
        id="c",
    )  # fmt: skip
    told = conforms(read("c"), "readConversation")
    assert said(told) == [
        ("assistant", "Hello", 1), ("user", "Hi", 2), ("assistant", "Yes.", 3), ("tool", "", None),
        ("user", "ok", 4),
    ]  # fmt: skip
    assert told.body["messages"][3]["extra"] == {"parts": [{"rows": 12}]}


def test_where_nobody_speaks_nothing_is_to_be_learnt(world):
    silent = [{"role": "user", "content": ""}, {"role": "assistant", "content": ["  ", ""]}]
    reply = tell(silent, id="c")
    assert (reply.status, reply.body["state"]) == (202, "succeeded_empty")
    assert not world.queues.sent
    job = Client().send("GET", f"/v1/jobs/{reply.body['job_id']}", query=ADA).body
    assert (job["state"], job["reason"], job["next_at"]) == ("succeeded_empty", "no_words", None)
    assert len(said(read("c"))) == 2


@pytest.mark.parametrize("form", ["just a text", {"role": "user", "content": "just a text"}])
def test_one_message_needs_no_list(world, form):
    tell(form, id="c")
    assert said(read("c")) == [("user", "just a text", 1)]


def test_a_conversation_is_no_item(world):
    body = {**ADA, "items": [{"messages": [HI]}]}
    reply = Client().send("POST", "/v1/memories", body)
    assert reply.body["results"][0]["error"]["details"]["field"] == "items.0.messages"
    both = {**ADA, "items": ["a"], "messages": [HI]}
    assert Client().send("POST", "/v1/memories", both).status == 400
    nothing_left(world)


def test_a_reader_may_look_and_not_speak(world):
    tell([HI], id="c")
    reader = Client(principal(role=Role.READER))
    assert tell([HI], reader).status == append("c", [HI], reader).status == 403
    assert read("c", reader).status == 200
    assert reader.send("POST", "/v1/jobs/01ARZ3NDEKTSV4RRFFQ69G5FAV/retry", ADA).status == 403
    assert len(said(read("c"))) == 1


def test_nobody_sees_another_user_or_tenant(world):
    job_id = tell([HI], id="c").body["job_id"]
    missing = read("nope").body
    others = (Client(principal(tenant="other")), {"user_id": "ada"}), (Client(), {"user_id": "bob"})
    for client, whose in others:
        assert read("c", client, **whose).body == missing
        path = f"/v1/jobs/{job_id}"
        assert client.send("GET", path, query=whose).status == 404
        assert client.send("GET", "/v1/jobs", query=whose).body["results"] == []
        for act in ("retry", "dismiss"):
            assert client.send("POST", f"{path}/{act}", whose).status == 404
        own = client.send(
            "POST", "/v1/conversations/c/messages", {**whose, "messages": "mine", "end": True}
        ).body
        assert own["messages"] == 1 and own["job_id"] != job_id
    assert said(read("c")) == [("user", HI["content"], 1)]


def test_a_foreign_user_is_forbidden_before_anything_is_looked_at(world):
    client = Client(principal(users=("bob",)))
    assert tell([HI], client).status == append("c", [HI], client).status == 403
    assert read("c", client).status == 403
    nothing_left(world)


def test_a_low_key_says_nothing_with_an_owners_voice(world):
    low = Client(principal(ceiling=2))
    tell([HI], low, id="c")
    assert read("c").body["messages"][0]["origin"] == "document"
    job = world.learning.jobs.page(scope(), after=None, limit=1)[0]
    assert job.principal.ceiling == 2


def test_the_same_request_under_a_key_is_done_once(world):
    def send(body=None):
        given = body or {**ADA, "messages": [HI]}
        return Client().send("POST", "/v1/conversations", given, idempotency_key="k")

    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda _: send(), range(8)))
    assert {reply.status for reply in replies} == {202}
    assert len({json.dumps(reply.body) for reply in replies}) == 1
    assert len(world.queues.sent) == 1 and len(world.blobs.held) == 1
    assert send({**ADA, "messages": [LOVELY]}).status == 409


def test_appends_under_a_key_and_without(world):
    def send(key):
        path = "/v1/conversations/c/messages"
        return Client().send("POST", path, {**ADA, "messages": "again"}, idempotency_key=key)

    assert send("a").body == send("a").body
    assert send("b").body["messages"] == 2
    append("c", "again")
    assert len(said(read("c"))) == 3


def test_words_that_cannot_be_kept_are_not_accepted(world):
    world.blobs.down = True
    reply = tell([HI], id="c")
    assert reply.status == 503 and int(reply.headers["retry-after"]) >= 1
    nothing_left(world)
    world.blobs.down = False
    assert read("c").status == 404
    assert tell([HI], id="c").body["added"] == 1


def test_a_queue_that_is_down_delays_and_refuses_nothing(world):
    world.queues.down = True
    assert tell([HI], id="c").status == 202
    [job] = world.learning.jobs.page(scope(), after=None, limit=9)
    assert job.open and job.next_at is not None


def test_pages_of_a_long_conversation(world):
    for number in range(30):
        append("c", [{"role": "user", "content": f"turn {number}"}])
    found, cursor = [], {}
    while cursor is not None:
        page = read("c", limit=7, **cursor)
        assert page.status == 200 and len(page.body["messages"]) <= 7
        found += [one["number"] for one in page.body["messages"]]
        cursor = {"cursor": page.body["next"]} if page.body["next"] else None
    assert found == list(range(1, 31))
    first = read("c", limit=7).body["next"]
    append("d", "x")
    assert read("d", cursor=first).status == 400
    assert read("c", limit=0).status == read("c", limit="x").status == 400
    assert read("c", frobnicate=1).status == 400


def test_there_is_no_end_of_what_never_began(world):
    assert append("c", end=True).status == 404
    assert append("c").error["details"]["field"] == "messages"
    nothing_left(world)
