"""Whole scopes as they are: read out row by row, and written into another store.

What is read is one snapshot, and what is written is one transaction, so that neither ever shows a
half. Rows travel as plain mappings (see :data:`Record`); their form in a file is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dualmem_graph.errors import InputError
from dualmem_graph.scope import scope_hash
from dualmem_graph.storage import schema
from dualmem_graph.storage.chains import supersede
from dualmem_graph.storage.forgetting import RETIRE, stones_of
from dualmem_graph.storage.fulltext import Entry, full_text_of
from dualmem_graph.storage.ids import adopted_id
from dualmem_graph.storage.ledger import Ledger, read_meta
from dualmem_graph.storage.prepared import insert
from dualmem_graph.storage.records import SEARCHABLE, Supersede, to_node
from dualmem_graph.storage.reembedding import refuse_other
from dualmem_graph.storage.scope_cache import EMBEDDER_KEY
from dualmem_graph.storage.unit import Unit, batches
from dualmem_graph.storage.writer import Writer
from dualmem_graph.text.safety import content_hash
from dualmem_graph.text.tokens import index_terms
from dualmem_graph.types import EdgeKind, Scope, Status, UpdateType

#: ``kind`` (``node``, ``edge``, ``history``, ``tombstone``) and the fields of one row.
Record = dict[str, Any]

_nodes, _edges, _scopes = schema.nodes, schema.edges, schema.scopes
_PAGE = 1000
#: What a store knows for itself: places, record names, revisions of the scope.
_OWN = {"seq", "scope_id", "vid", "changed", "content_hash"}
_NODE_FIELDS = tuple(column for column in _nodes.c if column.name not in _OWN)
_FIELDS: dict[str, tuple[sa.Column[Any], ...]] = {
    "edge": tuple(column for column in _edges.c if column.name != "scope_id"),
    "history": tuple(c for c in schema.history.c if c.name not in ("id", "scope_id")),
    "tombstone": tuple(c for c in schema.tombstones.c if c.name != "scope_id"),
}
_TABLES = {"edge": _edges, "history": schema.history, "tombstone": schema.tombstones}


@dataclass(slots=True)
class Restored:
    """What became of an archive's rows."""

    added: int = 0
    skipped: int = 0
    pending: int = 0


@contextmanager
def reading(ledger: Ledger, scope: Scope) -> Iterator[tuple[str | None, Iterator[Record]]]:
    """Read a scope: the embedder of its vectors, and its rows in the order of arrival.

    Nodes come first, then edges, history and tombstones. Whatever is written meanwhile is not seen.
    """
    with ledger.read() as conn:
        yield read_meta(conn, EMBEDDER_KEY), _rows(conn, scope)


def _rows(conn: Connection, scope: Scope) -> Iterator[Record]:
    own = (
        sa.select(_scopes.c.id)
        .where(_scopes.c.hash == scope_hash(scope), _scopes.c.app_id == scope.app_id)
        .scalar_subquery()
    )
    last = 0
    while True:
        page = conn.execute(
            sa.select(_nodes.c.seq, *_NODE_FIELDS)
            .where(_nodes.c.scope_id == own, _nodes.c.seq > last)
            .order_by(_nodes.c.seq)
            .limit(_PAGE)
        ).mappings()
        rows = page.all()
        for row in rows:
            yield {"kind": "node", **{c.name: row[c.name] for c in _NODE_FIELDS}}
        if len(rows) < _PAGE:
            break
        last = rows[-1]["seq"]
    for kind, order in (
        ("edge", (_edges.c.created_at, _edges.c.src, _edges.c.kind, _edges.c.dst)),
        ("history", (schema.history.c.id,)),
        ("tombstone", (schema.tombstones.c.turn_id, schema.tombstones.c.content_hash)),
    ):
        statement = (
            sa.select(*_FIELDS[kind]).where(_TABLES[kind].c.scope_id == own).order_by(*order)
        )
        stream = conn.execute(statement, execution_options={"stream_results": True})
        for row in stream.mappings().yield_per(_PAGE):
            fields = dict(row)
            # an edge's own kind must not hide what the record is
            renamed = {"type": fields.pop("kind")} if kind == "edge" else {}
            yield {"kind": kind, **renamed, **fields}


