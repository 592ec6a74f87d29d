"""Soft deletion and its undoing, with everything that rests on what is deleted.

A deleted node is SHADOW and leaves a tombstone, so that a second reading of its source does not
bring it back. What rests on nothing but deleted nodes is retired with them, and comes back with
them. Functions here change a :class:`~dualmem_graph.storage.unit.Unit`; only tombstones are
written at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sqlalchemy as sa

from dualmem_graph.errors import InputError
from dualmem_graph.storage import schema
from dualmem_graph.storage.chains import put_on_top
from dualmem_graph.storage.prepared import Prepared, any_of, insert
from dualmem_graph.storage.unit import Unit, batches
from dualmem_graph.types import EdgeKind, Status, UpdateType

_edges, _history, _tombstones = schema.edges, schema.history, schema.tombstones

DELETE, RETIRE, RESTORE = "DELETE", "RETIRE", "RESTORE"


def hide(unit: Unit, ids: Iterable[str], reason: str = "") -> tuple[list[str], list[str]]:
    """Delete held nodes softly, and retire what has no live evidence left.

    Returns:
        The ids that were hidden, and those that were retired with them; those that were hidden
        before are in neither.
    """
    hidden = [id_ for id_ in dict.fromkeys(ids) if unit.held[id_].is_live]
    for id_ in hidden:
        _shadow(unit, id_, DELETE, reason)
    retired = _retire_unsupported(unit, hidden)
    bury(unit, [*hidden, *retired])
    return hidden, retired


def bring_back(unit: Unit, id_: str) -> None:
    """Make a held node the current version of its chain, whatever became of it before.

    Raises:
        InputError: what it rests on is deleted itself; names what to restore first.
    """
    sources = unit.evidence_of([id_])[id_]
    gone = [source for source in sources if not unit.held[source].is_live]
    if sources and len(gone) == len(sources):
        raise InputError(
            f"memory {id_!r} rests on {gone[0]!r}, which is deleted; restore that first"
        )
    put_on_top(unit, id_, UpdateType.OVERRIDE)
    unit.change(id_, RESTORE, status=Status.ACTIVE, known_until=None)
    returned = _unretire(unit, [id_])
    _lift_stones(unit, [id_, *returned])


def bury(unit: Unit, ids: Sequence[str]) -> None:
    """Leave tombstones for held nodes: what rests on the same ground is not to say it again."""
    rows = [
        {
            "scope_id": unit.scope_id,
            "turn_id": turn,
            "content_hash": unit.held[id_].content_hash,
            "at": unit.now,
        }
        for id_, turns in unit.grounds_of(ids).items()
        for turn in turns
    ]
    _SET_STONES.run_many(unit.conn, rows)


def stones_of(unit: Unit, hashes: Sequence[str]) -> set[tuple[str, str]]:
    """The tombstones ``(turn id, content hash)`` of these contents."""
    found: set[tuple[str, str]] = set()
    for batch in batches(hashes):
        rows = _STONES.rows(unit.conn, {"scope_id": unit.scope_id, "hashes": batch})
        found.update((row["turn_id"], row["content_hash"]) for row in rows)
    return found


def buried_turns(unit: Unit, ids: Sequence[str]) -> set[str]:
    """Of ids of turns, those that something was deleted of; of absent ones: that were purged."""
    found: set[str] = set()
    for batch in batches(ids):
        rows = _BURIED.rows(unit.conn, {"scope_id": unit.scope_id, "ids": batch})
        found.update(row["turn_id"] for row in rows)
    return found


def _shadow(unit: Unit, id_: str, event: str, reason: str) -> None:
    node = unit.held[id_].node
    unit.change(id_, event, reason, status=Status.SHADOW, known_until=node.known_until or unit.now)


def _retire_unsupported(unit: Unit, hidden: Sequence[str]) -> list[str]:
    """Retire, step by step upwards, what rested on hidden nodes and rests on nothing else."""
    retired: list[str] = []
    gone = list(hidden)
    while gone:
        resting = [id_ for id_ in _resting_on(unit, gone) if unit.held[id_].is_live]
        evidence = unit.evidence_of(resting)
        gone = [
            id_ for id_ in resting if not any(unit.held[source].is_live for source in evidence[id_])
        ]
        for id_ in gone:
            _shadow(unit, id_, RETIRE, "what it rests on was deleted")
        retired += gone
    return retired


def _unretire(unit: Unit, restored: Sequence[str]) -> list[str]:
    """Bring back what was retired for want of the restored nodes alone."""
    returned: list[str] = []
    back = list(restored)
    while back:
        shadows = [id_ for id_ in _resting_on(unit, back) if not unit.held[id_].is_live]
        back = []
        for id_, earlier in _retired_from(unit, shadows).items():
            unit.load_links([id_])
            if unit.links[id_] is not None:
                earlier = Status.SUPERSEDED
            known_until = None if earlier is Status.ACTIVE else unit.held[id_].node.known_until
            unit.change(id_, RESTORE, status=earlier, known_until=known_until)
            back.append(id_)
        returned += back
    return returned


def _retired_from(unit: Unit, shadows: Sequence[str]) -> dict[str, Status]:
    """Of deleted nodes, those that were retired (not deleted by will), and their status before."""
    found: dict[str, Status] = {}
    for batch in batches(shadows):
        rows = _HIDINGS.rows(unit.conn, {"scope_id": unit.scope_id, "ids": batch})
        for row in rows:  # the last hiding of each decides
            found.pop(row["node_id"], None)
            if row["event"] == RETIRE:
                found[row["node_id"]] = Status(row["old"]["status"])
    return found


def _resting_on(unit: Unit, ids: Sequence[str]) -> list[str]:
    """The nodes that rest directly on these, stored and about to be; they are held."""
    wanted = set(ids)
    found = {src: None for src, dst in unit.new_evidence if dst in wanted}
    for batch in batches(ids):
        rows = _RESTING.rows(unit.conn, {"scope_id": unit.scope_id, "ids": batch})
        found.update(dict.fromkeys(row["src"] for row in rows))
    unit.load(found)
    return list(found)


def _lift_stones(unit: Unit, ids: Sequence[str]) -> None:
    rows = [
        {
            "scope_id_": unit.scope_id,
            "turn_id_": turn,
            "content_hash_": unit.held[id_].content_hash,
        }
        for id_, turns in unit.grounds_of(ids).items()
        for turn in turns
    ]
    _UNSTONE.run_many(unit.conn, rows)


_STONES = Prepared(
    lambda _, hashes: sa.select(_tombstones.c.turn_id, _tombstones.c.content_hash).where(
        _tombstones.c.scope_id == sa.bindparam("scope_id"),
        any_of(_tombstones.c.content_hash, "hashes", hashes),
    ),
    lists=["hashes"],
)
_BURIED = Prepared(
    lambda _, ids: (
        sa.select(_tombstones.c.turn_id)
        .where(
            _tombstones.c.scope_id == sa.bindparam("scope_id"),
            any_of(_tombstones.c.turn_id, "ids", ids),
        )
        .distinct()
    ),
    lists=["ids"],
)
_SET_STONES = insert(_tombstones, skip_existing=True)
_UNSTONE = Prepared(
    lambda _: sa.delete(_tombstones).where(
        _tombstones.c.scope_id == sa.bindparam("scope_id_"),
        _tombstones.c.turn_id == sa.bindparam("turn_id_"),
        _tombstones.c.content_hash == sa.bindparam("content_hash_"),
    )
)
_RESTING = Prepared(
    lambda _, ids: (
        sa.select(_edges.c.src)
        .where(
            _edges.c.scope_id == sa.bindparam("scope_id"),
            _edges.c.kind == str(EdgeKind.DERIVED_FROM),
            any_of(_edges.c.dst, "ids", ids),
        )
        .distinct()
    ),
    lists=["ids"],
)
_HIDINGS = Prepared(
    lambda _, ids: (
        sa.select(_history.c.node_id, _history.c.event, _history.c.old)
        .where(
            _history.c.scope_id == sa.bindparam("scope_id"),
            any_of(_history.c.node_id, "ids", ids),
            _history.c.event.in_([sa.literal(DELETE), sa.literal(RETIRE)]),
        )
        .order_by(_history.c.id)
    ),
    lists=["ids"],
)
