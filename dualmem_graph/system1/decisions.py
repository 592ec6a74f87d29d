"""Deciding what a new statement does to what is already known: the model's form and the rules'.

Both forms answer :class:`Decisions`, proposals that the store still checks against the chain
rules. Cosine similarity alone never ties two statements (an update and a sibling look alike to an
encoder, and "likes" is nearer to "hates" than to most paraphrases): the dimension decides, or the
model.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dualmem_graph.config import Settings
from dualmem_graph.providers.chat import StructuredChat
from dualmem_graph.storage.records import Hide, Related, Supersede
from dualmem_graph.system1.prompts import Numbered, reconcile_system, reconcile_user
from dualmem_graph.system1.schema import (
    ReconcileAnswer,
    field_of,
    integer,
    items_of,
    text_of,
    unusable,
    without_secrets,
)
from dualmem_graph.text.safety import content_hash
from dualmem_graph.text.tokens import index_terms
from dualmem_graph.types import Node, Skipped, UpdateType

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w'-]+|[a-z]*\d[\w.-]*", re.MULTILINE)
_NEGATIVE = re.compile(
    r"\b(?:not|no|never|without|dislikes?|hates?|stopped|quit|gave up|can(?:'|no)t|\w+n't)\b"
    r"|不|没|無|无|讨厌|討厭|戒|别",
    re.IGNORECASE,
)
_SAME_OPS = {"NONE", "NOOP", "NO_CHANGE", "DUPLICATE", "SKIP", "KEEP"}


@dataclass(frozen=True, slots=True)
class Merge:
    """One text that stands for a new statement and the old ones it completes."""

    new: str
    old: tuple[str, ...]
    content: str


@dataclass(slots=True)
class Decisions:
    """What is to be done, and what was refused and why."""

    supersedes: list[Supersede] = field(default_factory=list)
    merges: list[Merge] = field(default_factory=list)
    hides: list[Hide] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)

    def settled(self) -> set[str]:
        """Ids that these decisions retire."""
        retired = {old for item in self.supersedes for old in item.old}
        retired |= {old for item in self.merges for old in (*item.old, item.new)}
        return retired | {item.id for item in self.hides}


def relation(new: Node, old: Node, similarity: float, settings: Settings) -> UpdateType | None:
    """Say what ``new`` does to ``old`` by the rules; ``None``: both stand.

    Versions of one dimension replace each other; statements that only say the same again are tied
    as SUPPLEMENT (not under the conservative policy).
    """
    if new.subject.casefold() != old.subject.casefold():
        return None
    if None not in (new.dimension, old.dimension) and new.dimension != old.dimension:
        return None
    if new.dimension is not None and new.dimension == old.dimension:
        same = _fold(new.value) == _fold(old.value)
        if new.negated:
            ends_it = same or new.value is None
            return UpdateType.NEGATE if ends_it and not old.negated else None
        if not same or old.negated:
            return UpdateType.OVERRIDE
        return None if settings.reconcile_policy == "conservative" else UpdateType.SUPPLEMENT
    if settings.reconcile_policy == "balanced" and says_the_same(
        new.content, old.content, similarity, settings.duplicate_similarity
    ):
        return UpdateType.SUPPLEMENT
    return None


def says_the_same(new: str, old: str, similarity: float, threshold: float) -> bool:
    """Tell whether two statements are one: near, same sign, the same numbers and names.

    One that says less is not: superseding would hide what the other one tells.
    """
    if content_hash(new) == content_hash(old):
        return True
    return (
        similarity >= threshold
        and bool(_NEGATIVE.search(new)) == bool(_NEGATIVE.search(old))
        and specifics(new) == specifics(old)
    )


def specifics(text: str) -> frozenset[str]:
    """Numbers and names of a statement: what makes two near statements different.

    >>> sorted(specifics("User met Ilka on day 12."))
    ['12', 'ilka']
    """
    found = _NUMBER.findall(text) + _NAME.findall(text)
    return frozenset(item.casefold().strip(".") for item in found)


def decide_by_rules(
    new: Sequence[Node], known: Mapping[str, Sequence[Related]], settings: Settings
) -> Decisions:
    """Reconcile by dimension and near-identity, in the order in which things were said.

    Args:
        new: the new statements, oldest first.
        known: per new id, the current memories it may touch (earlier new ones included).
    """
    decisions = Decisions()
    for node in new:
        retired = decisions.settled()
        if node.id in retired:
            continue
        by_type: dict[UpdateType, list[str]] = {}
        for item in known.get(node.id, ()):
            kind = relation(node, item.node, item.similarity, settings)
            if kind is not None and item.node.id not in retired:
                by_type.setdefault(kind, []).append(item.node.id)
        for kind, targets in by_type.items():
            decisions.supersedes.append(Supersede(node.id, tuple(targets), kind))
    return decisions


def decide_with_model(
    chat: StructuredChat,
    new: Sequence[Node],
    known: Mapping[str, Sequence[Related]],
    *,
    settings: Settings,
    language: str,
    forget_requested: bool,
    scope_id: int | None = None,
) -> Decisions:
    """Ask the model once about all new statements; without candidates there is nothing to ask.

    Raises:
        ModelError: the model could not be asked or its answer could not be used.
    """
    old = _shown(new, known)
    if not old:
        return Decisions()
    labels = _letters(len(new))
    prompt = reconcile_user(
        [Numbered(str(number), node.content, node.memory_at) for number, node in old.items()],
        [
            Numbered(label, node.content, node.memory_at)
            for label, node in zip(labels, new, strict=True)
        ],
        language,
    )
    decisions = chat.ask(
        reconcile_system(language),
        prompt,
        ReconcileAnswer,
        operation="reconcile",
        scope_id=scope_id,
        validate=lambda answer: read_updates(
            without_secrets(answer, settings),
            new,
            old,
            settings=settings,
            forget_requested=forget_requested,
        ),
    )
    _add_repeats(decisions, new, known, settings)
    return decisions


def read_updates(
    answer: Any,
    new: Sequence[Node],
    old: Mapping[int, Node],
    *,
    settings: Settings,
    forget_requested: bool,
) -> Decisions:
    """Check a model's updates one by one; what cannot hold is refused and reported.

    Raises:
        ValueError: the answer is no list of updates at all.
    """
    if isinstance(answer, list):
        answer = {"updates": answer}
    if not isinstance(answer, Mapping) or not {"updates", "update", "op"} & set(answer):
        raise ValueError('expected a JSON object {"updates": [...]}')
    decisions = Decisions()
    items = [answer] if "op" in answer else items_of(answer, "updates", "update")
    for item in items:
        if not isinstance(item, Mapping):
            decisions.skipped.append(unusable(item, "an update that is not an object"))
            continue
        targets = _targets(item, old, decisions)
        if targets:
            _take(item, targets, new, decisions, settings, forget_requested)
    return decisions


def _take(
    item: Mapping[str, Any],
    targets: list[Node],
    new: Sequence[Node],
    decisions: Decisions,
    settings: Settings,
    forget_requested: bool,
) -> None:
    """Turn one update with usable targets into a decision."""
    op = str(field_of(item, "op", "operation", "action", "event") or "ADD").strip().upper()
    node = _meant(item, new, targets)
    ids = tuple(target.id for target in targets)
    if op == "DELETE" and forget_requested:
        decisions.hides += [Hide(target, "asked to forget") for target in ids]
    elif op == "DELETE":
        # a contradiction is a new statement that supersedes, never a bare deletion
        decisions.supersedes.append(Supersede(node.id, ids, UpdateType.NEGATE))
    elif op in _SAME_OPS:
        if all(specifics(node.content) == specifics(target.content) for target in targets):
            decisions.supersedes.append(Supersede(node.id, ids, UpdateType.SUPPLEMENT))
    elif op in ("ADD", "UPDATE", "MERGE"):
        kind = _update_type(item)
        text = text_of(item)
        if kind is UpdateType.SUPPLEMENT and settings.reconcile_policy == "conservative":
            decisions.skipped.append(Skipped("conservative policy: not merged", text))
        elif _repeats(text, node, targets):
            decisions.skipped.append(Skipped("an update that repeats the old memory", text))
        elif kind is UpdateType.SUPPLEMENT and _is_merge(text, node, targets):
            decisions.merges.append(Merge(node.id, ids, text))
        elif kind is UpdateType.SUPPLEMENT and _loses_details(node, targets):
            decisions.skipped.append(Skipped("the old memory tells more: not superseded", text))
        else:
            decisions.supersedes.append(Supersede(node.id, ids, kind))
    else:
        decisions.skipped.append(unusable(item, f"unknown operation {op!r}"))


def _targets(item: Mapping[str, Any], old: Mapping[int, Node], decisions: Decisions) -> list[Node]:
    """Resolve the numbers of an update; unknown and already retired ones are reported."""
    named = items_of(item, "supersedes", "targets", "target", "ids", "memory_id", "id")
    retired = decisions.settled()
    targets: list[Node] = []
    for raw in named:
        number = integer(field_of(raw, "id", "number") if isinstance(raw, Mapping) else raw)
        node = old.get(number) if number is not None else None
        if node is None:
            decisions.skipped.append(unusable(raw, f"unknown id {raw!r}: nothing retired"))
        elif node.id in retired:
            decisions.skipped.append(unusable(raw, f"id {raw!r} was retired by an earlier update"))
        elif node not in targets:
            targets.append(node)
    return targets


def _meant(item: Mapping[str, Any], new: Sequence[Node], targets: Sequence[Node]) -> Node:
    """Find the new statement that an update speaks of: same text, else the most words shared."""
    text = text_of(item) or " ".join(target.content for target in targets)
    for node in new:
        if content_hash(node.content) == content_hash(text):
            return node
    words = set(index_terms(text))
    return max(new, key=lambda node: len(words & set(index_terms(node.content))))


def _repeats(text: str, node: Node, targets: Sequence[Node]) -> bool:
    """Tell an update that leaves all as it was: it gives an old memory's words for the new ones."""
    said = content_hash(text)
    return said != content_hash(node.content) and any(
        said == content_hash(target.content) for target in targets
    )


