"""StructuredChat in process: a scripted model, no wire."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.exceptions import ModelRateLimitError
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import BaseModel, Field

from dualmem_graph.config import Settings
from dualmem_graph.errors import ClosedError, ConfigError, ModelError, ModelOutputError
from dualmem_graph.providers.chat import StructuredChat, make_chat
from dualmem_graph.providers.usage import UsageEvent
from dualmem_graph.testing import ScriptedChat

Make = Callable[..., Settings]
FENCE = "```"
FACT = '{"facts": ["Ilka keeps bees"]}'
BEES = ["Ilka keeps bees"]


class Facts(BaseModel):
    """What was said."""

    facts: list[str] = Field(description="one sentence each")


class RefusesWithStatusError(Exception):
    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status_code = status
        self.response = type("Response", (), {"headers": headers or {}})()


def read(value: Any) -> list[str]:
    """What the extractor does with an answer: check the shape, say what is wrong."""
    if not isinstance(value, dict) or not isinstance(value.get("facts"), list):
        raise ValueError("the field 'facts' is missing")
    return [str(fact) for fact in value["facts"]]


def ask(chat: StructuredChat, system: str = "Find the facts.") -> list[str]:
    return chat.ask(system, "Ilka keeps bees.", Facts, operation="extract", validate=read)


def chat_of(
    settings: Settings, script: Sequence[Any], wait: Any = None, **given: Any
) -> tuple[StructuredChat, ScriptedChat]:
    model = ScriptedChat(script=list(script), **given)
    chat = make_chat(settings, model, wait=wait)
    assert chat is not None
    return chat, model


def kinds(model: ScriptedChat) -> list[str]:
    """How each call was asked."""

    def kind(options: dict[str, Any]) -> str:
        if "response_format" in options:
            return str(options["response_format"]["type"])
        return "tools" if "tools" in options else "text"

    return [kind(options) for options in model.options]


def test_without_a_model_there_is_no_chat(settings: Make) -> None:
    assert make_chat(settings()) is None


# --- A1, A3: the answer and what surrounds it


@pytest.mark.parametrize(
    "answer",
    [
        FACT,
        f"{FENCE}json\n{FACT}\n{FENCE}",
        f"Sure, this is what I found:\n{FENCE}json\n{FACT}\n{FENCE}",
        f"{FENCE}json\n{FACT}{FENCE}",
        f"Here you are: {FACT} Anything else?",
        f"<think>Is it {{bees}}?</think>{FACT}",
        '{"facts": ["Ilka keeps bees",]}',
        AIMessage([{"type": "text", "text": FACT}]),
        AIMessage([{"type": "reasoning", "reasoning": "{hm}"}, {"type": "text", "text": FACT}]),
        AIMessage(["Here: ", FACT]),
        AIMessage("", tool_calls=[{"name": "Facts", "args": {"facts": BEES}, "id": "1"}]),
        AIMessage(
            "",
            invalid_tool_calls=[
                {
                    "type": "invalid_tool_call",
                    "name": "Facts",
                    "args": '{"facts": ["Ilka keeps bees",]}',
                    "id": "1",
                    "error": "trailing comma",
                }
            ],
        ),
    ],
)
def test_right_answer_is_read_with_one_call_whatever_its_form(settings: Make, answer: Any) -> None:
    chat, model = chat_of(settings(), [answer])
    assert ask(chat) == BEES
    assert kinds(model) == ["json_schema"]


def test_validate_gets_any_json_value(settings: Make) -> None:
    chat, _ = chat_of(settings(), ['["a", "b"]'])
    got = chat.ask("s", "u", Facts, operation="extract", validate=lambda value: value)
    assert got == ["a", "b"]


# --- A2, A4: nothing usable


UNUSABLE = {
    "empty": "",
    "prose": "I found nothing worth remembering.",
    "half": '{"facts": ["Ilka ke',
    "wrong shape": '{"fact": "Ilka keeps bees"}',
    "refusal": AIMessage("", additional_kwargs={"refusal": "I can't help with that."}),
    "reasoning only": AIMessage("", additional_kwargs={"reasoning_content": "Bees!"}),
    "thought only": "<think>Bees!",
    "empty blocks": AIMessage([{"type": "reasoning", "reasoning": "Bees!"}]),
}


@pytest.mark.parametrize("bad", UNUSABLE.values(), ids=UNUSABLE)
def test_unusable_answer_is_sent_back_once_and_the_good_one_taken(settings: Make, bad: Any) -> None:
    chat, model = chat_of(settings(), [bad, FACT])
    assert ask(chat) == BEES
    first, second = model.calls
    assert second[:2] == first
    assert [message.type for message in second[2:]] == ["ai", "human"]
    assert second[2].text
    assert "cannot be used" in second[3].text


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("", "the answer is empty"),
        ("I found nothing.", "holds no JSON"),
        ('{"facts": ["Ilka ke', "cut off"),
        ('{"fact": "Ilka keeps bees"}', "'facts' is missing"),
        (UNUSABLE["refusal"], "refused: I can't help with that"),
    ],
)
def test_unusable_answers_end_in_an_error_that_says_why(
    settings: Make, bad: Any, reason: str
) -> None:
    chat, model = chat_of(settings(), [bad], repeat_last=True)
    with pytest.raises(ModelOutputError, match=reason):
        ask(chat)
    assert len(model.calls) <= 3
    assert chat.rung == "json_schema"


def test_answer_that_is_no_json_gets_one_try_a_rung_lower_and_that_is_remembered(
    settings: Make,
) -> None:
    chat, model = chat_of(settings(), ["Bees!", "Bees, I said.", FACT, FACT])
    assert ask(chat) == BEES
    assert ask(chat) == BEES
    assert kinds(model) == ["json_schema", "json_schema", "tools", "tools"]
    assert len(model.calls[2]) == 2


def test_number_of_repair_tries_is_a_setting(settings: Make) -> None:
    wrong = '{"fact": "x"}'
    chat, model = chat_of(settings(extract_retry_on_failure=3), [wrong, wrong, wrong, FACT])
    assert ask(chat) == BEES
    chat, model = chat_of(settings(extract_retry_on_failure=0), [wrong, FACT])
    with pytest.raises(ModelOutputError):
        ask(chat)
    assert len(model.calls) == 1


def test_bad_escape_is_mended_without_asking_again(settings: Make) -> None:
    chat, model = chat_of(settings(), [r'{"facts": ["Ilka keeps \uD83D bees \x"]}'])
    assert ask(chat) == ["Ilka keeps \ufffd bees \\x"]
    assert len(model.calls) == 1


# --- A5: the ladder


class Refusing(ScriptedChat):
    """Refuses some ways of being asked, as an endpoint does."""

    refuses: dict[str, Exception]

    def _generate(self, messages: list[BaseMessage], *rest: Any, **kwargs: Any) -> ChatResult:
        for name, error in self.refuses.items():
            if name in kwargs or name == (kwargs.get("response_format") or {}).get("type"):
                self.calls.append(messages)
                self.options.append(kwargs)
                self.script.insert(0, "not used: refused")
                raise error
        return super()._generate(messages, *rest, **kwargs)


SCHEMA_REFUSED = RefusesWithStatusError(400, "This response_format type is unavailable now")
TOOLS_REFUSED = RefusesWithStatusError(404, "No endpoints found that support 'tool_choice'")


@pytest.mark.parametrize(
    ("refuses", "asked"),
    [
        ({"json_schema": SCHEMA_REFUSED}, ["json_schema", "tools"]),
        ({"response_format": SCHEMA_REFUSED}, ["json_schema", "tools"]),
        ({"tools": TOOLS_REFUSED}, ["json_schema"]),
        (
            {"json_schema": SCHEMA_REFUSED, "tools": TOOLS_REFUSED},
            ["json_schema", "tools", "json_object"],
        ),
        (
            {"response_format": SCHEMA_REFUSED, "tools": TOOLS_REFUSED},
            ["json_schema", "tools", "json_object", "text"],
        ),
        ({"json_schema": RefusesWithStatusError(500, "bad json_schema")}, ["json_schema", "tools"]),
        ({"json_schema": RefusesWithStatusError(422, "no")}, ["json_schema", "tools"]),
        ({"json_schema": TypeError("unexpected 'response_format'")}, ["json_schema", "tools"]),
    ],
)
def test_refused_way_of_asking_is_given_up_once_and_remembered(
    settings: Make, refuses: dict[str, Exception], asked: list[str]
) -> None:
    model = Refusing(script=[FACT], refuses=refuses, repeat_last=True)
    chat = make_chat(settings(), model)
    assert chat is not None
    assert ask(chat) == BEES
    assert kinds(model) == asked
    assert ask(chat) == BEES
    assert kinds(model) == [*asked, asked[-1]]


def test_asking_starts_where_the_setting_says(settings: Make) -> None:
    for setting, kind in [
        ("auto", "json_schema"),
        ("json_schema", "json_schema"),
        ("function_calling", "tools"),
        ("json_mode", "json_object"),
        ("text", "text"),
    ]:
        chat, model = chat_of(settings(llm_structured_output=setting), [FACT])
        assert ask(chat) == BEES
        assert kinds(model) == [kind]


def test_model_that_ignores_tools_is_asked_for_json_instead(settings: Make) -> None:
    chat, model = chat_of(settings(llm_structured_output="function_calling"), ["I like bees", FACT])
    assert ask(chat) == BEES
    assert kinds(model) == ["tools", "json_object"]
    assert chat.rung == "json_mode"


def test_model_without_tools_or_formats_is_asked_in_words(settings: Make) -> None:
    class Plain(BaseChatModel):
        asked: list[str] = Field(default_factory=list)

        @property
        def _llm_type(self) -> str:
            return "plain"

        def _generate(
            self,
            messages: list[BaseMessage],
            stop: list[str] | None = None,
            run_manager: CallbackManagerForLLMRun | None = None,
            **kwargs: Any,
        ) -> ChatResult:
            if kwargs:
                raise TypeError(f"unexpected {sorted(kwargs)}")
            self.asked.append(messages[0].text)
            return ChatResult(generations=[ChatGeneration(message=AIMessage(FACT))])

    model = Plain()
    chat = make_chat(settings(), model)
    assert chat is not None
    assert ask(chat) == BEES
    assert ask(chat) == BEES
    assert len(model.asked) == 2
    assert chat.rung == "text"


@pytest.mark.parametrize("rung", ["json_schema", "function_calling", "json_mode", "text"])
def test_schema_is_in_the_prompt_on_every_rung_in_the_prompts_language(
    settings: Make, rung: str
) -> None:
    chat, model = chat_of(settings(llm_structured_output=rung), [FACT, FACT])
    ask(chat, "Find the facts.")
    ask(chat, "找出用户说过的事实。")
    english, chinese = (call[0].text for call in model.calls)
    assert english.startswith("Find the facts.\n\nAnswer with one JSON object")
    assert chinese.startswith("找出用户说过的事实。\n\n只用一个 JSON 对象回答")
    for prompt in (english, chinese):
        assert '"facts":{"description":"one sentence each"' in prompt
        assert '"title"' not in prompt


def test_chinese_prompt_gets_chinese_feedback(settings: Make) -> None:
    chat, model = chat_of(settings(), ["", FACT])
    ask(chat, "找出用户说过的事实。")
    assert "上面的回答无法使用" in model.calls[1][-1].text


# --- A7: busy, down, forbidden


@pytest.mark.parametrize(
    ("error", "waited"),
    [
        (RefusesWithStatusError(429, "slow down", {"Retry-After": "1"}), 1.0),
        (RefusesWithStatusError(429, "slow down", {"retry-after": "3600"}), 30.0),
        (RefusesWithStatusError(429, "slow down", {"retry-after-ms": "250"}), 0.25),
        (RefusesWithStatusError(408, "timeout"), 0.5),
        (RefusesWithStatusError(503, "overloaded", {"Retry-After": "soon"}), 0.5),
        (ConnectionResetError("reset by peer"), 0.5),
        (ModelRateLimitError("slow down"), 0.5),
    ],
)
def test_busy_model_is_asked_again_after_a_bounded_wait(
    settings: Make, waits: Any, error: Exception, waited: float
) -> None:
    chat, model = chat_of(settings(), [error, FACT], waits)
    assert ask(chat) == BEES
    assert waits == [waited]
    assert kinds(model) == ["json_schema", "json_schema"]


def test_retries_end(settings: Make, waits: Any) -> None:
    busy = RefusesWithStatusError(429, "slow down", {"Retry-After": "1"})
    chat, _ = chat_of(settings(llm_max_retries=2), [busy], waits, repeat_last=True)
    with pytest.raises(ModelError, match=r"could not be asked 3 times: 429: slow down"):
        ask(chat)
    assert waits == [1.0, 1.0]
    assert chat.rung == "json_schema"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RefusesWithStatusError(401, "bad key for tool use"), "401: .*check llm_api_key"),
        (RefusesWithStatusError(403, "json not for you"), "403: .*check llm_api_key"),
        (RefusesWithStatusError(404, "The model 'x' does not exist"), "404: .*llm_model"),
        (RefusesWithStatusError(429, "insufficient_quota"), "429: .*account"),
        (RefusesWithStatusError(400, "maximum context length is 4096 tokens, of which 2000 are in "
                                     "the functions"), "400: .*llm_context_window"),
        (RefusesWithStatusError(400, "blocked by content_filter"), "400: .*content_filter"),
        (TimeoutError("read timed out"), "read timed out; raise llm_timeout"),
        (KeyError("choices"), "choices"),
    ],
)  # fmt: skip
def test_what_asking_again_cannot_mend_is_asked_once(
    settings: Make, waits: Any, error: Exception, reason: str
) -> None:
    chat, model = chat_of(settings(), [error], waits)
    with pytest.raises(ModelError, match=reason) as caught:
        ask(chat)
    assert not isinstance(caught.value, ModelOutputError)
    assert caught.value.__cause__ is error
    assert len(model.calls) == 1
    assert waits == []


def test_plain_prompt_that_is_refused_too_is_an_error(settings: Make) -> None:
    chat, model = chat_of(settings(), [RefusesWithStatusError(400, "no")], repeat_last=True)
    with pytest.raises(ModelError, match="400: no"):
        ask(chat)
    assert kinds(model) == ["json_schema", "tools", "json_object", "text"]
    assert chat.rung == "json_schema"


def test_closing_ends_the_wait_for_a_busy_model(settings: Make) -> None:
    busy = RefusesWithStatusError(429, "slow down", {"Retry-After": "30"})
    chat, model = chat_of(settings(), [busy], repeat_last=True)
    chat.close()
    with pytest.raises(ClosedError):
        ask(chat)
    assert len(model.calls) == 1


def test_script_that_is_used_up_is_the_tests_error_not_the_models(settings: Make) -> None:
    chat, _ = chat_of(settings(), [])
    with pytest.raises(AssertionError, match="script exhausted"):
        ask(chat)


# --- usage, tracing, making


def test_each_request_is_booked_with_its_tokens(settings: Make, waits: Any) -> None:
    counted = AIMessage(
        FACT, usage_metadata={"input_tokens": 70, "output_tokens": 9, "total_tokens": 79}
    )
    events: list[UsageEvent] = []
    model = ScriptedChat(script=[RefusesWithStatusError(429, "slow down"), "Bees", counted])
    chat = make_chat(settings(), model, events.append, wait=waits)
    assert chat is not None
    chat.ask("s", "u", Facts, operation="reconcile", scope_id=7, validate=read)
    assert [(event.ok, event.tokens_out) for event in events] == [(False, 0), (True, 1), (True, 9)]
    last = events[-1]
    assert (last.operation, last.kind, last.model, last.scope_id, last.tokens_in) == (
        "reconcile",
        "chat",
        "ScriptedChat",
        7,
        70,
    )
    assert events[0].tokens_in > 20
    assert last.at.tzinfo is not None
    assert last.latency_ms >= 0


def test_inner_answers_stay_out_of_a_hosts_token_stream(settings: Make) -> None:
    from langgraph.graph import START, MessagesState, StateGraph

    chat, _ = chat_of(settings(), [FACT])

    def remember(state: MessagesState) -> dict[str, Any]:
        assert ask(chat) == BEES
        return {"messages": [AIMessage("done")]}

    graph = StateGraph(MessagesState).add_node("remember", remember).add_edge(START, "remember")
    streamed = list(graph.compile().stream({"messages": []}, stream_mode="messages"))
    messages = [message for message, _ in streamed if isinstance(message, BaseMessage)]
    assert [message.text for message in messages] == ["done"]


def test_user_text_is_not_logged_at_info(settings: Make, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    chat, _ = chat_of(settings(), ["no bees", "none", FACT])
    ask(chat)
    assert "bees" not in caplog.text.lower()
    assert "function_calling" in caplog.text


def test_what_is_no_chat_model_is_refused(settings: Make) -> None:
    with pytest.raises(ConfigError, match="object, not a LangChain chat model"):
        make_chat(settings(), object())  # type: ignore[arg-type]


def test_provider_that_is_unknown_is_refused_with_the_way_out(settings: Make) -> None:
    with pytest.raises(ConfigError, match=r"'no-such-model' cannot be made.*llm_base_url"):
        make_chat(settings(llm_model="no-such-model"))


def test_provider_and_model_as_a_string_make_the_providers_model(settings: Make) -> None:
    chat = make_chat(settings(llm_api_key="hush-hush-key"), "openai:gpt-4o-mini")
    assert chat is not None
    assert repr(chat) == "StructuredChat(model='gpt-4o-mini', base_url=None, rung='json_schema')"
    assert "hush" not in repr(chat.model)
