"""The values that go into and come out of the store, and their rows.

Frozen dataclasses only; nothing here touches a connection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from dualmem_graph.errors import EmbeddingError
from dualmem_graph.storage import schema
from dualmem_graph.types import (
    Emotion,
    Granularity,
    Layer,
    MemoryType,
    Node,
    Scope,
    Status,
    TimeSpan,
    Turn,
    UpdateType,
)

Vector = NDArray[np.float32]

#: Why a target of a :class:`Supersede` was refused.
UNKNOWN_ID = "unknown id"
NOT_HEAD = "not the head"
ITSELF = "a memory cannot supersede itself"
CYCLE = "it supersedes the new one already"
IS_RAW = "raw turns are never superseded"
IS_DELETED = "the new one was deleted"
IS_OLDER = "the new one is older, and already below another version"

#: Statuses that full text covers.
SEARCHABLE = (Status.ACTIVE, Status.SUPERSEDED)


class WriteOp(StrEnum):
    """What became of a node that was to be written."""

    ADDED = "ADDED"
    EXISTS = "EXISTS"
    DUPLICATE = "DUPLICATE"
    TOMBSTONED = "TOMBSTONED"
    REFUSED = "REFUSED"


# --- what a caller hands in


@dataclass(frozen=True, slots=True)
class NewTurn:
    """One message to keep word for word.

    ``explicit_at`` says that the message itself carried ``at``, so that two equal texts with
    different timestamps are two turns and not a retry.
    """

    role: str
    text: str
    at: datetime
    name: str | None = None
    message_id: str | None = None
    explicit_at: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """A node that another one rests on, and the words of it that say so."""

    node_id: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class NewNode:
    """One memory to write. ``embedding`` is ``None`` while the embedder could not be reached."""

    id: str
    layer: Layer
    content: str
    memory_type: MemoryType = MemoryType.SEMANTIC
    subject: str = "user"
    dimension: str | None = None
    value: str | None = None
    negated: bool = False
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    emotion: Emotion | None = None
    agent_id: str | None = None
    session_id: str | None = None
    role: str | None = None
    name: str | None = None
    message_id: str | None = None
    source: str = "user"
    extractor: str = "user"
    memory_at: datetime | None = None
    event: TimeSpan | None = None
    expires_at: datetime | None = None
    turn_index: int = 0
    evidence: tuple[Evidence, ...] = ()
    embedding: Vector | None = None
    fingerprint: str | None = None


@dataclass(frozen=True, slots=True)
class Supersede:
    """``new`` takes the place of each of ``old``.

    An ``explicit`` one makes ``new`` the head whatever the times say; else an older statement
    goes below.
    """

    new: str
    old: tuple[str, ...]
    update_type: UpdateType = UpdateType.OVERRIDE
    explicit: bool = False


@dataclass(frozen=True, slots=True)
class Hide:
    """A node to delete softly, and why."""

    id: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NewJob:
    """Work to be done later; one open job per scope, ``kind`` and ``key``."""

    kind: str
    key: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    run_after: datetime | None = None


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to run a job, until it lapses; ``token`` proves it."""

    job_id: str
    token: str
    until: datetime


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that one transaction is to do.

    ``evidence`` adds to nodes that are there already: ``(node id, evidence)``.
    """

    nodes: tuple[NewNode, ...] | list[NewNode] = ()
    supersedes: tuple[Supersede, ...] | list[Supersede] = ()
    hides: tuple[Hide, ...] | list[Hide] = ()
    expires: tuple[str, ...] | list[str] = ()
    evidence: tuple[tuple[str, Evidence], ...] | list[tuple[str, Evidence]] = ()
    jobs: tuple[NewJob, ...] | list[NewJob] = ()
    finish: Lease | None = None


@dataclass(frozen=True, slots=True)
class About:
    """What a statement is a version of, where that could be read off its text."""

    dimension: str | None = None
    value: str | None = None
    negated: bool = False


UNREAD = About()


# --- what comes back


@dataclass(frozen=True, slots=True)
class TurnsWritten:
    """The turns of one call, in order, and which of them were not there before.

    ``purged`` are the places in the call of turns that were purged before and stay out.
    """

    turns: tuple[Turn, ...]
    is_new: tuple[bool, ...]
    job: Lease | None = None
    purged: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class WriteOutcome:
    """What became of one :class:`NewNode`; ``node`` is the one that now stands for it.

    ``node`` is ``None`` where nothing does (TOMBSTONED, REFUSED).
    """

    op: WriteOp
    node: Node | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SupersedeOutcome:
    """What became of one :class:`Supersede`.

    Attributes:
        new: the node it was about, after deduplication.
        applied: the targets that ``new`` now supersedes.
        below: the head under which ``new`` was put, being the older statement.
        refused: ``(target, reason)`` for the rest.
    """

    new: str
    applied: tuple[str, ...] = ()
    below: str | None = None
    refused: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Applied:
    """The outcome of a :class:`Plan`, in the plan's order."""

    nodes: tuple[WriteOutcome, ...]
    supersedes: tuple[SupersedeOutcome, ...]
    hidden: tuple[str, ...]
    jobs: tuple[str, ...]
    revision: int


