"""The two clients: :class:`SyncMemoryClient`, and :class:`MemoryClient` for ``await``."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from dualmem_graph.config import Settings, load_settings
from dualmem_graph.errors import ConfigError
from dualmem_graph.operations import MemoryOperations
from dualmem_graph.resources import Clock, open_resources, utc_now

P = ParamSpec("P")
T = TypeVar("T")

#: Calls of one async client that may be under way at once; they mostly wait for a model.
_THREADS = 32


class SyncMemoryClient(MemoryOperations):
    """Long-term memory, embedded by default: no key, no server, all in ``./.dual_mem_data``.

    Works in a script, in a notebook, inside a running event loop and from many threads. Use it as
    a context manager, or call :meth:`close`; a script that just ends loses nothing either.

    Args:
        settings: a :class:`Settings`; or any setting as a keyword.
        chat_model: a LangChain chat model instead of the settings' endpoint.
        embeddings: a LangChain ``Embeddings`` instead of the embedded embedder.
        clock: where "now" comes from.

    Raises:
        ConfigError: an unknown or unusable setting.
        StoreError: the store cannot be opened.

    >>> with SyncMemoryClient() as memory:
    ...     _ = memory.add("I moved from Beijing to Shanghai in May.", user_id="u1", wait=True)
    ...     memory.search("where does the user live", user_id="u1")[0].content
    'User moved from Beijing to Shanghai in May ...'
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        chat_model: Any = None,
        embeddings: Any = None,
        clock: Clock = utc_now,
        **overrides: Any,
    ) -> None:
        chosen = _settings(settings, overrides)
        super().__init__(
            open_resources(chosen, chat_model=chat_model, embeddings=embeddings, clock=clock)
        )

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._resources.settings

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _off_loop(
    operation: Callable[Concatenate[Any, P], T],
) -> Callable[Concatenate[MemoryClient, P], Coroutine[Any, Any, T]]:
    """Make the awaitable form of an operation: the same call on a thread of the client's own."""

    async def run(self: MemoryClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        def call() -> T:
            return operation(self._client(), *args, **kwargs)

        # nothing here is bound to a loop: three asyncio.run with one client are three plain calls
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, copy_context().run, call)

    functools.update_wrapper(run, operation)
    return run


class MemoryClient:
    """The same memory for ``await``: every method of :class:`SyncMemoryClient` as a coroutine.

    Opening touches the disk, so it happens at the first call, off the loop.

    Args:
        settings: a :class:`Settings`; or any setting as a keyword.
        chat_model: a LangChain chat model instead of the settings' endpoint.
        embeddings: a LangChain ``Embeddings`` instead of the embedded embedder.

    >>> async def remember() -> str:
    ...     async with MemoryClient() as memory:
    ...         return (await memory.add("I live in Porto.", user_id="u1")).status
    >>> asyncio.run(remember())
    'stored'
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        chat_model: Any = None,
        embeddings: Any = None,
        clock: Clock = utc_now,
        **overrides: Any,
    ) -> None:
        self._open = functools.partial(
            SyncMemoryClient,
            _settings(settings, overrides),
            chat_model=chat_model,
            embeddings=embeddings,
            clock=clock,
        )
        self._opened: SyncMemoryClient | None = None
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="dualmem-async")

    add = _off_loop(MemoryOperations.add)
    search = _off_loop(MemoryOperations.search)
    context = _off_loop(MemoryOperations.context)
    list = _off_loop(MemoryOperations.list)
    get = _off_loop(MemoryOperations.get)
    update = _off_loop(MemoryOperations.update)
    delete = _off_loop(MemoryOperations.delete)
    restore = _off_loop(MemoryOperations.restore)
    purge = _off_loop(MemoryOperations.purge)
    compact = _off_loop(MemoryOperations.compact)
    delete_scope = _off_loop(MemoryOperations.delete_scope)
    list_scopes = _off_loop(MemoryOperations.list_scopes)
    history = _off_loop(MemoryOperations.history)
    profile = _off_loop(MemoryOperations.profile)
    import_ = _off_loop(MemoryOperations.import_)
    export = _off_loop(MemoryOperations.export)
    flush = _off_loop(MemoryOperations.flush)
    reembed = _off_loop(MemoryOperations.reembed)
    index_check = _off_loop(MemoryOperations.index_check)
    index_rebuild = _off_loop(MemoryOperations.index_rebuild)
    jobs = _off_loop(MemoryOperations.jobs)
    retry_jobs = _off_loop(MemoryOperations.retry_jobs)
    stats = _off_loop(MemoryOperations.stats)
    status = _off_loop(MemoryOperations.status)

    async def close(self, timeout: float | None = None) -> None:
        """Wait (bounded) for work under way and let go of the store; see the sync client."""
        if self._opened is not None:
            opened = self._opened
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._pool, opened.close, timeout)
        self._pool.shutdown(wait=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    def _client(self) -> SyncMemoryClient:
        """Open the store on first use; runs on a worker thread."""
        with self._lock:
            if self._opened is None:
                self._opened = self._open()
            return self._opened


def _settings(settings: Settings | None, overrides: dict[str, Any]) -> Settings:
    if settings is None:
        return load_settings(**overrides)
    if not isinstance(settings, Settings):
        raise ConfigError(
            f"settings must be a Settings object, got {settings!r:.80}; "
            "pass single settings as keywords, e.g. storage_dir=…"
        )
    if overrides:
        return load_settings(**{**settings.model_dump(exclude_unset=True), **overrides})
    return settings