def restore(
    writer: Writer,
    scope: Scope,
    records: Iterable[Record],
    *,
    fingerprint: str | None,
    dry_run: bool,
) -> Restored:
    """Write an archive's rows into a scope, all or none of them.

    An id that the scope has already is the same memory and stays as it is; one that another scope
    has becomes another id. What was deleted or purged here stays out.

    Args:
        fingerprint: the embedder of this store; vectors of another one are left out, and the
            memories wait for theirs.
        dry_run: do all of it, and take it back.
    """
    with writer.unit(scope, "import", "archive") as unit:
        if fingerprint is not None and not dry_run:
            refuse_other(unit.conn, fingerprint)
        work = _Restoring(unit, fingerprint)
        for record in records:
            work.take(record)
        work.finish()
        if dry_run or not (work.done.added or work.has_stones):
            unit.abandon()
    if dry_run:
        unit.outbox.clear()
    return work.done


@dataclass(slots=True)
class _Restoring:
    """The state of one import: pages of nodes are written as they come, the rest at the end."""

    unit: Unit
    fingerprint: str | None
    done: Restored = field(default_factory=Restored)
    page: list[Record] = field(default_factory=list)
    #: Ids of the archive under another name here, and those that were written now.
    renamed: dict[str, str] = field(default_factory=dict)
    added: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    edges: list[Record] = field(default_factory=list)
    has_stones: bool = False
    seen: dict[str, list[Record]] = field(default_factory=lambda: {"history": [], "tombstone": []})

    def take(self, record: Record) -> None:
        kind = record["kind"]
        if kind == "node":
            self.page.append(record)
            if len(self.page) >= _PAGE:
                self._write_nodes()
            return
        self._write_nodes()
        self.has_stones = self.has_stones or kind == "tombstone"
        if kind == "edge":
            self.edges.append(record)
        else:
            self.seen[kind].append(record)
            if len(self.seen[kind]) >= _PAGE:
                self._write_notes(kind)

    def finish(self) -> None:
        self._write_nodes()
        self._write_notes("history")
        self._write_notes("tombstone")
        self._write_edges()
        self._mend()

    def _actual(self, id_: str) -> str:
        return self.renamed.get(id_, id_)

    def _write_nodes(self) -> None:
        page, self.page = self.page, []
        if not page:
            return
        unit = self.unit
        ids = [record["id"] for record in page]
        hashes = {record["id"]: content_hash(record["content"]) for record in page}
        here = _ids_here(unit, ids)
        taken = _taken(unit.conn, ids) - here
        self.renamed |= {id_: adopted_id(unit.scope, id_) for id_ in taken}
        here |= _ids_here(unit, [self.renamed[id_] for id_ in taken])
        stones = stones_of(unit, list(set(hashes.values())))
        rows = []
        for record in page:
            id_ = self._actual(record["id"])
            if id_ in here or id_ in self.added:
                self.done.skipped += 1
            elif (id_, hashes[record["id"]]) in stones:
                self.done.skipped += 1
                self.refused.add(id_)
            else:
                self.added.add(id_)
                rows.append(self._row(record, id_, hashes[record["id"]]))
        _ADD_NODES.run_many(unit.conn, rows)
        self.done.added += len(rows)
        unit.outbox += [row["vid"] for row in rows if row["vid"] is not None]
        _write_terms(unit, rows)

    def _row(self, record: Record, id_: str, hash_: str) -> Record:
        fits = record.get("embedding") is not None and record["fingerprint"] == self.fingerprint
        is_current = record["status"] == str(Status.ACTIVE)
        if not fits:
            self.done.pending += record["status"] != str(Status.SHADOW)
        return {
            **{column.name: record[column.name] for column in _NODE_FIELDS},
            "id": id_,
            "scope_id": self.unit.scope_id,
            "content_hash": hash_,
            "changed": self.unit.revision,
            "vid": f"{id_}:{record['rev']}" if fits and is_current else None,
            "embedding": record["embedding"] if fits else None,
            "fingerprint": self.fingerprint if fits else None,
        }

    def _write_notes(self, kind: str) -> None:
        """Write history of what was added, and tombstones."""
        records, self.seen[kind] = self.seen[kind], []
        key = "node_id" if kind == "history" else "turn_id"
        rows = []
        told = self._told(records) if kind == "history" else set()
        for record in records:
            id_ = self._actual(record[key])
            is_purge = kind == "history" and record["event"] == "PURGE" and id_ not in told
            if kind == "history" and id_ not in self.added and not is_purge:
                continue
            row = {c.name: record[c.name] for c in _FIELDS[kind]}
            rows.append({**row, key: id_, "scope_id": self.unit.scope_id})
        (_ADD_HISTORY if kind == "history" else _ADD_STONES).run_many(self.unit.conn, rows)

    def _told(self, records: Iterable[Record]) -> set[str]:
        """Of what was purged, the ids whose purge this scope's history knows already."""
        purged = {r["node_id"] for r in records if r["event"] == "PURGE"}
        found: set[str] = set()
        for batch in batches(sorted(purged)):
            statement = sa.select(schema.history.c.node_id).where(
                schema.history.c.scope_id == self.unit.scope_id,
                schema.history.c.node_id.in_(batch),
            )
            found.update(self.unit.conn.execute(statement).scalars())
        return found

    def _write_edges(self) -> None:
        """Write the edges among what was added as they are; others as any new statement's."""
        unit = self.unit
        plain, meeting = [], []
        for record in self.edges:
            src, dst = self._actual(record["src"]), self._actual(record["dst"])
            if src in self.added and dst in self.added:
                plain.append(
                    {
                        "src": src,
                        "dst": dst,
                        "kind": record["type"],
                        "scope_id": unit.scope_id,
                        "update_type": record["update_type"],
                        "quote": record["quote"],
                        "created_at": record["created_at"],
                    }
                )
            elif src in self.added or dst in self.added:
                meeting.append((src, dst, record))
        _ADD_EDGES.run_many(unit.conn, plain)
        ends = _ids_here(unit, [id_ for src, dst, _ in meeting for id_ in (src, dst)])
        known = [item for item in meeting if item[0] in ends and item[1] in ends]
        unit.load(id_ for src, dst, _ in known for id_ in (src, dst))
        unit.load_links([id_ for src, dst, _ in known for id_ in (src, dst)])
        for src, dst, record in known:
            if record["type"] == str(EdgeKind.DERIVED_FROM):
                unit.add_evidence(src, dst, record["quote"] or "")
            else:
                kind = UpdateType(record["update_type"] or UpdateType.OVERRIDE)
                head = unit.head_of(dst)
                supersede(unit, src, [head], Supersede(src, (head,), kind))

    def _mend(self) -> None:
        """Let rules hold where a part of the archive was kept out: no end without a successor."""
        if not self.refused and not self.done.skipped:
            return
        rested = {self._actual(r["src"]) for r in self.edges if r["type"] == "DERIVED_FROM"}
        replaced = [
            self._actual(r["dst"]) for r in self.edges if r["type"] == str(EdgeKind.SUPERSEDES)
        ]
        unit = self.unit
        unit.load(id_ for id_ in replaced if id_ in self.added)
        unit.load_links([id_ for id_ in replaced if id_ in self.added])
        for id_ in replaced:
            is_top = id_ in self.added and unit.links[id_] is None
            if is_top and unit.held[id_].node.status is Status.SUPERSEDED:
                unit.change(id_, "EXPIRE", "what replaced it stays out", status=Status.EXPIRED)
        _retire_groundless(unit, [id_ for id_ in rested if id_ in self.added])