@dataclass(frozen=True, slots=True)
class Deleted:
    """The versions that were hidden, and what was retired because it rested on them alone."""

    hidden: tuple[str, ...]
    derived: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Purged:
    """The nodes that were removed, and the turns that stay without their words."""

    removed: tuple[str, ...]
    blanked: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScopeInfo:
    """A scope's row: ``documents`` and ``terms`` are the totals of its full text."""

    id: int
    hash: str
    revision: int
    documents: int
    terms: int


@dataclass(frozen=True, slots=True)
class Related:
    """A current memory that a new statement may touch, and how near it is (cosine)."""

    node: Node
    similarity: float = 0.0


@dataclass(frozen=True, slots=True)
class ChainLink:
    """An earlier version, and why its successor replaced it."""

    node: Node
    update_type: UpdateType | None


@dataclass(frozen=True, slots=True)
class TurnEvidence:
    """A turn that a node rests on, and the words of it that were used."""

    node: Node
    quote: str


@dataclass(frozen=True, slots=True)
class NodePage:
    """One page of a listing; ``total`` counts all pages, ``cursor`` is ``None`` on the last."""

    nodes: tuple[Node, ...]
    total: int
    cursor: str | None


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """A candidate of full text with all its index terms (with repeats)."""

    node_id: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LexicalHits:
    """Candidates in the database's order, and the scope's statistics for BM25."""

    hits: tuple[LexicalHit, ...] = ()
    documents: int = 0
    average_terms: float = 0.0
    frequencies: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SemanticHits:
    """``(node id, cosine)``, best first; ``degraded`` names the fallbacks that were taken."""

    hits: tuple[tuple[str, float], ...] = ()
    degraded: tuple[str, ...] = ()
    from_index: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """One row of the queue; ``lease`` is set on the one that :meth:`JobQueue.claim` returns."""

    id: str
    scope: Scope
    kind: str
    key: str
    payload: Mapping[str, Any]
    state: str
    attempts: int
    run_after: datetime
    created_at: datetime
    error: str | None = None
    lease: Lease | None = None


# --- rows

#: All columns of a node but its embedding, which is large and seldom wanted.
NODE_COLUMNS: tuple[sa.Column[Any], ...] = tuple(
    column for column in schema.nodes.c if column.name != "embedding"
)


