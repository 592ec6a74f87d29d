"""The values that every layer of the package speaks in.

Frozen dataclasses and string enums only: no I/O, no third-party import. All instants are aware
datetimes in UTC; all vectors are one-dimensional ``float32`` arrays of the embedder's width.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Layer(StrEnum):
    """The eight layers of memory; see the README for what each holds."""

    BASIC_INFO = "L0_BASIC_INFO"
    RAW = "L1_RAW"
    FACT = "L2_FACT"
    SUMMARY = "L3_SUMMARY"
    IDENTITY = "L4_IDENTITY"
    KNOWLEDGE = "L5_KNOWLEDGE"
    SCHEMA = "L6_SCHEMA"
    INTENTION = "L7_INTENTION"

    @property
    def category(self) -> str:
        """The coarse kind that a reader sees: profile, raw, fact, summary, …"""
        return _CATEGORIES[self]


_CATEGORIES = {
    Layer.BASIC_INFO: "profile",
    Layer.RAW: "raw",
    Layer.FACT: "fact",
    Layer.SUMMARY: "summary",
    Layer.IDENTITY: "profile",
    Layer.KNOWLEDGE: "knowledge",
    Layer.SCHEMA: "schema",
    Layer.INTENTION: "intention",
}

#: Layers that System1 extracts from turns and that reconcile may tie into chains.
CHAINED_LAYERS = (Layer.FACT, Layer.IDENTITY, Layer.INTENTION)


class MemoryType(StrEnum):
    """What kind of memory a node is, whatever its layer."""

    SEMANTIC = "semantic"
    EPISODIC = "episodic"
    PROCEDURAL = "procedural"


class Status(StrEnum):
    """Where a node stands in its life."""

    ACTIVE = "ACTIVE"
    SUPERSEDED = "SUPERSEDED"
    SHADOW = "SHADOW"
    EXPIRED = "EXPIRED"


class EdgeKind(StrEnum):
    """Edges between nodes."""

    SUPERSEDES = "SUPERSEDES"
    DERIVED_FROM = "DERIVED_FROM"
    RELATED_TO = "RELATED_TO"
    CROSS_ABSTRACTS_TO = "CROSS_ABSTRACTS_TO"
    MENTIONS = "MENTIONS"


class UpdateType(StrEnum):
    """Why a node supersedes another."""

    OVERRIDE = "OVERRIDE"
    SUPPLEMENT = "SUPPLEMENT"
    TEMPORAL = "TEMPORAL"
    NEGATE = "NEGATE"
    CONFLICT = "CONFLICT"


class Granularity(StrEnum):
    """How exactly an event time is known."""

    YEAR = "year"
    MONTH = "month"
    WEEK = "week"
    DAY = "day"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory it is. Nothing else separates memories.

    Both ids are validated and normalised by :func:`dualmem_graph.scope.make_scope`.
    """

    app_id: str
    user_id: str

    def __str__(self) -> str:
        return f"{self.app_id}/{self.user_id}"


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A resolved time expression: ``[start, end)`` in UTC, how exact it is, and its words."""

    start: datetime
    end: datetime
    granularity: Granularity
    text: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation, kept word for word, as System1 sees it.

    ``index`` is its place among the turns of one ``add``; ``is_context`` marks earlier turns that
    are shown to the extractor but are not extracted again.
    """

    turn_id: str
    index: int
    role: str
    text: str
    at: datetime
    name: str | None = None
    message_id: str | None = None
    is_context: bool = False


@dataclass(frozen=True, slots=True)
class Emotion:
    """Valence in [-1, 1], arousal in [0, 1], and the dominant feeling's name."""

    valence: float = 0.0
    arousal: float = 0.0
    dominant: str = "neutral"


