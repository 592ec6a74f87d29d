"""Anchors: the ways in which candidates are found, one small function each.

An anchor returns :class:`AnchorHit` values with a raw score that means the same for every query:
a cosine, a share of the best possible BM25 score, or 1 where the store says outright that this is
what was asked for.
"""

from __future__ import annotations

import heapq
import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dualmem_graph.config import Settings
from dualmem_graph.errors import EmbeddingError, EmbeddingMismatchError
from dualmem_graph.recall.filters import Test, narrows, statuses_read
from dualmem_graph.recall.hints import SINGLE_SLOTS
from dualmem_graph.recall.intent import NORMAL, PROACTIVE, Understanding
from dualmem_graph.recall.intent import PROFILE as PROFILE_ROUTE
from dualmem_graph.recall.lexical import lexical_scores
from dualmem_graph.recall.request import RecallDeps, RecallRequest
from dualmem_graph.types import Layer, Node, Status

logger = logging.getLogger(__name__)

Vector = NDArray[np.float32]

SEMANTIC = "semantic"
LEXICAL = "lexical"
SLOT = "slot"
INTENTION = "intention"
PROFILE = "profile"

#: Candidates of an anchor at least: boosts lift what is deeper in the list than the first 50.
_LEAST_POOL = 100
#: Of these, the nodes that may score best are read: so many per item, and so many at least.
_READ_PER_ITEM = 4
_LEAST_READ = 40
#: Hits by word, best first, whose speakers and subjects are the names that a question may hold.
_NAMES_FROM = 20
_PAGE = 200
#: What a profile consists of, and what its layers score; the second where there is no first.
_PROFILE_LAYERS: tuple[dict[Layer, float], ...] = (
    {Layer.BASIC_INFO: 1.0, Layer.IDENTITY: 0.95},
    {Layer.FACT: 0.9, Layer.INTENTION: 0.85},
)


@dataclass(frozen=True, slots=True)
class AnchorHit:
    """A node that an anchor found, and how well it fits (raw, comparable between queries)."""

    node_id: str
    anchor: str
    score: float


@dataclass(slots=True)
class Found:
    """What the anchors found for one request.

    Attributes:
        hits: all hits; a node may have one of each anchor.
        nodes: the nodes of the hits, as far as the request may see them.
        names: the names under which people speak in this scope, as far as the question has them.
        vector: the embedded question; ``None`` where nothing is compared by meaning.
        degraded: the fallbacks that were taken.
        route: the route on which they were found.
    """

    hits: list[AnchorHit] = field(default_factory=list)
    nodes: dict[str, Node] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    vector: Vector | None = None
    degraded: tuple[str, ...] = ()
    route: str = NORMAL


def find(deps: RecallDeps, request: RecallRequest, query: Understanding, visible: Test) -> Found:
    """Run the anchors; look further where filters leave too little of what they found.

    Raises:
        EmbeddingMismatchError: the store was written with another embedder.
    """
    if query.is_empty:
        return Found(route=query.route)
    if query.route == PROFILE_ROUTE:
        found = Found(route=PROFILE_ROUTE)
        _read(deps, request, found, profile_hits(deps, request, visible), visible)
        if found.hits:
            return found
    pool = max(_LEAST_POOL, request.top_k * deps.settings.hybrid_overfetch_multiplier)
    while True:
        found, is_exhausted = _find_within(deps, request, query, visible, pool)
        enough = len(found.nodes) >= min(pool, 3 * request.top_k)
        if is_exhausted or enough or not narrows(request):
            return found
        pool *= 4


