"""The design's own examples that need no model and no schedule."""

from typing import Any

import pytest

from hindwise.domain.scope import Role
from hindwise.errors import Unavailable
from tests.builders import principal, scope
from tests.integration.cases import Stage
from tests.integration.http_client import Client

PHONE = {"type": "fact", "subject": "用户", "attribute": "手机"}


def test_the_newer_value_stands_for_the_older_one(stage: Stage) -> None:
    old = stage.write("用户用的是安卓手机", **PHONE, event_time="2026-01-05T00:00:00Z")
    stage.project()
    new = stage.write("用户换成了苹果手机", **PHONE, event_time="2026-03-01T00:00:00Z")
    assert stage.found("用户用什么手机") == [new]
    both = stage.search("用户用什么手机", include=["superseded"]).body["results"]
    assert {one["id"]: one["status"] for one in both} == {new: "active", old: "superseded"}
    body = stage.get(old).body
    assert (body["content"], body["superseded_by"]) == ("用户用的是安卓手机", new)


@pytest.mark.parametrize("late", [False, True])
def test_where_somebody_lived_at_the_end_of_january(stage: Stage, late: bool) -> None:
    home = {"type": "fact", "subject": "林", "attribute": "居住地"}
    moves = [
        ("家在广州天河", "2026-01-10T00:00:00Z"),
        ("搬家了，现在住成都", "2026-02-20T00:00:00Z"),
    ]
    for content, when in reversed(moves) if late else moves:
        stage.write(content, **home, event_time=when)
    stage.project()

    def answer(**more: Any) -> list[str]:
        return [one["content"] for one in stage.search("我住哪儿", **more).body["results"]]

    assert answer() == ["搬家了，现在住成都"]
    assert answer(as_of="2026-01-31T00:00:00+08:00") == ["家在广州天河"]
    old = stage.search("我住哪儿", as_of="2026-01-31T00:00:00+08:00").body["results"][0]
    assert old["status"] == "superseded" and old["superseded_by"]
    assert old["valid_until"] <= "2026-02-20T00:00:00Z"


def test_what_is_surer_stays_until_the_new_one_is_as_sure(stage: Stage) -> None:
    allergy = {"type": "fact", "subject": "用户", "attribute": "青霉素过敏"}
    old = stage.write(
        "用户对青霉素过敏", **allergy, confidence=0.95, event_time="2026-01-10T00:00:00Z"
    )
    reply = stage.send(
        "用户对青霉素不过敏", **allergy, confidence=0.4, event_time="2026-02-10T00:00:00Z"
    )
    new = reply.body["id"]
    stage.project()
    assert reply.body["contested"] is True and reply.body["status"] == "contested"
    assert stage.found("青霉素") == [old]
    assert stage.edit(new, confidence=0.95).status == 200
    stage.project()
    assert stage.found("青霉素") == [new]
    assert stage.get(old).body["status"] == "superseded"


def test_near_texts_are_not_repeats(stage: Stage) -> None:
    stage.embedder.known = {
        "用户爱吃面": [1, 0],
        "用户爱吃米饭": [0.88, 0.475],
        "用户不爱吃面": [0.97, 0.2431],
    }
    ids = [stage.write(text, type="preference") for text in stage.embedder.known]
    stage.project()
    assert len(set(ids)) == 3 and set(stage.found("用户爱吃面")) == set(ids)
    assert [stage.get(one).body["content"] for one in ids] == list(stage.embedder.known)


def test_zero_vectors_are_never_stored(stage: Stage) -> None:
    class Zeros(type(stage.embedder)):  # type: ignore[misc]
        def documents(self, texts: Any) -> Any:
            raise Unavailable("a vector is zero", details={"refused": list(range(len(texts)))})

    honest = stage.embedder.documents
    stage.embedder.documents = Zeros().documents  # type: ignore[method-assign]
    created = {}
    for n in range(5):
        one = stage.write(f"memory number {n} about the lighthouse")
        created[one] = stage.get(one).body["created_at"]
    stage.project()
    reply = stage.search("lighthouse")
    assert reply.body["degraded"] is True
    assert {one["id"] for one in reply.body["results"]} == set(created)
    held = stage.world.projections.newest(scope("u"), 10)
    assert all(document.vector is None for document in held)
    stage.embedder.documents = honest  # type: ignore[method-assign]
    stage.project()
    reply = stage.search("lighthouse")
    assert reply.body["degraded"] is False
    assert {one["id"]: one["created_at"] for one in reply.body["results"]} == created


