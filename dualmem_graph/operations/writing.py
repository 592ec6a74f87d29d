"""Operations that remember: what was said, and an edit of what is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from dualmem_graph import validation
from dualmem_graph.errors import InputError
from dualmem_graph.operations.reembedding import ReembeddingOperations
from dualmem_graph.resources import using
from dualmem_graph.storage import tools
from dualmem_graph.storage.records import About
from dualmem_graph.system1 import rules
from dualmem_graph.system1.profile import update_profile
from dualmem_graph.system1.state import MemoryContext, load
from dualmem_graph.types import (
    AddEvent,
    AddResult,
    Gate,
    MemoryItem,
    MemoryType,
    Node,
    Scope,
    Skipped,
)


class WritingOperations(ReembeddingOperations):
    """``add`` and ``update``."""

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

        def run() -> Any:
            with using(self._resources):
                return self._system1.invoke(state, context=context)  # type: ignore[call-overload]

        # the first to meet another embedder is the storing of the turns: nothing is written then
        output = self._with_current_embedder(run)
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
        revision: int | None = None,
    ) -> MemoryItem:
        """Write a new version that supersedes ``memory_id`` and return it.

        The same content again changes nothing and returns the version as it is.

        Args:
            revision: the ``revision`` of the item that was read; refuses if it changed since.

        Raises:
            ConflictError: it is no longer at ``revision``.
            MemoryNotFoundError: no such memory in this scope.
            NotHeadError: a newer version exists; the error names it.
        """
        scope = self._scope(user_id, app_id)
        settings = self._resources.settings
        text = validation.memory_text(content, settings)
        checked_tags = validation.tags(tags, settings)
        checked = None if metadata is None else validation.metadata(metadata, settings)

        def run() -> tuple[Node, bool]:
            resources = self._resources
            with using(resources):
                vectors, _ = tools.embed([text])
                node, lease = resources.store.edit(
                    scope,
                    validation.id_to_find(memory_id),
                    text,
                    embedding=None if vectors is None else vectors[0],
                    fingerprint=None if vectors is None else resources.embedder.fingerprint,
                    about=_about(text),
                    tags=checked_tags,
                    metadata=checked,
                    revision=validation.revision(revision),
                    actor="user",
                    lease=resources.settings.job_lease,
                )
                update_profile(scope, facts=[node], finish=lease)
            return node, vectors is None

        node, is_pending = self._with_current_embedder(run)
        if is_pending:
            self._embed_later(scope)
        return self._item(scope, node)


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


def _about(content: str) -> About:
    """Read what a statement is a version of."""
    reading = rules.read_statement(content)
    if reading is None:
        return About()
    return About(reading.dimension, reading.value, reading.negated)