@dataclass(frozen=True, slots=True)
class Gate:
    """The three gate scores in [0, 1], the weighted score, the verdict and why."""

    novelty: float = 1.0
    biographical_relevance: float = 1.0
    emotional_arousal: float = 0.0
    score: float = 1.0
    passed: bool = True
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One statement that an extractor (model or rules) proposes to remember.

    Attributes:
        content: a self-contained third-person sentence in the speaker's language.
        layer: FACT, IDENTITY or INTENTION.
        subject: ``"user"``, ``"assistant"`` or the name of who it is about.
        turn_index: the ``Turn.index`` it rests on.
        dimension: what the statement is a version of, e.g. ``"home"`` or ``"attitude:coffee"``;
            two statements of one subject and one dimension are versions of each other. ``None``
            where nothing can be said.
        value: the value along the dimension (``"Shanghai"``, ``"like"``), normalised.
        negated: the statement ends something ("no longer …") rather than asserting it.
    """

    content: str
    layer: Layer
    memory_type: MemoryType = MemoryType.SEMANTIC
    subject: str = "user"
    turn_index: int = 0
    tags: tuple[str, ...] = ()
    dimension: str | None = None
    value: str | None = None
    negated: bool = False
    event: TimeSpan | None = None
    quote: str = ""


@dataclass(frozen=True, slots=True)
class BasicInfo:
    """One profile entry: a key (``name``, ``age``, ``location``, …) and its value.

    ``value=None`` says that the entry no longer holds.
    """

    key: str
    value: str | None
    turn_index: int = 0


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not stored, and why."""

    reason: str
    content: str = ""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an extractor found in the turns of one ``add``."""

    gate: Gate = field(default_factory=Gate)
    is_ephemeral: bool = False
    emotion: Emotion | None = None
    candidates: tuple[Candidate, ...] = ()
    basic_info: tuple[BasicInfo, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    extractor: str = "rules"


@dataclass(frozen=True, slots=True)
class Node:
    """One memory record as the ledger holds it.

    ``seq`` is the ledger's order of arrival; ``rev`` counts changes of state; ``content`` never
    changes. ``known_from``/``known_until`` say when the node became and ceased to be current.
    """

    id: str
    layer: Layer
    content: str
    status: Status = Status.ACTIVE
    seq: int = 0
    rev: int = 1
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
    turn_index: int = 0
    source: str = "user"
    extractor: str = "user"
    memory_at: datetime | None = None
    event: TimeSpan | None = None
    known_from: datetime | None = None
    known_until: datetime | None = None
    created_at: datetime | None = None
    modified_at: datetime | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class EvolutionItem:
    """One version in a chain, newest first in ``MemoryItem.evolution_chain``."""

    node_id: str
    content: str
    layer: Layer
    memory_at: datetime
    gmt_created: datetime
    update_type: UpdateType | None = None
    status: Status = Status.SUPERSEDED


@dataclass(frozen=True, slots=True)
class Source:
    """A turn that a memory rests on."""

    turn_id: str
    message_id: str | None
    session_id: str | None
    role: str
    name: str | None
    at: datetime
    quote: str


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """What a reader gets: one memory, its score in [0, 1], its chain and its sources."""

    memory_id: str
    content: str
    layer: Layer
    category: str
    memory_type: MemoryType
    score: float = 0.0
    tags: tuple[str, ...] = ()
    memory_at: datetime | None = None
    gmt_created: datetime | None = None
    gmt_modified: datetime | None = None
    session_id: str | None = None
    agent_id: str | None = None
    subject: str = "user"
    status: Status = Status.ACTIVE
    revision: int = 1
    head_id: str | None = None
    event: TimeSpan | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    evolution_chain: Sequence[EvolutionItem] | None = None
    sources: Sequence[Source] = ()
    score_details: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: enums as strings, instants as ISO 8601 in UTC."""
        plain: dict[str, Any] = to_plain(self)
        return plain


@dataclass(frozen=True, slots=True)
class AddEvent:
    """One node that an ``add`` wrote, or one state that it changed."""

    op: str
    memory_id: str
    layer: Layer
    content: str
    supersedes: tuple[str, ...] = ()
    update_type: UpdateType | None = None


@dataclass(frozen=True, slots=True)
class AddResult:
    """What became of one ``add``.

    ``status`` is ``stored`` (something was drawn from the turns), ``ephemeral`` (turns kept,
    nothing worth more), ``duplicate`` (already known), ``pending`` (turns kept, the rest is a job
    that waits), ``partial`` (a fallback did the work, a job will do it better) or ``failed``.
    """

    status: str
    gate: Gate | None = None
    events: tuple[AddEvent, ...] = ()
    extractor: str | None = None
    skipped: tuple[Skipped, ...] = ()
    job_id: str | None = None
    turn_ids: tuple[str, ...] = ()
    scope: Scope | None = None
    degraded: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        plain: dict[str, Any] = to_plain(self)
        return plain


class SearchResult(list[MemoryItem]):
    """The items of one search, best first, and how they were found.

    Attributes:
        scope: the scope that was searched.
        known_user: whether anything was ever stored under that scope.
        route: ``profile``, ``proactive`` or ``normal``.
        degraded: the fallbacks that were taken, empty when all went as meant.
    """

    def __init__(
        self,
        items: Sequence[MemoryItem] = (),
        *,
        scope: Scope,
        known_user: bool = True,
        route: str = "normal",
        degraded: Sequence[str] = (),
    ) -> None:
        super().__init__(items)
        self.scope = scope
        self.known_user = known_user
        self.route = route
        self.degraded = tuple(degraded)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON, the items under ``results``."""
        return {
            "results": [item.to_dict() for item in self],
            "scope": to_plain(self.scope),
            "known_user": self.known_user,
            "route": self.route,
            "degraded": list(self.degraded),
        }


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """One entry of the append-only history of a memory."""

    event: str
    memory_id: str
    at: datetime
    actor: str
    reason: str = ""
    old: Mapping[str, Any] | None = None
    new: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        plain: dict[str, Any] = to_plain(self)
        return plain


class Page(list[MemoryItem]):
    """One page of a listing.

    Attributes:
        total: how many items there are over all pages.
        cursor: what to pass for the next page; ``None`` on the last one.
    """

    def __init__(
        self,
        items: Sequence[MemoryItem] = (),
        *,
        total: int,
        scope: Scope,
        cursor: str | None = None,
        known_user: bool = True,
    ) -> None:
        super().__init__(items)
        self.total = total
        self.cursor = cursor
        self.scope = scope
        self.known_user = known_user

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON, the items under ``results``."""
        return {
            "results": [item.to_dict() for item in self],
            "total": self.total,
            "cursor": self.cursor,
            "scope": to_plain(self.scope),
            "known_user": self.known_user,
        }


