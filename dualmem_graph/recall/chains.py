"""From hits to answers: heads, the statements that stand for turns, evolution chains, sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from dualmem_graph.recall.anchors import LEXICAL, SEMANTIC, Found
from dualmem_graph.recall.filters import Test
from dualmem_graph.recall.fusion import Candidate, Drawn, Ranked, score
from dualmem_graph.recall.intent import Understanding
from dualmem_graph.recall.request import RecallDeps, RecallRequest
from dualmem_graph.storage.records import ChainLink, TurnEvidence
from dualmem_graph.types import EvolutionItem, Layer, MemoryItem, Node, Source, Status

#: Earlier versions whose heads are looked up, best matches first.
_MOST_REDIRECTS = 20
#: What a match of an earlier version counts for its head.
_EARLIER_VERSION = 0.8
#: What stands for the turn that it was drawn from.
_STATEMENTS = (Layer.FACT, Layer.IDENTITY, Layer.INTENTION)
#: Turns whose statements are looked up, as a multiple of the items asked for.
_TURNS_PER_ITEM = 3
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Pool:
    """All that may be an answer, by node id, and what was drawn from the turns in it."""

    candidates: dict[str, Candidate] = field(default_factory=dict)
    drawn: Drawn = field(default_factory=Drawn)


def expand(
    deps: RecallDeps, request: RecallRequest, query: Understanding, found: Found, visible: Test
) -> Pool:
    """Follow what was found to what answers: versions to heads, turns to their statements."""
    matches = _signals(found)
    candidates = {id_: item for id_, item in matches.items() if visible(item.node)}
    earlier = [item for id_, item in matches.items() if id_ not in candidates]
    _add_heads(deps, request, candidates, earlier, visible)
    _fill_in_cosines(deps, request, found, candidates)
    drawn = _statements_of_turns(deps, request, query, found, candidates, visible)
    return Pool(candidates, drawn)


def to_items(
    deps: RecallDeps, request: RecallRequest, ranked: Sequence[Ranked]
) -> list[MemoryItem]:
    """Make the items of an answer: chain newest first with the head in front, and sources."""
    ids = [entry.node.id for entry in ranked]
    if not ids:
        return []
    links = deps.store.chains(request.scope, ids)
    grounds = deps.store.sources(request.scope, ids)
    heads = {
        entry.node.id: deps.store.head_of(request.scope, entry.node.id)
        for entry in ranked
        if entry.node.status is not Status.ACTIVE
    }
    return [
        _item(
            entry,
            links.get(entry.node.id, ()),
            grounds.get(entry.node.id, ()),
            head_id=heads.get(entry.node.id) or entry.node.id,
            explain=request.explain,
        )
        for entry in ranked
    ]


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
    query: Understanding,
    found: Found,
    candidates: dict[str, Candidate],
    visible: Test,
) -> Drawn:
    """Find what was drawn from the best turns; what was superseded since leads to its head."""
    if request.layers is not None and Layer.RAW in request.layers:
        return Drawn()
    turns = _best_turns(deps, request, query, found, candidates)
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
            candidates[id_].anchors.add("turn")
            candidates[id_].via = new[id_].node.id
    _fill_in_cosines(deps, request, found, candidates)
    return Drawn(
        statements={turn_id: tuple(ids) for turn_id, ids in current.items() if ids},
        withdrawn=frozenset(
            turn_id
            for turn_id, nodes in statements.items()
            if any(node.status is Status.SHADOW for node in nodes)
        ),
    )


def _best_turns(
    deps: RecallDeps,
    request: RecallRequest,
    query: Understanding,
    found: Found,
    candidates: Mapping[str, Candidate],
) -> list[str]:
    turns = [item for item in candidates.values() if item.node.layer is Layer.RAW]
    scores = {item.node.id: score(item, query, found.names, deps.settings).score for item in turns}
    return sorted(scores, key=lambda id_: -scores[id_])[: _TURNS_PER_ITEM * request.top_k]


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
        cosines = deps.store.similarities(request.scope, unknown, found.vector)
        for id_ in unknown:
            candidates[id_].semantic = cosines.get(id_, 0.0)


def _item(
    entry: Ranked,
    links: Sequence[ChainLink],
    grounds: Sequence[TurnEvidence],
    *,
    head_id: str,
    explain: bool,
) -> MemoryItem:
    node = entry.node
    return MemoryItem(
        memory_id=node.id,
        content=node.content,
        layer=node.layer,
        category=node.layer.category,
        memory_type=node.memory_type,
        score=entry.score,
        tags=node.tags,
        memory_at=node.memory_at,
        gmt_created=node.created_at,
        gmt_modified=node.modified_at,
        session_id=node.session_id,
        agent_id=node.agent_id,
        subject=node.subject,
        status=node.status,
        head_id=head_id,
        event=node.event,
        metadata=node.metadata,
        evolution_chain=evolution_chain(node, links),
        sources=_sources(node, grounds),
        score_details={**entry.terms, "score": entry.score} if explain else None,
    )


def evolution_chain(node: Node, links: Sequence[ChainLink]) -> tuple[EvolutionItem, ...] | None:
    """List a memory and its earlier versions, newest first; ``None`` where there are none.

    ``update_type`` of an item says why the version after it replaced it. Deleted versions are
    not told.
    """
    earlier = [link for link in links if link.node.status is not Status.SHADOW]
    if not earlier:
        return None
    first = EvolutionItem(
        node.id,
        node.content,
        node.layer,
        node.memory_at or _EPOCH,
        node.created_at or _EPOCH,
        None,
        node.status,
    )
    return (first, *(_version(link) for link in earlier))


def _version(link: ChainLink) -> EvolutionItem:
    node = link.node
    return EvolutionItem(
        node.id,
        node.content,
        node.layer,
        node.memory_at or _EPOCH,
        node.created_at or _EPOCH,
        link.update_type,
        node.status,
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
