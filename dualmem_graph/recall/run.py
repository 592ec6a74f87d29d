"""One recall from request to answer: the steps of the graph, without a graph's overhead."""

from __future__ import annotations

from dualmem_graph.recall.anchors import find
from dualmem_graph.recall.chains import expand, to_items
from dualmem_graph.recall.filters import is_visible
from dualmem_graph.recall.fusion import cut, fuse
from dualmem_graph.recall.intent import understand
from dualmem_graph.recall.request import (
    RecallDeps,
    RecallOutcome,
    RecallRequest,
    check_request,
)


def recall_items(deps: RecallDeps, request: RecallRequest) -> RecallOutcome:
    """Answer a request with the memories that fit it, best first; calls no model.

    Raises:
        InputError: an argument is out of range.
        FilterError: the filters name an unknown key or operator.
        EmbeddingMismatchError: the store was written with another embedder.
    """
    check_request(request, deps.settings)
    visible = is_visible(request)
    query = understand(request, deps.settings, deps.clock())
    found = find(deps, request, query, visible)
    pool = expand(deps, request, found, visible)
    ranked = cut(fuse(pool, query, found.names, deps.settings), request)
    return RecallOutcome(to_items(deps, request, ranked), found.route, found.degraded)
