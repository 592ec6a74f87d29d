"""What an exception of a chat model means: ask again, ask differently, or give up.

Providers' exceptions are told apart by status, by langchain-core's error classes and by name, so
that no provider's library need be imported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from dualmem_graph.providers.endpoint import RETRIED_STATUSES, retry_after


class Kind(Enum):
    """What can be done about a failure."""

    REFUSED = "asked in a way that the endpoint does not have"
    BUSY = "may pass: rate limit, server error, no connection"
    FATAL = "asking again will not help"


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed request.

    Attributes:
        status: the HTTP status, where there was one.
        said: the endpoint's words, in full and not yet fit to be shown.
        wait: seconds that the endpoint asked to wait.
        advice: what to look at, for a person.
        partial: the answer as far as it came, where it was cut off rather than refused.
    """

    kind: Kind
    status: int | None
    said: str
    wait: float | None = None
    advice: str = ""
    partial: str | None = None


_STATUS_OF_CLASS = {
    "ModelAuthenticationError": 401,
    "ModelPermissionDeniedError": 403,
    "ModelNotFoundError": 404,
    "ModelRateLimitError": 429,
    "ModelInvalidRequestError": 400,
    "ModelAPIError": 500,
}
_CONNECTION = ("ConnectionError", "ConnectError", "NetworkError", "ProtocolError")
_NAMES_THE_METHOD = re.compile(
    r"response_?format|json|schema|structured|grammar|guided|\btools?\b|tool_choice"
    r"|function|thinking|reasoning",
    re.I,
)
_TOO_LONG = re.compile(
    r"context.{0,12}(?:length|window|size)|too many tokens|prompt is too long|maximum.{0,20}tokens"
    r"|exceed\w*.{0,40}(?:tokens|context)|input is too long",
    re.I,
)
_OTHER_CAUSE = re.compile(
    r"model.{0,60}(?:not found|does ?n.t exist|does not exist|not exist|unknown|not available)"
    r"|(?:unknown|invalid|no such) model|api.?key|unauthori[sz]ed|quota|billing|balance|credit"
    r"|content.?(?:filter|management|policy)|moderation|inappropriate",
    re.I,
)
_NO_MONEY = re.compile(r"insufficient.?(?:quota|balance|credit)|billing|exceeded your.*quota", re.I)


def classify(error: Exception) -> Failure:
    """Say what ``error``, raised by a chat model, means."""
    names = {cls.__name__ for cls in type(error).__mro__}
    said = _words_of(error)
    status = _status_of(error, names)
    if "LengthFinishReasonError" in names:
        return Failure(Kind.FATAL, None, said, partial=_partial_of(error))
    if "ContextOverflowError" in names or (status in (400, 413, 422) and _TOO_LONG.search(said)):
        return Failure(
            Kind.FATAL, status, said, advice="llm_context_window is more than the model takes"
        )
    if status is not None:
        return _by_status(status, said, error)
    if any("Timeout" in name for name in names):
        # It was asked and worked for all that time; the next call would do the same.
        return Failure(Kind.FATAL, None, said or "no answer in time", advice="raise llm_timeout")
    if any(name.endswith(_CONNECTION) for name in names):
        root = _root_of(error)
        said = said if root is error else f"{said} ({type(root).__name__}: {root})"
        return Failure(
            Kind.BUSY, None, said, advice="check that the endpoint is up and llm_base_url is right"
        )
    if names & {"TypeError", "NotImplementedError", "ValueError", "Warning"}:
        # How a model object of another provider says that it does not know a bound argument;
        # langchain-openai warns of it, which is an exception where warnings are errors.
        return Failure(Kind.REFUSED, None, said, advice="check the chat model")
    return Failure(Kind.FATAL, None, said, advice="check the chat model")


def _by_status(status: int, said: str, error: Exception) -> Failure:
    if status == 429 and _NO_MONEY.search(said):
        return Failure(Kind.FATAL, status, said, advice="the account behind llm_api_key is empty")
    if status in (400, 404, 422, 500, 501) and _NAMES_THE_METHOD.search(said):
        return Failure(Kind.REFUSED, status, said, advice="set llm_structured_output to 'text'")
    if status in RETRIED_STATUSES or status >= 500:
        wait = retry_after(_headers_of(error))
        return Failure(Kind.BUSY, status, said, wait=wait, advice="try again later")
    if status in (400, 422) and not _OTHER_CAUSE.search(said):
        # Many servers refuse without saying what: a simpler request is worth one try each.
        return Failure(Kind.REFUSED, status, said, advice="check llm_model and llm_extra_body")
    return Failure(Kind.FATAL, status, said, advice=_advice(status))


def _advice(status: int) -> str:
    if status in (401, 403):
        return "check llm_api_key"
    if status == 404:
        return "check llm_base_url (it usually ends in /v1) and llm_model"
    if 300 <= status < 400:
        return "set llm_base_url to the address it redirects to; redirects are not followed"
    return "check llm_model and llm_extra_body"


def _status_of(error: Exception, names: set[str]) -> int | None:
    body = error.args[0] if error.args else None
    for holder in (error, getattr(error, "response", None), body):
        for field in ("status_code", "status", "code", "http_status"):
            value = (
                holder.get(field) if isinstance(holder, Mapping) else getattr(holder, field, None)
            )
            if isinstance(value, int) and 300 <= value < 600:
                return value
    return next((status for name, status in _STATUS_OF_CLASS.items() if name in names), None)


def _words_of(error: Exception) -> str:
    body: Any = getattr(error, "body", None)
    if isinstance(body, Mapping) and isinstance(body.get("message"), str):
        fields = (body.get("message"), body.get("code"), body.get("param"))
        return " ".join(str(field) for field in fields if field)
    return str(error)


def _root_of(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _partial_of(error: Exception) -> str:
    """The OpenAI client keeps what came of an answer that reached its limit."""
    choices = getattr(getattr(error, "completion", None), "choices", None) or ()
    return str(getattr(choices[0].message, "content", None) or "") if choices else ""


def _headers_of(error: Exception) -> Mapping[str, str]:
    headers = getattr(getattr(error, "response", None), "headers", None)
    return headers if isinstance(headers, Mapping) else {}
