"""What the graphs work with, opened once and found by their nodes.

A node of a LangGraph graph gets state and runtime, both of which must stay plain values. The store,
the embedder and the model travel beside them in a context variable, which LangGraph carries into
its worker threads. With none set (LangGraph Studio), the process-wide default is opened from the
settings.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from dualmem_graph.config import DEFAULTS_FILE, Settings, default_yaml, load_settings

if TYPE_CHECKING:
    from dualmem_graph.providers.chat import StructuredChat
    from dualmem_graph.providers.embeddings import Embedder
    from dualmem_graph.storage.store import MemoryStore

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the present instant, aware, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Resources:
    """Settings and the open parts that every operation needs.

    ``chat`` is ``None`` where no model is configured: the rules form does the work.
    """

    settings: Settings
    store: MemoryStore
    embedder: Embedder
    chat: StructuredChat | None
    clock: Clock = utc_now

    def close(self, timeout: float | None = None) -> None:
        """Let go of all of it; waits at most ``timeout`` seconds for index work under way."""
        if self.chat is not None:
            self.chat.close()
        self.embedder.close()
        self.store.close(self.settings.close_timeout if timeout is None else timeout)


def open_resources(
    settings: Settings | None = None,
    *,
    chat_model: Any = None,
    embeddings: Any = None,
    clock: Clock = utc_now,
) -> Resources:
    """Open store, embedder and model as the settings say.

    Args:
        settings: default: environment, file and defaults.
        chat_model: any LangChain chat model (or ``"provider:model"``), instead of the settings'.
        embeddings: any LangChain ``Embeddings``, instead of the settings'.
        clock: where "now" comes from.

    Raises:
        ConfigError: a setting cannot be used.
        StoreError: the store cannot be opened.
    """
    from dualmem_graph.providers.chat import make_chat
    from dualmem_graph.providers.embeddings import make_embedder
    from dualmem_graph.storage.store import MemoryStore

    settings = settings or load_settings()
    store = MemoryStore.open(settings, clock=clock)
    try:
        embedder = make_embedder(settings, embeddings, usage=store.record_usage_event)
        chat = make_chat(settings, chat_model, usage=store.record_usage_event)
    except BaseException:
        store.close(0)
        raise
    _document_settings(settings)
    return Resources(settings, store, embedder, chat, clock)


def _document_settings(settings: Settings) -> None:
    """Leave the documented defaults beside the store at its first start."""
    path = settings.storage_dir / DEFAULTS_FILE
    if not path.exists() and settings.storage_dir.is_dir():
        path.write_text(default_yaml(), encoding="utf-8")


_CURRENT: ContextVar[Resources | None] = ContextVar("dualmem_resources", default=None)
_default: Resources | None = None
_default_lock = threading.Lock()


def current() -> Resources:
    """Return the resources of the running operation, else the process-wide default."""
    resources = _CURRENT.get()
    return resources if resources is not None else default_resources()


def default_resources() -> Resources:
    """Open (once per process) what the settings of the environment describe."""
    global _default
    with _default_lock:
        if _default is None:
            _default = open_resources()
        return _default


@contextmanager
def using(resources: Resources) -> Iterator[Resources]:
    """Make ``resources`` the current ones within the block."""
    token = _CURRENT.set(resources)
    try:
        yield resources
    finally:
        _CURRENT.reset(token)
