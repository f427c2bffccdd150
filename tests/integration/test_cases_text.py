"""Words, identifiers and odd characters: what is typed is data, and keywords alone find it."""

import pytest

from tests.integration.cases import Stage


def above(order: list[str], first: str, *others: str) -> bool:
    place = {one: i for i, one in enumerate(order)}
    return first in place and all(place[first] < place.get(o, len(order)) for o in others)


def test_chinese_and_mixed_words_are_found_by_keyword_alone(stage: Stage) -> None:
    stage.embedder.neutral = True
    a = stage.write("取件码短信由 worker 在夜里发送")
    b = stage.write("新版看板的 cache 预热在凌晨两点跑")
    c = stage.write("天气不错，适合散步")
    d = stage.write("worker 日志每周清理")
    stage.project()
    for query in ("取件码短信", "短信"):
        assert above(stage.found(query), a, b, c, d), query
    for query in ("cache 预热", "看板几点预热"):
        assert above(stage.found(query), b, a, c, d), query
    workers = stage.found("worker")
    assert above(workers, a, b, c) and above(workers, d, b, c)


def test_one_character_finds_what_holds_it(stage: Stage) -> None:
    stage.embedder.neutral = True
    other, spicy = stage.write("喜欢喝茶"), stage.write("用户不吃辣")
    stage.project()
    assert above(stage.found("辣"), spicy, other)


@pytest.mark.parametrize("query", ["when is that", "那个几点", "它呢", "那个怎么样了"])
@pytest.mark.parametrize("others", [0, 30])
def test_a_question_that_names_nothing_is_diagnosed_so(
    stage: Stage, query: str, others: int
) -> None:
    wanted = stage.write("那个会议几点开始，怎么样才能参加")
    for number in range(others):
        stage.write(f"第{number}次会议记录，那个项目几点交付")
    stage.project()
    body = {"user_id": "u", "query": query, "memory_id": wanted}
    diagnosis = stage.client.send("POST", "/v1/diagnose", body).body
    bad = [one["step"] for one in diagnosis["steps"] if not one["ok"]]
    assert next(one for one in bad if one not in ("projected", "embedded")) == "query"
    assert diagnosis["terms"] == []


IDENTIFIERS = {
    "RFC-0142": ("Decision recorded in RFC-0142", "Decision recorded in RFC-0143"),
    "moss-garden": ("Moss-Garden server listens on port 7311", "moss on the garden wall"),
    "blue-harbor": ("Deploys to blue-harbor wait for Friday", "blue harbor"),
    "C#": ("The game is written in C#", "The game is written in C++"),
    "g++": ("The driver is built with g++", "The driver is built with G"),
    "/etc/nginx/conf.d/api.conf": (
        "Edit /etc/nginx/conf.d/api.conf before release",
        "Edit /etc/nginx/conf.d/web.conf before release",
    ),
    "https://docs.example.com/a/b?x=1#frag": (
        "Docs: https://docs.example.com/a/b?x=1#frag",
        "Docs are good to have",
    ),
    "v2.3.1-rc.4": ("Pinned to v2.3.1-rc.4", "Pinned to v2.3.1-rc.5"),
    "7b0c6c1e-55b1-4f0e-9d55-0f2a5d1b7c11": (
        "Ticket 7b0c6c1e-55b1-4f0e-9d55-0f2a5d1b7c11 closed",
        "Ticket 7b0c6c1e-55b1-4f0e-9d55-0f2a5d1b7c12 closed",
    ),
    "anna.k+test@example.org": (
        "Mail anna.k+test@example.org about it",
        "Mail anna.k+prod@example.org about it",
    ),
}


def test_identifiers_find_exactly_what_they_name(stage: Stage) -> None:
    stage.embedder.neutral = True
    ids = {query: [stage.write(text) for text in texts] for query, texts in IDENTIFIERS.items()}
    stage.project()
    for query, (right, wrong) in ids.items():
        order = stage.found(query)
        assert order[0] == right and above(order, right, wrong), query


SYNTAX = ["C++ AND (", "owner:/ravi", '"unbalanced', "foo && bar || !baz", "*", "a/b", "~", "[1 TO"]
SYNTAX += ["\\", '{"match_all":{}}', "plain OR 1=1", "🦔", "𝔘", "'; DROP TABLE", "${jndi:x}", "%00"]


def test_a_query_is_data_and_no_syntax(stage: Stage) -> None:
    stage.embedder.neutral = True
    a, b = stage.write("C++ build notes"), stage.write("owner notes: see /ravi")
    stage.write("plain sentence")
    stage.project()
    for query in SYNTAX:
        reply = stage.search(query)
        assert reply.status == 200 and reply.body["degraded"] is False, query
    assert stage.found("C++ AND (")[0] == a
    assert stage.found("owner:/ravi")[0] == b


@pytest.mark.parametrize("query", ["", "   "])
def test_a_blank_query_is_refused_by_name(stage: Stage, query: str) -> None:
    reply = stage.search(query)
    assert reply.status == 400 and reply.error["details"]["field"] == "query"


def test_surrogates_and_nul_never_break_a_user(stage: Stage) -> None:
    def raw(body: str) -> int:
        return stage.client.send("POST", "/v1/memories", raw=body).status

    pair = '{"user_id":"u","content":"hedgehog \\ud83e\\udd94 seen on Fridays"}'
    reply = stage.client.send("POST", "/v1/memories", raw=pair)
    assert reply.status == 201
    assert "\U0001f994" in stage.get(reply.body["id"]).body["content"]
    assert raw('{"user_id":"u","content":"broken \\ud800 half"}') == 400
    assert raw('{"user_id":"u","content":"nul \\u0000 inside"}') == 400
    batch = '{"user_id":"u","items":["fine one","bad \\ud83d end","fine two"]}'
    answer = stage.client.send("POST", "/v1/memories", raw=batch)
    stage.project()
    assert answer.status < 500
    stored = {stage.get(one).body["content"] for one in stage.listed()}
    assert {"fine one", "fine two"} <= stored and len(stored) == 3
    assert answer.body["results"][1]["error"]["code"] == "invalid"
    assert len(stage.found("fine")) == 3
