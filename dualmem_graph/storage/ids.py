"""Ids that follow from what they name, so that a step that runs twice writes nothing twice."""

from __future__ import annotations

from uuid import UUID, uuid5

from dualmem_graph.scope import scope_hash
from dualmem_graph.text.safety import content_hash
from dualmem_graph.types import Layer, Scope

# the root of every id of this package; changing it would make every id of every store another
_NAMESPACE = UUID("5c3dbe0e-6f0b-5b0e-9d6e-2f2f8f1d7a41")


def turn_id(scope: Scope, session_id: str | None, key: str) -> str:
    """Name a turn by its scope, its session and what is unique about it there.

    Args:
        scope: whose turn it is.
        session_id: ``None`` is a session of its own, different from ``""``.
        key: the message's id, an idempotency key with the place in its call, or the turn before.

    >>> turn_id(Scope("default", "u1"), "s1", "m1") == turn_id(Scope("default", "u1"), "s1", "m1")
    True
    """
    session = "-" if session_id is None else f"+{session_id}"
    return _name("turn", scope_hash(scope), session, key)


def node_id(scope: Scope, turn: str, layer: Layer, content: str) -> str:
    """Name a derived node by the turn (or node) it came from, its layer and its content.

    Contents that differ only in case, width, spaces or a closing full stop have one id.
    """
    return _name("node", scope_hash(scope), turn, layer, content_hash(content))


def adopted_id(scope: Scope, given: str) -> str:
    """Name an imported node whose own id is taken by another scope."""
    return _name("adopted", scope_hash(scope), given)


def job_id(scope: Scope, kind: str, key: str, revision: int) -> str:
    """Name a job by what it is to do and the revision of the scope that asked for it."""
    return _name("job", scope_hash(scope), kind, key, str(revision))


def _name(*parts: str) -> str:
    # the length before each part keeps ("a", "bc") and ("ab", "c") apart, whatever they contain
    return str(uuid5(_NAMESPACE, "".join(f"{len(part)}:{part}" for part in parts)))
