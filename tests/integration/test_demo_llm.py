"""The demo model over HTTP, asked by the real client with the real prompts, in both languages."""

from datetime import datetime

import pytest

from hindwise.adapters.reasoners.openai import OpenAIReasoner
from hindwise.domain.memory import Cardinality, Outcome
from hindwise.domain.prompts import consolidate, extract, judge, rewrite
from infra.local.demo_llm import MODEL, DemoLlm
from infra.local.given import searched
from infra.local.runner import Dev
from tests.builders import episode, fact

NOW = datetime.fromisoformat("2026-05-16T09:30:00+08:00")


@pytest.fixture(scope="module")
def reasoner():
    with DemoLlm() as llm:
        one = OpenAIReasoner(MODEL, key="", base_url=llm.url)
        yield one
        one.close()
        assert len(llm.requests) <= 1


def learnt(reasoner, *said):
    turns = [
        extract.PromptTurn(turn=number, role=role, text=text, at=NOW)
        for number, (role, text) in enumerate(said, 1)
    ]
    return extract.read(reasoner.ask(extract.question(turns, now=NOW)), turns).items


@pytest.mark.parametrize(
    ("said", "attribute", "value", "cardinality"),
    [
        ("I live in Oslo.", "lives_in", "Oslo", "one"),
        ("Hi! I just moved to Shanghai on May 3.", "lives_in", "Shanghai", "one"),
        ("我住在北京", "lives_in", "北京", "one"),
        ("我上周五搬到了成都。", "lives_in", "成都", "one"),
        ("上周末搬完家了，现在住成都", "lives_in", "成都", "one"),
        ("I've started at Pine & Co.", "works_at", "Pine & Co", "one"),
        ("我在蓝壶公司上班", "works_at", "蓝壶公司", "one"),
        ("我喜欢喝茶", "likes", "喝茶", "many"),
        ("I like tea a lot.", "likes", "tea", "many"),
        ("I can't stand spicy hotpot any more.", "dislikes", "spicy hotpot", "many"),
        ("我不喜欢香菜", "dislikes", "香菜", "many"),
        ("回答我越短越好", "answer_style", "短", "one"),
        ("Please keep your answers short.", "answer_style", "short", "one"),
        ("别再叫我老板了，叫小杨就行", "form_of_address", "小杨", "one"),
        ("I'm allergic to peanuts.", "allergy", "peanuts", "many"),
        ("My badge number is 5512.", "badge_number", "5512", "one"),
        ("我的门禁码是8812", "门禁码", "8812", "one"),
    ],
)
def test_plain_statements_take_a_slot(reasoner, said, attribute, value, cardinality):
    (item,) = learnt(reasoner, ("user", said))
    assert (item.subject, item.attribute, item.value) == ("user", attribute, value)
    assert item.cardinality == cardinality
    assert item.turns == (1,)
    assert item.quote in said
    assert value in item.content


@pytest.mark.parametrize(
    ("role", "said", "kind"),
    [
        ("user", "We decided to ship v2.1 on Thursday.", "decision"),
        ("user", "决定下周一发布2.8版", "decision"),
        ("user", "TODO: renew the badge", "todo"),
        ("user", "记得周五交报告", "todo"),
        ("assistant", "查到了：G57 次，周五 16:05 从北京西站发车，12 车 3F。", "fact"),
        ("tool", "Booked the table for 7 pm.", "fact"),
    ],
)
def test_decisions_to_dos_and_what_was_done(reasoner, role, said, kind):
    (item,) = learnt(reasoner, (role, said))
    assert (item.type, item.subject) == (kind, None)


@pytest.mark.parametrize(
    "said",
    [
        ("user", "早上好"),
        ("user", "Do I live in Oslo?"),
        ("user", "If I moved to Rome, I would like it."),
        ("user", "Maybe I like tea."),
        ("user", "要是我住在北京就好了"),
        ("assistant", "I like tea. You live in Oslo. Shall I book a table?"),
        ("user", "I booked a table."),
    ],
)
def test_nothing_is_learnt_from_anything_else(reasoner, said):
    assert learnt(reasoner, said) == ()


def test_relative_days_are_counted_from_when_it_was_said(reasoner):
    (item,) = learnt(reasoner, ("user", "我上周五搬到了成都"))
    assert item.valid_from == datetime.fromisoformat("2026-05-08T00:00:00+08:00")


