"""From hits to answers: heads, the statements that stand for turns, evolution chains, sources."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from dualmem_graph.recall.anchors import LEXICAL, PROFILE, SEMANTIC, Found, weights
from dualmem_graph.recall.filters import Test
from dualmem_graph.recall.fusion import BY_TURN, Candidate, Drawn, Pool, Ranked
from dualmem_graph.recall.request import RecallDeps, RecallRequest
from dualmem_graph.storage.records import ChainLink, TurnEvidence
from dualmem_graph.types import (
    EvolutionItem,
    Layer,
    MemoryItem,
    Node,
    Scope,
    Source,
    Status,
    UpdateType,
)

if TYPE_CHECKING:
    from dualmem_graph.storage.store import MemoryStore

#: Earlier versions whose heads are looked up, best matches first.
_MOST_REDIRECTS = 20
#: What a match of an earlier version counts for its head.
_EARLIER_VERSION = 0.8
#: What stands for the turn that it was drawn from.
_STATEMENTS = (Layer.FACT, Layer.IDENTITY, Layer.INTENTION)
#: Turns whose statements are looked up, as a multiple of the items asked for.
_TURNS_PER_ITEM = 3
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def expand(deps: RecallDeps, request: RecallRequest, found: Found, visible: Test) -> Pool:
    """Follow what was found to what answers: versions to heads, turns to their statements."""
    matches = _signals(found)
    candidates = {id_: item for id_, item in matches.items() if visible(item.node)}
    earlier = [item for id_, item in matches.items() if id_ not in candidates]
    _add_heads(deps, request, candidates, earlier, visible)
    _fill_in_cosines(deps, request, found, candidates)
    drawn = _statements_of_turns(deps, request, found, candidates, visible)
    return Pool(candidates, drawn)


def to_items(
    deps: RecallDeps, request: RecallRequest, ranked: Sequence[Ranked]
) -> list[MemoryItem]:
    """Make the items of an answer, in its order, with scores and (if asked for) their terms.

    What was replaced, hidden or purged since it was found is left out: together with what stands
    in its place it would be an answer that was never true.
    """
    now = deps.store.get_many(request.scope, [entry.node.id for entry in ranked])
    ranked = [
        entry
        for entry in ranked
        if entry.node.id in now and now[entry.node.id].status is entry.node.status
    ]
    items = items_of(deps.store, request.scope, [entry.node for entry in ranked])
    return [
        replace(
            item,
            score=entry.score,
            score_details=entry.explanation() if request.explain else None,
        )
        for item, entry in zip(items, ranked, strict=True)
    ]


def items_of(store: MemoryStore, scope: Scope, nodes: Sequence[Node]) -> list[MemoryItem]:
    """Make items of nodes: chain newest first with the node itself in front, and sources."""
    if not nodes:
        return []
    ids = [node.id for node in nodes]
    links = store.chains(scope, ids)
    grounds = store.sources(scope, ids)
    items = []
    for node in nodes:
        head_id = node.id if node.status is Status.ACTIVE else store.head_of(scope, node.id)
        items.append(
            _item(node, links.get(node.id, ()), grounds.get(node.id, ()), head_id or node.id)
        )
    return items


def _signals(found: Found) -> dict[str, Candidate]:
    """Bring the hits of all anchors together, node by node."""
    matches: dict[str, Candidate] = {}
    for hit in found.hits:
        match = matches.get(hit.node_id)
        if match is None:
            match = matches[hit.node_id] = Candidate(found.nodes[hit.node_id])
        match.anchors.add(hit.anchor)
        if hit.anchor == SEMANTIC:
            match.semantic = hit.score
        elif hit.anchor == LEXICAL:
            match.lexical = hit.score
        elif hit.anchor == PROFILE:
            match.profile = hit.score
    return matches


def _add_heads(
    deps: RecallDeps,
    request: RecallRequest,
    candidates: dict[str, Candidate],
    earlier: list[Candidate],
    visible: Test,
) -> None:
    """Let a match of an earlier version count, a little less, for the head of its chain."""
    earlier.sort(key=lambda item: -item.lexical)
    heads: dict[str, Candidate] = {}
    for match in earlier[:_MOST_REDIRECTS]:
        head_id = deps.store.head_of(request.scope, match.node.id)
        if head_id is not None and head_id != match.node.id:
            heads.setdefault(head_id, match)
    _read_into(deps, request, candidates, heads, visible)
    for head_id, match in heads.items():
        if head_id in candidates:
            head = candidates[head_id]
            head.anchors.add("chain")
            if _EARLIER_VERSION * match.lexical > head.lexical:
                head.lexical = _EARLIER_VERSION * match.lexical
                head.via = match.node.id


def _statements_of_turns(
    deps: RecallDeps,
    request: RecallRequest,
    found: Found,
    candidates: dict[str, Candidate],
    visible: Test,
) -> Drawn:
    """Find what was drawn from the best turns; what was superseded since leads to its head."""
    if request.layers is not None and Layer.RAW in request.layers:
        return Drawn()
    turns = _best_turns(deps, request, candidates)
    if not turns:
        return Drawn()
    rested = deps.store.derived_from(request.scope, turns)
    statements = {
        turn_id: [node for node in nodes if node.layer in _STATEMENTS]
        for turn_id, nodes in rested.items()
    }
    current = {
        turn_id: dict.fromkeys(_current_ids(deps, request, nodes, visible))
        for turn_id, nodes in statements.items()
    }
    new = {id_: candidates[turn_id] for turn_id, ids in current.items() for id_ in ids}
    known = frozenset(candidates)
    _read_into(deps, request, candidates, new, visible)
    for id_ in new:
        if id_ in candidates and id_ not in known:
            candidates[id_].anchors.add(BY_TURN)
            candidates[id_].via = new[id_].node.id
    _fill_in_cosines(deps, request, found, candidates)
    outdated = {
        turn_id
        for turn_id, nodes in statements.items()
        if nodes and all(n.status is Status.SUPERSEDED and not visible(n) for n in nodes)
    }
    return Drawn(
        statements={turn_id: tuple(ids) for turn_id, ids in current.items() if ids},
        outdated=frozenset(outdated),
        withdrawn=frozenset(
            turn_id
            for turn_id, nodes in statements.items()
            if any(node.status is Status.SHADOW for node in nodes)
        ),
    )


def _best_turns(
    deps: RecallDeps, request: RecallRequest, candidates: Mapping[str, Candidate]
) -> list[str]:
    """List the turns that may be among the answers, by their raw signals."""
    by_meaning, by_word = weights(deps.settings)
    scores = {
        id_: by_meaning * (item.semantic or 0.0) + by_word * item.lexical
        for id_, item in candidates.items()
        if item.node.layer is Layer.RAW
    }
    return heapq.nlargest(_TURNS_PER_ITEM * request.top_k, scores, key=scores.__getitem__)


def _current_ids(
    deps: RecallDeps, request: RecallRequest, statements: Iterable[Node], visible: Test
) -> list[str]:
    """List what now stands where the statements stood."""
    ids = []
    for node in statements:
        if visible(node):
            ids.append(node.id)
        elif node.status is Status.SUPERSEDED:
            head_id = deps.store.head_of(request.scope, node.id)
            ids += [head_id] if head_id is not None else []
    return ids


def _read_into(
    deps: RecallDeps,
    request: RecallRequest,
    candidates: dict[str, Candidate],
    ids: Iterable[str],
    visible: Test,
) -> None:
    """Add the nodes of these ids that are visible and not there yet."""
    unread = [id_ for id_ in ids if id_ not in candidates]
    if not unread:
        return
    for id_, node in deps.store.get_many(request.scope, unread).items():
        if visible(node):
            candidates[id_] = Candidate(node)


def _fill_in_cosines(
    deps: RecallDeps, request: RecallRequest, found: Found, candidates: Mapping[str, Candidate]
) -> None:
    """Compare with the question what was not found by meaning, so that all scores compare."""
    if found.vector is None:
        return
    unknown = [id_ for id_, item in candidates.items() if item.semantic is None]
    if unknown:
        cosines = deps.store.similarities(
            request.scope, unknown, found.vector, deps.embedder.fingerprint
        )
        for id_ in unknown:
            candidates[id_].semantic = cosines.get(id_)


def _item(
    node: Node, links: Sequence[ChainLink], grounds: Sequence[TurnEvidence], head_id: str
) -> MemoryItem:
    return MemoryItem(
        memory_id=node.id,
        content=node.content,
        layer=node.layer,
        category=node.layer.category,
        memory_type=node.memory_type,
        tags=node.tags,
        memory_at=node.memory_at,
        gmt_created=node.created_at,
        gmt_modified=node.modified_at,
        session_id=node.session_id,
        agent_id=node.agent_id,
        subject=node.subject,
        status=node.status,
        revision=node.rev,
        head_id=head_id,
        event=node.event,
        metadata=node.metadata,
        evolution_chain=evolution_chain(node, links),
        sources=_sources(node, grounds),
    )


def evolution_chain(node: Node, links: Sequence[ChainLink]) -> tuple[EvolutionItem, ...] | None:
    """List a memory and its earlier versions, newest first; ``None`` where there are none.

    ``update_type`` of an item says what that version did to the one before it; the first version
    has none. Deleted versions are not told.
    """
    earlier = [link for link in links if link.node.status is not Status.SHADOW]
    if not earlier:
        return None
    versions = [node, *(link.node for link in earlier)]
    did = [*(link.update_type for link in earlier), None]
    return tuple(map(_version, versions, did))


def _version(node: Node, update_type: UpdateType | None) -> EvolutionItem:
    return EvolutionItem(
        node_id=node.id,
        content=node.content,
        layer=node.layer,
        memory_at=node.memory_at or _EPOCH,
        gmt_created=node.created_at or _EPOCH,
        update_type=update_type,
        status=node.status,
    )


def _sources(node: Node, grounds: Sequence[TurnEvidence]) -> tuple[Source, ...]:
    """Name the turns that a memory rests on; a turn rests on itself."""
    if node.layer is Layer.RAW:
        return (_source(node, node.content),)
    return tuple(_source(ground.node, ground.quote or ground.node.content) for ground in grounds)


def _source(turn: Node, quote: str) -> Source:
    return Source(
        turn_id=turn.id,
        message_id=turn.message_id,
        session_id=turn.session_id,
        role=turn.role or "user",
        name=turn.name,
        at=turn.memory_at or _EPOCH,
        quote=quote,
    )
