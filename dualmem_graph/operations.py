"""Every operation, implemented once; all surfaces call it.

A method validates at the border, runs a graph or a store call, and returns the values of
:mod:`dualmem_graph.types`. Scope comes first in every one of them.
"""

from __future__ import annotations

import builtins
import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from numpy.typing import ArrayLike

from dualmem_graph import bulk, validation
from dualmem_graph.background import JobRunner
from dualmem_graph.errors import ClosedError, InputError, MemoryNotFoundError
from dualmem_graph.pending import EMBED, embed_pending, queue_embedding, scopes_waiting
from dualmem_graph.recall import chains, formatter
from dualmem_graph.recall.request import RecallDeps, RecallOutcome, RecallRequest
from dualmem_graph.recall.run import recall_items
from dualmem_graph.resources import Resources, using
from dualmem_graph.scope import make_scope
from dualmem_graph.storage import tools
from dualmem_graph.storage.records import About, Job
from dualmem_graph.system1 import rules
from dualmem_graph.system1.graph import reconcile_builder, system1_builder
from dualmem_graph.system1.profile import update_profile
from dualmem_graph.system1.state import MemoryContext, dump, load
from dualmem_graph.types import (
    AddEvent,
    AddResult,
    DeleteResult,
    Gate,
    HistoryEvent,
    ImportResult,
    Layer,
    MemoryItem,
    MemoryType,
    Node,
    Page,
    Scope,
    ScopeSummary,
    SearchResult,
    Skipped,
    Status,
)

logger = logging.getLogger(__name__)

#: Layers of a listing that names none: all that was drawn from what was said, not the words.
_LISTED = tuple(layer for layer in Layer if layer is not Layer.RAW)
#: No model takes more; a larger budget is a mistake.
_MOST_CONTEXT_TOKENS = 1_000_000


