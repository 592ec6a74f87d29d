"""StructuredChat: one question to a chat model, one validated answer, whatever the endpoint.

The three kinds of trouble are kept apart. An endpoint that is busy is asked again after a bounded
wait. One that refuses the way it was asked is asked on the next rung of the ladder. An answer that
cannot be used is sent back once with what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel

from dualmem_graph.errors import ConfigError, DependencyError, ModelOutputError
from dualmem_graph.providers.caller import ModelCaller, Purpose, RefusedError
from dualmem_graph.providers.endpoint import Endpoint, Wait, brief
from dualmem_graph.providers.ladder import (
    Ladder,
    Rung,
    answer_text,
    first_rung,
    instructions,
    read_answer,
    shared_ladder,
)
from dualmem_graph.providers.usage import UsageSink
from dualmem_graph.text.language import detect_language

if TYPE_CHECKING:
    from dualmem_graph.config import Settings

T = TypeVar("T")

_ADAPTIONS = 3
_SHOWN_BACK = 4000


class StructuredChat:
    """Asks a chat model for JSON of a given shape; thread-safe, synchronous.

    Make one with :func:`make_chat`.

    Args:
        caller: sends the requests.
        ladder: where the model stands; shared by all that speak to the same one.
        repair_tries: times that an unusable answer is sent back with what is wrong with it.
    """

    def __init__(self, caller: ModelCaller, ladder: Ladder, *, repair_tries: int = 1) -> None:
        self._caller = caller
        self._ladder = ladder
        self._repair_tries = repair_tries

    @property
    def name(self) -> str:
        """The model's name."""
        return self._caller.name

    @property
    def model(self) -> BaseChatModel:
        """The LangChain model, made on first use."""
        return self._caller.model

    @property
    def rung(self) -> str:
        """The way of asking that the next question starts with."""
        return str(self._ladder.rung)

    def ask(
        self,
        system: str,
        user: str,
        schema: type[BaseModel],
        *,
        operation: str,
        scope_id: int | None = None,
        validate: Callable[[Any], T],
    ) -> T:
        """Ask one question.

        An unusable answer is sent back ``extract_retry_on_failure`` times with what is wrong with
        it; one that was not even JSON also gets one try on the next rung of the ladder.

        Args:
            system: the prompt; the JSON schema is appended to it.
            user: the input, as one message.
            schema: the shape of the answer; its name and docstring are shown to the model.
            operation: what it is for, in usage records and traces.
            scope_id: for usage records.
            validate: turns the parsed JSON (any value, not only an object) into the result;
                raises ``ValueError`` with words that tell the model what is wrong.

        Returns:
            What ``validate`` made of the answer.

        Raises:
            ModelError: if the model could not be asked; names address, model, status, setting.
            ModelOutputError: if it answered, but no answer could be used.
            ClosedError: if ``close`` was called while it waited to retry.
        """
        question = (
            SystemMessage(f"{system}\n\n{instructions(schema, system)}"),
            HumanMessage(user),
        )
        purpose = Purpose(schema, operation, scope_id)
        messages: tuple[BaseMessage, ...] = question
        rung = self._ladder.rung
        repairs, can_step = self._repair_tries, True
        while True:
            answer, rung = self._answer(messages, rung, purpose)
            below = rung.below
            try:
                value = read_answer(answer)
                below = None  # it is JSON: the rung does its work, whatever the contents
                result = validate(value)
            except ValueError as error:
                problem = brief(str(error))
            else:
                self._ladder.settle(rung, self._caller.called)
                return result
            ignores_tools = rung is Rung.FUNCTION_CALLING and not answer.invalid_tool_calls
            if below and can_step and (repairs == 0 or ignores_tools):
                can_step = False
                messages, rung = question, below
            elif repairs > 0:
                repairs -= 1
                messages = (*question, *_sent_back(answer, problem, detect_language(system)))
            else:
                raise self._unusable(operation, problem, answer)

    def close(self) -> None:
        """End the waits between retries, now and later."""
        self._caller.close()

    def __repr__(self) -> str:
        where = self._caller.endpoint.base_url if self._caller.endpoint else None
        return f"StructuredChat(model={self.name!r}, base_url={where!r}, rung={self.rung!r})"

    def _answer(
        self, messages: tuple[BaseMessage, ...], rung: Rung, purpose: Purpose
    ) -> tuple[AIMessage, Rung]:
        """Ask on ``rung``, or on the first one below it that is not refused."""
        adaptions, was_refused = _ADAPTIONS, False
        while True:
            try:
                answer = self._caller.call(messages, rung, purpose)
            except RefusedError as refused:
                if adaptions > 0 and self._caller.adapt(refused.failure):
                    adaptions -= 1
                    continue
                below = rung.below
                if below is None:
                    raise refused.final from refused.__cause__
                rung, was_refused = below, True
            else:
                if was_refused:  # known now, whatever the answer is worth
                    self._ladder.settle(rung, self._caller.called)
                return answer, rung

    def _unusable(self, operation: str, problem: str, answer: AIMessage) -> ModelOutputError:
        was_cut = answer.response_metadata.get("finish_reason") == "length"
        advice = (
            "raise llm_max_output_tokens, which the answer reached"
            if was_cut
            else "try again, or use a model that follows a JSON schema better (llm_model)"
        )
        return ModelOutputError(
            f"{self._caller.called} gave no usable answer for {operation!r}: {problem}. "
            f"Nothing was taken from it; {advice}"
        )