def _retire_groundless(unit: Unit, ids: list[str]) -> None:
    """Hide what rests on nothing that is here, step by step upwards."""
    unit.load(ids)
    while True:
        evidence = unit.evidence_of([id_ for id_ in ids if unit.held[id_].is_live])
        gone = [
            id_
            for id_, sources in evidence.items()
            if not any(unit.held[source].is_live for source in sources)
        ]
        if not gone:
            return
        for id_ in gone:
            until = unit.held[id_].node.known_until or unit.now
            why = "what it rests on stays out"
            unit.change(id_, RETIRE, why, status=Status.SHADOW, known_until=until)


def read_record(fields: Mapping[str, Any]) -> Record:
    """Check a record that comes from outside, and turn its values into the ledger's.

    Unknown fields are left out; absent ones have the column's default.

    Raises:
        InputError: its kind is unknown, or a value cannot be what it is said to be.
    """
    kind = fields.get("kind")
    if kind == "node":
        record = _converted(_NODE_FIELDS, fields, _NODE_DEFAULTS)
        if not isinstance(record["content"], str) or not record["content"].strip():
            raise InputError(f"it has no content ({record['content']!r:.80})")
        try:
            to_node({**record, "seq": 0})
        except (ValueError, TypeError, AttributeError) as error:
            raise InputError(f"it is no memory: {error}") from None
        return {"kind": kind, **record}
    if kind not in _FIELDS:
        known = ", ".join(["node", *_FIELDS])
        raise InputError(f"it is of the unknown kind {kind!r}; known are {known}")
    given = dict(fields)
    if kind == "edge":
        given["kind"] = given.get("type")
        if given["kind"] not in [str(one) for one in EdgeKind]:
            raise InputError(f"it is an edge of the unknown type {given['kind']!r}")
    record = _converted(_FIELDS[kind], given, {})
    renamed = {"type": record.pop("kind")} if kind == "edge" else {}
    return {"kind": kind, **renamed, **record}