def test_des_35_scratch_values_live_with_their_task(stage: Stage) -> None:
    slots = {"座位": "过道", "航班": "HU7801", "付款": "公司卡"}

    def keep() -> None:
        for key, content in slots.items():
            stage.write(content, kind="working", task_id="trip-3", key=key)

    def kept(**query: Any) -> dict[str, str]:
        asked = {"user_id": "u", "kind": "working", "task_id": "trip-3", **query}
        reply = stage.client.send("GET", "/v1/memories", query=asked)
        return {one["key"]: one["content"] for one in reply.body["results"]}

    keep()
    assert kept() == slots and kept(key="航班") == {"航班": "HU7801"}
    stage.project()
    assert stage.found("航班") == [] == stage.listed()
    closed = stage.client.send("POST", "/v1/tasks/trip-3/close", {"user_id": "u"})
    assert (closed.status, closed.body["dropped"]) == (200, 3)
    assert kept() == {}
    keep()
    stage.world.clock.forward(minutes=61)
    assert kept() == {}


def test_des_38_defaults_and_limits_of_a_write(stage: Stage) -> None:
    stage.at("2026-03-13T18:30:00+00:00")
    text = "执行了数据备份脚本，耗时 4 分钟"
    one = stage.write(text, task_id="t-42", event_type="tool_call")
    body = stage.get(one).body
    assert (body["kind"], body["importance"], body["access_count"]) == ("episodic", 0.5, 0)
    assert body["last_access_at"] is None
    assert body["event_time"].startswith("2026-03-13T18:30:00") and body["event_time"][-1] == "Z"
    known = stage.get(stage.write("备份窗口是凌晨两点", domain="运维", type="fact")).body
    assert known["confidence"] == 0.8 and known["created_at"] == known["updated_at"]
    before = stage.listed()
    bad: list[tuple[dict[str, Any], str]] = [
        ({"task_id": "x" * 65}, "task_id"),
        ({"importance": 1.2}, "importance"),
        ({"importance": "高"}, "importance"),
        ({"metadata": "text"}, "metadata"),
        ({"content": ""}, "content"),
    ]
    for fields, name in bad:
        reply = stage.client.send(
            "POST", "/v1/memories", {"user_id": "u", "content": "x", **fields}
        )
        assert (reply.status, reply.error["details"]["field"]) == (400, name)
    assert stage.listed() == before


def test_des_40_a_slot_that_cannot_be_written_is_rebuilt(stage: Stage) -> None:
    stage.write("first step", task_id="t-8")
    real = stage.world.store.commit

    def breaking(scope: Any, actions: Any) -> None:
        if [type(one).__name__ for one in actions] == ["PutWorking"]:
            raise Unavailable("let down by the test")
        real(scope, actions)

    stage.world.store.commit = breaking  # type: ignore[method-assign]
    assert stage.send("second step", task_id="t-8").status == 201
    stage.world.store.commit = real  # type: ignore[method-assign]
    asked = {"user_id": "u", "kind": "working", "task_id": "t-8", "key": "latest"}
    reply = stage.client.send("GET", "/v1/memories", query=asked)
    assert [one["content"] for one in reply.body["results"]] == ["second step"]
    stage.world.store.faults.fail_next(1, on="commit")
    assert stage.send("third step", task_id="t-8").status == 503
    reply = stage.client.send("GET", "/v1/memories", query=asked)
    assert [one["content"] for one in reply.body["results"]] == ["second step"]


def test_weights_that_mean_nothing_are_refused(stage: Stage) -> None:
    stage.write("anything")
    for weights in (
        {"keyword": 0, "vector": 0, "time": 0},
        {"keyword": -1, "vector": 1, "time": 1},
    ):
        reply = stage.search("anything", mode="weighted", weights=weights)
        assert reply.status == 400 and "weights" in reply.error["details"]["field"]


