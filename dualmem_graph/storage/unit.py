"""One unit of work: what a transaction reads of a scope and changes of it in memory.

Chains, forgetting and writing all work on a :class:`Unit`. It loads nodes as they are asked for and
notes what becomes of them; :mod:`dualmem_graph.storage.flush` writes the difference at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dualmem_graph.scope import scope_hash
from dualmem_graph.storage import schema
from dualmem_graph.storage.prepared import LONGEST_LIST, Prepared, Row, any_of, upsert
from dualmem_graph.storage.records import NODE_COLUMNS, to_node
from dualmem_graph.types import EdgeKind, Layer, Node, Scope, Status, UpdateType

_nodes, _edges, _scopes = schema.nodes, schema.edges, schema.scopes
# above any seq: what a unit adds arrives after all that is there
_NOT_YET = 1 << 62
# links that a walk along a chain follows; no chain of real versions is longer
_MAX_DEPTH = 100_000


@dataclass(slots=True)
class Held:
    """A node within a unit of work.

    ``was`` is its status in the ledger, ``None`` for a new node, whose ``row`` and ``place`` among
    the new ones are set instead.
    """

    node: Node
    content_hash: str
    was: Status | None
    vid: str | None = None
    has_embedding: bool = False
    row: dict[str, Any] | None = None
    place: int = 0
    terms: Sequence[str] | None = None
    is_changed: bool = False

    @property
    def is_live(self) -> bool:
        """Whether something may rest on it."""
        return self.node.status is not Status.SHADOW

    @property
    def order(self) -> tuple[datetime, int, int]:
        """Its place among the versions of a chain: when it became current, turn order, arrival.

        ``known_from`` is when it was said, unless an explicit write put it on top later.
        """
        assert self.node.known_from is not None
        return (
            self.node.known_from,
            self.node.turn_index,
            self.node.seq or _NOT_YET + self.place,
        )


@dataclass(frozen=True, slots=True)
class Link:
    """The SUPERSEDES edge above a node: its successor, and why that replaced it."""

    successor: str
    update_type: UpdateType | None


@dataclass(slots=True)
class Unit:
    """See the module. ``scope_id`` is part of every statement, so no other scope is reachable."""

    conn: Connection
    scope: Scope
    scope_id: int
    revision: int
    now: datetime
    actor: str
    reason: str = ""
    held: dict[str, Held] = field(default_factory=dict)
    #: Ids of held nodes by content hash.
    held_by_hash: dict[str, list[str]] = field(default_factory=dict)
    added: list[Held] = field(default_factory=list)
    #: ``(node, evidence) → quote`` of the DERIVED_FROM edges to write.
    new_evidence: dict[tuple[str, str], str] = field(default_factory=dict)
    #: Rows of ``history`` to write.
    events: list[dict[str, Any]] = field(default_factory=list)
    links: dict[str, Link | None] = field(default_factory=dict)
    stored_links: dict[str, Link | None] = field(default_factory=dict)
    #: Records of the vector index that became live or dead; known after the flush.
    outbox: list[str] = field(default_factory=list)
    is_abandoned: bool = False

    # --- reading

    def load(self, ids: Iterable[str]) -> None:
        """Hold the nodes of these ids, as far as they exist in this scope."""
        wanted = [id_ for id_ in dict.fromkeys(ids) if id_ not in self.held]
        for batch in batches(wanted):
            self._hold(_BY_ID.rows(self.conn, {"scope_id": self.scope_id, "ids": batch}))

    def load_equal(self, hashes: Iterable[str]) -> None:
        """Hold the current memories (not turns) of these content hashes."""
        for batch in batches(list(dict.fromkeys(hashes))):
            self._hold(_BY_HASH.rows(self.conn, {"scope_id": self.scope_id, "hashes": batch}))

    def load_links(self, ids: Iterable[str]) -> None:
        """Know the links above these nodes, and hold the successors."""
        wanted = [id_ for id_ in dict.fromkeys(ids) if id_ not in self.links]
        for batch in batches(wanted):
            self._learn(_SUCCESSORS.rows(self.conn, {"scope_id": self.scope_id, "ids": batch}))
            for id_ in batch:
                self._know(id_, None)
        self.load(link.successor for link in self.links.values() if link is not None)

    def load_chain(self, id_: str) -> str:
        """Hold the whole chain of a node and know its links; answers the id of its head."""
        head = self.head_of(id_)
        self._learn(_BELOW.rows(self.conn, {"scope_id": self.scope_id, "root": head}))
        self.load(self.links)
        return head

    def head_of(self, id_: str) -> str:
        """The id of the head of a node's chain; the way up to it is held."""
        while True:
            if id_ not in self.links:
                rows = _ABOVE.rows(self.conn, {"scope_id": self.scope_id, "root": id_})
                self._learn(rows)
                self._know(rows[-1]["src"] if rows else id_, None)
                self.load(row["src"] for row in rows)
            link = self.links[id_]
            if link is None:
                return id_
            id_ = link.successor

    def below(self, id_: str) -> list[str]:
        """The direct predecessors of a node whose chain is loaded, oldest first."""
        found = [dst for dst, link in self.links.items() if link and link.successor == id_]
        return sorted(found, key=lambda other: self.held[other].order)

    def evidence_of(self, ids: Iterable[str]) -> dict[str, list[str]]:
        """The direct evidence of each node, stored and about to be; the evidence is held."""
        found: dict[str, list[str]] = {id_: [] for id_ in ids}
        for src, dst in self.new_evidence:
            if src in found:
                found[src].append(dst)
        for batch in batches(list(found)):
            for row in _EVIDENCE.rows(self.conn, {"scope_id": self.scope_id, "ids": batch}):
                if row["dst"] not in found[row["src"]]:
                    found[row["src"]].append(row["dst"])
        self.load(dst for dsts in found.values() for dst in dsts)
        return found

    def grounds_of(self, ids: Iterable[str]) -> dict[str, set[str]]:
        """Each node itself and all that it rests on, down to the turns."""
        grounds = {id_: {id_} for id_ in ids}
        fringe = {id_: {id_} for id_ in grounds}
        while fringe:
            evidence = self.evidence_of({one for several in fringe.values() for one in several})
            deeper: dict[str, set[str]] = {}
            for id_, sources in fringe.items():
                more = {dst for source in sources for dst in evidence[source]} - grounds[id_]
                if more:
                    grounds[id_] |= more
                    deeper[id_] = more
            fringe = deeper
        return grounds

    # --- changing

    def add(self, row: dict[str, Any], terms: Sequence[str]) -> Held:
        """Take in a new node, as :func:`~dualmem_graph.storage.records.to_row` made it."""
        held = Held(
            node=to_node(row | {"seq": 0}),
            content_hash=row["content_hash"],
            was=None,
            has_embedding=row["embedding"] is not None,
            row=row,
            place=len(self.added),
            terms=terms,
        )
        self._keep(held)
        self.added.append(held)
        self._know(held.node.id, None)
        self.record(held.node.id, "ADD", new={"status": held.node.status})
        return held

    def add_evidence(self, id_: str, evidence_id: str, quote: str = "") -> bool:
        """Let a node rest on another one of this scope; nothing happens where it does already.

        Returns:
            False where that one rests on the node itself (two that hold up each other would
            outlive all that was said), and for turns, which rest on nothing.
        """
        if self.held[id_].node.layer is Layer.RAW:
            return False
        is_turn = self.held[evidence_id].node.layer is Layer.RAW
        if not is_turn and id_ in self.grounds_of([evidence_id])[evidence_id]:
            return False
        self.new_evidence.setdefault((id_, evidence_id), quote)
        return True

    def change(self, id_: str, event: str, reason: str = "", **values: Any) -> None:
        """Change fields of a node's state (status, known_from, …) and record it."""
        held = self.held[id_]
        old = {name: getattr(held.node, name) for name in values}
        if old == values:
            return
        held.node = replace(held.node, **values)
        held.is_changed = True
        self.record(id_, event, reason, old=old, new=values)

    def link(self, successor: str, predecessor: str, update_type: UpdateType | None) -> None:
        """Let one node supersede another, whose link is known."""
        self.links[predecessor] = Link(successor, update_type)

    def unlink(self, predecessor: str) -> None:
        """Take away the link to the successor of a node."""
        self.links[predecessor] = None

    def record(
        self,
        id_: str,
        event: str,
        reason: str = "",
        *,
        old: Mapping[str, Any] | None = None,
        new: Mapping[str, Any] | None = None,
    ) -> None:
        """Append to the history of a node."""
        self.events.append(
            {
                "scope_id": self.scope_id,
                "node_id": id_,
                "event": event,
                "actor": self.actor,
                "reason": reason or self.reason,
                "old": _plain(old),
                "new": _plain(new),
                "at": self.now,
            }
        )

    def abandon(self) -> None:
        """End without writing anything, not even that the scope was touched."""
        self.is_abandoned = True
        self.conn.rollback()

    def _hold(self, rows: Iterable[Row]) -> None:
        for row in rows:
            if row["id"] not in self.held:
                node = to_node(row)
                self._keep(
                    Held(
                        node=node,
                        content_hash=row["content_hash"],
                        was=node.status,
                        vid=row["vid"],
                        has_embedding=row["has_embedding"],
                    )
                )

    def _keep(self, held: Held) -> None:
        self.held[held.node.id] = held
        self.held_by_hash.setdefault(held.content_hash, []).append(held.node.id)

    def _learn(self, rows: Iterable[Row]) -> None:
        for row in rows:
            kind = row["update_type"]
            self._know(row["dst"], Link(row["src"], UpdateType(kind) if kind else None))

    def _know(self, id_: str, link: Link | None) -> None:
        if id_ not in self.links:  # what this unit changed stands
            self.links[id_] = self.stored_links[id_] = link


