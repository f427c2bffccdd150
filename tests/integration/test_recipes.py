"""docs/recipes.md, call by call, as it is typed: each works, and shows what the page says."""

import re
import shlex

from hindwise.adapters.dynamodb import keys
from hindwise.domain.scope import Role
from tests.builders import principal
from tests.integration.http_client import Client
from tests.readme import PAGES, RECIPES, ROOT, recipes

VERBS = {"post": "POST", "patch": "PATCH", "get": "GET", "delete": "DELETE"}


def typed(call, memory_id, cursor):
    """The verb, path, query and body of a call, as the shell would read it."""
    words = shlex.split(call.replace("$ID", memory_id).replace("$NEXT", cursor or ""))
    path, _, query = words[1].partition("?")
    pairs = dict(pair.split("=", 1) for pair in query.split("&")) if query else {}
    return VERBS[words[0]], f"/v1/{path}", pairs, words[2] if len(words) > 2 else None


def test_every_call_works_and_shows_what_it_says(world):
    client = Client(principal(role=Role.ADMIN))
    answers, memory_id, cursor = [], "", None
    for call in recipes():
        method, path, query, body = typed(call, memory_id, cursor)
        reply = client.send(method, path, raw=body, query=query)
        assert reply.status in (200, 201, 202), (call, reply.body)
        memory_id = reply.body.get("id", memory_id) if path == "/v1/memories" else memory_id
        cursor = reply.body.get("next", cursor)
        answers.append((call, reply.body))
        world.clock.forward(seconds=5)
        world.project()
    assert len(answers) == len(re.findall(r"^(?:post|patch|get|delete) ", RECIPES, re.MULTILINE))

    def said(part):
        return [body for call, body in answers if part in call]

    def texts(part):
        return [one["content"] for one in said(part)[0]["results"]]

    assert said('"value": "aisle"')[0]["superseded"]
    assert said('"value": "back"')[0]["contested"]
    assert "Might like the back row" in texts('"include": ["contested"]')
    assert texts('"as_of"') == ["喜欢靠窗的座位"]
    assert "喜欢靠窗的座位" in texts('"include": ["superseded"]')
    held = [one for one in texts("in February 2026") if "seat" in one or "座位" in one]
    assert held[:2] == ["喜欢靠窗的座位", "Prefers aisle seats now"]
    (beside,) = said('"expand"')[0]["results"]
    assert [link["part"] for link in beside["expanded"]["chain"]] == [
        "evidence", "decision", "outcome",
    ]  # fmt: skip
    assert "排队系统买现成的" in texts("entities/")
    assert said('"rewrite": true')[0]["rewrite"] == {"reason": "no_model"}
    assert "在公司用中文开会" in texts('query": "which language?"')
    assert "Speaks English at home" not in texts('query": "which language?"')
    assert texts("task_id=trip&key=step") == ["2 of 5"]
    assert [body["changed"] for body in said("crm-7")] == [True, True]
    assert texts('"agent_id": "planner"}') == ["Booked the 9:40 to Chengdu"]
    assert [job["last_turn"] for job in said("jobs?")[0]["results"]] == [3, 2]
    told = said("conversations/trip-chat?")[0]["messages"]
    assert [one["turn"] for one in told] == [1, 2, 3] and told[2]["content"] == "不用，坐高铁。"
    assert said("consolidations")[0]["status"] == "created"
    assert len(said("type=pattern")[0]["results"][0]["evidence_ids"]) == 3
    assert said("diagnose")[0]["steps"]


def test_the_page_of_the_table_names_every_partition():
    page = (ROOT / "docs" / "table.md").read_text()
    assert ROOT / "docs" / "table.md" in PAGES
    source = (ROOT / keys.__file__).read_text()
    parts = {piece.split('"')[0] for piece in source.split('part(scope, "')[1:]}
    assert len(parts) >= 12
    for part in parts:
        assert f"`S#{part}`" in page or f"`S#{part}#<" in page, part
