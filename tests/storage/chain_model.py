"""The chain rules in the plainest form: dictionaries and loops, no database.

What the store does in one transaction is done here on a graph in memory; the state machine compares
the two after every step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from dualmem_graph.storage.records import (
    CYCLE,
    IS_DELETED,
    IS_OLDER,
    IS_RAW,
    ITSELF,
    NOT_HEAD,
    UNKNOWN_ID,
    SupersedeOutcome,
    WriteOp,
)
from dualmem_graph.types import Scope, Status

TICK = timedelta(microseconds=1)


@dataclass
class ModelNode:
    """A turn or a statement; ``retired_from`` is the status it had before it lost its evidence."""

    id: str
    scope: Scope
    content: str
    is_turn: bool
    said: datetime
    since: datetime
    arrival: int
    status: Status = Status.ACTIVE
    successor: str | None = None
    evidence: list[str] = field(default_factory=list)
    retired_from: Status | None = None

    @property
    def order(self) -> tuple[datetime, int]:
        return (self.since, self.arrival)

    @property
    def is_live(self) -> bool:
        return self.status is not Status.SHADOW


class Model:
    """All scopes' nodes by id, and the tombstones ``(scope, ground, content)``."""

    def __init__(self) -> None:
        self.nodes: dict[str, ModelNode] = {}
        self.stones: set[tuple[Scope, str, str]] = set()
        self.sessions: dict[tuple[Scope, str], tuple[str, datetime]] = {}

    # --- reading

    def ids(self, scope: Scope, *, turns: bool = False) -> list[str]:
        return [n.id for n in self.nodes.values() if n.scope == scope and n.is_turn == turns]

    def head(self, id_: str) -> str:
        while (above := self.nodes[id_].successor) is not None:
            id_ = above
        return id_

    def below(self, id_: str) -> list[ModelNode]:
        return [node for node in self.nodes.values() if node.successor == id_]

    def chain(self, head: str) -> Iterator[ModelNode]:
        yield self.nodes[head]
        for node in self.below(head):
            yield from self.chain(node.id)

    def grounds(self, id_: str) -> set[str]:
        found = {id_}
        for source in self.nodes[id_].evidence:
            found |= self.grounds(source)
        return found

    # --- writing

    def is_retry(
        self, scope: Scope, session: str, text: str, now: datetime, window: timedelta
    ) -> bool:
        last = self.sessions.get((scope, session))
        if last is None:
            return False
        node = self.nodes[last[0]]
        return node.content == text and node.is_live and abs(now - last[1]) <= window

    def add(
        self, id_: str, scope: Scope, content: str, said: datetime, evidence: Iterable[str] = ()
    ) -> ModelNode:
        node = ModelNode(id_, scope, content, False, said, said, len(self.nodes))
        node.evidence = list(evidence)
        self.nodes[id_] = node
        return node

    def say(self, id_: str, scope: Scope, session: str, text: str, now: datetime) -> None:
        self.add(id_, scope, text, now).is_turn = True
        self.sessions[scope, session] = (id_, now)

    def note(
        self, id_: str, scope: Scope, content: str, said: datetime, source: str
    ) -> tuple[WriteOp, str | None]:
        """Write a statement that rests on one node; answers what becomes of it."""
        twin = self.nodes.get(id_) or next(
            (
                node
                for node in self.nodes.values()
                if (node.scope, node.content, node.is_turn) == (scope, content, False)
                and node.status is Status.ACTIVE
            ),
            None,
        )
        buried = any((scope, ground, content) in self.stones for ground in (id_, source))
        if buried or (twin is not None and not twin.is_live):
            return WriteOp.TOMBSTONED, None
        is_live = self.nodes[source].scope == scope and self.nodes[source].is_live
        if twin is not None:
            is_circular = twin.id in self.grounds(source)
            if is_live and not is_circular and source not in twin.evidence:
                twin.evidence.append(source)
            return (WriteOp.EXISTS if twin.id == id_ else WriteOp.DUPLICATE), twin.id
        if not is_live:
            return WriteOp.REFUSED, None
        self.add(id_, scope, content, said, [source])
        return WriteOp.ADDED, id_

    def supersede(
        self, scope: Scope, new: str, old: str, now: datetime, *, explicit: bool
    ) -> SupersedeOutcome:
        refusal = self._refusal(scope, new, old, explicit)
        if refusal is not None:
            return SupersedeOutcome(new, refused=((old, refusal),))
        mine, target = self.nodes[new], self.nodes[old]
        if target.successor == new:
            return SupersedeOutcome(new, applied=(old,))
        if explicit and mine.order <= target.order:
            mine.since = max(now, target.since + TICK)
        again = max((self.nodes[id_].said for id_ in self._live_evidence(mine)), default=mine.since)
        if mine.order <= target.order and mine.successor is None and again > target.since:
            mine.since = again
        if mine.order > target.order:
            self._bury(target, new)
            return SupersedeOutcome(new, applied=(old,))
        if mine.successor is not None:
            return SupersedeOutcome(new, refused=((old, IS_OLDER),))
        newer = [node for node in self.chain(old) if node.order > mine.order]
        above = min(newer, key=lambda node: node.order)
        for node in self.below(above.id):
            node.successor = new
        self._bury(mine, above.id)
        return SupersedeOutcome(new, below=old)

    def update(self, id_: str, new: str, content: str, now: datetime) -> None:
        old = self.nodes[id_]
        since = now if now >= old.since else old.since + TICK
        node = self.add(new, old.scope, content, now, old.evidence)
        node.since = since
        self._bury(old, new)

    def delete(self, ids: Iterable[str]) -> tuple[set[str], set[str]]:
        hidden = {id_ for id_ in ids if self.nodes[id_].is_live}
        for id_ in hidden:
            self.nodes[id_].status, self.nodes[id_].retired_from = Status.SHADOW, None
        retired = set()
        while lost := [
            node
            for node in self.nodes.values()
            if node.is_live and node.evidence and not self._live_evidence(node)
        ]:
            for node in lost:
                node.status, node.retired_from = Status.SHADOW, node.status
                retired.add(node.id)
        for id_ in hidden | retired:
            self.stones |= self._stones(id_)
        return hidden, retired

    def expire(self, id_: str) -> None:
        if self.nodes[id_].status is Status.ACTIVE:
            self.nodes[id_].status = Status.EXPIRED

    def restore(self, id_: str, now: datetime) -> bool:
        """Make a version current; False where nothing it rests on is live."""
        node = self.nodes[id_]
        if node.status is Status.ACTIVE:
            return True
        if node.evidence and not self._live_evidence(node):
            return False
        head = self.nodes[self.head(id_)]
        if head is not node:
            for other in self.below(id_):
                other.successor = node.successor
            node.successor = None
            node.since = max(now, head.since + TICK)
            self._bury(head, id_)
        node.status, node.retired_from = Status.ACTIVE, None
        back = {id_}
        while more := {
            other.id
            for other in self.nodes.values()
            if other.retired_from is not None and set(other.evidence) & back
        }:
            for other_id in more:
                self._unretire(self.nodes[other_id])
            back |= more
        for other_id in back:
            self.stones -= self._stones(other_id)
        return True

    def _refusal(self, scope: Scope, new: str, old: str, explicit: bool) -> str | None:
        if any(self.nodes[id_].scope != scope for id_ in (new, old)):
            return UNKNOWN_ID
        mine, target = self.nodes[new], self.nodes[old]
        if new == old:
            return ITSELF
        if mine.is_turn or target.is_turn:
            return IS_RAW
        if not mine.is_live:
            return IS_DELETED
        if target.successor is not None:
            return None if target.successor == new else NOT_HEAD
        if self.head(new) == old:
            return CYCLE
        return NOT_HEAD if explicit and mine.successor is not None else None

    def _bury(self, node: ModelNode, successor: str) -> None:
        node.successor = successor
        if node.is_live:
            node.status = Status.SUPERSEDED

    def _unretire(self, node: ModelNode) -> None:
        assert node.retired_from is not None
        node.status, node.retired_from = node.retired_from, None
        if node.successor is not None:
            node.status = Status.SUPERSEDED

    def _live_evidence(self, node: ModelNode) -> list[str]:
        return [id_ for id_ in node.evidence if self.nodes[id_].is_live]

    def _stones(self, id_: str) -> set[tuple[Scope, str, str]]:
        node = self.nodes[id_]
        return {(node.scope, ground, node.content) for ground in self.grounds(id_)}
