"""The read path as a LangGraph state machine: the table of contents of this folder.

``START → understand → (nothing asked? → END) → anchors → expand → fuse → format → END``

No model is called. :func:`dualmem_graph.recall.run.recall_items` runs the same steps without a
graph, for callers that count microseconds.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from pydantic import TypeAdapter

from dualmem_graph.recall import anchors as find_by
from dualmem_graph.recall import chains, fusion
from dualmem_graph.recall.filters import is_visible
from dualmem_graph.recall.formatter import format_context
from dualmem_graph.recall.intent import Understanding
from dualmem_graph.recall.intent import understand as read_query
from dualmem_graph.recall.request import RecallDeps, check_request
from dualmem_graph.recall.state import (
    RecallContext,
    RecallInput,
    RecallOutput,
    RecallState,
    request_of,
)
from dualmem_graph.resources import current

Update = dict[str, Any]

# To plain values and back, for the two steps that hand on more than ids and numbers.
_UNDERSTANDING = TypeAdapter(Understanding)
_DRAWN = TypeAdapter(fusion.Drawn)


def understand(state: RecallState, runtime: Runtime[RecallContext]) -> Update:
    """Read the query: language, route, terms, and the text to embed."""
    deps, request = _prepare(state, runtime)
    query = read_query(request, deps.settings, deps.clock())
    runtime.stream_writer({"stage": "understand", "route": query.route})
    return {
        "understanding": _UNDERSTANDING.dump_python(query, mode="json"),
        "route": query.route,
        "items": [],
        "context": "",
        "degraded": [],
    }


def route_query(state: RecallState) -> Literal["anchors", "__end__"]:
    """Small talk asks memory nothing."""
    return "__end__" if state["understanding"]["is_empty"] else "anchors"


def anchors(state: RecallState, runtime: Runtime[RecallContext]) -> Update:
    """Find candidates by meaning, by words, and by what is asked for."""
    deps, request = _prepare(state, runtime)
    found = find_by.find(deps, request, _understanding(state), is_visible(request))
    runtime.stream_writer({"stage": "anchors", "hits": len(found.hits)})
    return {
        "hits": [asdict(hit) for hit in found.hits],
        "names": list(found.names),
        "is_embedded": found.vector is not None,
        "route": found.route,
        "degraded": list(found.degraded),
    }


def expand(state: RecallState, runtime: Runtime[RecallContext]) -> Update:
    """Follow versions to their heads, and turns to the statements drawn from them."""
    deps, request = _prepare(state, runtime)
    query = _understanding(state)
    hits = [find_by.AnchorHit(**hit) for hit in state["hits"]]
    names = tuple(state["names"])
    text = query.dense_text(names) if state["is_embedded"] else ""
    vector, _ = find_by.embed_query(deps, text)
    found = find_by.Found(
        hits=hits,
        nodes=deps.store.get_many(request.scope, {hit.node_id for hit in hits}),
        names=names,
        vector=vector,
    )
    found.hits = [hit for hit in hits if hit.node_id in found.nodes]
    pool = chains.expand(deps, request, found, is_visible(request))
    runtime.stream_writer({"stage": "expand", "candidates": len(pool.candidates)})
    return {
        "candidates": [_plain(candidate) for candidate in pool.candidates.values()],
        "drawn": _DRAWN.dump_python(pool.drawn, mode="json"),
    }


def fuse(state: RecallState, runtime: Runtime[RecallContext]) -> Update:
    """Score the candidates and keep the best, one entry per answer."""
    deps, request = _prepare(state, runtime)
    rows = {row["id"]: row for row in state["candidates"]}
    nodes = deps.store.get_many(request.scope, rows)
    candidates = {id_: _candidate(rows[id_], node) for id_, node in nodes.items()}
    pool = fusion.Pool(candidates, _DRAWN.validate_python(state["drawn"]))
    order = fusion.fuse(pool, _understanding(state), state["names"], deps.settings)
    ranked = fusion.cut(order, request)
    return {
        "ranked": [
            {**_plain(entry.candidate), "score": entry.score, "terms": entry.terms}
            for entry in ranked
        ]
    }


def format(state: RecallState, runtime: Runtime[RecallContext]) -> Update:
    """Read chains and sources; write the items and the block for a prompt."""
    deps, request = _prepare(state, runtime)
    rows = state["ranked"]
    nodes = deps.store.get_many(request.scope, [row["id"] for row in rows])
    ranked = [
        fusion.Ranked(_candidate(row, nodes[row["id"]]), row["score"], row["terms"])
        for row in rows
        if row["id"] in nodes
    ]
    items = chains.to_items(deps, request, ranked)
    context = format_context(
        items,
        query=_understanding(state).text,
        route=state["route"],
        max_tokens=state.get("max_tokens", deps.settings.context_max_tokens),
        language=state.get("language"),
        zone=deps.settings.timezone,
    )
    runtime.stream_writer({"stage": "format", "items": len(items)})
    return {"items": [item.to_dict() for item in items], "context": context}


def _prepare(state: RecallState, runtime: Runtime[RecallContext]) -> tuple[RecallDeps, Any]:
    deps = RecallDeps.of(current())
    request = request_of(state, runtime.context, deps.settings)
    check_request(request, deps.settings)
    return deps, request


def _understanding(state: RecallState) -> Understanding:
    return _UNDERSTANDING.validate_python(state["understanding"])


def _plain(candidate: fusion.Candidate) -> dict[str, Any]:
    return {
        "id": candidate.node.id,
        "semantic": candidate.semantic,
        "lexical": candidate.lexical,
        "profile": candidate.profile,
        "anchors": sorted(candidate.anchors),
        "via": candidate.via,
    }


def _candidate(row: dict[str, Any], node: Any) -> fusion.Candidate:
    return fusion.Candidate(
        node,
        semantic=row["semantic"],
        lexical=row["lexical"],
        profile=row["profile"],
        anchors=set(row["anchors"]),
        via=row["via"],
    )


recall_builder = StateGraph(
    RecallState,
    context_schema=RecallContext,
    input_schema=RecallInput,
    output_schema=RecallOutput,
)
recall_builder.add_node(understand)
recall_builder.add_node(anchors)
recall_builder.add_node(expand)
recall_builder.add_node(fuse)
recall_builder.add_node(format)
recall_builder.add_edge(START, "understand")
recall_builder.add_conditional_edges("understand", route_query)
recall_builder.add_edge("anchors", "expand")
recall_builder.add_edge("expand", "fuse")
recall_builder.add_edge("fuse", "format")
recall_builder.add_edge("format", END)
recall = recall_builder.compile(name="recall")