def test_it_judges_by_slot_and_by_equal_text(reasoner):
    slot = {"subject": "user", "attribute": "lives_in", "cardinality": Cardinality.ONE}
    new = fact("用户住在成都", value="成都", **slot)
    others = [
        fact("用户住在广州", value="广州", **slot),
        fact("用户住在成都"),
        fact("Another thing entirely", scene="a b=c"),
        fact("The user lives in Chengdu", value="成都", **slot),
        fact("用户住在上海", value="上海", scene="work", **slot),
    ]
    answer = reasoner.ask(judge.question(new, others))
    decided = judge.read(answer, [one.id for one in others])
    assert [decided[one.id].verdict for one in others] == [
        "update",
        "duplicate",
        "unrelated",
        "duplicate",
        "unrelated",
    ]
    likes = {"subject": "user", "attribute": "likes"}
    one, two = fact("a", value="tea", **likes), fact("b", value="coffee", **likes)
    hates = fact("c", value="tea", subject="user", attribute="dislikes")
    decided = judge.read(reasoner.ask(judge.question(one, [two, hates])), [two.id, hates.id])
    assert [decided[other.id].verdict for other in (two, hates)] == ["coexist", "contradiction"]


def test_it_finds_what_several_episodes_share_and_nothing_else(reasoner):
    failed = Outcome(result="failure")
    shown = [
        episode("The deploy broke: migration missing", outcome=failed),
        episode("A second deploy went well", speaker="Rui"),
        episode("Lunch was noodles"),
    ]
    asked = consolidate.question("general", shown)
    read = consolidate.read(reasoner.ask(asked), [one.id for one in shown])
    (pattern,) = read.patterns
    assert pattern.content == "2 episodes are about deploy; 1 of them failed."
    assert pattern.evidence_ids == (shown[0].id, shown[1].id)
    assert read.invented == 0


def test_a_pattern_speaks_of_failures_only_where_an_outcome_is_known(reasoner):
    shown = [
        episode("The Friday deploy failed: disk full"),
        episode("The deploy of Friday failed again"),
        episode("周五下午的部署失败了"),
        episode("这周五下午又部署了"),
    ]
    asked = consolidate.question("general", shown)
    read = consolidate.read(reasoner.ask(asked), [one.id for one in shown])
    said = {one.content for one in read.patterns}
    assert said == {"2 episodes are about deploy.", "有 2 次经历与“下午”有关"}


@pytest.mark.parametrize(
    ("query", "written"),
    [
        ("what happened last Friday?", "what happened last Friday? 2026-05-15"),
        ("我昨天说了什么", "我昨天说了什么 2026-05-15"),
        ("tea or <coffee>?", "tea or <coffee>?"),
    ],
)
def test_it_writes_out_the_days_of_a_question(reasoner, query, written):
    assert rewrite.read(reasoner.ask(rewrite.question(query, NOW))) == written


@pytest.mark.parametrize(
    ("given", "said", "passed_on"),
    [
        (
            {"LLM_MODEL": "m", "LLM_BASE_URL": "http://127.0.0.1:9/v1"},
            "m at http://127.0.0.1:9/v1",
            {"LLM_MODEL": "m", "LLM_BASE_URL": "http://127.0.0.1:9/v1"},
        ),
        (
            {"LLM_MODEL": "m", "OPENAI_API_KEY": "k"},
            "m at api.openai.com",
            {"LLM_MODEL": "m", "OPENAI_API_KEY": "k"},
        ),
        ({"LLM_MODEL": "none"}, "no model", {}),
    ],
)
def test_a_laptop_asks_the_model_that_is_set(tmp_path, given, said, passed_on):
    dev = Dev(tmp_path, 1)
    dev._learn(given)
    assert dev.model.startswith(said)
    assert given == passed_on


def test_a_laptop_without_one_runs_the_demo_and_says_so(tmp_path):
    dev, given = Dev(tmp_path, 1), {"OPENAI_API_KEY": "k"}
    dev._learn(given)
    try:
        assert dev.model.startswith("a demo of a few rules, no language model")
        assert given["LLM_MODEL"] == MODEL
        one = OpenAIReasoner(MODEL, key=given["LLM_API_KEY"], base_url=given["LLM_BASE_URL"])
        assert learnt(one, ("user", "I live in Oslo."))
        one.close()
    finally:
        dev._demo.__exit__()
    assert "LLM_API_KEY" not in searched(given)
