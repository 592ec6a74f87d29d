"""One recall from request to answer: the same steps as the graph, without a graph's overhead."""

from __future__ import annotations

from dataclasses import replace

from dualmem_graph.recall.anchors import PROFILE as PROFILE_ANCHOR
from dualmem_graph.recall.anchors import find, profile_nodes
from dualmem_graph.recall.chains import expand, to_items
from dualmem_graph.recall.filters import is_visible
from dualmem_graph.recall.fusion import Ranked, fuse
from dualmem_graph.recall.intent import NORMAL, PROFILE, Understanding, understand
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
    query = understand(request, deps.settings, deps.clock())
    return recall_understood(deps, request, query)


def recall_understood(
    deps: RecallDeps, request: RecallRequest, query: Understanding
) -> RecallOutcome:
    """Answer a request that was understood already."""
    visible = is_visible(request)
    if query.is_empty or deps.store.scope_info(request.scope) is None:
        return RecallOutcome([], query.route)
    if query.route == PROFILE:
        known = profile_nodes(deps, request, visible)
        if known:
            ranked = [Ranked(node, 1.0, {"anchors": [PROFILE_ANCHOR]}) for node in known]
            return RecallOutcome(to_items(deps, request, ranked[: request.top_k]), PROFILE)
        query = replace(query, route=NORMAL)
    found = find(deps, request, query, visible)
    pool = expand(deps, request, query, found, visible)
    ranked = cut(fuse(pool.candidates, pool.drawn, query, found.names, deps.settings), request)
    return RecallOutcome(to_items(deps, request, ranked), query.route, found.degraded)


def cut(ranked: list[Ranked], request: RecallRequest) -> list[Ranked]:
    """Keep the best ``top_k`` of at least the threshold."""
    if request.threshold is not None:
        ranked = [entry for entry in ranked if entry.score >= request.threshold]
    return ranked[: request.top_k]
