"""StubServer: an OpenAI-compatible endpoint on this machine that answers from a script."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from dualmem_graph.testing.models import HashEmbeddings
from dualmem_graph.testing.stub_http import Answer, Recorded, StubHTTPServer

_COMPLETION = {"id": "chatcmpl-stub", "created": 0}


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of the stub that is more than a text.

    Attributes:
        content: the message's content: a text, a list of blocks, or ``None``.
        message: more fields of the message, e.g. ``tool_calls``, ``refusal``,
            ``reasoning_content``.
        status: HTTP status; from 400 on, ``content`` is the error's text.
        headers: HTTP headers, e.g. ``{"Retry-After": "1"}``.
        delay: seconds before the answer.
        finish_reason: why the model stopped.
        body: the whole body instead, as bytes.
    """

    content: Any = None
    message: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    finish_reason: str = "stop"
    body: bytes | None = None


ChatEntry = str | dict[str, Any] | list[Any] | Reply | Callable[[Any], Any]
"""What may stand in the ``chat`` script of a :class:`StubServer`."""


class StubServer:
    """Serves ``/v1/chat/completions`` (streamed too), ``/v1/embeddings`` and ``/v1/models``.

    Everything else is 404, ``/v1/responses`` included. Use it as a context manager; it listens on
    a free port of 127.0.0.1 and records every request.

    Args:
        chat: answers to chat requests, in order: a text, a dict or list (sent as JSON text, or as
            the arguments of the tool that the request names), a :class:`Reply`, or a function of
            the request's body that returns one of these.
        repeat_last: answer with the last entry once ``chat`` is used up, instead of with 403.
        refuses: request fields answered with 400, without using up an entry: any of
            ``"response_format"``, ``"json_schema"``, ``"json_object"``, ``"tools"``,
            ``"tool_choice"``, ``"temperature"``, ….
        embeddings: answers to the first embedding requests, before the ordinary ones begin.
        embed_dim: width of the embeddings (:class:`HashEmbeddings`).
        max_chars: longest text that is embedded; longer is 400.
        max_batch: most texts in one embedding request; more is 400.
        key: the bearer key that requests must carry; otherwise 401.

    >>> from openai import OpenAI
    >>> with StubServer(chat=["Hello!"]) as stub:
    ...     with OpenAI(base_url=stub.base_url, api_key="any") as client:
    ...         answer = client.chat.completions.create(
    ...             model="m", messages=[{"role": "user", "content": "hi"}]
    ...         )
    >>> answer.choices[0].message.content, stub.chat_requests[0]["messages"][0]["content"]
    ('Hello!', 'hi')
    """

    def __init__(
        self,
        chat: Sequence[ChatEntry] = (),
        *,
        repeat_last: bool = False,
        refuses: Collection[str] = (),
        embeddings: Sequence[Reply] = (),
        embed_dim: int = 64,
        max_chars: int | None = None,
        max_batch: int | None = None,
        key: str | None = None,
    ) -> None:
        self._script = list(chat)
        self._repeat_last = repeat_last
        self._refuses = frozenset(refuses)
        self._embedding_script = list(embeddings)
        self._embedder = HashEmbeddings(embed_dim)
        self._max_chars = max_chars
        self._max_batch = max_batch
        self._key = key
        self._lock = threading.Lock()
        self._chat_answers = 0
        self._embedding_answers = 0
        self._server: StubHTTPServer | None = None
        self.requests: list[Recorded] = []
        """Every request: method, path, query, headers (names in lower case), body."""

    def __enter__(self) -> Self:
        self._server = StubHTTPServer(self._answer)
        self._server.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._server is not None:
            self._server.stop()

    @property
    def base_url(self) -> str:
        """What to set as ``llm_base_url`` or ``embed_base_url``."""
        if self._server is None:
            raise RuntimeError("the stub server is not running; use it in a with statement")
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def chat_requests(self) -> list[Any]:
        """Bodies of the chat requests, refused ones included."""
        return self._bodies("/v1/chat/completions")

    @property
    def embedding_requests(self) -> list[Any]:
        """Bodies of the embedding requests."""
        return self._bodies("/v1/embeddings")

    def _bodies(self, path: str) -> list[Any]:
        with self._lock:
            return [request.body for request in self.requests if request.path == path]

    def _answer(self, request: Recorded) -> Answer:
        with self._lock:
            self.requests.append(request)
        if self._key and request.headers.get("authorization") != f"Bearer {self._key}":
            return _error(401, "Incorrect API key provided")
        if request.path == "/v1/models":
            return Answer(200, {"object": "list", "data": [{"id": "stub", "object": "model"}]})
        if request.path == "/v1/chat/completions":
            return self._chat(request.body)
        if request.path == "/v1/embeddings":
            return self._embed(request.body)
        return _error(404, f"no route {request.path}")

    def _chat(self, body: Any) -> Answer:
        if refused := sorted(self._refuses & _features(body)):
            return _error(400, f"This {refused[0]} type is unavailable now: {refused[0]}")
        with self._lock:
            index = self._chat_answers
            self._chat_answers += 1
        if index >= len(self._script) and not (self._repeat_last and self._script):
            return _error(403, f"script exhausted: request {index + 1} has no answer")
        entry = self._script[min(index, len(self._script) - 1)]
        if callable(entry):
            entry = entry(body)
        reply = entry if isinstance(entry, Reply) else _reply(entry, body)
        if reply.status >= 400 or reply.body is not None:
            return _plain(reply)
        return _completion(reply, body)

    def _embed(self, body: Any) -> Answer:
        with self._lock:
            index = self._embedding_answers
            self._embedding_answers += 1
        if index < len(self._embedding_script):
            return _plain(self._embedding_script[index])
        texts = [body["input"]] if isinstance(body.get("input"), str) else body.get("input")
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            return _error(400, "input must be a string or a list of strings, not token ids")
        if self._max_batch is not None and len(texts) > self._max_batch:
            return _error(400, f"batch of {len(texts)} is over the limit of {self._max_batch}")
        for text in texts:
            if not text or (self._max_chars is not None and len(text) > self._max_chars):
                return _error(400, f"input of {len(text)} characters is empty or too long")
        data = [
            {"object": "embedding", "index": i, "embedding": vector}
            for i, vector in enumerate(self._embedder.embed_documents(texts))
        ]
        usage = {"prompt_tokens": sum(len(text) for text in texts), "total_tokens": 0}
        return Answer(
            200, {"object": "list", "data": data, "model": body.get("model"), "usage": usage}
        )