def _find_within(
    deps: RecallDeps, request: RecallRequest, query: Understanding, visible: Test, pool: int
) -> tuple[Found, bool]:
    found = Found(route=PROACTIVE if query.route == PROACTIVE else NORMAL)
    by_word = lexical_hits(deps, request, query, pool)
    if query.is_question:
        _read(deps, request, found, by_word[:_NAMES_FROM], visible)
        found.names = names_in(query.text, found.nodes.values())
    found.vector, degraded = embed_query(deps, query.dense_text(found.names))
    by_meaning, more_degraded = semantic_hits(deps, request, found.vector, pool)
    found.degraded = (*degraded, *more_degraded)
    hits = [*by_word, *by_meaning]
    if not narrows(request) and not query.times:
        hits = shortlist(hits, deps.settings, max(_LEAST_READ, _READ_PER_ITEM * request.top_k))
    hits += slot_hits(deps, request, query, found.names)
    if query.route == PROACTIVE:
        hits += intention_hits(deps, request)
    found.hits.clear()
    _read(deps, request, found, hits, visible)
    return found, len(by_word) < pool and len(by_meaning) < pool


def shortlist(hits: Sequence[AnchorHit], settings: Settings, size: int) -> list[AnchorHit]:
    """Keep the hits of the nodes that may score best, before any node is read.

    What one anchor did not find scores there at most as much as the last that it did find.
    """
    found: dict[str, dict[str, float]] = {SEMANTIC: {}, LEXICAL: {}}
    for hit in hits:
        found[hit.anchor][hit.node_id] = hit.score
    by_meaning, by_word = weights(settings)
    least = {anchor: min(scores.values(), default=0.0) for anchor, scores in found.items()}
    bounds = {
        hit.node_id: by_meaning * found[SEMANTIC].get(hit.node_id, least[SEMANTIC])
        + by_word * found[LEXICAL].get(hit.node_id, least[LEXICAL])
        for hit in hits
    }
    kept = set(heapq.nlargest(size, bounds, key=bounds.__getitem__))
    return [hit for hit in hits if hit.node_id in kept]


def lexical_hits(
    deps: RecallDeps, request: RecallRequest, query: Understanding, pool: int
) -> list[AnchorHit]:
    """Find by words, in the whole scope; earlier versions too, which lead to their heads."""
    settings = deps.settings
    if not query.terms or settings.reader_mode == "semantic":
        return []
    statuses = dict.fromkeys((*statuses_read(request), Status.SUPERSEDED))
    hits = deps.store.lexical(
        request.scope,
        list(query.terms),
        pool,
        layers=request.layers,
        statuses=tuple(statuses),
    )
    scores = lexical_scores(query.terms, query.length, hits, k1=settings.bm25_k1, b=settings.bm25_b)
    best = sorted(scores.items(), key=lambda item: -item[1])
    return [AnchorHit(node_id, LEXICAL, score) for node_id, score in best]


def semantic_hits(
    deps: RecallDeps, request: RecallRequest, vector: Vector | None, pool: int
) -> tuple[list[AnchorHit], tuple[str, ...]]:
    """Find by meaning; cosines below the floor are no hits."""
    if vector is None:
        return [], ()
    found = deps.store.semantic(
        request.scope,
        vector,
        pool,
        layers=request.layers,
        statuses=statuses_read(request),
        fingerprint=deps.embedder.fingerprint,
    )
    floor = deps.settings.recall_min_similarity
    near = [(id_, float(cosine)) for id_, cosine in found.hits if cosine >= floor]
    return [AnchorHit(id_, SEMANTIC, cosine) for id_, cosine in near], found.degraded


def slot_hits(
    deps: RecallDeps, request: RecallRequest, query: Understanding, names: Sequence[str]
) -> list[AnchorHit]:
    """Find the current value of the slot that is asked for, of the user or of who is named."""
    slots = sorted(query.dimensions & SINGLE_SLOTS)
    subjects = [*names, *(["user"] if query.about_user else [])]
    if not slots or not subjects or deps.settings.reader_mode != "hybrid":
        return []
    keys = [(subject, slot) for subject in subjects for slot in slots]
    heads = deps.store.heads_by_dimension(request.scope, keys)
    return [
        AnchorHit(node.id, SLOT, 1.0)
        for nodes in heads.values()
        for node in nodes
        if node.status is Status.ACTIVE
    ]


