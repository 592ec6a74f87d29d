"""The ladder of ways to ask for JSON, and what is known of an endpoint's place on it.

No way works everywhere: some endpoints refuse a JSON schema, others tool calls, others plain JSON
mode. Asking starts at the top and steps down where it is refused; the rung that worked is kept
for the rest of the process, so that no later call is refused again.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Hashable
from enum import StrEnum
from typing import Any

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable
from pydantic import BaseModel

from dualmem_graph.providers.json_text import first_json
from dualmem_graph.text.language import detect_language

logger = logging.getLogger(__name__)


class Rung(StrEnum):
    """Ways to ask, best first; named like the values of ``llm_structured_output``."""

    JSON_SCHEMA = "json_schema"
    FUNCTION_CALLING = "function_calling"
    JSON_MODE = "json_mode"
    TEXT = "text"

    @property
    def below(self) -> Rung | None:
        """The next rung down."""
        rungs = list(Rung)
        index = rungs.index(self) + 1
        return rungs[index] if index < len(rungs) else None


class Ladder:
    """Where on the ladder one endpoint and model stand; safe to share between threads."""

    def __init__(self, top: Rung = Rung.JSON_SCHEMA) -> None:
        self._rung = top
        self._lock = threading.Lock()

    @property
    def rung(self) -> Rung:
        """Where to start."""
        return self._rung

    def settle(self, rung: Rung, name: str) -> None:
        """Remember that ``rung`` worked; a ladder only goes down."""
        rungs = list(Rung)
        with self._lock:
            if rungs.index(rung) <= rungs.index(self._rung):
                return
            before, self._rung = self._rung, rung
        logger.info("%s does not take %s; asking by %s from now on", name, before, rung)


_ladders: dict[Hashable, Ladder] = {}
_ladders_lock = threading.Lock()


def shared_ladder(key: Hashable, top: Rung) -> Ladder:
    """Return this process's ladder of one endpoint, model and configuration."""
    with _ladders_lock:
        return _ladders.setdefault((key, top), Ladder(top))


def first_rung(setting: str) -> Rung:
    """Return the rung that ``llm_structured_output`` starts at."""
    return Rung.JSON_SCHEMA if setting == "auto" else Rung(setting)


def bind(
    model: BaseChatModel, rung: Rung, schema: type[BaseModel]
) -> Runnable[LanguageModelInput, AIMessage]:
    """Make ``model`` answer in the way of ``rung``.

    Raises:
        NotImplementedError: if the model has no tools and ``rung`` is function calling.
    """
    if rung is Rung.JSON_SCHEMA:
        # Strict is off: it forbids defaults and bounds, which the schemas use.
        described = {"name": schema.__name__, "schema": plain_schema(schema), "strict": False}
        return model.bind(response_format={"type": "json_schema", "json_schema": described})
    if rung is Rung.FUNCTION_CALLING:
        function = {
            "name": schema.__name__,
            "description": schema.__doc__ or "",
            "parameters": plain_schema(schema),
        }
        tool = {"type": "function", "function": function}
        return model.bind_tools([tool], tool_choice=schema.__name__)
    if rung is Rung.JSON_MODE:
        return model.bind(response_format={"type": "json_object"})
    return model


def plain_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """Return a model's JSON schema without the titles that pydantic makes up from names."""
    plain: dict[str, Any] = _untitled(schema.model_json_schema())
    return plain


def instructions(schema: type[BaseModel], prompt: str) -> str:
    """Say in words what to answer, in the language of ``prompt``.

    Always sent, on every rung: some endpoints accept a schema and ignore it, and JSON mode is
    refused by several unless the prompt says "JSON".
    """
    text = json.dumps(plain_schema(schema), ensure_ascii=False, separators=(",", ":"))
    if detect_language(prompt) == "zh":
        return f"只用一个 JSON 对象回答，不要写别的内容。JSON 必须符合这个 JSON Schema：\n{text}"
    return f"Answer with one JSON object and nothing else. It must follow this JSON Schema:\n{text}"


def read_answer(message: AIMessage) -> Any:
    """Take the JSON out of an answer: a tool call's arguments, else the text.

    Raises:
        ValueError: if there is none, in words that the model can act on.
    """
    if message.tool_calls:
        return message.tool_calls[0]["args"]
    for call in message.invalid_tool_calls:
        if call.get("args"):
            return first_json(str(call["args"]))
    text = answer_text(message)
    refusal = message.additional_kwargs.get("refusal")
    if not text.strip() and refusal:
        raise ValueError(f"the model refused: {refusal}")
    return first_json(text)


def answer_text(message: AIMessage) -> str:
    """The text of an answer, whether it is a string or a list of blocks; no reasoning."""
    if isinstance(message.content, str):
        return message.content
    pieces = []
    for block in message.content:
        if isinstance(block, str):
            pieces.append(block)
        elif block.get("type", "text") in ("text", "output_text"):
            pieces.append(str(block.get("text") or ""))
    return "".join(pieces)


def _untitled(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _untitled(item)
            for key, item in value.items()
            if not (key == "title" and isinstance(item, str))
        }
    if isinstance(value, list):
        return [_untitled(item) for item in value]
    return value