def _converted(
    columns: Iterable[sa.Column[Any]], fields: Mapping[str, Any], defaults: Mapping[str, Any]
) -> Record:
    record: Record = {}
    for column in columns:
        value = fields.get(column.name, defaults.get(column.name))
        if value is None and not column.nullable:
            raise InputError(f"it has no {column.name!r}")
        if isinstance(column.type, schema.Instant) and value is not None:
            value = _instant(column.name, value)
        record[column.name] = value
    return record


def _instant(name: str, value: Any) -> datetime:
    if isinstance(value, datetime):
        return value
    try:
        found = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise InputError(f"its {name} {value!r:.80} is no instant like 2025-03-01T12:00Z") from None
    if found.tzinfo is None:
        raise InputError(f"its {name} {value!r} says no offset; write 2025-03-01T12:00:00+00:00")
    return found


def _write_terms(unit: Unit, rows: list[Record]) -> None:
    searchable = [str(status) for status in SEARCHABLE]
    entries = [
        Entry(row["id"], index_terms(row["content"])) for row in rows if row["status"] in searchable
    ]
    full_text_of(unit.conn).add(unit.conn, unit.scope_id, entries)
    terms = sum(len(entry.terms) for entry in entries)
    unit.conn.execute(
        sa.update(_scopes)
        .where(_scopes.c.id == unit.scope_id)
        .values(documents=_scopes.c.documents + len(entries), terms=_scopes.c.terms + terms)
    )


def _ids_here(unit: Unit, ids: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for batch in batches(list(dict.fromkeys(ids))):
        found.update(
            unit.conn.execute(
                sa.select(_nodes.c.id).where(
                    _nodes.c.id.in_(batch), (_nodes.c.scope_id + 0) == unit.scope_id
                )
            ).scalars()
        )
    return found


def _taken(conn: Connection, ids: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for batch in batches(list(dict.fromkeys(ids))):
        found.update(conn.execute(sa.select(_nodes.c.id).where(_nodes.c.id.in_(batch))).scalars())
    return found


#: What a field is where an archive leaves it out.
_NODE_DEFAULTS: dict[str, Any] = {
    "status": "ACTIVE",
    "rev": 1,
    "memory_type": "semantic",
    "subject": "user",
    "negated": False,
    "tags": [],
    "metadata": {},
    "turn_index": 0,
    "source": "import",
    "extractor": "import",
}
_ADD_NODES = insert(_nodes, without=["seq"])
_ADD_EDGES = insert(_edges, skip_existing=True)
_ADD_HISTORY = insert(schema.history, without=["id"])
_ADD_STONES = insert(schema.tombstones, skip_existing=True)

__all__ = ["Record", "Restored", "read_record", "reading", "restore"]
