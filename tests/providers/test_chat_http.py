"""StructuredChat over a real wire: ChatOpenAI against the stub server."""

from __future__ import annotations

import asyncio
import base64
import logging
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import openai
import pytest
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, SecretStr

from dualmem_graph.config import Settings
from dualmem_graph.errors import ConfigError, ModelError, ModelOutputError
from dualmem_graph.providers.chat import StructuredChat, make_chat
from dualmem_graph.providers.embeddings import make_embedder
from dualmem_graph.providers.usage import UsageEvent
from dualmem_graph.testing import Reply, StubServer

Make = Callable[..., Settings]
Connect = Callable[..., StructuredChat]
FENCE = "```"
FACT = {"facts": ["Ilka keeps bees"]}
TEXT = '{"facts": ["Ilka keeps bees"]}'
BEES = ["Ilka keeps bees"]


class Facts(BaseModel):
    """What was said."""

    facts: list[str]


def read(value: Any) -> list[str]:
    return Facts.model_validate(value).facts


def ask(chat: StructuredChat) -> list[str]:
    return chat.ask("Find the facts.", "Ilka …", Facts, operation="extract", validate=read)


@pytest.fixture
def connect(settings: Make) -> Iterator[Connect]:
    """Make chats of a stub's endpoint, closed at the end."""
    made = []

    def make(stub: StubServer, *, wait: Any = None, usage: Any = None, **given: Any) -> Any:
        given = {"llm_model": "stub", **given}
        chat = make_chat(settings(llm_base_url=stub.base_url, **given), usage=usage, wait=wait)
        assert chat is not None
        made.append(chat)
        return chat

    yield make
    for chat in made:
        chat.close()


def kinds(stub: StubServer) -> list[str]:
    """How each request asked."""

    def kind(body: dict[str, Any]) -> str:
        if "response_format" in body:
            return str(body["response_format"]["type"])
        return "tools" if "tools" in body else "text"

    return [kind(body) for body in stub.chat_requests]


# --- A1, A2, A4 on the wire


@pytest.mark.parametrize(
    "answer",
    [
        FACT,
        f"{FENCE}json\n{TEXT}\n{FENCE}",
        f"Sure, this is what I found:\n{FENCE}json\n{TEXT}\n{FENCE}",
        f"{FENCE}json\n{TEXT}{FENCE}",
        f"Sure. {TEXT} Anything else?",
        f"<think>{{bees?}}</think>{TEXT}",
        '{"facts": ["Ilka keeps bees",]}',
        Reply([{"type": "text", "text": TEXT}]),
        Reply(TEXT, message={"reasoning_content": "Bees, {surely}."}),
        Reply(TEXT, finish_reason="length"),
    ],
)
def test_right_answer_is_read_with_one_request_whatever_its_form(
    connect: Connect, answer: Any
) -> None:
    with StubServer(chat=[answer]) as stub:
        assert ask(connect(stub)) == BEES
        assert kinds(stub) == ["json_schema"]


UNUSABLE = {
    "empty": "",
    "null": Reply(None),
    "refusal": Reply(None, message={"refusal": "I can't help with that."}),
    "reasoning only": Reply("", message={"reasoning_content": "Bees!"}),
    "prose": "I found nothing worth remembering.",
    "half": '{"facts": ["Ilka ke',
    "cut off": Reply('{"facts": ["Ilka ke', finish_reason="length"),
    "wrong shape": '{"fact": "Ilka keeps bees"}',
    "wrong type": '{"facts": "Ilka keeps bees"}',
}


@pytest.mark.parametrize("bad", UNUSABLE.values(), ids=UNUSABLE)
def test_unusable_answer_is_sent_back_with_what_is_wrong(connect: Connect, bad: Any) -> None:
    with StubServer(chat=[bad, TEXT]) as stub:
        assert ask(connect(stub)) == BEES
        first, second = stub.chat_requests
    assert second["messages"][:2] == first["messages"]
    assert [message["role"] for message in second["messages"]] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
    assert second["messages"][2]["content"]


@pytest.mark.parametrize("bad", UNUSABLE.values(), ids=UNUSABLE)
def test_answers_that_stay_unusable_end_in_an_error_after_at_most_three(
    connect: Connect, bad: Any
) -> None:
    with StubServer(chat=[bad], repeat_last=True) as stub:
        chat = connect(stub)
        with pytest.raises(ModelOutputError, match="no usable answer for 'extract'"):
            ask(chat)
        assert len(stub.chat_requests) <= 3
    assert chat.rung == "json_schema"


def test_answer_that_reached_its_limit_names_the_setting(connect: Connect) -> None:
    cut = Reply('{"facts": ["Ilka ke', finish_reason="length")
    with (
        StubServer(chat=[cut], repeat_last=True) as stub,
        pytest.raises(ModelOutputError, match="raise llm_max_output_tokens"),
    ):
        ask(connect(stub))