def make_chat(
    settings: Settings,
    chat_model: BaseChatModel | str | None = None,
    usage: UsageSink | None = None,
    *,
    wait: Wait | None = None,
) -> StructuredChat | None:
    """Make the chat model that was asked for; nothing is connected yet.

    Args:
        settings: ``llm_base_url`` and ``llm_model`` name an OpenAI-compatible endpoint; a key is
            sent only if ``llm_api_key`` is set. ``llm_model`` alone names a provider's model.
        chat_model: a LangChain chat model or ``"provider:model"``; wins over the settings.
        usage: gets an event per request.
        wait: stands in for waits between retries.

    Returns:
        ``None`` where no model is configured.

    Raises:
        ConfigError: if the address or ``chat_model`` cannot be used.
        DependencyError: if the provider's LangChain package is not installed.
    """
    model: BaseChatModel | Callable[[], BaseChatModel]
    top = first_rung(settings.llm_structured_output)
    endpoint = None
    if chat_model is None and settings.llm_base_url and settings.llm_model:
        endpoint = Endpoint(settings.llm_base_url, setting="llm", key=settings.llm_api_key)
        name = settings.llm_model
        model = _endpoint_factory(endpoint, settings, name)
        key = (endpoint.base_url, name, repr(settings.llm_extra_body))
        ladder = shared_ladder(key, top)
    else:
        given = chat_model if chat_model is not None else settings.llm_model
        if given is None:
            return None
        model = _provider_model(given, settings) if isinstance(given, str) else given
        if not isinstance(model, BaseChatModel):
            raise ConfigError(
                f"chat_model is a {type(model).__name__}, not a LangChain chat model; pass a "
                "BaseChatModel such as ChatOpenAI(…), or a string like 'openai:gpt-4o-mini'"
            )
        name = _name_of(model)
        ladder = _ladder_of(model, name, top)
    caller = ModelCaller(
        model,
        name=name,
        endpoint=endpoint,
        max_retries=settings.llm_max_retries,
        max_retry_wait=settings.llm_max_retry_wait,
        usage=usage,
        wait=wait,
    )
    return StructuredChat(caller, ladder, repair_tries=settings.extract_retry_on_failure)


def _endpoint_factory(
    endpoint: Endpoint, settings: Settings, name: str
) -> Callable[[], BaseChatModel]:
    def build() -> BaseChatModel:
        from dualmem_graph.providers.endpoint_chat import build_endpoint_chat

        return build_endpoint_chat(endpoint, settings, name)

    return build


def _provider_model(name: str, settings: Settings) -> BaseChatModel:
    """Make a provider's own model; here the provider's environment variables do count."""
    from langchain.chat_models import init_chat_model

    given: dict[str, Any] = {}
    if settings.llm_api_key and not settings.llm_base_url:  # else the key is that address's
        given["api_key"] = settings.llm_api_key.get_secret_value()
    try:
        model: BaseChatModel = init_chat_model(
            name,
            temperature=settings.llm_temperature,
            timeout=settings.llm_timeout,
            max_tokens=settings.llm_max_output_tokens,
            max_retries=0,
            **given,
        )
        return model
    except ImportError as error:
        raise DependencyError(
            f"the chat model {name!r} needs a LangChain package: {error}"
        ) from error
    except Exception as error:
        raise ConfigError(
            f"the chat model {name!r} cannot be made: {type(error).__name__}: "
            f"{brief(str(error))}; write it as 'provider:model' with llm_api_key, "
            "or set llm_base_url for an OpenAI-compatible endpoint"
        ) from error


def _name_of(model: BaseChatModel) -> str:
    for attribute in ("model_name", "model", "model_id", "deployment_name"):
        name = getattr(model, attribute, None)
        if isinstance(name, str) and name:
            return name
    return type(model).__name__


def _ladder_of(model: BaseChatModel, name: str, top: Rung) -> Ladder:
    """Shared by all objects that speak to one address; an object without one has its own."""
    for attribute in ("openai_api_base", "base_url", "azure_endpoint", "endpoint"):
        address = getattr(model, attribute, None)
        if isinstance(address, str) and address:
            return shared_ladder((address, name), top)
    return Ladder(top)


def _sent_back(answer: AIMessage, problem: str, language: str) -> tuple[BaseMessage, ...]:
    """The unusable answer and what is wrong with it, for the repair try."""
    text = answer_text(answer).strip()[:_SHOWN_BACK] or "(empty)"
    feedback = (
        f"上面的回答无法使用：{problem}\n请重新回答，只写符合上述 JSON Schema 的 JSON 对象。"
        if language == "zh"
        else f"That answer cannot be used: {problem}\n"
        "Answer again, with only the JSON object that follows the JSON Schema above."
    )
    return AIMessage(text), HumanMessage(feedback)
