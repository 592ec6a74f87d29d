"""The tables of the ledger, in SQLAlchemy Core, for SQLite and PostgreSQL.

The ledger is the truth. ``scopes.revision`` is raised by every transaction that changes a scope,
under the scope row's lock; ``nodes.changed`` carries the revision of a node's last change. So a
reader that holds a cache asks one row whether it is current and one index range for what changed,
whichever process wrote it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.types import TypeDecorator

#: Raised with every change of the tables; ``migrations/`` brings older stores forward.
SCHEMA_VERSION = 2


class Instant(TypeDecorator[datetime]):
    """An aware datetime, kept as microseconds since the epoch in UTC (exact and sortable)."""

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> int | None:
        """Aware datetime → integer; a naive one is a programming error."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"naive datetime {value!r} reached the ledger; pass an aware one")
        delta = value - _EPOCH
        return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds

    def process_result_value(self, value: int | None, dialect: Any) -> datetime | None:
        """Integer → aware datetime in UTC."""
        if value is None:
            return None
        seconds, micros = divmod(value, 1_000_000)
        return datetime.fromtimestamp(seconds, UTC).replace(microsecond=micros)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SEQ = sa.BigInteger().with_variant(sa.Integer, "sqlite")

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

# key/value facts about the store itself: store_id, tokenizer_version, embedder name and width,
# buckets. The schema version is Alembic's own table.
meta = sa.Table(
    "meta",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

scopes = sa.Table(
    "scopes",
    metadata,
    sa.Column("id", _SEQ, primary_key=True, autoincrement=True),
    sa.Column("app_id", sa.Text, nullable=False),
    sa.Column("user_id", sa.Text, nullable=False),
    # blake2b(app ‖ 0x1f ‖ user): the only name that Chroma and full text ever see
    sa.Column("hash", sa.Text, nullable=False, unique=True),
    sa.Column("revision", sa.BigInteger, nullable=False, server_default="0"),
    # documents and terms in full text, for BM25's average length
    sa.Column("documents", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("terms", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("created_at", Instant, nullable=False),
    sa.UniqueConstraint("app_id", "user_id"),
)

nodes = sa.Table(
    "nodes",
    metadata,
    sa.Column("seq", _SEQ, primary_key=True, autoincrement=True),
    sa.Column("id", sa.Text, nullable=False, unique=True),
    sa.Column("scope_id", sa.ForeignKey("scopes.id"), nullable=False),
    sa.Column("layer", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("rev", sa.Integer, nullable=False, server_default="1"),
    # the record id in the vector index while the node is ACTIVE: "id:rev", written and deleted once
    sa.Column("vid", sa.Text, unique=True),
    sa.Column("changed", sa.BigInteger, nullable=False),
    sa.Column("memory_type", sa.Text, nullable=False),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("content_hash", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False, server_default="user"),
    sa.Column("dimension", sa.Text),
    sa.Column("value", sa.Text),
    sa.Column("negated", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("tags", sa.JSON, nullable=False),
    sa.Column("metadata", sa.JSON, nullable=False),
    sa.Column("emotion", sa.JSON),
    sa.Column("agent_id", sa.Text),
    sa.Column("session_id", sa.Text),
    sa.Column("role", sa.Text),
    sa.Column("name", sa.Text),
    sa.Column("message_id", sa.Text),
    sa.Column("turn_index", sa.Integer, nullable=False, server_default="0"),
    # who said it (user, assistant, tool, import) and who drew it (llm, rules, user, import)
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("extractor", sa.Text, nullable=False),
    sa.Column("memory_at", Instant, nullable=False),
    sa.Column("event_start", Instant),
    sa.Column("event_end", Instant),
    sa.Column("granularity", sa.Text),
    sa.Column("event_text", sa.Text),
    sa.Column("known_from", Instant, nullable=False),
    sa.Column("known_until", Instant),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("modified_at", Instant, nullable=False),
    sa.Column("expires_at", Instant),
    # float32, little endian, L2-normalised; NULL until the embedder could be reached
    sa.Column("fingerprint", sa.Text),
    sa.Column("embedding", sa.LargeBinary),
    sa.CheckConstraint("status IN ('ACTIVE','SUPERSEDED','SHADOW','EXPIRED')", name="status"),
    sa.CheckConstraint("content <> ''", name="content"),
    sa.Index(None, "scope_id", "status", "layer", "seq"),
    sa.Index(None, "scope_id", "changed"),
    sa.Index(None, "scope_id", "content_hash"),
    sa.Index(None, "scope_id", "subject", "dimension"),
    sa.Index(None, "scope_id", "layer", "session_id", "seq"),
)

edges = sa.Table(
    "edges",
    metadata,
    sa.Column("src", sa.ForeignKey("nodes.id"), primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("dst", sa.ForeignKey("nodes.id"), primary_key=True),
    sa.Column("scope_id", sa.ForeignKey("scopes.id"), nullable=False),
    sa.Column("update_type", sa.Text),
    # the words of the turn that this evidence rests on
    sa.Column("quote", sa.Text),
    sa.Column("created_at", Instant, nullable=False),
    sa.Index(None, "dst", "kind"),
    # one successor per node, hence one head per chain
    sa.Index(
        "uq_edges_one_successor",
        "dst",
        unique=True,
        sqlite_where=sa.text("kind = 'SUPERSEDES'"),
        postgresql_where=sa.text("kind = 'SUPERSEDES'"),
    ),
)

history = sa.Table(
    "history",
    metadata,
    sa.Column("id", _SEQ, primary_key=True, autoincrement=True),
    sa.Column("scope_id", sa.ForeignKey("scopes.id"), nullable=False),
    sa.Column("node_id", sa.Text, nullable=False),
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False, server_default=""),
    sa.Column("old", sa.JSON),
    sa.Column("new", sa.JSON),
    sa.Column("at", Instant, nullable=False),
    sa.Index(None, "scope_id", "node_id", "id"),
    sa.Index(None, "scope_id", "at"),
)

# "this vid became live or dead": applied to the vector index, then deleted (queue semantics)
outbox = sa.Table(
    "outbox",
    metadata,
    sa.Column("seq", _SEQ, primary_key=True, autoincrement=True),
    sa.Column("scope_id", sa.ForeignKey("scopes.id"), nullable=False),
    sa.Column("vid", sa.Text, nullable=False),
    sa.Index(None, "scope_id"),
)

jobs = sa.Table(
    "jobs",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("seq", sa.BigInteger, nullable=False),
    sa.Column("scope_id", sa.ForeignKey("scopes.id"), nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("payload", sa.JSON, nullable=False),
    # queued → running → done | queued (retry) | parked
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
    sa.Column("run_after", Instant, nullable=False),
    sa.Column("lease_until", Instant),
    sa.Column("token", sa.Text),
    sa.Column("error", sa.Text),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("finished_at", Instant),
    sa.Index(None, "state", "run_after"),
    sa.Index(None, "scope_id", "state"),
    sa.Index(
        "uq_jobs_open",
        "scope_id",
        "kind",
        "key",
        unique=True,
        sqlite_where=sa.text("state IN ('queued','running')"),
        postgresql_where=sa.text("state IN ('queued','running')"),
    ),
)

usage = sa.Table(
    "usage",
    metadata,
    sa.Column("id", _SEQ, primary_key=True, autoincrement=True),
    sa.Column("scope_id", sa.ForeignKey("scopes.id")),
    sa.Column("operation", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("tokens_in", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("tokens_out", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("latency_ms", sa.Float, nullable=False, server_default="0"),
    sa.Column("ok", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Column("at", Instant, nullable=False),
    sa.Index(None, "scope_id", "at"),
)

# what was deleted on purpose, so that neither a re-import nor a digest brings it back
tombstones = sa.Table(
    "tombstones",
    metadata,
    sa.Column("scope_id", sa.ForeignKey("scopes.id"), primary_key=True),
    sa.Column("turn_id", sa.Text, primary_key=True),
    sa.Column("content_hash", sa.Text, primary_key=True),
    sa.Column("at", Instant, nullable=False),
)

# literal documents of the LangGraph store; one row per version, the head has no successor
documents = sa.Table(
    "documents",
    metadata,
    sa.Column("seq", _SEQ, primary_key=True, autoincrement=True),
    sa.Column("namespace", sa.Text, nullable=False),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("is_head", sa.Boolean, nullable=False),
    sa.Column("is_deleted", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("value", sa.JSON, nullable=False),
    sa.Column("index_paths", sa.JSON),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    sa.Column("expires_at", Instant),
    sa.Column("ttl_minutes", sa.Float),
    sa.UniqueConstraint("namespace", "key", "version"),
    sa.Index(
        "uq_documents_head",
        "namespace",
        "key",
        unique=True,
        sqlite_where=sa.text("is_head"),
        postgresql_where=sa.text("is_head"),
    ),
)

# vectors of documents: one per indexed path
document_vectors = sa.Table(
    "document_vectors",
    metadata,
    sa.Column("document_seq", sa.ForeignKey("documents.seq"), primary_key=True),
    sa.Column("path", sa.Text, primary_key=True),
    sa.Column("fingerprint", sa.Text, nullable=False),
    sa.Column("embedding", sa.LargeBinary, nullable=False),
)

# vectors of another embedder, gathered beside the ones in use until all are there
new_vectors = sa.Table(
    "new_vectors",
    metadata,
    sa.Column("node_id", sa.ForeignKey("nodes.id"), primary_key=True),
    sa.Column("scope_id", sa.ForeignKey("scopes.id"), nullable=False),
    sa.Column("fingerprint", sa.Text, nullable=False),
    sa.Column("embedding", sa.LargeBinary, nullable=False),
    sa.Index(None, "scope_id"),
)

# one row per vector index (embedded or server) that mirrors this ledger
vector_indexes = sa.Table(
    "vector_indexes",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("generation", sa.Integer, nullable=False),
    sa.Column("buckets", sa.Integer, nullable=False),
    sa.Column("clean", sa.Boolean, nullable=False),
    sa.Column("fingerprint", sa.Text),
    sa.Column("chroma_version", sa.Text),
    sa.Column("updated_at", Instant, nullable=False),
)

#: Names of the full-text tables, made by dialect-specific DDL in the migration
#: (FTS5 on SQLite; rowid = nodes.seq).
FULL_TEXT_TABLE = "full_text"