# --- A5 on the wire


@pytest.mark.parametrize(
    ("refuses", "asked"),
    [
        ((), ["json_schema"]),
        (("json_schema",), ["json_schema", "tools"]),
        (("response_format",), ["json_schema", "tools"]),
        (("tools",), ["json_schema"]),
        (("json_schema", "tool_choice"), ["json_schema", "tools", "json_object"]),
        (("json_schema", "tools"), ["json_schema", "tools", "json_object"]),
        (("response_format", "tools"), ["json_schema", "tools", "json_object", "text"]),
    ],
)
def test_refused_way_of_asking_is_given_up_once_and_remembered_in_the_process(
    connect: Connect, refuses: tuple[str, ...], asked: list[str]
) -> None:
    with StubServer(chat=[FACT], repeat_last=True, refuses=refuses) as stub:
        assert ask(connect(stub)) == BEES
        assert kinds(stub) == asked
        assert ask(connect(stub)) == BEES
        assert kinds(stub) == [*asked, asked[-1]]


def test_refusal_is_remembered_even_if_the_answer_after_it_is_unusable(connect: Connect) -> None:
    wrong = '{"fact": "x"}'
    with StubServer(chat=[wrong, wrong, FACT], refuses=["json_schema"]) as stub:
        chat = connect(stub)
        with pytest.raises(ModelOutputError):
            ask(chat)
        assert ask(chat) == BEES
        assert kinds(stub) == ["json_schema", "tools", "tools", "tools"]


def test_another_model_of_the_endpoint_starts_at_the_top(connect: Connect) -> None:
    with StubServer(chat=[FACT], repeat_last=True, refuses=["json_schema"]) as stub:
        ask(connect(stub))
        assert connect(stub, llm_model="another").rung == "json_schema"
        assert connect(stub, llm_extra_body={"thinking": "off"}).rung == "json_schema"
        assert connect(stub).rung == "function_calling"


def test_endpoint_that_ignores_the_format_and_the_tools_is_still_understood(
    connect: Connect,
) -> None:
    with StubServer(chat=["I like pizza", f"Sure: {TEXT}"]) as stub:
        chat = connect(stub, llm_structured_output="function_calling")
        assert ask(chat) == BEES
        assert kinds(stub) == ["tools", "json_object"]


# --- A7 on the wire


def test_rate_limit_is_waited_out_as_long_as_it_asks_for(connect: Connect, waits: Any) -> None:
    busy = Reply("slow down", status=429, headers={"Retry-After": "1"})
    down = Reply("overloaded", status=503)
    events: list[UsageEvent] = []
    with StubServer(chat=[busy, down, TEXT, TEXT]) as stub:
        chat = connect(stub, wait=waits, usage=events.append)
        assert ask(chat) == BEES
        assert kinds(stub) == ["json_schema"] * 3
    assert waits == [1.0, 1.0]
    assert [event.ok for event in events] == [False, False, True]
    assert events[-1].tokens_out == len(TEXT)


def test_rate_limit_that_stays_ends_within_the_bound(connect: Connect, waits: Any) -> None:
    busy = Reply("slow down", status=429, headers={"Retry-After": "3600"})
    with StubServer(chat=[busy], repeat_last=True) as stub:
        chat = connect(stub, wait=waits, llm_max_retries=3, llm_max_retry_wait=5)
        with pytest.raises(ModelError, match=r"'stub' at http://127.* 4 times: 429: slow down"):
            ask(chat)
        assert len(stub.chat_requests) == 4
    assert waits == [5.0, 5.0, 5.0]
    assert chat.rung == "json_schema"


def test_slow_answer_is_not_waited_for_twice(connect: Connect, waits: Any) -> None:
    with StubServer(chat=[Reply(TEXT, delay=30)], repeat_last=True) as stub:
        with pytest.raises(ModelError, match="raise llm_timeout"):
            ask(connect(stub, wait=waits, llm_timeout=0.1))
        assert len(stub.chat_requests) == 1
    assert waits == []


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply("The model `stub` does not exist", status=404), "404.*llm_base_url.*llm_model"),
        (Reply("insufficient_quota", status=429), "429.*account"),
        (Reply("This model's maximum context length is 4096 tokens", status=400), "context_window"),
        (Reply("", status=307, body=b"", headers={"Location": "http://x.example/"}), "307.*redir"),
        (Reply("forbidden for json", status=403), "403.*llm_api_key"),
    ],
)
def test_what_asking_again_cannot_mend_is_asked_once(
    connect: Connect, waits: Any, reply: Reply, reason: str
) -> None:
    with StubServer(chat=[reply]) as stub:
        with pytest.raises(ModelError, match=reason):
            ask(connect(stub, wait=waits))
        assert len(stub.requests) == 1
    assert waits == []