def intention_hits(deps: RecallDeps, request: RecallRequest) -> list[AnchorHit]:
    """Find what is planned: every intention that is not over."""
    now = request.reference_time or deps.clock()
    nodes = _all_of(deps, request, [Layer.INTENTION])
    return [
        AnchorHit(node.id, INTENTION, 1.0)
        for node in nodes
        if node.event is None or node.event.end > now
    ]


def profile_hits(deps: RecallDeps, request: RecallRequest, visible: Test) -> list[AnchorHit]:
    """Find what is known about the user: profile entries, then traits and preferences.

    Where neither exists, facts and plans stand in.
    """
    for layers in _PROFILE_LAYERS:
        wanted = [layer for layer in layers if not request.layers or layer in request.layers]
        nodes = [node for node in _all_of(deps, request, wanted) if visible(node)]
        own = [node for node in nodes if node.subject == "user"] or nodes
        if own:
            return [AnchorHit(node.id, PROFILE, layers[node.layer]) for node in own]
    return []


def embed_query(deps: RecallDeps, text: str) -> tuple[Vector | None, tuple[str, ...]]:
    """Embed a question; ``None`` and the reason where the embedder is down.

    Raises:
        EmbeddingMismatchError: the store was written with another embedder.
    """
    if not text or deps.settings.reader_mode == "lexical":
        return None, ()
    try:
        vector = deps.embedder.embed_query(text)
        deps.store.check_embedder(deps.embedder.fingerprint)
    except EmbeddingMismatchError:
        raise
    except EmbeddingError as error:
        logger.warning("embedder unavailable, recall goes by words only")
        logger.debug("%s", error)  # may quote the question
        return None, (f"embedding: {error}",)
    return (vector if np.any(vector) else None), ()


def weights(settings: Settings) -> tuple[float, float]:
    """Weigh meaning and words by what counts in this mode; a perfect match scores 1 in each."""
    if settings.reader_mode == "semantic":
        return 1.0, 0.0
    if settings.reader_mode == "lexical":
        return 0.0, 1.0
    total = settings.hybrid_w_sem + settings.hybrid_w_bm25
    return settings.hybrid_w_sem / total, settings.hybrid_w_bm25 / total


def names_in(question: str, nodes: Iterable[Node]) -> tuple[str, ...]:
    """List the names that a question speaks of, out of those of speakers and subjects."""
    known = {node.name if node.layer is Layer.RAW else node.subject for node in nodes}
    named = [
        name
        for name in known
        if name and name not in ("user", "assistant") and _mentions(question, name)
    ]
    return tuple(sorted(named))


def _mentions(text: str, name: str) -> bool:
    if name.isascii():
        return re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE) is not None
    return name in text


def _read(
    deps: RecallDeps, request: RecallRequest, found: Found, hits: list[AnchorHit], visible: Test
) -> None:
    """Add hits; an earlier version counts for finding its head even where it is not shown."""
    unread = [hit.node_id for hit in hits if hit.node_id not in found.nodes]
    nodes = deps.store.get_many(request.scope, unread) if unread else {}
    found.nodes |= {
        id_: node
        for id_, node in nodes.items()
        if node.status is Status.SUPERSEDED or visible(node)
    }
    found.hits += [hit for hit in hits if hit.node_id in found.nodes]


def _all_of(deps: RecallDeps, request: RecallRequest, layers: list[Layer]) -> list[Node]:
    """Read all current nodes of some layers, newest first."""
    nodes: list[Node] = []
    cursor = None
    while layers:
        page = deps.store.list_nodes(
            request.scope,
            layers=layers,
            statuses=statuses_read(request),
            limit=_PAGE,
            cursor=cursor,
        )
        nodes += page.nodes
        cursor = page.cursor
        if cursor is None:
            break
    return nodes
