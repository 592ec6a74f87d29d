"""The storage API: one object over the ledger (the truth) and the vector index (derived from it).

A thin façade: plans are carried out in :mod:`~dualmem_graph.storage.plans`, other writes are in
:mod:`~dualmem_graph.storage.writes` and :mod:`~dualmem_graph.storage.bulk`, reads in
:mod:`~dualmem_graph.storage.reads` and :mod:`~dualmem_graph.storage.walks`. Objects on one ledger
within a process share its connections and its index.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from dualmem_graph.config import Settings
from dualmem_graph.errors import ClosedError, DualMemError
from dualmem_graph.storage import (
    archive,
    bulk,
    compaction,
    plans,
    purging,
    reads,
    status,
    walks,
    writes,
)
from dualmem_graph.storage.invariants import violations
from dualmem_graph.storage.jobs import JobQueue
from dualmem_graph.storage.ledger import Ledger, claim_meta
from dualmem_graph.storage.records import (
    UNREAD,
    About,
    Applied,
    ChainLink,
    Deleted,
    Lease,
    LexicalHits,
    NewJob,
    NewNode,
    NewTurn,
    NodePage,
    Plan,
    Purged,
    ScopeInfo,
    SemanticHits,
    TurnEvidence,
    TurnsWritten,
    Vector,
)
from dualmem_graph.storage.reembedding import Reembedding, mismatch
from dualmem_graph.storage.scope_cache import EMBEDDER_KEY
from dualmem_graph.storage.sharing import Clock, Shared, acquire, release
from dualmem_graph.storage.turns import Conversation
from dualmem_graph.storage.writer import Writer
from dualmem_graph.types import HistoryEvent, Layer, Node, Scope, Status

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dualmem_graph.storage.vectors import VectorSide

logger = logging.getLogger(__name__)

_CURRENT = (Status.ACTIVE,)


def utc_now() -> datetime:
    """Return the present instant, aware, in UTC."""
    return datetime.now(UTC)


class MemoryStore:
    """What is remembered, by scope. Safe to use from many threads; see the module.

    Every method takes the scope first and sees nothing outside it. An id that belongs to another
    scope is answered exactly like one that does not exist.

    >>> from dualmem_graph.config import Settings
    >>> from dualmem_graph.types import Scope
    >>> import tempfile
    >>> store = MemoryStore.open(Settings(storage_dir=tempfile.mkdtemp(), vector_index="off"))
    >>> turns = [NewTurn("user", "I moved to Porto.", utc_now())]
    >>> written = store.add_turns(Scope("default", "u1"), turns, session_id="s1")
    >>> store.get(Scope("default", "u1"), written.turns[0].turn_id).content
    'I moved to Porto.'
    >>> store.close()
    """

    def __init__(self, shared: Shared, settings: Settings, clock: Clock) -> None:
        self._shared = shared
        self._settings = settings
        self._clock = clock
        self._is_closed = False
        self._jobs = JobQueue(shared.ledger, settings, clock)

    @classmethod
    def open(cls, settings: Settings, *, clock: Clock = utc_now) -> MemoryStore:
        """Open (and create, if need be) the store that the settings describe.

        Raises:
            SchemaVersionError: a newer version of this package wrote it.
            StoreLockedError: another process holds it longer than ``lock_timeout``.
            StoreError: it cannot be read or written.
        """
        return cls(acquire(settings, clock), settings, clock)

    def close(self, timeout: float | None = None) -> None:
        """Let go of the store; waits at most ``timeout`` seconds for index work under way."""
        if not self._is_closed:
            self._is_closed = True
            release(self._shared, self._settings.close_timeout if timeout is None else timeout)

    @property
    def ledger(self) -> Ledger:
        """The ledger beneath."""
        self._check_open()
        return self._shared.ledger

    @property
    def jobs(self) -> JobQueue:
        """The queue of background work."""
        self._check_open()
        return self._jobs

    # --- embedder

    def bind_embedder(self, fingerprint: str) -> None:
        """Stamp the store with the embedder that writes its vectors, at the first vector.

        Raises:
            EmbeddingMismatchError: another one did already; names both.
        """
        if self._shared.embedder != fingerprint:
            with self.ledger.write() as conn:
                self._shared.embedder = claim_meta(conn, EMBEDDER_KEY, fingerprint)
            self._refuse_other(fingerprint)

    def check_embedder(self, fingerprint: str) -> None:
        """Make sure that vectors of this embedder can be compared with the stored ones.

        Raises:
            EmbeddingMismatchError: another embedder wrote them; names both.
        """
        if self._shared.embedder is None:
            self._shared.embedder = self.ledger.meta(EMBEDDER_KEY)
        self._refuse_other(fingerprint)

    def reembedding(self, fingerprint: str) -> Reembedding:
        """Begin, or go on with, the change to another embedder."""
        return Reembedding(self.ledger, fingerprint)

    def forget_embedder(self) -> None:
        """Read anew, when it is next asked for, which embedder the store is of."""
        self._shared.embedder = None

    def set_embeddings(self, scope: Scope, vectors: Mapping[str, Vector], fingerprint: str) -> int:
        """Give nodes their vectors; answers how many of the ids exist."""
        self.bind_embedder(fingerprint)
        return writes.set_embeddings(self._writer(), scope, dict(vectors), fingerprint)

    def pending_embeddings(self, limit: int = 100) -> list[tuple[Scope, str, str]]:
        """Find ``(scope, id, content)`` of memories that still want a vector, oldest first."""
        with self.ledger.read() as conn:
            return reads.pending_embeddings(conn, limit)

    # --- writing

    def add_turns(
        self,
        scope: Scope,
        turns: Sequence[NewTurn],
        *,
        session_id: str | None = None,
        agent_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        embeddings: NDArray[Any] | None = None,
        fingerprint: str | None = None,
        job: NewJob | None = None,
        lease: float | None = None,
    ) -> TurnsWritten:
        """Keep turns word for word, each once however often it is sent.

        A message id, or the idempotency key with the place in the call, names a turn. Without
        either, turns that repeat the end of their session are the same ones: within
        ``dedup_window`` seconds, or where at least two of them are followed by new ones.

        Args:
            embeddings: ``(len(turns), width)``, or ``None`` to be given later.
            job: queued with the turns, unless none is new; its payload gets the new ``turn_ids``.
            lease: seconds for which the caller itself holds the job (``TurnsWritten.job``).

        Raises:
            EmbeddingMismatchError: the store was written with another embedder.
            InputError: a turn is empty, or the number of embeddings is another.
        """
        talk = Conversation(
            turns=turns,
            session_id=session_id,
            agent_id=agent_id,
            metadata=metadata,
            idempotency_key=idempotency_key,
            vectors=None if embeddings is None else list(embeddings),
            fingerprint=fingerprint,
            dedup_window=self._settings.dedup_window,
        )
        if embeddings is not None and fingerprint is not None:
            self.bind_embedder(fingerprint)
        return writes.add_turns(self._writer(), scope, talk, job=job, lease=lease)

    def apply(self, scope: Scope, plan: Plan, *, actor: str, reason: str = "") -> Applied:
        """Carry out a plan in one transaction: all of it, or nothing.

        Nodes are taken in order, so that a node may rest on one before it. One whose id is there
        already is ``EXISTS``; one that repeats a current memory of its layer and subject is
        ``DUPLICATE`` and lends it its evidence; one that was deleted on purpose is ``TOMBSTONED``;
        one whose evidence is all gone is ``REFUSED``. Targets of a supersede that are unknown,
        foreign or no longer heads are refused one by one.

        Raises:
            ConflictError: ``plan.finish`` names a job that another runner took over.
            EmbeddingMismatchError: a vector is of another embedder than the store's.
        """
        self._bind_all(plan.nodes)
        return plans.apply(self._writer(), scope, plan, actor=actor, reason=reason)

    def update(self, scope: Scope, id: str, content: str, **fields: Any) -> Node:
        """Write a new version, and no job about it; see :meth:`edit`."""
        return self.edit(scope, id, content, **fields)[0]

    def edit(
        self,
        scope: Scope,
        id: str,
        content: str,
        *,
        embedding: Vector | None = None,
        fingerprint: str | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        about: About = UNREAD,
        revision: int | None = None,
        actor: str = "user",
        lease: float | None = None,
    ) -> tuple[Node, Lease | None]:
        """Write a new version that supersedes ``id`` and rests on the same evidence.

        With the same content no version is written; tags and metadata change in place.
        ``about`` says what the new content is a version of; by default what the old one is.

        Args:
            lease: seconds for which the caller holds the job that brings the profile up to date;
                without it there is none.

        Returns:
            The version that is current now, and that job's lease.

        Raises:
            MemoryNotFoundError: there is no such memory, or it was deleted.
            NotHeadError: it was superseded; names the version that is current.
            InputError: it is a turn or a schema, whose text never changes, or content is blank.
            ConflictError: it is no longer at ``revision``.
        """
        if embedding is not None and fingerprint is not None:
            self.bind_embedder(fingerprint)
        return writes.update(
            self._writer(),
            scope,
            id,
            content,
            embedding=embedding,
            fingerprint=fingerprint,
            tags=None if tags is None else tuple(tags),
            metadata=None if metadata is None else dict(metadata),
            about=about,
            revision=revision,
            actor=actor,
            lease=lease,
        )

    def delete(
        self, scope: Scope, id: str, *, chain: bool = False, actor: str = "user", reason: str = ""
    ) -> Deleted:
        """Hide a version (or its whole chain) and what rests on it alone.

        Nothing below it becomes current. A version that is hidden already is not in the answer.

        Raises:
            MemoryNotFoundError: there is no such memory.
        """
        return writes.delete(self._writer(), scope, id, chain=chain, actor=actor, reason=reason)

    def restore(self, scope: Scope, id: str, *, actor: str = "user") -> Node:
        """Make a version current again, at the head of its chain, with what was retired for it.

        Raises:
            MemoryNotFoundError: there is no such memory.
            InputError: all that it rests on is deleted itself.
        """
        return writes.restore(self._writer(), scope, id, actor=actor)

    def import_nodes(
        self,
        scope: Scope,
        nodes: Iterable[NewNode],
        *,
        actor: str = "import",
        batch: int = 1000,
    ) -> dict[str, int]:
        """Write many memories, ``batch`` in a transaction; answers how many met which outcome.

        Given ids are kept, unless another scope has one of them.
        """
        self._check_open()
        # the index follows at the end: beside the import it would only take its time
        writer = Writer(self._shared.ledger, self._clock, lambda: None)
        stream = self._bound(nodes)
        try:
            return bulk.import_nodes(writer, scope, stream, actor=actor, batch=batch)
        finally:
            self._shared.notify()

    def rehearse_import(self, scope: Scope, nodes: Sequence[NewNode]) -> Applied:
        """Say what :meth:`import_nodes` would do with these memories; nothing is written."""
        plan = Plan(nodes=list(nodes))
        return plans.apply(
            self._writer(), scope, plan, actor="import", adopts=True, is_rehearsal=True
        )

    def read_archive(
        self, scope: Scope
    ) -> AbstractContextManager[tuple[str | None, Iterator[archive.Record]]]:
        """Read all of a scope as one snapshot: the embedder's fingerprint, and the rows."""
        return archive.reading(self.ledger, scope)

    def restore_archive(
        self,
        scope: Scope,
        records: Iterable[archive.Record],
        *,
        fingerprint: str | None,
        dry_run: bool = False,
    ) -> archive.Restored:
        """Write an archive's rows into a scope, all or none; see :func:`archive.restore`.

        Args:
            fingerprint: the embedder of the archive's vectors, if they can be used here.
        """
        if fingerprint is not None and not dry_run:
            self.bind_embedder(fingerprint)
        return archive.restore(
            self._writer(), scope, records, fingerprint=fingerprint, dry_run=dry_run
        )

    def delete_scope(self, scope: Scope, *, actor: str = "user") -> dict[str, int]:
        """Delete everything of one scope for good; answers how many rows of each kind."""
        counts = purging.delete_scope(self._writer(), scope)
        logger.info("scope deleted by %s: %s", actor, counts)
        return counts

    def purge(
        self, scope: Scope, id: str, *, chain: bool = False, actor: str = "user", reason: str = ""
    ) -> Purged:
        """Remove a version (or its whole chain) or a turn for good, with all that says it.

        Gone with it: its vector, words, edges and history, what rests on nothing else, a fact that
        a removed profile entry restates, and the turns that it rests on. A turn that other
        memories rest on as well stays, without its words. What was below a removed version hangs
        below the next one above it, or has ended where there is none.

        Raises:
            MemoryNotFoundError: there is no such memory.
        """
        return purging.purge_memory(
            self._writer(), scope, id, chain=chain, actor=actor, reason=reason
        )

    def purge_session(
        self, scope: Scope, session_id: str, *, actor: str = "user", reason: str = ""
    ) -> Purged:
        """Remove the turns of a session, and what rests on them alone, for good.

        Raises:
            MemoryNotFoundError: the scope has no such session.
        """
        writer = self._writer()
        return purging.purge_session(writer, scope, session_id, actor=actor, reason=reason)

    def compact(self) -> bool:
        """Remove from the database's files what is left there of deleted rows.

        On PostgreSQL this locks one table after the other (VACUUM FULL).

        Returns:
            False where another process still reads; it stays due and is done later.
        """
        return compaction.compact(self.ledger)

    def is_compaction_due(self) -> bool:
        """Whether rows were removed since the last compaction."""
        return compaction.is_due(self.ledger)

    def record_usage(self, events: Sequence[Any]) -> None:
        """Keep what requests to models cost (``providers.usage.UsageEvent``)."""
        if events:
            with self.ledger.write() as conn:
                status.record_usage(conn, events)

    def record_usage_event(self, event: Any) -> None:
        """Keep the cost of one request; never raises, since the request itself went well."""
        try:
            self.record_usage([event])
        except DualMemError as error:
            logger.warning("usage of %s was not recorded: %s", event.operation, error)

    # --- reading

    def scope_info(self, scope: Scope) -> ScopeInfo | None:
        """Read a scope's counters; ``None`` where nothing was ever stored."""
        with self.ledger.read() as conn:
            return reads.scope_info(conn, scope)

    def list_scopes(self, app_id: str | None = None) -> list[tuple[Scope, dict[str, int]]]:
        """List the scopes (of one app) with the number of nodes by layer."""
        with self.ledger.read() as conn:
            return reads.list_scopes(conn, app_id)

    def get(self, scope: Scope, id: str) -> Node | None:
        """Read exactly this version, whatever its status."""
        return self.get_many(scope, [id]).get(id)

    def get_many(self, scope: Scope, ids: Iterable[str]) -> dict[str, Node]:
        """Read versions by id; absent ones are left out."""
        with self.ledger.read() as conn:
            return reads.get_many(conn, scope, ids)

    def head_of(self, scope: Scope, id: str) -> str | None:
        """Find the head of a version's chain: itself, where it has no successor."""
        with self.ledger.read() as conn:
            return walks.head_of(conn, scope, id)

    def chains(self, scope: Scope, ids: Iterable[str]) -> dict[str, list[ChainLink]]:
        """Read all versions below each id, the one said last first; ``[]`` where there are none."""
        with self.ledger.read() as conn:
            return walks.chains(conn, scope, ids)

    def sources(self, scope: Scope, ids: Iterable[str]) -> dict[str, list[TurnEvidence]]:
        """Read the turns that each id rests on, however indirectly, oldest first."""
        with self.ledger.read() as conn:
            return walks.sources(conn, scope, ids)

    def derived_from(self, scope: Scope, ids: Iterable[str]) -> dict[str, list[Node]]:
        """Read what rests directly on each id, oldest first."""
        with self.ledger.read() as conn:
            return walks.derived_from(conn, scope, ids)

    def grounds(self, scope: Scope, ids: Iterable[str]) -> dict[str, list[Node]]:
        """Read what each id rests on directly, oldest first."""
        with self.ledger.read() as conn:
            return walks.grounds(conn, scope, ids)

    def list_nodes(
        self,
        scope: Scope,
        *,
        layers: Sequence[Layer] | None = None,
        statuses: Sequence[str] = _CURRENT,
        session_id: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
        newest_first: bool = True,
    ) -> NodePage:
        """Read a page of nodes in order of arrival.

        Raises:
            InputError: ``limit`` is below 1, or ``cursor`` is not of a page.
        """
        with self.ledger.read() as conn:
            return reads.list_nodes(
                conn,
                scope,
                layers=layers,
                statuses=statuses,
                session_id=session_id,
                limit=limit,
                cursor=cursor,
                newest_first=newest_first,
            )

    def recent_turns(
        self, scope: Scope, session_id: str | None, k: int, *, before_seq: int | None = None
    ) -> list[Node]:
        """Read the last ``k`` turns of a session, oldest first."""
        with self.ledger.read() as conn:
            return reads.recent_turns(conn, scope, session_id, k, before_seq)

    def history(
        self,
        scope: Scope,
        id: str | None = None,
        since: datetime | None = None,
        limit: int = 100,
    ) -> list[HistoryEvent]:
        """Read the newest events of one memory, or of all, oldest first."""
        with self.ledger.read() as conn:
            return reads.history(conn, scope, id, since, limit)

    def heads_by_dimension(
        self, scope: Scope, keys: Iterable[tuple[str, str]]
    ) -> dict[tuple[str, str], list[Node]]:
        """Read the heads of each (subject, dimension), also those EXPIRED or SHADOW."""
        with self.ledger.read() as conn:
            return reads.heads_by_dimension(conn, scope, keys)

    def lexical(
        self,
        scope: Scope,
        terms: Sequence[str],
        limit: int,
        *,
        layers: Sequence[Layer] | None = None,
        statuses: Sequence[str] = _CURRENT,
    ) -> LexicalHits:
        """Find candidates by words, with the scope's own statistics for scoring them."""
        with self.ledger.read() as conn:
            return reads.lexical(conn, scope, terms, limit, layers=layers, statuses=statuses)

    def semantic(
        self,
        scope: Scope,
        vector: Vector,
        k: int,
        *,
        layers: Sequence[Layer] | None = None,
        statuses: Sequence[str] = _CURRENT,
        exclude: Sequence[str] = (),
        fingerprint: str | None = None,
    ) -> SemanticHits:
        """Find the ``k`` nearest nodes by cosine, exactly scored.

        Args:
            vector: ``(width,)``, L2-normalised.
            fingerprint: the embedder that it is of.

        Raises:
            EmbeddingMismatchError: the vector is of another embedder, or of another width, than
                the store's.
        """
        info = self.scope_info(scope)
        if info is None:
            return SemanticHits()
        return self._shared.vectors.search(
            info.id, info.hash, vector, k, layers, statuses, exclude, fingerprint
        )

    def similarities(
        self, scope: Scope, ids: Iterable[str], vector: Vector, fingerprint: str
    ) -> dict[str, float]:
        """Compare nodes with a vector; those without one of its embedder are left out."""
        with self.ledger.read() as conn:
            return reads.similarities(conn, scope, ids, vector, fingerprint)

    # --- the store itself

    def stats(self, scope: Scope | None = None) -> dict[str, Any]:
        """Count what is stored, of one scope or of all."""
        with self.ledger.read() as conn:
            return status.stats(conn, scope)

    def status(self) -> dict[str, Any]:
        """Describe the store: where, which versions, which embedder, jobs, and the index."""
        found = status.describe(self.ledger)
        found["jobs"] = status.job_counts(self.ledger)
        found["index"] = self._shared.vectors.status()
        return found

    def check(self) -> list[str]:
        """Check all that must hold of the ledger; answers what does not, as sentences."""
        with self.ledger.read() as conn:
            return violations(conn)

    def flush_index(self, timeout: float | None = None) -> bool:
        """Wait until the vector index has followed; answers whether it did within ``timeout``."""
        limit = self._settings.close_timeout if timeout is None else timeout
        return bool(self._shared.vectors.drain(limit))

    @property
    def index(self) -> VectorSide:
        """The vectors: exact search, and the index beside it."""
        self._check_open()
        return self._shared.vectors

    def _writer(self) -> Writer:
        self._check_open()
        return Writer(self._shared.ledger, self._clock, self._shared.notify)

    def _check_open(self) -> None:
        if self._is_closed:
            raise ClosedError("this store was closed; open another one")

    def _refuse_other(self, fingerprint: str) -> None:
        if self._shared.embedder not in (None, fingerprint):
            # another process may have changed the store over since it was read
            self._shared.embedder = self.ledger.meta(EMBEDDER_KEY)
        known = self._shared.embedder
        if known is not None and known != fingerprint:
            raise mismatch(known, fingerprint)

    def _bind_all(self, nodes: Iterable[NewNode]) -> None:
        for fingerprint in {node.fingerprint for node in nodes if node.embedding is not None}:
            if fingerprint is not None:
                self.bind_embedder(fingerprint)

    def _bound(self, nodes: Iterable[NewNode]) -> Iterable[NewNode]:
        for node in nodes:
            if node.embedding is not None and node.fingerprint != self._shared.embedder:
                self._bind_all([node])
            yield node
