"""Operations that read: none of them calls a model, none of them changes anything."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from dualmem_graph import validation
from dualmem_graph.errors import InputError, MemoryNotFoundError
from dualmem_graph.operations.reembedding import ReembeddingOperations
from dualmem_graph.recall import chains, formatter
from dualmem_graph.recall.request import RecallDeps, RecallOutcome, RecallRequest
from dualmem_graph.recall.run import recall_items
from dualmem_graph.types import (
    HistoryEvent,
    Layer,
    MemoryItem,
    Page,
    ScopeSummary,
    SearchResult,
    Status,
)

#: Layers of a listing that names none: all that was drawn from what was said, not the words.
_LISTED = tuple(layer for layer in Layer if layer is not Layer.RAW)
#: No model takes more; a larger budget is a mistake.
_MOST_CONTEXT_TOKENS = 1_000_000


class ReadingOperations(ReembeddingOperations):
    """``search``, ``context``, ``list``, ``get``, ``history``, ``profile``, ``list_scopes``."""

    def search(
        self,
        query: str | None = None,
        *,
        messages: Sequence[Any] | None = None,
        user_id: str | int,
        app_id: str | None = None,
        top_k: int | None = None,
        layers: Sequence[Layer | str] | None = None,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = None,
        as_of: datetime | str | None = None,
        time_range: tuple[datetime | str | None, datetime | str | None] | None = None,
        reference_time: datetime | str | None = None,
        include_superseded: bool = False,
        explain: bool = False,
    ) -> SearchResult:
        """Find what is known, best first: heads only, each with its chain and its sources.

        No model is called. Nothing relevant is an empty result.

        Args:
            query: a question or words; or
            messages: the conversation so far, newest last.
            top_k: how many; default: the setting ``retrieval_top_k``.
            threshold: leave out scores below it, in [0, 1].
            as_of: answer with what was known then.
            time_range: only memories about this time, ``(start, end)``, either end open.
            include_superseded: earlier versions as results of their own.
            explain: fill ``score_details`` with every term.
        """
        request = self._request(
            query,
            messages,
            user_id=user_id,
            app_id=app_id,
            top_k=top_k,
            layers=layers,
            filters=filters,
            threshold=threshold,
            as_of=as_of,
            time_range=time_range,
            reference_time=reference_time,
            include_superseded=include_superseded,
            explain=explain,
        )
        outcome = self._recall(request)
        known = self._resources.store.scope_info(request.scope) is not None
        return SearchResult(
            outcome.items,
            scope=request.scope,
            known_user=known,
            route=outcome.route,
            degraded=outcome.degraded,
        )

    def context(
        self,
        query: str | None = None,
        *,
        messages: Sequence[Any] | None = None,
        user_id: str | int,
        app_id: str | None = None,
        top_k: int | None = None,
        layers: Sequence[Layer | str] | None = None,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = None,
        max_tokens: int | None = None,
        language: str | None = None,
    ) -> str:
        """Return what is known as a block ready for a prompt; ``""`` where nothing is relevant.

        Memory text in it is quoted data: one line each, marks and roles defused.
        """
        request = self._request(
            query,
            messages,
            user_id=user_id,
            app_id=app_id,
            top_k=top_k,
            layers=layers,
            filters=filters,
            threshold=threshold,
        )
        language = validation.language(language)
        if max_tokens is None:
            max_tokens = self._resources.settings.context_max_tokens
        budget = validation.count(max_tokens, "max_tokens", 1, _MOST_CONTEXT_TOKENS)
        outcome = self._recall(request)
        return formatter.format_context(
            outcome.items,
            query=request.query,
            route=outcome.route,
            max_tokens=budget,
            language=language,
            zone=self._resources.settings.timezone,
        )

    def list(
        self,
        *,
        user_id: str | int,
        app_id: str | None = None,
        layers: Sequence[Layer | str] | None = None,
        limit: int = 50,
        cursor: str | None = None,
        include_superseded: bool = False,
    ) -> Page:
        """List current memories, newest first, a page at a time.

        Raw turns are listed only when ``layers`` names them.
        """
        scope = self._scope(user_id, app_id)
        store = self._resources.store
        statuses = [Status.ACTIVE] + ([Status.SUPERSEDED] if include_superseded else [])
        page = store.list_nodes(
            scope,
            layers=validation.layers(layers) or _LISTED,
            statuses=statuses,
            limit=validation.count(limit, "limit", 1, 1000),
            cursor=cursor,
        )
        return Page(
            chains.items_of(store, scope, page.nodes),
            total=page.total,
            cursor=page.cursor,
            scope=scope,
            known_user=store.scope_info(scope) is not None,
        )

    def get(self, memory_id: str, *, user_id: str | int, app_id: str | None = None) -> MemoryItem:
        """Return exactly that version, with its ``status`` and ``head_id``.

        Raises:
            MemoryNotFoundError: no such memory in this scope.
        """
        scope = self._scope(user_id, app_id)
        node = self._resources.store.get(scope, validation.id_to_find(memory_id))
        if node is None:
            raise MemoryNotFoundError(
                f"no memory {memory_id!r} in scope {scope}; list() or search() give the ids"
            )
        return self._item(scope, node)

    def history(
        self,
        memory_id: str | None = None,
        *,
        user_id: str | int,
        app_id: str | None = None,
        limit: int = 100,
    ) -> builtins.list[HistoryEvent]:
        """Return what happened to one memory (or to all of a scope), oldest first."""
        scope = self._scope(user_id, app_id)
        if memory_id is not None:
            self.get(memory_id, user_id=scope.user_id, app_id=scope.app_id)
        return self._resources.store.history(
            scope, memory_id, limit=validation.count(limit, "limit", 1, 10_000)
        )

    def profile(self, *, user_id: str | int, app_id: str | None = None) -> dict[str, MemoryItem]:
        """Return the current profile: key → entry (its value in ``metadata["value"]``)."""
        scope = self._scope(user_id, app_id)
        store = self._resources.store
        page = store.list_nodes(scope, layers=[Layer.BASIC_INFO], limit=500)
        items = chains.items_of(store, scope, page.nodes)
        return {str(item.metadata["key"]): item for item in items if "key" in item.metadata}

    def list_scopes(self, *, app_id: str | None = None) -> builtins.list[ScopeSummary]:
        """List whose memories there are, with their counts."""
        self._open()
        return [
            ScopeSummary(scope.app_id, scope.user_id, counts)
            for scope, counts in self._resources.store.list_scopes(
                None if app_id is None else validation.id_to_find(app_id)
            )
        ]

    def _recall(self, request: RecallRequest) -> RecallOutcome:
        return self._with_current_embedder(
            lambda: recall_items(RecallDeps.of(self._resources), request)
        )

    def _request(
        self,
        query: str | None,
        messages: Sequence[Any] | None,
        *,
        user_id: Any,
        app_id: Any,
        top_k: int | None,
        layers: Sequence[Layer | str] | None,
        filters: Mapping[str, Any] | None,
        threshold: float | None,
        as_of: Any = None,
        time_range: Any = None,
        reference_time: Any = None,
        include_superseded: bool = False,
        explain: bool = False,
    ) -> RecallRequest:
        scope = self._scope(user_id, app_id)
        settings = self._resources.settings
        if (query is None) == (messages is None):
            given = "both" if query is not None else "neither"
            raise InputError(f"pass a query or messages=…, got {given}")
        wanted = settings.retrieval_top_k if top_k is None else top_k
        now = self._resources.clock()
        return RecallRequest(
            scope=scope,
            query=validation.query(query, settings) if query is not None else "",
            messages=validation.query_messages(messages, settings, now),
            top_k=validation.count(wanted, "top_k", 1, settings.max_top_k),
            layers=validation.layers(layers),
            filters=filters,
            threshold=validation.share(threshold, "threshold"),
            as_of=validation.moment(as_of, "as_of", settings),
            time_range=validation.time_range(time_range, settings),
            reference_time=validation.moment(reference_time, "reference_time", settings),
            include_superseded=validation.flag(include_superseded, "include_superseded"),
            explain=validation.flag(explain, "explain"),
        )
