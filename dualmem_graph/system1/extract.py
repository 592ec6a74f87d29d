"""The ``extract`` node: gate and extraction in one model call, or by rules.

Long dialogues are split into parts that fit the model; user turns are never cut. A model that
cannot be asked, or whose answer cannot be used, is stood in for by the rules form.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from typing import Literal

from langgraph.errors import NodeError
from langgraph.runtime import Runtime
from langgraph.types import Command

from dualmem_graph.config import Settings
from dualmem_graph.errors import ModelError
from dualmem_graph.providers.chat import StructuredChat
from dualmem_graph.resources import current
from dualmem_graph.storage import tools
from dualmem_graph.system1 import rules
from dualmem_graph.system1.gate import judge
from dualmem_graph.system1.prompts import extract_system, extract_user
from dualmem_graph.system1.reading import read_extraction
from dualmem_graph.system1.schema import ExtractionAnswer, without_secrets
from dualmem_graph.system1.state import (
    MemoryContext,
    System1State,
    dump,
    lease_of,
    own_turns,
    scope_of,
    turns_of,
)
from dualmem_graph.text.chunks import split_to_tokens
from dualmem_graph.text.language import detect_language, estimate_tokens
from dualmem_graph.text.safety import content_hash
from dualmem_graph.text.times import zone_of
from dualmem_graph.types import Candidate, Extraction, Layer, Turn

logger = logging.getLogger(__name__)

#: What the rules form stands in for. Anything else is a fault of ours and must be seen.
MODEL_FAILURES = (ModelError, ConnectionError, TimeoutError)
_PARALLEL_PARTS = 4


def extract(
    state: System1State, runtime: Runtime[MemoryContext]
) -> Command[Literal["fast_write", "__end__"]]:
    """Gate and extract in one model call; with no model configured, by rules."""
    resources = current()
    scope = scope_of(runtime.context)
    turns = turns_of(state)
    if resources.chat is None:
        return _judged(state, runtime, turns, _extract_by_rules(turns))
    extraction = extract_with_model(
        resources.chat,
        turns,
        settings=resources.settings,
        scope_id=tools.scope_number(scope),
    )
    return _judged(state, runtime, turns, extraction)


def extract_by_rules(
    state: System1State, error: NodeError, runtime: Runtime[MemoryContext]
) -> Command[Literal["fast_write", "__end__"]]:
    """Stand in for the model: the write is never blocked, and the model's turn comes again."""
    cause = error.error
    if not isinstance(cause, MODEL_FAILURES):
        raise cause
    reason = f"extract: {cause}"
    # what the endpoint said may quote the dialogue: it is for the result and the debug log only
    logger.warning("the model could not extract (%s), the rules do", type(cause).__name__)
    logger.debug("%s", reason)
    degraded = {"degraded": [*state["degraded"], reason], "status": "partial"}
    turns = turns_of(state)
    command = _judged({**state, **degraded}, runtime, turns, _extract_by_rules(turns))  # type: ignore[typeddict-item]
    return replace(command, update={**degraded, **(command.update or {})})


def _extract_by_rules(turns: Sequence[Turn]) -> Extraction:
    settings = current().settings
    return rules.extract(
        turns,
        language=settings.language,
        zone=zone_of(settings.timezone, turns[-1].at),
        max_items=settings.extract_max_items,
    )


def _judged(
    state: System1State,
    runtime: Runtime[MemoryContext],
    turns: Sequence[Turn],
    extraction: Extraction,
) -> Command[Literal["fast_write", "__end__"]]:
    scope = scope_of(runtime.context)
    own = [turn.text for turn in own_turns(turns)]

    def novelty() -> float:
        found: float = tools.read_novelty.invoke({"scope": scope, "texts": own[-8:]})
        return found

    judged = judge(extraction, turns, settings=current().settings, novelty=novelty)
    failed = state["status"] == "partial"
    runtime.stream_writer(
        {"stage": "extract", "extractor": judged.extractor, "found": len(judged.candidates)}
    )
    update = {
        "extraction": dump(judged),
        "gate": dump(judged.gate),
        "extractor": judged.extractor,
        "skipped": state["skipped"] + [dump(item) for item in judged.skipped],
    }
    if judged.candidates or judged.basic_info:
        return Command(update=update, goto="fast_write")
    # nothing to write; a failed model call is handed back, so that it is tried again
    lease = lease_of(state)
    if failed:
        tools.retry_job.invoke({"lease": lease, "error": state["degraded"][-1]})
        update["job_id"] = lease.job_id if lease else None
    else:
        tools.finish_job.invoke({"scope": scope, "lease": lease})
        update["status"] = "ephemeral"
    return Command(update=update, goto="__end__")


