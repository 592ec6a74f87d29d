"""``ChatOpenAI`` for an endpoint that somebody else runs.

Imports langchain_openai: import it only where a model is about to be asked.
"""

from __future__ import annotations

import re
import weakref
from typing import TYPE_CHECKING, Any

import openai
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult
from langchain_openai import ChatOpenAI
from pydantic import PrivateAttr

from dualmem_graph.providers.endpoint import Endpoint

if TYPE_CHECKING:
    from dualmem_graph.config import Settings

_OPENAI_HOST = re.compile(r"https://[\w.-]*\bopenai\.(?:com|azure\.com)/")
_TOKEN_FIELDS = re.compile(r"\bmax_(?:completion_)?tokens\b")
_UNSUPPORTED = re.compile(
    r"unsupported|not support|unrecognized|unknown|unexpected|not permitted|extra (?:inputs|fields)"
    r"|does not|invalid",
    re.I,
)
# The headers that a request needs; whatever else the client library adds from the machine or its
# environment (organisation, project, custom headers, platform) stays here.
_SENT_HEADERS = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "host",
        "transfer-encoding",
        "user-agent",
        "x-stainless-raw-response",  # the client library reads it back from the request
    }
)


class EndpointChat(ChatOpenAI):
    """Chat completions only, and only what the settings say goes out.

    The async path runs the sync one in a thread: an async client would belong to the event loop
    that used it first and fail in the next.
    """

    _token_field: str = PrivateAttr(default="max_tokens")
    _left_out: set[str] = PrivateAttr(default_factory=set)

    def adapt(self, refusal: str) -> bool:
        """Drop or rename a parameter that the endpoint says it does not know.

        Returns:
            Whether something changed, so that asking again makes sense.
        """
        if not _UNSUPPORTED.search(refusal):
            return False
        if "temperature" in refusal and "temperature" not in self._left_out:
            self._left_out.add("temperature")
            return True
        # The refusal may name the right field as well ("use 'max_completion_tokens' instead").
        refused = _TOKEN_FIELDS.search(refusal)
        if refused is None:
            return False
        self._token_field = "max_completion_tokens" if refused[0] == "max_tokens" else "max_tokens"
        return True

    def _get_request_payload(
        self,
        input_: LanguageModelInput,
        *,
        stop: list[str] | None = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        payload = super()._get_request_payload(input_, stop=stop, **kwargs)
        # ChatOpenAI renames max_tokens for OpenAI's own models; servers that know only the old
        # name ignore the new one and answer without a limit.
        if "max_completion_tokens" in payload:
            payload[self._token_field] = payload.pop("max_completion_tokens")
        # Beside the known parameters the client library neither parses the answer nor throws one
        # away that is a list of blocks or reached its limit; on the wire it is the same.
        if "response_format" in payload:
            wanted = {"response_format": payload.pop("response_format")}
            payload["extra_body"] = {**(payload.get("extra_body") or {}), **wanted}
        return {key: value for key, value in payload.items() if key not in self._left_out}

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return await BaseChatModel._agenerate(self, messages, stop, run_manager, **kwargs)


def build_endpoint_chat(endpoint: Endpoint, settings: Settings, model: str) -> EndpointChat:
    """Make the model that talks to ``endpoint``; no connection is opened yet.

    Retries are the caller's (the client library's cannot be interrupted), streaming is off (a
    memory's inner calls must not appear in a host's token stream), and redirects are refused.
    """

    def only_ours(request: Any) -> None:
        for name in list(request.headers):
            if name.lower() not in _SENT_HEADERS:
                del request.headers[name]
        request.headers["Authorization"] = endpoint.authorization

    client = openai.DefaultHttpxClient(
        timeout=settings.llm_timeout,
        trust_env=endpoint.uses_proxy,
        follow_redirects=False,
        event_hooks={"request": [only_ours]},
    )
    given = {"extra_body": settings.llm_extra_body} if settings.llm_extra_body else {}
    chat = EndpointChat(
        model=model,
        base_url=endpoint.base_url,
        api_key=lambda: endpoint.bearer,
        default_query=endpoint.query or None,
        temperature=settings.llm_temperature,
        max_completion_tokens=settings.llm_max_output_tokens,
        timeout=settings.llm_timeout,
        max_retries=0,
        use_responses_api=False,
        disable_streaming=True,
        cache=False,
        openai_proxy=None,
        http_socket_options=(),
        http_client=client,
        **given,
    )
    if _OPENAI_HOST.match(f"{endpoint.base_url}/"):
        chat._token_field = "max_completion_tokens"
    for field in ("max_tokens", "max_completion_tokens"):
        if field in settings.llm_extra_body:
            chat._left_out |= {"max_tokens", "max_completion_tokens"}
    weakref.finalize(chat, client.close)
    return chat