def touch_scope(conn: Connection, scope: Scope, now: datetime) -> tuple[int, int]:
    """Raise the revision of a scope, making it if need be; answers its id and the new revision.

    The first statement of every write: it holds the scope's row, so that two writers of one scope
    take turns on PostgreSQL as they do on SQLite.
    """
    row = _TOUCH.rows(
        conn,
        {
            "app_id": scope.app_id,
            "user_id": scope.user_id,
            "hash": scope_hash(scope),
            "created_at": now,
        },
    )[0]
    if row["app_id"] != scope.app_id:  # it was deleted: its row had given up the names
        conn.execute(
            sa.update(_scopes)
            .where(_scopes.c.id == row["id"])
            .values(app_id=scope.app_id, user_id=scope.user_id, created_at=now)
        )
    return row["id"], row["revision"]


def batches(items: Sequence[Any], size: int = LONGEST_LIST) -> Iterator[Sequence[Any]]:
    """Cut a sequence into parts that fit one statement."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _plain(values: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if values is None:
        return None
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in values.items()
    }


def _touch(dialect: str) -> Any:
    values = {
        name: sa.bindparam(name, type_=_scopes.c[name].type)
        for name in ("app_id", "user_id", "hash", "created_at")
    }
    return (
        upsert(dialect, _scopes)
        .values(**values, revision=1)
        .on_conflict_do_update(index_elements=["hash"], set_={"revision": _scopes.c.revision + 1})
        .returning(*_TOUCHED)
    )


def _chain_walk(*, up: bool) -> sa.Select[Any]:
    """All links above a node, nearest first, or all links below it."""
    here, there = (_edges.c.dst, "src") if up else (_edges.c.src, "dst")
    walk = (
        sa.select(*_LINK, sa.literal(1).label("depth"))
        .where(_SUPERSEDES, here == sa.bindparam("root"))
        .cte("walk", recursive=True)
    )
    walk = walk.union(
        sa.select(*_LINK, walk.c.depth + 1)
        .join(walk, walk.c[there] == here)
        .where(_SUPERSEDES, walk.c.depth < _MAX_DEPTH)
    )
    return sa.select(walk.c.src, walk.c.dst, walk.c.update_type).order_by(walk.c.depth)


_TOUCHED = (_scopes.c.id, _scopes.c.revision, _scopes.c.app_id)
_TOUCH = Prepared(_touch, returns=_TOUCHED)
_HELD = sa.select(*NODE_COLUMNS, _nodes.c.embedding.is_not(None).label("has_embedding"))
_BY_ID = Prepared(
    lambda _, ids: _HELD.where(
        any_of(_nodes.c.id, "ids", ids),
        # the sum keeps SQLite from walking an index of the whole scope instead of the ids'
        (_nodes.c.scope_id + 0) == sa.bindparam("scope_id"),
    ),
    lists=["ids"],
)
_BY_HASH = Prepared(
    lambda _, hashes: _HELD.where(
        _nodes.c.scope_id == sa.bindparam("scope_id"),
        any_of(_nodes.c.content_hash, "hashes", hashes),
        _nodes.c.status == str(Status.ACTIVE),
        _nodes.c.layer != str(Layer.RAW),
    ),
    lists=["hashes"],
)
_LINK = (_edges.c.src, _edges.c.dst, _edges.c.update_type)
_SUPERSEDES = sa.and_(
    _edges.c.scope_id == sa.bindparam("scope_id"), _edges.c.kind == str(EdgeKind.SUPERSEDES)
)
_SUCCESSORS = Prepared(
    lambda _, ids: sa.select(*_LINK).where(_SUPERSEDES, any_of(_edges.c.dst, "ids", ids)),
    lists=["ids"],
)
_ABOVE = Prepared(lambda _: _chain_walk(up=True))
_BELOW = Prepared(lambda _: _chain_walk(up=False))
_EVIDENCE = Prepared(
    lambda _, ids: sa.select(_edges.c.src, _edges.c.dst).where(
        _edges.c.scope_id == sa.bindparam("scope_id"),
        _edges.c.kind == str(EdgeKind.DERIVED_FROM),
        any_of(_edges.c.src, "ids", ids),
    ),
    lists=["ids"],
)
