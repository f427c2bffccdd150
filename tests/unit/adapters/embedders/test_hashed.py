"""What the embedder without a model sees, and that it sees the same for ever."""

from hashlib import sha256

import pytest

from hindwise.adapters.embedders.hashed import HashedEmbedder, features
from hindwise.domain.vectors import cosine, packed

EMBED = HashedEmbedder().query


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("deployment failed", "the deployments are failing", "the cat sleeps"),
        ("recieve the package", "receive the package", "send a letter"),
        ("去成都的机票", "成都机票订好了", "上海的天气"),
        ("ＣＡＦＥ", "cafe", "café au lait is nice"),
    ],
)
def test_shared_words_and_parts_bring_texts_together(text, near, far):
    assert cosine(EMBED(text), EMBED(near)) > cosine(EMBED(text), EMBED(far))


def test_words_characters_and_pairs_are_its_features():
    found = features("去成都 v2 v2")
    assert found["成"] == found["成都"] == 1
    assert found["v2"] > 1
    assert "#成都 " in found
    assert found["#成都 "] < 1


def test_its_vectors_never_change_under_the_same_id():
    vector = EMBED("我那个飞成都的 flight 几点起飞?")
    assert HashedEmbedder.id == "hashed-ngrams-v1:1024"
    assert sha256(packed(vector)).hexdigest()[:16] == "cdcdc69c83cd4250"