def _features(body: Mapping[str, Any]) -> set[str]:
    kind = (body.get("response_format") or {}).get("type")
    return {name for name, value in body.items() if value is not None} | ({kind} if kind else set())


def _reply(entry: Any, body: Mapping[str, Any]) -> Reply:
    """Answer with a text, or with the tool call that the request asks for by name."""
    if isinstance(entry, str):
        return Reply(entry)
    text = json.dumps(entry, ensure_ascii=False)
    choice = body.get("tool_choice")
    if not isinstance(choice, dict):
        return Reply(text)
    call = {"name": choice["function"]["name"], "arguments": text}
    calls = [{"id": "call_0", "type": "function", "function": call}]
    return Reply(None, message={"tool_calls": calls}, finish_reason="tool_calls")


def _plain(reply: Reply) -> Answer:
    content = reply.body
    if content is None:
        error = {"message": str(reply.content or "stub"), "type": "stub", "code": None}
        content = json.dumps({"error": error}).encode()
    return Answer(reply.status, content, headers=reply.headers, delay=reply.delay)


def _completion(reply: Reply, body: Mapping[str, Any]) -> Answer:
    message = {"role": "assistant", "content": reply.content, **reply.message}
    asked = sum(len(str(item.get("content") or "")) for item in body.get("messages", []))
    answered = len(str(reply.content or ""))
    usage = {
        "prompt_tokens": asked,
        "completion_tokens": answered,
        "total_tokens": asked + answered,
    }
    common = {**_COMPLETION, "model": body.get("model")}
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason}
        whole = {**common, "object": "chat.completion", "choices": [choice], "usage": usage}
        return Answer(reply.status, whole, headers=reply.headers, delay=reply.delay)
    if calls := message.get("tool_calls"):
        message["tool_calls"] = [{**call, "index": n} for n, call in enumerate(calls)]
    deltas = [(message, None), ({}, reply.finish_reason)]
    events: list[Any] = [
        {
            **common,
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        }
        for delta, reason in deltas
    ]
    if (body.get("stream_options") or {}).get("include_usage"):
        events.append({**common, "object": "chat.completion.chunk", "choices": [], "usage": usage})
    return Answer(
        reply.status, headers=reply.headers, delay=reply.delay, events=[*events, "[DONE]"]
    )


def _error(status: int, message: str) -> Answer:
    return Answer(status, {"error": {"message": message, "type": "invalid_request_error"}})
