"""The gate and the checks that code makes of any extraction, the model's or the rules'."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from dualmem_graph.config import Settings
from dualmem_graph.system1 import rules
from dualmem_graph.system1.prompts import is_example
from dualmem_graph.system1.state import own_turns
from dualmem_graph.text.tokens import index_terms
from dualmem_graph.types import Candidate, Extraction, Gate, Layer, Skipped, Turn

#: Weights of novelty, biographical relevance, emotional arousal.
_GATE_WEIGHTS = (0.40, 0.40, 0.20)
_REDACTED = re.compile(r"\[redacted: [^\]]*\]")
#: "User's password is …": whose, and what kind of secret.
_SECRET_WORDS = 3


def judge(
    extraction: Extraction,
    turns: Sequence[Turn],
    *,
    settings: Settings,
    novelty: Callable[[], float],
) -> Extraction:
    """Apply the gate and every check that code can make; nothing is dropped in silence.

    Args:
        novelty: ``1 − max similarity`` of the turns to current memories, in [0, 1]; asked only
            when there is something to judge. It caps the extractor's own novelty.
    """
    own = own_turns(turns)
    told_to_remember = any(rules.asks_to_remember(turn.text) for turn in own)
    if told_to_remember and not extraction.candidates:
        extraction = _with_requests(extraction, turns)
    found = bool(extraction.candidates or extraction.basic_info)
    gate = _weigh(extraction.gate, novelty() if found else 1.0, settings.gate_threshold)
    why = None
    if extraction.is_ephemeral and not told_to_remember:
        why = "the turn is ephemeral"
    elif own and all(map(_is_idle, own)):
        why = "the turn is small talk"
    elif found and not gate.passed and not told_to_remember:
        why = f"gate score {gate.score:.2f} does not exceed {settings.gate_threshold:.2f}"
    if why is not None:
        dropped = tuple(Skipped(why, candidate.content) for candidate in extraction.candidates)
        return replace(
            extraction,
            gate=replace(gate, passed=False, reason=why),
            is_ephemeral=True,
            candidates=(),
            basic_info=(),
            skipped=extraction.skipped + dropped,
        )
    return _checked(replace(extraction, gate=gate), turns, settings)


def _is_idle(turn: Turn) -> bool:
    """A turn with nothing of a life in it, which asks memory for nothing either."""
    asks = rules.asks_to_remember(turn.text) or rules.asks_to_forget(turn.text)
    return not asks and rules.is_small_talk(turn.text)


def _checked(extraction: Extraction, turns: Sequence[Turn], settings: Settings) -> Extraction:
    """Refuse examples, foreign profile items and more items than a turn can hold."""
    kept: list[Candidate] = []
    skipped = list(extraction.skipped)
    per_turn: dict[int, int] = {}
    by_assistant = {turn.index for turn in turns if turn.role == "assistant"}
    for found in extraction.candidates:
        candidate = _of_its_speaker(found, by_assistant)
        count = per_turn.get(candidate.turn_index, 0)
        if is_example(candidate.content):
            skipped.append(Skipped("copied from the prompt's example", candidate.content))
        elif _is_only_a_secret(candidate.content):
            skipped.append(Skipped("nothing but a redacted secret", candidate.content))
        elif candidate.subject == "assistant" and not settings.remember_assistant:
            skipped.append(Skipped("said by the assistant", candidate.content))
        elif count >= settings.extract_max_items:
            limit = settings.extract_max_items
            skipped.append(Skipped(f"more than {limit} statements of one turn", candidate.content))
        else:
            per_turn[candidate.turn_index] = count + 1
            kept.append(_in_own_layer(candidate))
    user_turns = {turn.index for turn in turns if turn.role == "user"}
    info = tuple(item for item in extraction.basic_info if item.turn_index in user_turns)
    gate = extraction.gate
    if not (kept or info):
        gate = replace(gate, reason="nothing worth remembering was found")
    return replace(
        extraction, gate=gate, candidates=tuple(kept), basic_info=info, skipped=tuple(skipped)
    )


def _of_its_speaker(candidate: Candidate, by_assistant: Collection[int]) -> Candidate:
    """What the assistant said is the assistant's, whoever it is about: no evidence of the user."""
    if candidate.turn_index in by_assistant:
        return replace(candidate, subject="assistant")
    return candidate


def _is_only_a_secret(content: str) -> bool:
    """Tell whether a statement says no more than that somebody has a secret."""
    rest, count = _REDACTED.subn(" ", content)
    return count > 0 and len(set(index_terms(rest))) <= _SECRET_WORDS


def _in_own_layer(candidate: Candidate) -> Candidate:
    """Keep L4 and L7 for the user: what others are like or plan is a fact about them."""
    if candidate.layer is not Layer.FACT and candidate.subject != "user":
        return replace(candidate, layer=Layer.FACT)
    return candidate


def _with_requests(extraction: Extraction, turns: Sequence[Turn]) -> Extraction:
    """Store "remember that …" in the user's own words where the extractor found nothing."""
    by_rules = rules.extract([turn for turn in turns if rules.asks_to_remember(turn.text)])
    return replace(
        extraction,
        candidates=by_rules.candidates,
        is_ephemeral=False,
        gate=replace(extraction.gate, reason="asked to remember"),
    )


def _weigh(gate: Gate, novelty: float, threshold: float) -> Gate:
    capped = min(gate.novelty, novelty)
    parts = (capped, gate.biographical_relevance, gate.emotional_arousal)
    score = sum(weight * part for weight, part in zip(_GATE_WEIGHTS, parts, strict=True))
    return replace(gate, novelty=capped, score=round(score, 4), passed=score > threshold)
