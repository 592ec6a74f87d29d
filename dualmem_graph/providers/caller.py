"""ModelCaller: one request to a chat model on one rung, again while the model is busy."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel

from dualmem_graph.errors import DualMemError, ModelError
from dualmem_graph.providers.endpoint import Endpoint, Wait, Waiting, backoff, brief
from dualmem_graph.providers.failures import Failure, Kind, classify
from dualmem_graph.providers.ladder import Rung, bind
from dualmem_graph.providers.usage import UsageEvent, UsageSink
from dualmem_graph.text.language import estimate_tokens

# "nostream" keeps the memory's inner answers out of the token stream of a LangGraph host.
_TAGS = ["dualmem", "nostream"]


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a request is for: the shape it asks for, and how its cost is booked."""

    schema: type[BaseModel]
    operation: str
    scope_id: int | None = None


class RefusedError(Exception):
    """The model does not take this way of being asked; the next rung may do."""

    def __init__(self, failure: Failure, final: ModelError) -> None:
        super().__init__(failure.said)
        self.failure = failure
        self.final = final
        """What to raise where there is no next rung."""


class ModelCaller:
    """Sends requests to one chat model; thread-safe.

    Args:
        model: the model, or what makes it on first use (and anew in a forked process).
        name: how it is called in errors and usage records.
        endpoint: where it is, if the settings say so.
    """

    def __init__(
        self,
        model: BaseChatModel | Callable[[], BaseChatModel],
        *,
        name: str,
        endpoint: Endpoint | None = None,
        max_retries: int = 2,
        max_retry_wait: float = 30.0,
        usage: UsageSink | None = None,
        wait: Wait | None = None,
    ) -> None:
        self.name = name
        self.endpoint = endpoint
        self._given = model
        self._max_retries = max_retries
        self._max_retry_wait = max_retry_wait
        self._usage = usage
        self._waiting = Waiting(wait)
        self._lock = threading.Lock()
        self._built: tuple[int, BaseChatModel] | None = None

    @property
    def model(self) -> BaseChatModel:
        """The LangChain model."""
        if isinstance(self._given, BaseChatModel):
            return self._given
        with self._lock:
            if self._built is None or self._built[0] != os.getpid():
                self._built = (os.getpid(), self._given())
            return self._built[1]

    @property
    def called(self) -> str:
        """The model as errors call it."""
        where = f" at {self.endpoint.base_url}" if self.endpoint else ""
        return f"the chat model {self.name!r}{where}"

    def close(self) -> None:
        """End the waits between retries, now and later."""
        self._waiting.close()

    def call(self, messages: Sequence[BaseMessage], rung: Rung, purpose: Purpose) -> AIMessage:
        """Ask on ``rung``; while the model is busy, again after the wait it asks for.

        Raises:
            RefusedError: if it does not take ``rung``.
            ModelError: if it could not be asked.
            ClosedError: if ``close`` was called before a retry.
        """
        attempts = 0
        while True:
            attempts += 1
            try:
                return self._send(messages, rung, purpose)
            except (AssertionError, DualMemError):
                raise  # a script that is used up, a package that is missing: not the model's
            except Exception as error:  # noqa: BLE001 - a foreign model may raise anything
                failure = classify(error)
                # Our own endpoint's error may quote the key; ours says what matters of it.
                cause = None if self.endpoint else error
            if failure.partial is not None:
                return AIMessage(failure.partial, response_metadata={"finish_reason": "length"})
            final = self._final(failure, attempts)
            if failure.kind is Kind.REFUSED:
                raise RefusedError(failure, final) from cause
            if failure.kind is Kind.FATAL or attempts > self._max_retries:
                raise final from cause
            self._waiting(backoff(attempts - 1, failure.wait, self._max_retry_wait), self.called)

    def adapt(self, failure: Failure) -> bool:
        """Leave out what the endpoint refused beside the rung, if that is what it refused."""
        adapt = getattr(self.model, "adapt", None)
        return bool(self.endpoint and adapt and adapt(failure.said))

    def _send(self, messages: Sequence[BaseMessage], rung: Rung, purpose: Purpose) -> AIMessage:
        at, begin = datetime.now(UTC), time.perf_counter()
        answer: AIMessage | None = None
        try:
            answer = bind(self.model, rung, purpose.schema).invoke(
                list(messages), {"run_name": f"dualmem.{purpose.operation}", "tags": _TAGS}
            )
        finally:
            if self._usage is not None:
                tokens_in, tokens_out = _tokens(messages, answer)
                self._usage(
                    UsageEvent(
                        operation=purpose.operation,
                        kind="chat",
                        model=self.name,
                        tokens_in=tokens_in,
                        tokens_out=tokens_out,
                        latency_ms=(time.perf_counter() - begin) * 1000,
                        ok=answer is not None,
                        scope_id=purpose.scope_id,
                        at=at,
                    )
                )
        return answer

    def _final(self, failure: Failure, attempts: int) -> ModelError:
        scrub = self.endpoint.scrub if self.endpoint else brief
        times = f" {attempts} times" if attempts > 1 else ""
        status = f"{failure.status}: " if failure.status else ""
        return ModelError(
            f"{self.called} could not be asked{times}: {status}{scrub(failure.said)}; "
            f"{failure.advice}"
        )


def _tokens(messages: Sequence[BaseMessage], answer: AIMessage | None) -> tuple[int, int]:
    """Tokens in and out, as counted by the endpoint or else as estimated."""
    if answer is not None and answer.usage_metadata:
        return answer.usage_metadata["input_tokens"], answer.usage_metadata["output_tokens"]
    asked = sum(estimate_tokens(message.text) for message in messages)
    return asked, estimate_tokens(answer.text) if answer is not None else 0
