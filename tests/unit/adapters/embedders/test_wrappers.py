"""The cache embeds no text twice, the guard leaves a dead embedder alone."""

import pytest

from hindwise.adapters.embedders.cached import CachedEmbedder
from hindwise.adapters.embedders.guarded import GuardedEmbedder
from hindwise.adapters.embedders.hashed import HashedEmbedder
from hindwise.adapters.embedders.texts import Unusable
from hindwise.errors import Unavailable


class Counting(HashedEmbedder):
    """Keeps what it was asked, and fails when told to."""

    def __init__(self):
        self.queries = []
        self.batches = []
        self.error = None

    def query(self, text):
        self.queries.append(text)
        self._maybe_fail()
        return super().query(text)

    def documents(self, texts):
        self.batches.append(list(texts))
        self._maybe_fail()
        return super().documents(texts)

    def _maybe_fail(self):
        if self.error is not None:
            raise self.error


@pytest.fixture
def inner():
    return Counting()


def test_a_repeated_question_is_embedded_once(inner):
    cached = CachedEmbedder(inner)
    assert cached.query("hello") == cached.query("hello")
    assert inner.queries == ["hello"]


def test_questions_and_documents_do_not_share_vectors(inner):
    cached = CachedEmbedder(inner)
    cached.query("hello")
    cached.documents(["hello"])
    assert (inner.queries, inner.batches) == (["hello"], [["hello"]])


def test_only_new_texts_of_a_batch_are_asked_for_each_once_and_in_order(inner):
    cached = CachedEmbedder(inner)
    cached.documents(["b"])
    vectors = cached.documents(["a", "b", "🙂", "c", "a"])
    assert inner.batches == [["b"], ["a", "🙂", "c"]]
    assert vectors == HashedEmbedder().documents(["a", "b", "🙂", "c", "a"])
    cached.documents(["🙂", "c"])
    assert len(inner.batches) == 2


def test_the_oldest_unused_text_leaves_first(inner):
    cached = CachedEmbedder(inner, size=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        cached.query(text)
    assert inner.queries == ["a", "b", "c", "b"]


def test_a_batch_larger_than_the_cache_is_answered_whole(inner):
    texts = [f"text {n}" for n in range(5)]
    assert CachedEmbedder(inner, size=2).documents(texts) == HashedEmbedder().documents(texts)


def test_a_failure_is_not_remembered(inner):
    cached = CachedEmbedder(inner)
    inner.error = Unavailable("down")
    with pytest.raises(Unavailable):
        cached.query("hello")
    with pytest.raises(Unavailable):
        cached.documents(["hello"])
    inner.error = None
    assert len(cached.query("hello")) == 1024
    assert cached.documents(["hello"])[0] is not None


def test_refused_places_are_those_of_the_caller(inner):
    cached = CachedEmbedder(inner)
    cached.documents(["held"])
    inner.error = Unusable("bad", embedder="e", refused=[1])
    with pytest.raises(Unusable) as caught:
        cached.documents(["held", "new", "new", "bad"])
    assert caught.value.refused == (3,)


def test_one_search_pays_for_a_dead_embedder_and_a_probe_finds_it_back(inner):
    now = [0.0]
    guarded = GuardedEmbedder(inner, lambda: now[0])
    inner.error = Unavailable("down")
    for _ in range(3):
        with pytest.raises(Unavailable):
            guarded.query("hello")
    with pytest.raises(Unavailable, match="hashed"):
        guarded.documents(["hello"])
    assert (len(inner.queries), len(inner.batches)) == (1, 0)
    now[0], inner.error = 5.0, None
    assert guarded.query("hello") == HashedEmbedder().query("hello")


def test_an_odd_text_does_not_cost_the_others_their_vectors(inner):
    guarded = GuardedEmbedder(inner, lambda: 0.0)
    with pytest.raises(Unusable):
        guarded.query("🙂")
    assert len(guarded.query("hello")) == 1024
