"""Cases of who is believed: seven declarative tricks, and what counts as access."""

import pytest

from bench.product import Product
from bench.trust_scenes import TRICKS
from bench.trust_tricks import copies, first_and_current
from hindwise.adapters.embedders.hashed import HashedEmbedder
from hindwise.domain.scope import Origin
from tests.builders import principal


@pytest.fixture(scope="module")
def product() -> Product:
    return Product(HashedEmbedder())


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("trick", TRICKS)
def test_the_owners_word_stays_first_and_current(product, trick, language):
    assert first_and_current(product, trick, language, seed=1)


def test_fifty_copies_of_one_key_change_nothing(product):
    assert copies(product, product.embedder)["unchanged"]


def test_ctx_5_a_popular_wrong_fact_does_not_overtake_a_surer_one(stage):
    vectors = {
        "wrong: office closes at 5": [1, 0, 0],
        "right: office closes at 6": [0.9, 0.4359, 0],
        "third note": [0, 0, 1],
        "closes at 5": [1, 0, 0],
        "office hours": [0.9747, 0.2236, 0],
    }
    stage.embedder.known.update(vectors)
    wrong = stage.write("wrong: office closes at 5", kind="semantic", confidence=0.6)
    right = stage.write("right: office closes at 6", kind="semantic", confidence=0.9)
    stage.write("third note", kind="semantic")
    stage.project()
    world, before = stage.world, len(stage.world.access.sent)
    stage.listed()
    stage.get(wrong)
    assert len(world.access.sent) == before
    assert set(stage.found("office hours", top_k=2)) == {wrong, right}
    assert stage.found("office hours", top_k=2)[0] == right
    for _ in range(200):
        assert stage.found("closes at 5", top_k=1) == [wrong]
    for scope, touches in world.access.sent:
        world.store.touch(scope, touches)
    assert stage.found("office hours")[0] == right
    low = stage.as_(principal(name="page", ceiling=Origin.DOCUMENT))
    sent = len(world.access.sent)
    assert low.found("office hours")
    assert len(world.access.sent) == sent