def test_des_61_an_obsolete_memory_sinks_and_says_so(stage: Stage) -> None:
    old, new = stage.write("旧机房的门牌在三号楼"), stage.write("新机房的门牌在五号楼")
    reply = stage.edit(old, marks=["obsolete"])
    assert reply.status == 200
    stage.project()
    results = stage.search("机房的门牌").body["results"]
    assert [one["id"] for one in results] == [new, old]
    assert results[1]["status"] == "obsolete"
    body = stage.get(old).body
    assert body["content"] == "旧机房的门牌在三号楼" and body["marks"] == ["obsolete"]
    assert body["change_reason"] == "the case says so"


def test_each_step_of_a_diagnosis_names_its_fault(stage: Stage) -> None:
    def failed(memory_id: str, query: str, user: str = "u", **more: Any) -> str | None:
        body = {"user_id": user, "id": memory_id, "query": query, **more}
        reply = stage.client.send("POST", "/v1/diagnose", body)
        assert reply.status == 200, reply.body
        wanted = ["written", "projected", "embedded", "filtered", "query", "threshold", "cut"]
        assert [step["step"] for step in reply.body["steps"]] in (wanted, ["written"])
        return reply.body["failed"]  # type: ignore[no-any-return]

    one = stage.write("会议室在三楼东侧")
    for n in range(5):
        stage.write(f"会议室 {n} 号要预订")
    assert failed(one, "会议室在哪") == "projected"
    stage.world.project()
    if failed(one, "会议室在哪") == "projected":
        return  # projection is stopped on this stage: that is the fault
    assert failed("01ARZ3NDEKTSV4RRFFQ69G5FAV", "会议室") == "written"
    assert failed(one, "会议室", "somebody else") == "written"
    assert failed(one, "会议室在哪", filters={"tags_any": ["none"]}) == "filtered"
    assert failed(one, "it") == "query"
    assert failed(one, "会议室", min_score=0.99) == "threshold"
    assert failed(one, "会议室 5 号要预订", top_k=1) == "cut"
    assert failed(one, "会议室在三楼东侧") is None


def test_des_55_who_may_write_and_for_whom(stage: Stage) -> None:
    def status(user: str, **who: Any) -> int:
        body = {"user_id": user, "content": "words of the user"}
        return Client(principal(**who)).send("POST", "/v1/memories", body).status

    assert status("u-1", role=Role.READER) == 403
    assert status("u-1", users=("u-1",)) == 201
    assert status("u-2", users=("u-1",)) == 403
    assert stage.listed("u-2") == []


def test_des_31_missing_user_is_refused_and_not_everybody(stage: Stage) -> None:
    stage.write("mine")
    for method, path in (("POST", "/v1/search"), ("GET", "/v1/memories"), ("GET", "/v1/stats")):
        body = {"query": "mine"} if method == "POST" else None
        reply = stage.client.send(method, path, body)
        assert (reply.status, reply.error["details"]["field"]) == (400, "user_id")


def test_des_31_users_with_the_same_words(stage: Stage) -> None:
    for user, digit in (("u-甲", "8"), ("u-乙", "3")):
        stage.write(f"我的工号尾数是 {digit}", user=user)
    stage.project()
    for user, digit in (("u-甲", "8"), ("u-乙", "3")):
        texts = [one["content"] for one in stage.search("工号", user).body["results"]]
        assert texts == [f"我的工号尾数是 {digit}"]
        block = stage.context("工号", user).body["text"]
        assert f"尾数是 {digit}" in block and block.count("尾数是") == 1


def test_background_is_the_newest_three_for_every_query(stage: Stage) -> None:
    for n in range(6):
        stage.write(f"standing fact {n}", type="fact", importance=0.9)
        stage.world.clock.forward(hours=1)
    stage.many(
        [{"content": f"small fact {n}", "type": "fact", "importance": 0.4} for n in range(10)]
    )
    stage.many([f"event {n} about {'shipping' if n < 7 else 'weather'}" for n in range(30)])
    stage.project()
    blocks = [stage.context(query).body for query in ("shipping", "weather")]
    assert blocks[0]["background"] == blocks[1]["background"]
    for n in (3, 4, 5):
        assert f"standing fact {n}" in blocks[0]["background"]
    for body in blocks:
        assert len(body["included"]) == len(set(body["included"])) <= 8
        assert body["tokens"] <= body["max_tokens"] == 2_000