def to_node(row: Mapping[Any, Any]) -> Node:
    """Turn a row of ``nodes`` (by column name) into a :class:`~dualmem_graph.types.Node`."""
    emotion = row["emotion"]
    return Node(
        id=row["id"],
        layer=Layer(row["layer"]),
        content=row["content"],
        status=Status(row["status"]),
        seq=row["seq"],
        rev=row["rev"],
        memory_type=MemoryType(row["memory_type"]),
        subject=row["subject"],
        dimension=row["dimension"],
        value=row["value"],
        negated=row["negated"],
        tags=tuple(row["tags"]),
        metadata=row["metadata"],
        emotion=Emotion(**emotion) if emotion else None,
        agent_id=row["agent_id"],
        session_id=row["session_id"],
        role=row["role"],
        name=row["name"],
        message_id=row["message_id"],
        turn_index=row["turn_index"],
        source=row["source"],
        extractor=row["extractor"],
        memory_at=row["memory_at"],
        event=_event(row),
        known_from=row["known_from"],
        known_until=row["known_until"],
        created_at=row["created_at"],
        modified_at=row["modified_at"],
        expires_at=row["expires_at"],
    )


def to_row(
    new: NewNode, now: datetime, *, scope_id: int, content_hash: str, blob: bytes | None
) -> dict[str, Any]:
    """Turn a new node into the values of its row; its state columns are the writer's to set.

    ``blob`` is its vector as :func:`to_blob` made it.
    """
    said = new.memory_at or now
    emotion = new.emotion
    return {
        "id": new.id,
        "scope_id": scope_id,
        "layer": str(new.layer),
        "status": str(Status.ACTIVE),
        "rev": 1,
        "vid": None,
        "memory_type": str(new.memory_type),
        "content": new.content,
        "content_hash": content_hash,
        "subject": new.subject,
        "dimension": new.dimension,
        "value": new.value,
        "negated": new.negated,
        "tags": list(new.tags),
        "metadata": dict(new.metadata),
        "emotion": emotion
        and {
            "valence": emotion.valence,
            "arousal": emotion.arousal,
            "dominant": emotion.dominant,
        },
        "agent_id": new.agent_id,
        "session_id": new.session_id,
        "role": new.role,
        "name": new.name,
        "message_id": new.message_id,
        "turn_index": new.turn_index,
        "source": new.source,
        "extractor": new.extractor,
        "memory_at": said,
        **_event_columns(new.event),
        "known_from": said,
        "known_until": None,
        "created_at": now,
        "modified_at": now,
        "expires_at": new.expires_at,
        "fingerprint": None if blob is None else new.fingerprint,
        "embedding": blob,
    }


def blob_of(new: NewNode) -> bytes | None:
    """The bytes of a new node's vector, if it has one; see :func:`to_blob`."""
    return None if new.embedding is None else to_blob(new.embedding, new.fingerprint)


def to_blob(vector: Vector, fingerprint: str | None) -> bytes:
    """Turn a vector into the bytes that the ledger keeps: float32, little endian.

    Raises:
        EmbeddingError: it has no fingerprint, another shape than one row, or a value that is not
            finite; Chroma would drop such a record silently.
    """
    if not fingerprint:
        raise EmbeddingError(
            "a vector came without the embedder's fingerprint; pass fingerprint='<name>:<width>'"
        )
    array = np.asarray(vector, dtype="<f4")
    if array.ndim != 1 or array.size == 0:
        raise EmbeddingError(
            f"an embedding must be one row of numbers, got shape {array.shape!r} from "
            f"{fingerprint!r}; pass one vector for each memory"
        )
    if not np.isfinite(array).all():
        raise EmbeddingError(
            f"{fingerprint!r} gave a vector with NaN or infinity; mend the embedder or leave the "
            "embedding out"
        )
    return array.tobytes()


def from_blob(blob: bytes) -> Vector:
    """Turn the ledger's bytes into a read-only vector, without a copy."""
    return np.frombuffer(blob, dtype="<f4")


def _event(row: Mapping[Any, Any]) -> TimeSpan | None:
    if row["event_start"] is None:
        return None
    return TimeSpan(
        start=row["event_start"],
        end=row["event_end"],
        granularity=Granularity(row["granularity"]),
        text=row["event_text"] or "",
    )


def _event_columns(event: TimeSpan | None) -> dict[str, Any]:
    if event is None:
        return dict.fromkeys(("event_start", "event_end", "granularity", "event_text"))
    return {
        "event_start": event.start,
        "event_end": event.end,
        "granularity": str(event.granularity),
        "event_text": event.text,
    }
