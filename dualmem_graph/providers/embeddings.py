"""Embedder: texts in, unit vectors out, whichever model stands behind it."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dualmem_graph.errors import ConfigError, EmbeddingError
from dualmem_graph.text.chunks import split_to_chars

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

    from dualmem_graph.config import Settings
    from dualmem_graph.providers.endpoint import Wait
    from dualmem_graph.providers.usage import UsageSink

Vectors = NDArray[np.float32]


class Backend(Protocol):
    """A model that turns texts into vectors; it need not cache, split or normalise."""

    name: str
    """Stands in the fingerprint that a store is stamped with."""

    dim: int | None
    """Width of the vectors, where it is known without asking."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Embed non-empty texts, in order, as ``(len(texts), width)``."""

    def encode_query(self, text: str) -> Vectors:
        """Embed one search text, for models that tell queries from passages."""

    def close(self) -> None:
        """Let go of connections and waits."""


class Embedder:
    """Embeds texts as unit vectors, thread-safe, each text only once.

    A text longer than ``max_chars`` is embedded in parts, whose vectors are averaged by length.
    A blank text is the zero vector and is never sent anywhere.

    Args:
        backend: the model.
        dim: expected width; unset: what the model says, at the latest by its first answer.
        max_chars: characters of one text that the model gets.
        cache_size: texts whose vectors are kept; 0 keeps none.

    >>> from dualmem_graph.providers.backends import LangChainBackend
    >>> from dualmem_graph.testing import HashEmbeddings
    >>> embedder = Embedder(LangChainBackend(HashEmbeddings(dim=8)))
    >>> embedder.embed(["tea", "茶"]).shape, embedder.fingerprint
    ((2, 8), 'HashEmbeddings:8')
    """

    def __init__(
        self,
        backend: Backend,
        *,
        dim: int | None = None,
        max_chars: int = 2000,
        cache_size: int = 4096,
    ) -> None:
        self._backend = backend
        self._dim = dim
        self._dim_is_set = dim is not None
        self._max_chars = max_chars
        self._cache_size = cache_size
        self._cache: OrderedDict[bytes, Vectors] = OrderedDict()
        self._lock = threading.Lock()
        self.calls = 0
        """Times the model was asked."""
        self.texts = 0
        """Texts (and parts of texts) that it embedded; the rest came from the cache."""
        self.seconds = 0.0
        """Wall seconds spent here, summed over threads, cache and waits included."""

    @property
    def name(self) -> str:
        """The model's name."""
        return self._backend.name

    @property
    def dim(self) -> int:
        """Width of the vectors; asks the model once where nothing else says it.

        Raises:
            EmbeddingError: if the model had to be asked and could not answer.
        """
        known = self._dim or self._backend.dim
        if known is None:
            known = int(self.embed(["dimension"]).shape[1])
        return known

    @property
    def fingerprint(self) -> str:
        """``"<name>:<dim>"``: vectors of equal fingerprints can be compared."""
        return f"{self.name}:{self.dim}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts.

        Returns:
            ``(len(texts), dim)`` float32; each row of length 1, or 0 for a blank text.

        Raises:
            EmbeddingError: if the model fails, or answers with the wrong number or width of
                vectors, or with values that are not finite.
        """
        return self._timed(texts, query=False)

    def embed_query(self, text: str) -> Vectors:
        """Embed one search text as ``(dim,)``; otherwise like :meth:`embed`."""
        row: Vectors = self._timed([text], query=True)[0]
        return row

    def close(self) -> None:
        """Let go of connections; waits between retries end at once."""
        self._backend.close()

    def __repr__(self) -> str:
        return f"Embedder(name={self.name!r}, dim={self._dim or self._backend.dim})"

    def _timed(self, texts: Sequence[str], *, query: bool) -> Vectors:
        begin = time.perf_counter()
        try:
            return self._embed([_encodable(text) for text in texts], query=query)
        finally:
            with self._lock:
                self.seconds += time.perf_counter() - begin

    def _embed(self, texts: list[str], *, query: bool) -> Vectors:
        if not any(text.strip() for text in texts):
            return np.zeros((len(texts), self.dim if texts else self._dim or 0), np.float32)
        keys = [_key(text, query) for text in texts]
        found = self._cached(keys)
        missing = {
            key: text
            for key, text in zip(keys, texts, strict=True)
            if key not in found and text.strip()
        }
        if missing:
            rows = self._from_model(list(missing.values()), query=query)
            fresh = dict(zip(missing, rows, strict=True))
            self._remember(fresh)
            found |= fresh
        zero = np.zeros(next(iter(found.values())).shape, np.float32)
        return np.stack([found.get(key, zero) for key in keys])

    def _cached(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        with self._lock:
            found = {key: self._cache[key] for key in keys if key in self._cache}
            for key in found:
                self._cache.move_to_end(key)
        return found

    def _remember(self, fresh: dict[bytes, Vectors]) -> None:
        with self._lock:
            self._cache.update(fresh)
            while len(self._cache) > self._cache_size:
                self._cache.popitem(last=False)

    def _from_model(self, texts: list[str], *, query: bool) -> Vectors:
        parts = [_parts(text, self._max_chars) for text in texts]
        flat = [part for pieces in parts for part in pieces]
        vectors = self._ask(flat, query=query)
        if len(flat) == len(texts):
            return vectors
        lengths = np.array([len(part) for part in flat], np.float32)[:, None]
        starts = np.cumsum([0] + [len(pieces) for pieces in parts[:-1]])
        return _unit(np.add.reduceat(vectors * lengths, starts, axis=0))

    def _ask(self, texts: list[str], *, query: bool) -> Vectors:
        if query and len(texts) == 1:
            raw = self._backend.encode_query(texts[0])[None, :]
        else:
            raw = self._backend.encode(texts)
        with self._lock:
            self.calls += 1
            self.texts += len(texts)
        return _unit(self._checked(raw, len(texts)))

    def _checked(self, raw: Vectors, count: int) -> Vectors:
        if raw.ndim != 2 or len(raw) != count:
            raise EmbeddingError(
                f"{self.name!r} answered {count} texts with vectors of shape {raw.shape}; "
                "it must give one vector per text: check embed_base_url and embed_model"
            )
        width = int(raw.shape[1])
        with self._lock:
            expected = self._dim or self._backend.dim or width
            self._dim = expected
        if width != expected or width == 0:
            said = "embed_dim says" if self._dim_is_set else "it answered before with"
            raise EmbeddingError(
                f"{self.name!r} answered with vectors of {width} numbers, but {said} {expected}; "
                "check embed_model and embed_dim"
            )
        if not np.isfinite(raw).all():
            raise EmbeddingError(
                f"{self.name!r} answered with a vector that holds NaN or infinity; nothing was "
                "kept of it. Check the embedding model"
            )
        return raw


def make_embedder(
    settings: Settings,
    embeddings: Embeddings | None = None,
    usage: UsageSink | None = None,
    *,
    wait: Wait | None = None,
) -> Embedder:
    """Make the embedder that was asked for; nothing is loaded or connected yet.

    Args:
        settings: ``embed_base_url`` names an OpenAI-compatible endpoint; unset: the embedder
            that comes with the package.
        embeddings: any LangChain embeddings object; wins over the settings.
        usage: gets an event per request to an endpoint or an ``embeddings`` object.
        wait: stands in for waits between retries.

    Raises:
        ConfigError: if ``embed_base_url`` is not an http(s) address, or ``embeddings`` cannot
            embed.
    """
    from dualmem_graph.providers import backends

    backend: Backend
    if embeddings is not None:
        if not all(hasattr(embeddings, name) for name in ("embed_documents", "embed_query")):
            raise ConfigError(
                f"embeddings is a {type(embeddings).__name__}, not a LangChain Embeddings; pass "
                "one such as OpenAIEmbeddings(…), or set embed_base_url and embed_model"
            )
        backend = backends.LangChainBackend(embeddings, usage=usage)
    elif settings.embed_base_url:
        backend = backends.endpoint_backend(settings, usage=usage, wait=wait)
    else:
        backend = backends.EmbeddedBackend()
    return Embedder(
        backend,
        dim=settings.embed_dim,
        max_chars=settings.embed_max_chars,
        cache_size=settings.embed_cache_size,
    )


def _parts(text: str, limit: int) -> list[str]:
    if len(text) <= limit:
        return [text]
    return [part for part in split_to_chars(text, limit) if part.strip()]


def _unit(vectors: Any) -> Vectors:
    """Scale rows to length 1; in float64, so that very large or small rows keep their direction."""
    wide = np.asarray(vectors, np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    unit: Vectors = (wide / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    return unit


def _encodable(text: str) -> str:
    """Replace lone surrogates, which no endpoint can be sent."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _key(text: str, query: bool) -> bytes:
    """Name a text in the cache without keeping it there."""
    return blake2b(text.encode(), digest_size=16, person=b"query" if query else b"").digest()