class MemoryOperations:
    """The memory of one store; thread-safe.

    Every method takes ``user_id`` (required, a string or an integer) and ``app_id`` (default:
    the setting). A blank or foreign-typed id raises :class:`~dualmem_graph.errors.ScopeError`.
    """

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        # checkpointer=False: a run inside another graph's node leaves nothing in that thread
        self._system1 = system1_builder.compile(name="system1", checkpointer=False)
        self._reconcile = reconcile_builder.compile(name="reconcile", checkpointer=False)
        self._closed = False
        self._runner = JobRunner(
            resources.store.jobs,
            {
                "extract": self._run_extract_job,
                "reconcile": self._run_reconcile_job,
                EMBED: self._run_embed_job,
            },
            workers=resources.settings.job_workers,
            exit_timeout=resources.settings.close_timeout,
        )
        if resources.store.jobs.pending_count():
            self._runner.notify()

    # --- writing

    def add(
        self,
        content: str | None = None,
        *,
        messages: Sequence[Any] | None = None,
        user_id: str | int,
        app_id: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        memory_at: datetime | str | None = None,
        metadata: Mapping[str, Any] | None = None,
        memory_type: MemoryType | str | None = None,
        idempotency_key: str | None = None,
        wait: bool | None = None,
    ) -> AddResult:
        """Remember what was said.

        When it returns, the words are durable and what was drawn from them is findable;
        reconciling (and the profile) is a background job unless ``wait`` is true.

        Args:
            content: one text of the user; or
            messages: dicts (``role``, ``content``, optional ``name``, ``timestamp``, ``id``),
                LangChain messages, or ``(role, text)`` pairs.
            memory_at: when it was said, for messages without a timestamp; default: now.
            metadata: plain JSON kept with every node of this call.
            memory_type: force ``semantic``, ``episodic`` or ``procedural``.
            idempotency_key: the same key in the same session is the same call, whenever repeated.
            wait: reconcile and index before returning; default: the setting ``reconcile_sync``.

        Raises:
            InputError: neither or both of ``content`` and ``messages``, or an unusable one.
            EmbeddingMismatchError: the store was written with another embedder.

        >>> memory.add("I moved from Beijing to Shanghai last week.", user_id="u1").status
        'stored'
        """
        scope = self._scope(user_id, app_id)
        settings = self._resources.settings
        if (content is None) == (messages is None):
            given = "both" if content is not None else "neither"
            raise InputError(f"pass content=… or messages=…, got {given}")
        if content is not None:
            messages = [("user", validation.said(content))]
        elif isinstance(messages, Sequence) and not messages:
            raise InputError("messages is an empty list; pass at least one message")
        sync = settings.reconcile_sync if wait is None else validation.flag(wait, "wait")
        state: dict[str, Any] = {
            "messages": messages,
            "memory_at": validation.instant(memory_at, "memory_at", settings),
            "metadata": validation.metadata(metadata, settings),
            "memory_type": validation.memory_type(memory_type),
            "idempotency_key": validation.label(idempotency_key, "idempotency_key"),
        }
        context = MemoryContext(
            user_id=scope.user_id,
            app_id=scope.app_id,
            session_id=validation.label(session_id, "session_id"),
            agent_id=validation.label(agent_id, "agent_id"),
            reconcile="sync" if sync else "background",
        )
        with using(self._resources):
            output = self._system1.invoke(state, context=context)  # type: ignore[call-overload]
        if any(reason.startswith("embedding") for reason in output["degraded"]):
            self._embed_later(scope)
        if output["job_id"] is not None or output["status"] == "partial":
            self._runner.notify()
        if wait:
            self._resources.store.flush_index(settings.close_timeout)
        return _add_result(output, scope)

    def update(
        self,
        memory_id: str,
        content: str,
        *,
        user_id: str | int,
        app_id: str | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> MemoryItem:
        """Write a new version that supersedes ``memory_id`` and return it.

        The same content again changes nothing and returns the version as it is.

        Raises:
            MemoryNotFoundError: no such memory in this scope.
            NotHeadError: a newer version exists; the error names it.
        """
        scope = self._scope(user_id, app_id)
        settings = self._resources.settings
        text = validation.memory_text(content, settings)
        checked_tags = validation.tags(tags, settings)
        checked = None if metadata is None else validation.metadata(metadata, settings)
        resources = self._resources
        with using(resources):
            vectors, _ = tools.embed([text])
            node = resources.store.update(
                scope,
                memory_id,
                text,
                embedding=None if vectors is None else vectors[0],
                fingerprint=None if vectors is None else resources.embedder.fingerprint,
                about=_about(text),
                tags=checked_tags,
                metadata=checked,
                actor="user",
            )
            update_profile(scope, facts=[node])
        if vectors is None:
            self._embed_later(scope)
        return self._item(scope, node)

    def delete(
        self,
        memory_id: str,
        *,
        user_id: str | int,
        app_id: str | None = None,
        delete_chain: bool = False,
    ) -> DeleteResult:
        """Hide one version (or its whole chain); nothing below it becomes current again.

        What was derived from it alone is retired with it. :meth:`restore` brings it back.

        Raises:
            MemoryNotFoundError: no such memory in this scope, or it is deleted already.
        """
        scope = self._scope(user_id, app_id)
        done = self._resources.store.delete(
            scope, memory_id, chain=delete_chain, actor="user", reason="delete"
        )
        if not done.hidden:
            raise MemoryNotFoundError(
                f"memory {memory_id!r} is deleted already; restore() brings it back"
            )
        return DeleteResult(done.hidden, done.derived, scope)

    def restore(
        self, memory_id: str, *, user_id: str | int, app_id: str | None = None
    ) -> MemoryItem:
        """Make a deleted or superseded version the head of its chain again.

        Raises:
            MemoryNotFoundError: no such memory in this scope.
        """
        scope = self._scope(user_id, app_id)
        return self._item(scope, self._resources.store.restore(scope, memory_id, actor="user"))

    def delete_scope(
        self, *, user_id: str | int, app_id: str | None = None, confirm: bool = False
    ) -> dict[str, int]:
        """Remove everything of one user in one app for good; returns counts per kind.

        Raises:
            InputError: ``confirm`` is not true.
        """
        scope = self._scope(user_id, app_id)
        if confirm is not True:
            raise InputError(
                f"delete_scope removes everything of {scope} for good; pass confirm=True to do it"
            )
        return self._resources.store.delete_scope(scope, actor="user")

    def import_(
        self,
        nodes: Sequence[Mapping[str, Any]],
        vectors: ArrayLike | None = None,
        *,
        user_id: str | int,
        app_id: str | None = None,
    ) -> ImportResult:
        """Load ready-made memories in bulk, without a model call.

        Args:
            nodes: mappings with ``content`` and optional ``id, layer, memory_type, subject, tags,
                metadata, session_id, agent_id, role, name, message_id, memory_at``.
            vectors: shape ``(len(nodes), embedder width)``; without it they are embedded here.

        Raises:
            InputError: a node without content or of an unknown form, or vectors of another shape.
        """
        scope = self._scope(user_id, app_id)
        resources = self._resources
        read = bulk.read_nodes(scope, nodes, resources.settings, resources.clock())
        matrix = bulk.read_vectors(vectors, len(read))
        counts = bulk.write_nodes(resources, scope, read, matrix)
        return ImportResult(added=counts["added"], skipped=counts["skipped"], scope=scope)

    # --- reading

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
        node = self._resources.store.get(scope, str(memory_id))
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
            for scope, counts in self._resources.store.list_scopes(app_id)
        ]

    # --- housekeeping

    def flush(
        self,
        *,
        user_id: str | int | None = None,
        app_id: str | None = None,
        timeout: float | None = None,
    ) -> bool:
        """Do all pending work now: jobs (also those in a retry pause), vectors, and the index.

        Returns:
            True when nothing is left to do within ``timeout`` seconds.
        """
        self._open()
        scope = None if user_id is None else self._scope(user_id, app_id)
        for waiting in scopes_waiting(self._resources):
            queue_embedding(self._resources, waiting)
        done = self._runner.flush(scope, timeout)
        return self._resources.store.flush_index(timeout) and done

    def stats(
        self, *, user_id: str | int | None = None, app_id: str | None = None
    ) -> dict[str, Any]:
        """Count memories by layer and status, jobs, usage, and where candidates came from."""
        self._open()
        scope = None if user_id is None else self._scope(user_id, app_id)
        return self._resources.store.stats(scope)

    def status(self) -> dict[str, Any]:
        """Say how the store is: ledger, index, embedder, model, jobs that wait or were parked."""
        self._open()
        resources = self._resources
        chat = resources.chat
        return resources.store.status() | {
            "mode": resources.settings.mode,
            "embedder": resources.embedder.name,
            "model": chat.name if chat is not None else None,
            "extractor": "rules" if chat is None else "llm",
        }

    def close(self, timeout: float | None = None) -> None:
        """Wait (bounded) for work under way and let go of the store; pending jobs stay in it."""
        if self._closed:
            return
        self._closed = True
        bound = self._resources.settings.close_timeout if timeout is None else timeout
        self._runner.close(bound)
        self._resources.close(bound)

    # --- within

    def _open(self) -> None:
        if self._closed:
            raise ClosedError("this client is closed; make a new one")

    def _scope(self, user_id: Any, app_id: Any) -> Scope:
        self._open()
        chosen = self._resources.settings.default_app_id if app_id is None else app_id
        return make_scope(user_id, chosen)

    def _item(self, scope: Scope, node: Node) -> MemoryItem:
        return chains.items_of(self._resources.store, scope, [node])[0]

    def _recall(self, request: RecallRequest) -> RecallOutcome:
        return recall_items(RecallDeps.of(self._resources), request)

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

    def _run_extract_job(self, job: Job) -> None:
        """Read turns again whose extraction did not finish (a crash, or a model that was down)."""
        turn_ids = [str(item) for item in job.payload.get("turn_ids", [])]
        state = {
            "messages": [],
            "turn_ids": turn_ids,
            "metadata": job.payload.get("metadata"),
            "memory_type": job.payload.get("memory_type"),
            "lease": dump(job.lease),
        }
        with using(self._resources):
            output = self._system1.invoke(state, context=_job_context(self._resources, job))  # type: ignore[call-overload]
        if output["job_id"] is not None:
            self._runner.notify()

    def _run_reconcile_job(self, job: Job) -> None:
        state = {
            "written": job.payload["written"],
            "turn_ids": job.payload["turn_ids"],
            "extraction": job.payload["extraction"],
            "lease": dump(job.lease),
        }
        with using(self._resources):
            self._reconcile.invoke(state, context=_job_context(self._resources, job))  # type: ignore[call-overload]

    def _embed_later(self, scope: Scope) -> None:
        queue_embedding(self._resources, scope)
        self._runner.notify()

    def _run_embed_job(self, job: Job) -> None:
        embed_pending(self._resources)
        if job.lease is not None:
            self._resources.store.jobs.complete(job.lease)


def _add_result(output: Mapping[str, Any], scope: Scope) -> AddResult:
    return AddResult(
        status=output["status"],
        gate=load(Gate, output["gate"]) if output["gate"] else None,
        events=tuple(load(AddEvent, item) for item in output["events"]),
        extractor=output["extractor"],
        skipped=tuple(load(Skipped, item) for item in output["skipped"]),
        job_id=output["job_id"],
        turn_ids=tuple(output["turn_ids"]),
        scope=scope,
        degraded=tuple(output["degraded"]),
    )


def _job_context(resources: Resources, job: Job) -> MemoryContext:
    """Whose job it is, and the conversation that its turns belong to."""
    ids = [str(item) for item in job.payload.get("turn_ids", [])[:1]]
    first = next(iter(resources.store.get_many(job.scope, ids).values()), None)
    return MemoryContext(
        user_id=job.scope.user_id,
        app_id=job.scope.app_id,
        session_id=first.session_id if first else None,
        agent_id=first.agent_id if first else None,
    )


def _about(content: str) -> About:
    """Read what a statement is a version of."""
    reading = rules.read_statement(content)
    if reading is None:
        return About()
    return About(reading.dimension, reading.value, reading.negated)
