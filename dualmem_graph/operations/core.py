"""What all operations share: the resources, the scope of a call, and the jobs' hands."""

from __future__ import annotations

import threading
from typing import Any

from dualmem_graph.background import JobRunner
from dualmem_graph.errors import ClosedError
from dualmem_graph.pending import EMBED, embed_pending, queue_embedding
from dualmem_graph.recall import chains
from dualmem_graph.resources import Resources, using
from dualmem_graph.scope import make_scope
from dualmem_graph.storage.records import Job
from dualmem_graph.system1.graph import reconcile_builder, system1_builder
from dualmem_graph.system1.state import MemoryContext, dump
from dualmem_graph.types import MemoryItem, Node, Scope


class OperationsCore:
    """The open store, the compiled graphs and the job runner beneath every operation."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        # checkpointer=False: a run inside another graph's node leaves nothing in that thread
        self._system1 = system1_builder.compile(name="system1", checkpointer=False)
        self._reconcile = reconcile_builder.compile(name="reconcile", checkpointer=False)
        self._closed = False
        #: Held while the store is changed over to another embedder.
        self._switching = threading.Lock()
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

    def close(self, timeout: float | None = None) -> None:
        """Wait (bounded) for work under way and let go of the store; pending jobs stay in it."""
        if self._closed:
            return
        self._closed = True
        bound = self._resources.settings.close_timeout if timeout is None else timeout
        self._runner.close(bound)
        self._resources.close(bound)

    def _open(self) -> None:
        if self._closed:
            raise ClosedError("this client is closed; make a new one")

    def _scope(self, user_id: Any, app_id: Any) -> Scope:
        self._open()
        chosen = self._resources.settings.default_app_id if app_id is None else app_id
        return make_scope(user_id, chosen)

    def _item(self, scope: Scope, node: Node) -> MemoryItem:
        return chains.items_of(self._resources.store, scope, [node])[0]

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
