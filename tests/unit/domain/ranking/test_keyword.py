"""The keyword score over the candidates, in English, Chinese and identifiers."""

import math
from dataclasses import replace

import pytest

from hindwise.domain.ranking import rank, recompute_keyword
from tests.builders import episode, fact
from tests.unit.domain.ranking.made import asked, candidate, ids


def scores(texts, query):
    items = [candidate(fact(text)) for text in texts]
    question = asked(query)
    recompute_keyword(items, question.terms, question.exact)
    return [one.keyword for one in items]


def ranked_texts(texts, query):
    """The order under an embedder that finds everything alike, as indices."""
    items = [candidate(fact(text), cosine=0.5) for text in texts]
    names = {one.document.id: place for place, one in enumerate(items)}
    return [names[one] for one in ids(rank(items, asked(query)))]


def test_it_is_bm25_with_the_candidates_own_statistics():
    items = [candidate(fact("oolong"), keyword=7.0), candidate(fact("sencha"), keyword=7.0)]
    recompute_keyword(items, ("oolong",))
    idf = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    assert items[0].keyword == pytest.approx(idf / (1 + 0.9))
    assert items[1].keyword is None


def test_a_rare_word_counts_more_than_a_common_one():
    rare, common, *_ = scores(["oolong x", "tea x", "tea y", "tea z"], "oolong tea")
    assert rare > common


def test_a_word_of_the_same_family_counts_less_than_the_word():
    exact, kin, other = scores(["athletic", "athleticism", "garden"], "athletic")
    assert exact > kin > 0
    assert other is None


def test_short_words_have_no_family():
    assert scores(["cart", "car"], "car")[0] is None


def test_one_character_is_found_and_longer_queries_use_pairs():
    assert scores(["不吃辣", "爱喝茶"], "辣")[0] is not None
    assert scores(["辣", "爱喝茶"], "吃辣椒") == [None, None]


def test_one_character_is_found_in_an_index_of_pairs_alone():
    item = candidate(fact("不吃辣"))
    item.document = replace(item.document, words="不吃 吃辣")
    recompute_keyword([item], ("辣",))
    assert item.keyword is not None


CHINESE = [
    "取件码短信由 worker 在夜里发送",
    "新版看板的 cache 预热在凌晨两点跑",
    "天气不错，适合散步",
    "worker 日志每周清理",
]


@pytest.mark.parametrize(
    ("query", "first"), [("取件码短信", 0), ("短信", 0), ("cache 预热", 1), ("看板几点预热", 1)]
)
def test_chinese_and_mixed_words_find_their_memory(query, first):
    """TXT-1, with an embedder that finds everything alike."""
    assert ranked_texts(CHINESE, query)[0] == first


def test_all_that_hold_the_word_come_before_all_that_do_not():
    """TXT-1: the weaker of two hits is still a hit."""
    assert set(ranked_texts(CHINESE, "worker")[:2]) == {0, 3}


IDENTIFIERS = [
    "Decision recorded in RFC-0142",
    "Decision recorded in RFC-0143",
    "Moss-Garden server listens on port 7311",
    "moss on the garden wall",
    "Edit /etc/nginx/conf.d/api.conf before release",
    "Edit /etc/nginx/conf.d/web.conf before release",
    "Docs: https://docs.example.com/a/b?x=1#frag",
    "Pinned to v2.3.1-rc.4",
    "Pinned to v2.3.1-rc.5",
    "Ticket 7b0c6c1e-55b1-4f0e-9d55-0f2a5d1b7c11 closed",
    "Mail anna.k+test@example.org about it",
]


@pytest.mark.parametrize(
    ("query", "above", "below"),
    [
        ("RFC-0142", 0, 1),
        ("moss-garden", 2, 3),
        ("/etc/nginx/conf.d/api.conf", 4, 5),
        ("v2.3.1-rc.4", 7, 8),
    ],
)
def test_an_identifier_comes_before_its_neighbour(query, above, below):
    """TXT-3, with an embedder that finds everything alike."""
    order = ranked_texts(IDENTIFIERS, query)
    assert order.index(above) < order.index(below)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("https://docs.example.com/a/b?x=1#frag", 6),
        ("7b0c6c1e-55b1-4f0e-9d55-0f2a5d1b7c11", 9),
        ("anna.k+test@example.org", 10),
    ],
)
def test_an_identifier_that_only_one_holds_comes_first(query, first):
    """TXT-3."""
    assert ranked_texts(IDENTIFIERS, query)[0] == first


def test_other_peoples_scores_do_not_enter():
    one = [candidate(episode("tea"), keyword=score) for score in (1.0, 99.0)]
    recompute_keyword(one, ("tea",))
    assert one[0].keyword == one[1].keyword
