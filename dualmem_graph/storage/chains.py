"""The chain rules: which version supersedes which, and where a late one belongs.

A chain is a tree of SUPERSEDES edges whose root is the head: each node has at most one successor,
a merge has several predecessors. Every edge goes from a higher to a lower :attr:`Held.order`, so
no cycle can be stored. Functions here change a :class:`~dualmem_graph.storage.unit.Unit` only.
"""

from __future__ import annotations

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
    Supersede,
    SupersedeOutcome,
)
from dualmem_graph.storage.unit import Unit
from dualmem_graph.types import Layer, Status, UpdateType

# the finest step of the ledger's instants
_TICK = timedelta(microseconds=1)


@dataclass(slots=True)
class _Progress:
    """What one :class:`Supersede` has come to so far."""

    applied: list[str] = field(default_factory=list)
    below: str | None = None
    refused: list[tuple[str, str]] = field(default_factory=list)


def supersede(unit: Unit, new: str, old: list[str], item: Supersede) -> SupersedeOutcome:
    """Tie ``new`` to each head of ``old``: above it, or below it where ``new`` is the older one.

    Args:
        unit: holds both sides, as far as they exist, and knows their links.
        new: the id that stands for ``item.new`` after deduplication.
        old: the ids that stand for ``item.old``, in the same order.
        item: names the targets as the caller did, says why, and whether it is explicit.
    """
    progress = _Progress()
    for target, asked in zip(old, item.old, strict=True):
        if target in progress.applied:
            continue
        reason = _refusal(unit, new, target)
        if reason is None:
            reason = _tie(unit, new, target, item, progress)
        if reason is not None:
            progress.refused.append((asked, reason))
    return SupersedeOutcome(new, tuple(progress.applied), progress.below, tuple(progress.refused))


def put_on_top(unit: Unit, id_: str, update_type: UpdateType) -> None:
    """Make a version of a chain its head again, by an explicit write; its neighbours close up."""
    head = unit.load_chain(id_)
    link = unit.links[id_]
    if link is None:
        return
    for predecessor in unit.below(id_):
        own = unit.links[predecessor]
        unit.link(link.successor, predecessor, own.update_type if own else None)
    unit.unlink(id_)
    _lift(unit, id_, above=head)
    _place_above(unit, id_, head, update_type)


def _refusal(unit: Unit, new: str, target: str) -> str | None:
    """Why a target cannot be tied at all."""
    if target not in unit.held or new not in unit.held:
        return UNKNOWN_ID
    if target == new:
        return ITSELF
    if Layer.RAW in (unit.held[new].node.layer, unit.held[target].node.layer):
        return IS_RAW
    if unit.held[new].node.status is Status.SHADOW:
        return IS_DELETED
    return None


def _tie(unit: Unit, new: str, target: str, item: Supersede, progress: _Progress) -> str | None:
    """Tie the two, or say why not."""
    link = unit.links[target]
    if link is not None:
        if link.successor != new:
            return NOT_HEAD
        progress.applied.append(target)  # a step that runs twice finds its own work
        return None
    if unit.links[new] is not None and unit.head_of(new) == target:
        return None if progress.below == target else CYCLE
    if item.explicit:
        if unit.links[new] is not None:
            return NOT_HEAD
        _lift(unit, new, above=target)
    elif not _is_newer(unit, new, target):
        if unit.links[new] is not None:
            return IS_OLDER
        _place_below(unit, new, target, item.update_type)
        progress.below = target
        return None
    _place_above(unit, new, target, item.update_type)
    progress.applied.append(target)
    return None


def _is_newer(unit: Unit, new: str, target: str) -> bool:
    """Whether ``new`` was said after ``target``, or said again after it."""
    mine, other = unit.held[new], unit.held[target]
    if mine.order > other.order:
        return True
    if mine.row is not None or unit.links[new] is not None:
        return False
    again = _last_said(unit, new)
    if again is None or again <= other.order[0]:
        return False
    unit.change(new, "RESTATE", known_from=again)
    return True


def _last_said(unit: Unit, id_: str) -> datetime | None:
    """When the latest of the turns was said that a node rests on."""
    times = [
        unit.held[source].node.memory_at
        for source in unit.evidence_of([id_])[id_]
        if source in unit.held and unit.held[source].is_live
    ]
    return max((time for time in times if time is not None), default=None)


def _place_above(unit: Unit, new: str, target: str, update_type: UpdateType) -> None:
    unit.link(new, target, update_type)
    _bury(unit, target, _from(unit, new), new, update_type)


def _place_below(unit: Unit, new: str, target: str, update_type: UpdateType) -> None:
    """Insert an older statement at its place under the head ``target``."""
    unit.load_chain(target)
    mine = unit.held[new].order
    above = _next_newer(unit, target, mine)
    for predecessor in unit.below(above):
        own = unit.links[predecessor]
        unit.link(new, predecessor, own.update_type if own else None)
        _end_by(unit, predecessor, mine[0])
    unit.link(above, new, update_type)
    _bury(unit, new, _from(unit, above), above, update_type)


def _next_newer(unit: Unit, head: str, order: tuple[datetime, int, int]) -> str:
    """The oldest version in a chain that is newer than ``order``; all below it is older."""
    best = head
    waiting = [head]
    while waiting:
        for id_ in unit.below(waiting.pop()):
            if unit.held[id_].order > order:
                waiting.append(id_)
                best = min(best, id_, key=lambda other: unit.held[other].order)
    return best


def _bury(unit: Unit, id_: str, when: datetime, by: str, update_type: UpdateType) -> None:
    """A node got a successor: from then on it is not current. A deleted one stays deleted."""
    node = unit.held[id_].node
    if node.status is not Status.SHADOW:
        unit.change(
            id_,
            "SUPERSEDE",
            f"{update_type} by {by}",
            status=Status.SUPERSEDED,
            known_until=min(node.known_until or when, when),
        )


def _end_by(unit: Unit, id_: str, when: datetime) -> None:
    """A version was inserted above a superseded one: that ceased to be current earlier."""
    node = unit.held[id_].node
    if node.status is Status.SUPERSEDED:
        unit.change(id_, "RELINK", known_until=min(node.known_until or when, when))


def _lift(unit: Unit, id_: str, *, above: str) -> None:
    """Let an explicit write count as the newest, whatever the clock and the statements say."""
    other = unit.held[above]
    if unit.held[id_].order <= other.order:
        unit.change(id_, "LIFT", known_from=max(unit.now, other.order[0] + _TICK))


def _from(unit: Unit, id_: str) -> datetime:
    return unit.held[id_].order[0]
