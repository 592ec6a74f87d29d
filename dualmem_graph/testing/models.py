"""Models that answer without a model: a scripted chat, hashed embeddings."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable, RunnableLambda
from pydantic import Field, PrivateAttr


class ScriptedChat(BaseChatModel):
    """A chat model that answers from a script, one entry per call, and records what it was sent.

    An entry is a string (the answer's text), a dict or list (answered as JSON text), an
    ``AIMessage`` (as it is, tool calls included), an exception (raised), or a function of the
    messages that returns one of these. It is safe to call from many threads, and works with
    ``bind``, ``bind_tools``, ``with_structured_output`` and ``create_agent``.

    Attributes:
        script: the answers, in order.
        repeat_last: answer with the last entry once the script is used up, instead of failing.
        delay: seconds that each answer takes.
        calls: per call, the messages as sent.
        options: per call, what was bound beside them (``response_format``, ``tools``, …).

    Raises:
        AssertionError: on a call that the script has no answer for.

    >>> chat = ScriptedChat(script=[{"facts": []}, "Hello!"])
    >>> chat.invoke("hi").content, chat.invoke("again").content
    ('{"facts": []}', 'Hello!')
    >>> len(chat.calls), chat.calls[0][0].content
    (2, 'hi')
    """

    script: list[Any]
    repeat_last: bool = False
    delay: float = 0.0
    calls: list[list[BaseMessage]] = Field(default_factory=list)
    options: list[dict[str, Any]] = Field(default_factory=list)

    _lock: threading.Lock = PrivateAttr(default_factory=threading.Lock)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        entry = self._next(messages, kwargs)
        if self.delay:
            time.sleep(self.delay)
        if callable(entry) and not isinstance(entry, type):
            entry = entry(list(messages))
        if isinstance(entry, BaseException) or _is_exception_class(entry):
            raise entry
        return ChatResult(generations=[ChatGeneration(message=_as_message(entry))])

    def _next(self, messages: list[BaseMessage], options: dict[str, Any]) -> Any:
        with self._lock:
            self.calls.append(list(messages))
            self.options.append(options)
            index = len(self.calls) - 1
        if index < len(self.script):
            return self.script[index]
        if self.repeat_last and self.script:
            return self.script[-1]
        raise AssertionError(
            f"script exhausted: call {index + 1}, but the script has {len(self.script)} entries; "
            "add the answer that is missing, or pass repeat_last=True"
        )

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | Any],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Bind tools: recorded in ``options``; the script decides whether one is called."""
        return self.bind(tools=list(tools), tool_choice=tool_choice, **kwargs)

    def with_structured_output(
        self,
        schema: dict[str, Any] | type,
        *,
        include_raw: bool = False,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, Any]:
        """Parse the answer's first tool call, or its JSON text, into ``schema``."""

        def read(message: AIMessage) -> Any:
            parsed = _structured(message, schema)
            return (
                {"raw": message, "parsed": parsed, "parsing_error": None} if include_raw else parsed
            )

        return self.bind(structured_output=schema) | RunnableLambda(read)


class HashEmbeddings(Embeddings):
    """Deterministic embeddings without a model: hashed character bigrams and words, normalised.

    Texts that share words or characters are similar, in any language; nothing else is.

    Args:
        dim: width of the vectors.

    >>> embeddings = HashEmbeddings(dim=4)
    >>> embeddings.embed_query("tea") == embeddings.embed_documents(["tea"])[0]
    True
    """

    def __init__(self, dim: int = 64) -> None:
        self.dim = dim

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed each text."""
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Embed one text; a blank one is the zero vector."""
        vector = np.zeros(self.dim)
        folded = text.casefold()
        words = folded.split()
        compact = "".join(words)
        bigrams = [compact[i : i + 2] for i in range(max(len(compact) - 1, min(len(compact), 1)))]
        for feature in [*(f"w{word}" for word in words), *(f"c{pair}" for pair in bigrams)]:
            digest = blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            sign = 1.0 if digest[7] & 1 else -1.0
            vector[int.from_bytes(digest[:6], "big") % self.dim] += sign
        length = float(np.linalg.norm(vector))
        return [float(number) for number in (vector / length if length else vector)]


def _as_message(entry: Any) -> AIMessage:
    if isinstance(entry, AIMessage):
        return entry.model_copy()  # LangChain gives each answer an id of its own
    text = entry if isinstance(entry, str) else json.dumps(entry, ensure_ascii=False)
    return AIMessage(content=text)


def _is_exception_class(entry: Any) -> bool:
    return isinstance(entry, type) and issubclass(entry, BaseException)


def _structured(message: AIMessage, schema: dict[str, Any] | type) -> Any:
    value = message.tool_calls[0]["args"] if message.tool_calls else json.loads(message.text)
    validate = getattr(schema, "model_validate", None)
    return validate(value) if validate else value
