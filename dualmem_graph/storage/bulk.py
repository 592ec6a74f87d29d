"""Writing many memories at once, a batch in a transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice

from dualmem_graph.errors import InputError
from dualmem_graph.storage import schema
from dualmem_graph.storage.plans import apply
from dualmem_graph.storage.records import NewNode, Plan
from dualmem_graph.storage.writer import Writer
from dualmem_graph.types import Scope

_nodes, _scopes = schema.nodes, schema.scopes


def import_nodes(
    writer: Writer, scope: Scope, nodes: Iterable[NewNode], *, actor: str, batch: int
) -> dict[str, int]:
    """Write nodes as they come, a batch in a transaction; answers how many met which outcome."""
    if batch < 1:
        raise InputError(f"batch must be at least 1, got {batch!r}")
    counts: Counter[str] = Counter()
    waiting = iter(nodes)
    while some := list(islice(waiting, batch)):
        applied = apply(writer, scope, Plan(nodes=some), actor=actor, reason="import", adopts=True)
        counts.update(str(outcome.op) for outcome in applied.nodes)
    return dict(counts)