@pytest.mark.parametrize(
    "body",
    [b"<html>hello</html>", b"{}", b'{"choices": null}', b'{"choices": []}', b'{"error": "hm"}'],
)
def test_answer_that_is_no_completion_is_an_error_not_a_crash(
    connect: Connect, waits: Any, body: bytes
) -> None:
    with StubServer(chat=[Reply(body=body)], repeat_last=True) as stub:
        with pytest.raises(ModelError):
            ask(connect(stub, wait=waits))
        assert len(stub.requests) <= 4


def test_endpoint_that_is_down_is_named_with_the_setting(settings: Make, waits: Any) -> None:
    with StubServer() as stub:
        url = stub.base_url
    chat = make_chat(settings(llm_base_url=url, llm_model="m"), wait=waits)
    assert chat is not None
    with pytest.raises(ModelError, match=rf"at {url} could not be asked 3 times.*llm_base_url"):
        ask(chat)
    assert waits == [0.5, 1.0]


# --- L3, secrets, and what leaves


def test_wrong_key_is_not_retried_names_the_setting_and_stays_secret(
    connect: Connect, waits: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    said = Reply("Incorrect API key provided: hush-hush-key", status=401)
    with StubServer(chat=[said]) as stub:
        chat = connect(stub, wait=waits, llm_api_key="hush-hush-key")
        with pytest.raises(ModelError, match=r"401.*check llm_api_key") as caught:
            ask(chat)
        assert stub.requests[0].headers["authorization"] == "Bearer hush-hush-key"
        assert len(stub.requests) == 1
    trace = "".join(traceback.format_exception(caught.value))
    log = "\n".join(r.getMessage() for r in caplog.records if r.name.startswith("dualmem_graph"))
    assert "hush" not in f"{trace} {caught.value!r} {chat!r} {chat.model!r} {log}"
    assert waits == []


def test_no_key_is_needed_and_strangers_keys_and_addresses_change_nothing(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    for provider in ("OPENAI", "ANTHROPIC", "DASHSCOPE", "DEEPSEEK", "GOOGLE"):
        monkeypatch.setenv(f"{provider}_API_KEY", "junk")
    for what in ("ADMIN_KEY", "ORG_ID", "ORGANIZATION", "PROJECT_ID"):
        monkeypatch.setenv(f"OPENAI_{what}", "junk")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer junk\nX-Junk: junk")
    for what in ("OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_PROXY", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(what, "http://127.0.0.1:9/")
    with StubServer(chat=[TEXT]) as stub:
        assert ask(connect(stub)) == BEES
        (request,) = stub.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer no-key-needed"
    assert "junk" not in str(request)
    assert set(request.headers) <= {
        *("accept", "accept-encoding", "authorization", "connection", "content-length"),
        *("content-type", "host", "user-agent", "x-stainless-raw-response"),
    }


def test_request_says_what_the_settings_say_and_no_more(connect: Connect) -> None:
    with StubServer(chat=[TEXT]) as stub:
        chat = connect(
            stub,
            llm_temperature=0.3,
            llm_max_output_tokens=512,
            llm_extra_body={"enable_thinking": False},
        )
        ask(chat)
        (body,) = stub.chat_requests
    messages, wanted = body.pop("messages"), body.pop("response_format")
    assert body == {
        "model": "stub",
        "stream": False,
        "temperature": 0.3,
        "max_tokens": 512,
        "enable_thinking": False,
    }
    assert [message["role"] for message in messages] == ["system", "user"]
    assert wanted["json_schema"]["name"] == "Facts"
    assert wanted["json_schema"]["strict"] is False
    assert wanted["json_schema"]["schema"]["required"] == ["facts"]


def test_tool_call_is_asked_for_by_name_and_without_parallel_calls_field(connect: Connect) -> None:
    with StubServer(chat=[FACT]) as stub:
        assert ask(connect(stub, llm_structured_output="function_calling")) == BEES
        (body,) = stub.chat_requests
    assert body["tool_choice"] == {"type": "function", "function": {"name": "Facts"}}
    assert body["tools"][0]["function"]["description"] == "What was said."
    assert "parallel_tool_calls" not in body


@pytest.mark.parametrize(
    ("message", "gone", "present"),
    [
        ("Unsupported value: 'temperature' does not support 0.0 with this model.",
         "temperature", "max_tokens"),
        ("Unsupported parameter: 'max_tokens' is not supported with this model. "
         "Use 'max_completion_tokens' instead.", "max_tokens", "max_completion_tokens"),
    ],
)  # fmt: skip
def test_parameter_that_the_endpoint_does_not_know_is_left_out_from_then_on(
    connect: Connect, message: str, gone: str, present: str
) -> None:
    with StubServer(chat=[Reply(message, status=400), TEXT, TEXT]) as stub:
        chat = connect(stub)
        assert ask(chat) == ask(chat) == BEES
        refused, second, third = stub.chat_requests
    assert gone in refused
    for body in (second, third):
        assert gone not in body
        assert present in body
    assert kinds(stub) == ["json_schema"] * 3


def test_address_that_is_none_is_refused_at_once_without_its_password(settings: Make) -> None:
    with pytest.raises(ConfigError, match="llm_base_url") as caught:
        make_chat(settings(llm_base_url="user:hush@host/v1", llm_model="m"))
    assert "hush" not in str(caught.value)


def test_password_in_the_address_is_sent_but_never_shown(
    settings: Make, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with StubServer(chat=[Reply("who is hush-hush?", status=403)]) as stub:
        url = stub.base_url.replace("//", "//me:hush-hush@")
        chat = make_chat(settings(llm_base_url=url, llm_model="m"))
        assert chat is not None
        with pytest.raises(ModelError, match=r"who is \[redacted\]\?") as caught:
            ask(chat)
        sent = stub.requests[0].headers["authorization"]
        assert base64.b64decode(sent.removeprefix("Basic ")) == b"me:hush-hush"
    assert "hush" not in f"{caught.value!r} {chat!r} {chat.model!r} {caplog.text}"


def test_query_of_the_address_goes_with_every_request(settings: Make) -> None:
    with StubServer(chat=[TEXT]) as stub:
        given = settings(
            llm_base_url=f"{stub.base_url}/?api-version=2",
            llm_model="m",
            embed_base_url=f"{stub.base_url}?api-version=2",
            embed_model="m",
        )
        chat, embedder = make_chat(given), make_embedder(given)
        assert chat is not None
        assert ask(chat) == BEES
        assert embedder.embed(["tea"]).shape == (1, 64)
        embedder.close()
    assert [request.query for request in stub.requests] == ["api-version=2"] * 2


@pytest.mark.parametrize("key", ["clé", "two\nlines"])
def test_key_that_no_header_can_carry_is_refused_without_showing_it(
    settings: Make, key: str
) -> None:
    with pytest.raises(ConfigError, match="llm_api_key holds characters") as caught:
        make_chat(settings(llm_base_url="http://x.example/v1", llm_model="m", llm_api_key=key))
    assert key not in str(caught.value)


# --- a ChatOpenAI of the caller's own


@pytest.fixture
def own(settings: Make) -> Iterator[Connect]:
    """Make chats of the caller's own ``ChatOpenAI``, without the client library's retries."""
    clients = []

    def make(stub: StubServer, **given: Any) -> Any:
        client = openai.DefaultHttpxClient()
        clients.append(client)
        model = ChatOpenAI(
            base_url=stub.base_url,
            api_key=SecretStr("any"),
            model="own",
            max_retries=0,
            http_client=client,
        )
        return make_chat(settings(**given), model)

    yield make
    for client in clients:
        client.close()


@pytest.mark.parametrize(
    ("answer", "count"),
    [
        (FACT, 1),
        (f"Sure. {TEXT}", 1),
        (Reply(None, message={"refusal": "no"}), 2),
        (Reply('{"facts": ["Ilka ke', finish_reason="length"), 2),
        (Reply(TEXT, finish_reason="length"), 1),
    ],
)
def test_own_model_object_behaves_like_the_settings(own: Connect, answer: Any, count: int) -> None:
    with StubServer(chat=[answer, TEXT]) as stub:
        assert ask(own(stub)) == BEES
        assert kinds(stub) == ["json_schema"] * count


def test_own_model_object_steps_down_and_remembers(own: Connect) -> None:
    refuses = ["response_format", "tools"]
    with StubServer(chat=[TEXT], repeat_last=True, refuses=refuses) as stub:
        assert ask(own(stub)) == BEES
        assert ask(own(stub)) == BEES
        assert kinds(stub) == ["json_schema", "tools", "json_object", "text", "text"]


# --- K1, K3: threads and loops


def test_eight_threads_share_one_chat(connect: Connect) -> None:
    with StubServer(chat=[TEXT], repeat_last=True) as stub:
        chat = connect(stub)
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: ask(chat), range(40)))
        assert answers == [BEES] * 40
        assert len(stub.chat_requests) == 40


def test_one_chat_works_in_one_event_loop_after_another(connect: Connect) -> None:
    with StubServer(chat=[TEXT], repeat_last=True) as stub:
        chat = connect(stub)
        for _ in range(3):
            assert asyncio.run(asyncio.to_thread(ask, chat)) == BEES
            assert asyncio.run(chat.model.ainvoke("hi")).text == TEXT