def _loses_details(node: Node, targets: Sequence[Node]) -> bool:
    """Tell whether a statement would hide more than it says; of one slot, the value is enough."""
    told = specifics(node.content)
    return any(
        not specifics(target.content) <= told
        for target in targets
        if node.dimension is None or target.dimension != node.dimension
    )


def _is_merge(text: str, node: Node, targets: Sequence[Node]) -> bool:
    """Take the model's own wording only where it adds no number or name and loses none."""
    if not text or content_hash(text) == content_hash(node.content):
        return False
    sources = [node, *targets]
    known = frozenset().union(*(specifics(source.content) for source in sources))
    subjects = {source.subject.casefold() for source in sources}
    same_sign = bool(_NEGATIVE.search(text)) == bool(_NEGATIVE.search(node.content))
    told = specifics(text)
    return same_sign and known - subjects <= told <= known | subjects


def _add_repeats(
    decisions: Decisions,
    new: Sequence[Node],
    known: Mapping[str, Sequence[Related]],
    settings: Settings,
) -> None:
    """Tie what only says the same again, which a model likes to leave standing twice."""
    if settings.reconcile_policy == "conservative":
        return
    for node in new:
        for item in known.get(node.id, ()):
            retired = decisions.settled()
            if node.id in retired or item.node.id in retired:
                continue
            if item.node.subject.casefold() == node.subject.casefold() and says_the_same(
                node.content, item.node.content, item.similarity, settings.duplicate_similarity
            ):
                decisions.supersedes.append(
                    Supersede(node.id, (item.node.id,), UpdateType.SUPPLEMENT)
                )


def _shown(new: Sequence[Node], known: Mapping[str, Sequence[Related]]) -> dict[int, Node]:
    """Number the old memories from 1; the new statements are not among them."""
    fresh = {node.id for node in new}
    unique = {item.node.id: item.node for items in known.values() for item in items}
    old = [node for node_id, node in unique.items() if node_id not in fresh]
    return dict(enumerate(old, start=1))


def _letters(count: int) -> list[str]:
    """A, B, … Z, A1, B1, …"""
    alphabet = string.ascii_uppercase
    return [alphabet[i % 26] + (str(i // 26) if i >= 26 else "") for i in range(count)]


def _update_type(item: Mapping[str, Any]) -> UpdateType:
    name = str(item.get("update_type") or "").strip().upper()
    return UpdateType(name) if name in UpdateType.__members__ else UpdateType.OVERRIDE


def _fold(value: str | None) -> str | None:
    return None if value is None else " ".join(value.casefold().split())
