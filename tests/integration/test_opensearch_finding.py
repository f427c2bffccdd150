"""Names, what held then and what stands beside it, with the index on a real node."""

from urllib.parse import quote

import pytest

from tests.integration.search_plant import SearchPlant

pytestmark = pytest.mark.opensearch
HOME = {"type": "fact", "subject": "用户", "attribute": "居住地"}


def moved(plant: SearchPlant) -> tuple[str, str]:
    plant.at("2026-06-15T01:00:00+00:00")
    old = plant.write("用户住在北京", value="北京", event_time="2026-01-10T00:00:00Z", **HOME)
    new = plant.write("用户住在上海", value="上海", event_time="2026-04-15T00:00:00Z", **HOME)
    for number in range(30):
        plant.write(f"三月的闲话 {number}，住得很远")
    plant.sweep()
    return old, new


def facts(plant: SearchPlant, query: str, **more: object) -> list[str]:
    now = "2026-06-15T09:00:00+08:00"
    reply = plant.whole(query, now=now, filters={"type": "fact"}, **more)
    return [str(one["id"]) for one in reply.body["results"]]


def test_what_held_then_is_nominated_by_the_node(plant: SearchPlant) -> None:
    old, new = moved(plant)
    assert facts(plant, "我住在哪里") == [new]
    assert facts(plant, "我三月住在哪里") == [old, new]
    assert facts(plant, "where did I live in March 2026") == [old, new]
    assert facts(plant, "我五月住在哪里") == [new]
    assert facts(plant, "我住在哪里", as_of="2026-03-01T00:00:00Z") == [old]


def test_a_name_is_known_to_the_node_whatever_its_spelling(plant: SearchPlant) -> None:
    old, new = moved(plant)
    met = plant.write("met her", entities=["ＡＮＮ  Lee"])
    said = plant.write("Ann Lee moved to 上海市")
    plant.write("Annabel Leeds moved too")
    plant.sweep()

    def known(name: str, user: str = "u", **query: object) -> dict[str, object]:
        path = f"/v1/entities/{quote(name, safe='')}"
        reply = plant.client.send("GET", path, query={"user_id": user, **query})
        assert reply.status == 200, reply.body
        return dict(reply.body)

    def ids(found: dict[str, object]) -> list[str]:
        return [one["id"] for one in found["results"]]  # type: ignore[attr-defined]

    assert ids(known("ann lee")) == [said, met]
    assert ids(known("上海")) == [said, new]
    assert ids(known("北京")) == [] and ids(known("北京", include="superseded")) == [old]
    first = known("ann lee", limit=1)
    assert ids(first) == [said] and not first["degraded"]
    assert ids(known("ann lee", limit=1, cursor=first["next"])) == [met]
    assert ids(known("ann lee", user="another")) == []
    plant.forget(met)
    assert ids(known("ann lee")) == [said]


def test_names_and_chains_stand_beside_a_result(plant: SearchPlant) -> None:
    turn = plant.write("买现成的一年八千块", session_id="s", entities=["排队系统"])
    made = plant.write(
        "排队系统买现成的", type="decision", evidence_ids=[turn], entities=["排队系统"]
    )
    plant.sweep()
    expand = {"turns": 1, "chain": True, "entities": True}
    reply = plant.whole("买现成的", top_k=1, filters={"type": "decision"}, expand=expand)
    (hit,) = reply.body["results"]
    assert hit["id"] == made
    assert [link["part"] for link in hit["expanded"]["chain"]] == ["evidence", "decision"]
    (name,) = [one for one in hit["expanded"]["entities"] if one["name"] == "排队系统"]
    assert (name["count"], [one["id"] for one in name["memories"]]) == (1, [turn])


def test_a_turn_that_tells_what_no_longer_holds_comes_after_the_node_s_current_value(
    plant: SearchPlant,
) -> None:
    plant.at("2026-06-15T01:00:00+00:00")
    said = {}
    for city, day in (("北京", "01-10"), ("上海", "04-15")):
        when = f"2026-{day}T00:00:00Z"
        turn = plant.write(f"我住在{city}，住在这里很好", event_time=when)
        fact = plant.write(
            f"用户住在{city}", value=city, event_time=when, evidence_ids=[turn], **HOME
        )
        said[city] = (turn, fact)
    plant.sweep()
    (then, _), (_, now) = said["北京"], said["上海"]
    reply = plant.whole("我住在这里很好吗，住在北京", now="2026-06-15T09:00:00+08:00")
    found = {str(one["id"]): one["why"]["outdated_by"] for one in reply.body["results"]}
    assert [*found].index(now) < [*found].index(then)
    assert {turn: by for turn, by in found.items() if by} == {then: [now]}