@dataclass(frozen=True, slots=True)
class DeleteResult:
    """Ids of the versions that were hidden, and of what was retired with them."""

    deleted: tuple[str, ...]
    derived: tuple[str, ...]
    scope: Scope

    @property
    def count(self) -> int:
        """How many memories are no longer found."""
        return len(self.deleted) + len(self.derived)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        plain: dict[str, Any] = to_plain(self)
        return plain | {"count": self.count}


@dataclass(frozen=True, slots=True)
class PurgeResult:
    """What was removed for good.

    Attributes:
        purged: ids of the memories and turns that are gone.
        blanked: ids of turns that stay without their words, since other memories rest on them.
        compacted: whether the bytes of what was removed are gone from the ledger's files, too; if
            not, ``compact()`` does it.
    """

    purged: tuple[str, ...]
    blanked: tuple[str, ...]
    compacted: bool
    scope: Scope

    @property
    def count(self) -> int:
        """How many memories and turns are gone."""
        return len(self.purged)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        plain: dict[str, Any] = to_plain(self)
        return plain | {"count": self.count}


@dataclass(frozen=True, slots=True)
class ExportResult:
    """How many records of each kind an archive holds, and its file (if it was named)."""

    counts: Mapping[str, int]
    path: str | None
    scope: Scope

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        plain: dict[str, Any] = to_plain(self)
        return plain


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What an import did, or would do.

    Attributes:
        added: memories (of conversations: turns) that were not there before.
        skipped: what was there already, or was deleted on purpose.
        scope: whose they are.
        pending: of the added ones, those that wait for a vector.
        dry_run: whether nothing was written.
    """

    added: int
    skipped: int
    scope: Scope
    pending: int = 0
    dry_run: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        plain: dict[str, Any] = to_plain(self)
        return plain


@dataclass(frozen=True, slots=True)
class MigrationResult:
    """From where to where a store was copied, and the rows of each table, compared at the end."""

    source: str
    target: str
    rows: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        plain: dict[str, Any] = to_plain(self)
        return plain


@dataclass(frozen=True, slots=True)
class ReembedResult:
    """How a change of the embedder went.

    Attributes:
        status: ``switched``, or ``unchanged`` where the store was of this embedder already.
        embedded: memories that were embedded in this run.
        total: memories that the store has a vector of.
        before: the embedder that the store was of; ``None`` where it had no vector.
        after: the one that it is of now: ``<name>:<width>``.
    """

    status: str
    embedded: int
    total: int
    before: str | None
    after: str

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        plain: dict[str, Any] = to_plain(self)
        return plain


@dataclass(frozen=True, slots=True)
class IndexCheck:
    """How the vector index compares with the ledger.

    Attributes:
        expected: memories that belong in it.
        records: what it held.
        missing: memories that it had lost; they are written to it again.
        superfluous: records of no current memory; they are deleted.
        wrong: records with another vector than the ledger's, or none; it is then built again.
        problems: the same as sentences.
    """

    expected: int
    records: int
    missing: int = 0
    superfluous: int = 0
    wrong: int = 0
    problems: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing was wrong."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        plain: dict[str, Any] = to_plain(self)
        return plain | {"ok": self.ok}


@dataclass(frozen=True, slots=True)
class JobSummary:
    """One piece of background work.

    ``state`` is ``queued``, ``running``, ``done`` or ``parked`` (given up after
    ``job_max_attempts``); ``error`` is what its last attempt met.
    """

    job_id: str
    kind: str
    state: str
    attempts: int
    created_at: datetime
    run_after: datetime
    error: str | None
    scope: Scope

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        plain: dict[str, Any] = to_plain(self)
        return plain


@dataclass(frozen=True, slots=True)
class ScopeSummary:
    """One scope and its counts (per layer of current memories)."""

    app_id: str
    user_id: str
    counts: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        plain: dict[str, Any] = to_plain(self)
        return plain


def to_plain(value: Any) -> Any:
    """Turn the values of this module into what ``json.dumps`` takes."""
    if hasattr(value, "__dataclass_fields__"):
        return {name: to_plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    return value
