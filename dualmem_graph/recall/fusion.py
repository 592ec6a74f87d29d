"""From raw signals to one ranking: comparable scores, one entry per answer, every term named.

``score = w_sem · cosine + w_bm25 · lexical`` (weights summing to 1) plus small boosts, cut to
[0, 1]. Nothing is rescaled by what else was found, so a score means the same in every result and
"nothing relevant" stays visible.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from dualmem_graph.config import Settings
from dualmem_graph.recall.anchors import weights
from dualmem_graph.recall.hints import slot_of
from dualmem_graph.recall.intent import PROACTIVE, PROFILE, Understanding
from dualmem_graph.recall.request import RecallRequest
from dualmem_graph.types import Layer, Node, TimeSpan

#: People tell of a thing within days: half of the boost for what was said that soon after.
_TOLD_WITHIN = timedelta(days=10)
#: The anchor of a statement that was found through its turn, and the term of a turn's score.
BY_TURN = "turn"
#: Terms of a match that is more than nearness.
_FOUND_BY_SIGN = {"lexical", "profile", "slot", "plan"}
#: The terms that make a memory relevant; the others only order what is.
_RELEVANCE = ("semantic", "lexical", "slot", "plan", "profile")
_STATEMENTS = (Layer.FACT, Layer.IDENTITY, Layer.INTENTION)


@dataclass(slots=True)
class Candidate:
    """A node that may be an answer, and its raw signals.

    Attributes:
        node: the node.
        semantic: its cosine to the question; ``None`` where it was not compared.
        lexical: its share of the best possible BM25 score.
        profile: what it counts as part of the profile that was asked for.
        anchors: what found it.
        via: the earlier version or the turn through which it was found, if not by itself.
    """

    node: Node
    semantic: float | None = None
    lexical: float = 0.0
    profile: float = 0.0
    anchors: set[str] = field(default_factory=set)
    via: str | None = None


@dataclass(frozen=True, slots=True)
class Drawn:
    """What was drawn from the turns among the candidates.

    Attributes:
        statements: per turn, the ids of its current statements.
        outdated: turns all of whose statements were replaced; their heads answer instead.
        withdrawn: turns of which a statement was deleted; they do not speak for themselves.
    """

    statements: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    outdated: frozenset[str] = frozenset()
    withdrawn: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Pool:
    """All that may be an answer, by node id, and what was drawn from the turns in it."""

    candidates: dict[str, Candidate] = field(default_factory=dict)
    drawn: Drawn = field(default_factory=Drawn)


@dataclass(slots=True)
class Ranked:
    """An answer with its score and the terms that the score is made of."""

    candidate: Candidate
    score: float
    terms: dict[str, Any]

    @property
    def node(self) -> Node:
        """The node that answers."""
        return self.candidate.node

    def explanation(self) -> dict[str, Any]:
        """Say what the score is made of, from which signals, and what found it."""
        candidate = self.candidate
        via = {} if candidate.via is None else {"via": candidate.via}
        return {
            **self.terms,
            "score": self.score,
            "cosine": candidate.semantic,
            "bm25": candidate.lexical,
            "anchors": sorted(candidate.anchors),
            **via,
        }


def score(
    candidate: Candidate, query: Understanding, names: Sequence[str], settings: Settings
) -> Ranked:
    """Score one candidate by itself."""
    node = candidate.node
    by_meaning, by_word = weights(settings)
    if candidate.semantic is None:  # no vector yet, or no embedder: words say what they can
        terms = {"lexical": candidate.lexical}
    else:
        terms = {
            "semantic": by_meaning * max(candidate.semantic, 0.0),
            "lexical": by_word * candidate.lexical,
        }
    if candidate.profile:
        terms["profile"] = candidate.profile
    if query.dimensions and _is_about_slot(node, query, names):
        terms["slot"] = settings.recall_boost_slot
    if query.times and (fit := _time_fit(node, query.times)):
        terms["time"] = settings.recall_boost_time * fit
    if len(names) == 1 and _is_by_or_about(node, names[0]):
        terms["speaker"] = settings.recall_boost_speaker
    if query.route == PROACTIVE and node.layer is Layer.INTENTION:
        terms["plan"] = settings.recall_boost_plan
    if query.is_question and node.layer is Layer.RAW and _only_asks(node.content):
        terms["question"] = (settings.recall_question_factor - 1) * sum(terms.values())
    return Ranked(candidate, min(max(sum(terms.values()), 0.0), 1.0), terms)


def fuse(
    pool: Pool, query: Understanding, names: Sequence[str], settings: Settings
) -> list[Ranked]:
    """Rank candidates, best first, one entry per answer; the newer one first where scores tie."""
    ranked = {id_: score(item, query, names, settings) for id_, item in pool.candidates.items()}
    if not _asks_of_someone(query, names) and not _is_any_relevant(ranked.values(), settings):
        return []
    _let_statements_stand_for_turns(ranked, pool.drawn, settings)
    _drop_misfits(ranked, pool.candidates, settings.recall_min_similarity)
    if query.route != PROFILE:
        _let_facts_stand_for_profile_entries(ranked)
    order = _without_echoes(sorted(ranked.values(), key=_best_first))
    if _damp_repeated_turns(order, pool.drawn, settings.recall_same_turn_factor):
        order.sort(key=_best_first)
    if settings.reader_mode != "hybrid":
        return order
    return _without_tail(order, settings.recall_tail_share)


def _without_tail(order: list[Ranked], share: float) -> list[Ranked]:
    """Leave out what is near by meaning alone and far behind the best: filler, not an answer."""
    floor = share * order[0].score if order else 0.0
    return [
        entry
        for entry in order
        if entry.score >= floor or any(entry.terms.get(term) for term in _FOUND_BY_SIGN)
    ]


def cut(ranked: list[Ranked], request: RecallRequest) -> list[Ranked]:
    """Keep the best ``top_k`` of at least the threshold."""
    if request.threshold is not None:
        ranked = [entry for entry in ranked if entry.score >= request.threshold]
    return ranked[: request.top_k]


def _asks_of_someone(query: Understanding, names: Sequence[str]) -> bool:
    """Say whether it asks about the user or someone known, so that a weak match may be meant."""
    return query.is_conversation or query.is_own_life or bool(names)


def _is_any_relevant(entries: Iterable[Ranked], settings: Settings) -> bool:
    """Say whether anything is near enough to be an answer; if not, "nothing" is.

    Speaker and time alone make nothing relevant.
    """
    return any(
        sum(entry.terms.get(term, 0.0) for term in _RELEVANCE) >= settings.recall_min_score
        for entry in entries
    )


def _let_statements_stand_for_turns(
    ranked: dict[str, Ranked], drawn: Drawn, settings: Settings
) -> None:
    """A turn and what was drawn from it are one answer, for which the best statement stands.

    A statement that hardly fits the question leaves the turn to speak for itself.
    """
    for turn_id, statements in drawn.statements.items():
        turn = ranked.get(turn_id)
        fitting = [ranked[id_] for id_ in statements if id_ in ranked]
        if turn is None:
            continue
        best = max(fitting, key=lambda entry: entry.score, default=None)
        fits = best is not None and best.score >= settings.recall_statement_share * turn.score
        if best is not None and (fits or turn_id in drawn.outdated):
            if turn.score > best.score:
                best.score = turn.score
                best.terms[BY_TURN] = turn.score
            del ranked[turn_id]
    for turn_id in drawn.withdrawn | drawn.outdated:
        ranked.pop(turn_id, None)


def _drop_misfits(
    ranked: dict[str, Ranked], candidates: Mapping[str, Candidate], floor: float
) -> None:
    """Leave out what came along with a turn but neither stands for it nor fits by itself."""
    for id_, candidate in candidates.items():
        entry = ranked.get(id_)
        came_along = candidate.anchors == {BY_TURN} and (candidate.semantic or 0.0) < floor
        if entry is not None and came_along and BY_TURN not in entry.terms:
            del ranked[id_]


def _let_facts_stand_for_profile_entries(ranked: dict[str, Ranked]) -> None:
    """A profile entry repeats a fact; where the fact is among the answers, it stands for both."""
    entries = [item for item in ranked.values() if item.node.layer is Layer.BASIC_INFO]
    facts = [item for item in ranked.values() if item.node.layer in _STATEMENTS]
    for entry in entries:
        said = [fact for fact in facts if _says_the_same(fact.node, entry.node)]
        if said:
            best = max(said, key=lambda fact: fact.score)
            best.score = max(best.score, entry.score)
            del ranked[entry.node.id]


def _says_the_same(fact: Node, entry: Node) -> bool:
    if fact.subject != entry.subject:
        return False
    if fact.dimension is not None:
        return fact.dimension == slot_of(entry.dimension)
    return bool(entry.value) and (entry.value or "").casefold() in fact.content.casefold()


def _without_echoes(order: Sequence[Ranked]) -> list[Ranked]:
    """Keep one of the turns in which the same person said the same words."""
    told: set[tuple[str | None, str | None, str]] = set()
    kept = []
    for entry in order:
        node = entry.node
        said = (node.role, node.name, node.content.casefold())
        if node.layer is not Layer.RAW or said not in told:
            kept.append(entry)
            told.add(said)
    return kept


def _damp_repeated_turns(order: Sequence[Ranked], drawn: Drawn, factor: float) -> bool:
    """Let other turns speak before a turn's second statement does; say whether it mattered."""
    turns_of: dict[str, list[str]] = {}
    for turn_id, statements in drawn.statements.items():
        for id_ in statements:
            turns_of.setdefault(id_, []).append(turn_id)
    told: set[str] = set()
    is_changed = False
    for item in order:
        turns = turns_of.get(item.node.id, [])
        if turns and told.issuperset(turns):
            item.score *= factor
            item.terms["same_turn"] = factor
            is_changed = True
        told.update(turns)
    return is_changed