def language_of(turns: Sequence[Turn], settings: Settings) -> str:
    """Return the language of memories: the setting, else that of the user's own words."""
    if settings.language != "auto":
        return settings.language
    own = [turn.text for turn in own_turns(turns)]
    return detect_language("\n".join(own or [turn.text for turn in turns]))


def extract_with_model(
    chat: StructuredChat,
    turns: Sequence[Turn],
    *,
    settings: Settings,
    scope_id: int | None = None,
) -> Extraction:
    """Ask the model once per part of the dialogue and merge what it found.

    User turns are never cut; what exceeds the budget is split into parts. Assistant turns may be
    shortened (``extract_assistant_chars``).

    Raises:
        ModelError: the model could not be asked, or no answer could be used.
    """
    language = language_of(turns, settings)
    zone = zone_of(settings.timezone, turns[-1].at)
    system = extract_system(language)

    def ask(part: Sequence[Turn]) -> Extraction:
        user = extract_user(part, language, max(turn.at for turn in part).astimezone(zone))
        return chat.ask(
            system,
            user,
            ExtractionAnswer,
            operation="extract",
            scope_id=scope_id,
            validate=lambda answer: read_extraction(
                without_secrets(answer, settings), part, zone=zone
            ),
        )

    parts = split_turns(turns, settings, estimate_tokens(system))
    if len(parts) == 1:
        return ask(parts[0])
    with ThreadPoolExecutor(_PARALLEL_PARTS) as pool:
        asked = [pool.submit(copy_context().run, ask, part) for part in parts]
        return merge([future.result() for future in asked])


def split_turns(turns: Sequence[Turn], settings: Settings, overhead: int) -> list[tuple[Turn, ...]]:
    """Split a dialogue into parts that each fit the model beside prompt and answer.

    Context turns lead the first part alone, within their share of the budget, newest kept.
    """
    budget = max(
        256, settings.llm_context_window - settings.llm_max_output_tokens - 2 * overhead - 200
    )
    context = [turn for turn in turns if turn.is_context]
    kept: list[Turn] = []
    room = int(budget * settings.extract_history_context_ratio)
    for turn in reversed(context):
        turn = _shortened(turn, settings)
        room -= _cost(turn)
        if room < 0:
            break
        kept.insert(0, turn)
    parts: list[list[Turn]] = [kept]
    used = sum(map(_cost, kept))
    for turn in turns:
        if turn.is_context:
            continue
        for piece in _pieces(_shortened(turn, settings), budget):
            cost = _cost(piece)
            if used + cost > budget and any(not earlier.is_context for earlier in parts[-1]):
                parts.append([])
                used = 0
            parts[-1].append(piece)
            used += cost
    return [tuple(part) for part in parts]


def merge(parts: Sequence[Extraction]) -> Extraction:
    """Merge the extractions of several parts: each statement once, the strongest gate."""
    candidates: dict[tuple[Layer, str], Candidate] = {}
    for part in parts:
        for candidate in part.candidates:
            candidates.setdefault((candidate.layer, content_hash(candidate.content)), candidate)
    strongest = max(parts, key=lambda part: part.gate.score)
    return Extraction(
        gate=strongest.gate,
        is_ephemeral=all(part.is_ephemeral for part in parts),
        emotion=strongest.emotion,
        candidates=tuple(candidates.values()),
        basic_info=tuple({info: None for part in parts for info in part.basic_info}),
        skipped=tuple(skip for part in parts for skip in part.skipped),
        extractor=strongest.extractor,
    )


def _cost(turn: Turn) -> int:
    return estimate_tokens(turn.text) + 16


def _shortened(turn: Turn, settings: Settings) -> Turn:
    limit = settings.extract_assistant_chars
    if turn.role == "user" or len(turn.text) <= limit:
        return turn
    return replace(turn, text=turn.text[:limit] + " […]")


def _pieces(turn: Turn, budget: int) -> list[Turn]:
    if _cost(turn) <= budget:
        return [turn]
    return [replace(turn, text=piece) for piece in split_to_tokens(turn.text, budget - 32)]
