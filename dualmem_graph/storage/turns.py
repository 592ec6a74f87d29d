"""Keeping turns: what was said, word for word, and noticing what is only sent again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from dualmem_graph.errors import InputError
from dualmem_graph.storage import schema
from dualmem_graph.storage.forgetting import buried_turns
from dualmem_graph.storage.ids import turn_id
from dualmem_graph.storage.prepared import Prepared
from dualmem_graph.storage.records import (
    NODE_COLUMNS,
    NewNode,
    NewTurn,
    Vector,
    blob_of,
    to_node,
    to_row,
)
from dualmem_graph.storage.unit import Unit
from dualmem_graph.text.safety import content_hash
from dualmem_graph.text.tokens import index_terms
from dualmem_graph.types import Layer, MemoryType, Node, Status, Turn

_nodes = schema.nodes

# ``granularity`` of a turn: its message carried a timestamp of its own
_STAMPED = "time"


@dataclass(frozen=True, slots=True)
class Conversation:
    """The turns of one call and what they have in common."""

    turns: Sequence[NewTurn]
    session_id: str | None = None
    agent_id: str | None = None
    metadata: Mapping[str, Any] | None = None
    idempotency_key: str | None = None
    vectors: Sequence[Vector] | None = None
    fingerprint: str | None = None
    dedup_window: float = 0.0

    def __post_init__(self) -> None:
        if self.vectors is not None and len(self.vectors) != len(self.turns):
            raise InputError(
                f"{len(self.turns)} turns came with {len(self.vectors)} embeddings; pass one row "
                "for each turn, or none at all"
            )
        for place, turn in enumerate(self.turns):
            if not turn.text:
                raise InputError(f"turn {place} has no text ({turn!r}); leave it out")


class _Said(NamedTuple):
    """An earlier turn of the session; whether its message carried a timestamp."""

    node: Node
    is_stamped: bool


class Kept(NamedTuple):
    """The turns of a call that are there now, which of them are new, and which may not be."""

    turns: list[Turn]
    is_new: list[bool]
    purged: list[int]


def keep_turns(unit: Unit, talk: Conversation) -> Kept:
    """Add the turns that are not there yet; one that was purged by its name stays out."""
    ids = _name_all(unit, talk)
    unit.load(ids)
    absent = [id_ for id_ in ids if id_ not in unit.held]
    purged = buried_turns(unit, absent)
    kept = Kept([], [], [place for place, id_ in enumerate(ids) if id_ in purged])
    for place, id_ in enumerate(ids):
        if id_ in purged:
            continue
        kept.is_new.append(id_ not in unit.held)
        if id_ not in unit.held:
            _add(unit, talk, place, id_)
        kept.turns.append(_to_turn(unit.held[id_].node, place))
    return kept


def _name_all(unit: Unit, talk: Conversation) -> list[str]:
    """Name each turn by its key, by a neighbour that has one, or by what the session ends with."""
    keys = _keys(talk)
    if any(key is not None for key in keys):
        return _name_by_keys(unit, talk, keys)
    tail = _tail(unit, talk)
    known = _repeated(unit, talk, tail)
    ids = [said.node.id for said in tail[len(tail) - known :]]
    before = tail[-1].node.id if tail else ""
    while len(ids) < len(talk.turns):
        before = turn_id(unit.scope, talk.session_id, f"after:{before}")
        if not buried_turns(
            unit, [before]
        ):  # the name of a turn that was purged is not given again
            ids.append(before)
    return ids


def _keys(talk: Conversation) -> list[str | None]:
    keys: list[str | None] = []
    for place, turn in enumerate(talk.turns):
        if turn.message_id is not None:
            keys.append(f"message:{turn.message_id}")
        elif talk.idempotency_key is not None:
            keys.append(f"call:{place}:{talk.idempotency_key}")
        else:
            keys.append(None)
    return keys


def _name_by_keys(unit: Unit, talk: Conversation, keys: Sequence[str | None]) -> list[str]:
    """Name turns by their keys; one without a key is known by the nearest that has one."""
    ids = []
    for place, key in enumerate(keys):
        if key is None:
            anchor = min(
                (other for other, found in enumerate(keys) if found is not None),
                key=lambda other: abs(other - place),
            )
            turn = talk.turns[place]
            key = f"near:{keys[anchor]}:{place - anchor}:{turn.role}:{turn.text}"
        ids.append(turn_id(unit.scope, talk.session_id, key))
    return ids


def _tail(unit: Unit, talk: Conversation) -> list[_Said]:
    """The last turns of the session, at most as many as came in, oldest first."""
    statement = _TAIL if talk.session_id is not None else _TAIL_OF_NO_SESSION
    rows = statement.rows(
        unit.conn,
        {"scope_id": unit.scope_id, "session_id": talk.session_id, "k": len(talk.turns)},
    )
    said = [_Said(to_node(row), row["granularity"] == _STAMPED) for row in rows]
    return said[::-1]


def _repeated(unit: Unit, talk: Conversation, tail: Sequence[_Said]) -> int:
    """How many of the first incoming turns are the last ones of the session, sent again.

    A conversation that is sent again with more at its end is known by two turns or more; a mere
    repetition counts as a retry only within ``dedup_window``, and never of what was deleted.
    """
    for k in range(len(tail), 0, -1):
        same = tail[len(tail) - k :]
        if all(_is_same(said, turn) for said, turn in zip(same, talk.turns, strict=False)):
            if k >= 2 and k < len(talk.turns):
                return k
            return k if _is_retry(unit, talk, same) else 0
    return 0


def _is_same(said: _Said, turn: NewTurn) -> bool:
    node = said.node
    if (node.role, node.name, node.content) != (turn.role, turn.name, turn.text):
        return False
    both_stamped = said.is_stamped and turn.explicit_at
    return not both_stamped or node.memory_at == turn.at


def _is_retry(unit: Unit, talk: Conversation, same: Sequence[_Said]) -> bool:
    arrived = same[-1].node.created_at
    assert arrived is not None
    # the clock may have been set back since: by more than the window, it is no retry either
    is_recent = abs(unit.now - arrived) <= timedelta(seconds=talk.dedup_window)
    return is_recent and any(said.node.status is not Status.SHADOW for said in same)


def _add(unit: Unit, talk: Conversation, place: int, id_: str) -> None:
    turn = talk.turns[place]
    new = NewNode(
        id=id_,
        layer=Layer.RAW,
        content=turn.text,
        memory_type=MemoryType.EPISODIC,
        subject="user" if turn.role == "user" else turn.role,
        metadata=talk.metadata or {},
        agent_id=talk.agent_id,
        session_id=talk.session_id,
        role=turn.role,
        name=turn.name,
        message_id=turn.message_id,
        source=turn.role,
        memory_at=turn.at,
        turn_index=place,
        embedding=None if talk.vectors is None else talk.vectors[place],
        fingerprint=talk.fingerprint,
    )
    row = to_row(
        new,
        unit.now,
        scope_id=unit.scope_id,
        content_hash=content_hash(turn.text),
        blob=blob_of(new),
    )
    if turn.explicit_at:
        row["granularity"] = _STAMPED
    unit.add(row, index_terms(turn.text))


def _to_turn(node: Node, place: int) -> Turn:
    assert node.memory_at is not None
    return Turn(
        turn_id=node.id,
        index=place,
        role=node.role or "user",
        text=node.content,
        at=node.memory_at,
        name=node.name,
        message_id=node.message_id,
    )


def _tail_of(session: sa.ColumnElement[bool]) -> sa.Select[Any]:
    return (
        sa.select(*NODE_COLUMNS)
        .where(
            _nodes.c.scope_id == sa.bindparam("scope_id"),
            _nodes.c.layer == str(Layer.RAW),
            session,
        )
        .order_by(_nodes.c.seq.desc())
        .limit(sa.bindparam("k"))
    )


_TAIL = Prepared(lambda _: _tail_of(_nodes.c.session_id == sa.bindparam("session_id")))
_TAIL_OF_NO_SESSION = Prepared(lambda _: _tail_of(_nodes.c.session_id.is_(None)))