def _best_first(item: Ranked) -> tuple[float, float, int]:
    said = item.node.memory_at.timestamp() if item.node.memory_at else 0.0
    return (-item.score, -said, -item.node.seq)


def _is_about_slot(node: Node, query: Understanding, names: Sequence[str]) -> bool:
    """Say whether it states the slot that is asked for, of the one it is asked of."""
    slot = slot_of(node.dimension)
    if slot is None or slot.partition(":")[0] not in query.dimensions:
        return False
    if node.subject == "user":
        return query.about_user or not names
    return node.subject in names


def _time_fit(node: Node, times: Sequence[TimeSpan]) -> float:
    """1 where it happened, or was said, when the question says; ½ where told of soon after."""
    best = 0.0
    for asked in times:
        if node.event is not None:
            if node.event.start < asked.end and node.event.end > asked.start:
                return 1.0
        elif node.memory_at is not None:
            if asked.start <= node.memory_at < asked.end:
                return 1.0
            if asked.end <= node.memory_at < asked.end + _TOLD_WITHIN:
                best = 0.5
    return best


def _is_by_or_about(node: Node, name: str) -> bool:
    """Say whether the one whom the question names said it, or is its subject."""
    return (node.name if node.layer is Layer.RAW else node.subject) == name


def _only_asks(content: str) -> bool:
    """An earlier question is no answer to this one."""
    return content.rstrip().endswith(("?", "？", "吗", "呢"))
