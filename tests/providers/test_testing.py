"""The public fakes, used the way a reader's own tests would use them."""

from __future__ import annotations

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import numpy as np
import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import BaseModel, SecretStr

from dualmem_graph.testing import HashEmbeddings, Reply, ScriptedChat, StubServer


class Answer(BaseModel):
    """An answer."""

    text: str


def test_script_is_answered_in_order_and_what_was_sent_is_recorded() -> None:
    chat = ScriptedChat(
        script=[
            "plain",
            {"喜欢": "茶"},
            ["a"],
            AIMessage("as it is"),
            lambda messages: f"you said {messages[-1].text}",
        ]
    )
    answers = [chat.invoke(f"message {i}").text for i in range(5)]
    assert answers == ["plain", '{"喜欢": "茶"}', '["a"]', "as it is", "you said message 4"]
    assert [call[0].text for call in chat.calls] == [f"message {i}" for i in range(5)]


def test_exceptions_in_the_script_are_raised() -> None:
    chat = ScriptedChat(script=[ConnectionError("down"), TimeoutError, lambda _: OSError("late")])
    for kind in (ConnectionError, TimeoutError, OSError):
        with pytest.raises(kind):
            chat.invoke("hi")


def test_script_that_is_used_up_fails_or_repeats() -> None:
    chat = ScriptedChat(script=["one"])
    chat.invoke("a")
    with pytest.raises(AssertionError, match="call 2, but the script has 1 entries"):
        chat.invoke("b")
    repeating = ScriptedChat(script=[AIMessage("a"), AIMessage("b")], repeat_last=True)
    answers = [repeating.invoke("hi") for _ in range(3)]
    assert [answer.text for answer in answers] == ["a", "b", "b"]
    assert len({answer.id for answer in answers}) == 3


def test_scripted_chat_gives_each_thread_its_own_entry() -> None:
    chat = ScriptedChat(script=[str(i) for i in range(64)])
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: chat.invoke("hi").text, range(64)))
    assert sorted(answers, key=int) == [str(i) for i in range(64)]


def test_scripted_chat_works_with_structured_output_tools_streams_and_loops() -> None:
    chat = ScriptedChat(script=['{"text": "x"}'], repeat_last=True)
    assert chat.with_structured_output(Answer).invoke("hi") == Answer(text="x")
    assert chat.with_structured_output(Answer.model_json_schema()).invoke("hi") == {"text": "x"}
    raw = chat.with_structured_output(Answer, include_raw=True).invoke("hi")
    assert raw["parsed"] == Answer(text="x")
    assert chat.bind_tools([Answer], tool_choice="any").invoke("hi").text == '{"text": "x"}'
    assert chat.options[-1] == {"tools": [Answer], "tool_choice": "any"}
    assert "".join(chunk.text for chunk in chat.stream("hi")) == '{"text": "x"}'
    assert asyncio.run(chat.ainvoke("hi")).text == '{"text": "x"}'


def test_scripted_chat_drives_an_agent() -> None:
    from langchain.agents import create_agent

    @tool
    def double(number: int) -> int:
        """Double a number."""
        return 2 * number

    chat = ScriptedChat(
        script=[
            AIMessage("", tool_calls=[{"name": "double", "args": {"number": 4}, "id": "1"}]),
            lambda messages: f"It is {messages[-1].text}.",
        ]
    )
    agent = create_agent(chat, [double])
    result = agent.invoke({"messages": [HumanMessage("double four")]})
    assert result["messages"][-1].text == "It is 8."


def test_hash_embeddings_are_the_same_everywhere_and_alike_for_like_texts() -> None:
    embeddings = HashEmbeddings(dim=64)
    tea, teas, sea = (
        np.array(embeddings.embed_query(text))
        for text in ("User likes green tea", "user likes GREEN teas", "Der Zug nach Porto")
    )
    assert tea @ teas > 0.6 > 0.3 > tea @ sea
    zh = np.array(embeddings.embed_documents(["用户喜欢喝茶", "用户喜欢喝绿茶", "火车晚点了"]))
    assert zh[0] @ zh[1] > 0.6 > 0.3 > zh[0] @ zh[2]
    assert embeddings.embed_query(" ") == [0.0] * 64
    assert embeddings.embed_query("a") == HashEmbeddings(64).embed_query("a")


# --- the stub server, met by other people's clients


def client(stub: StubServer, **given: Any) -> ChatOpenAI:
    return ChatOpenAI(
        base_url=stub.base_url, api_key=SecretStr("any"), model="m", max_retries=0, **given
    )


def test_stub_answers_chat_openai_and_records_the_body() -> None:
    with StubServer(chat=["Hello!", lambda body: body["messages"][0]["content"] * 2]) as stub:
        chat = client(stub)
        first = chat.invoke("hi")
        assert (first.text, chat.invoke("ho").text) == ("Hello!", "hoho")
        assert first.usage_metadata is not None
        assert first.usage_metadata["output_tokens"] == len("Hello!")
        assert [body["messages"][0]["content"] for body in stub.chat_requests] == ["hi", "ho"]


def test_stub_streams_text_and_tool_calls() -> None:
    with StubServer(chat=["Hello!", {"text": "x"}]) as stub:
        chat = client(stub, stream_usage=True)
        whole = None
        for chunk in chat.stream("hi"):
            whole = chunk if whole is None else whole + chunk
        assert whole is not None
        assert whole.text == "Hello!"
        assert whole.usage_metadata is not None
        bound = chat.bind_tools([Answer], tool_choice="Answer")
        chunks = [chunk for chunk in bound.stream("hi") if isinstance(chunk, AIMessageChunk)]
        pieces = [call["args"] for chunk in chunks for call in chunk.tool_call_chunks]
        assert "".join(piece or "" for piece in pieces) == '{"text": "x"}'


def test_stub_embeds_strings_only_within_its_limits() -> None:
    with StubServer(embed_dim=8, max_chars=10, max_batch=2) as stub:
        strings = OpenAIEmbeddings(
            openai_api_base=stub.base_url,
            openai_api_key=SecretStr("any"),
            model="m",
            check_embedding_ctx_length=False,
            max_retries=0,
        )
        assert strings.embed_documents(["a", "b"]) == HashEmbeddings(8).embed_documents(["a", "b"])
        for given in (["x" * 11], ["a", "b", "c"], [[1, 2]], [1, 2], 7, [""]):
            answer = httpx.post(f"{stub.base_url}/embeddings", json={"model": "m", "input": given})
            assert answer.status_code == 400, given


def test_stub_has_no_responses_route_and_can_want_a_key() -> None:
    with StubServer(key="right") as stub:
        url = stub.base_url
        headers = {"Authorization": "Bearer right"}
        assert httpx.get(f"{url}/models").status_code == 401
        assert httpx.get(f"{url}/models", headers=headers).status_code == 200
        assert httpx.post(f"{url}/responses", json={}, headers=headers).status_code == 404


def test_stub_refuses_features_without_using_up_its_script() -> None:
    with StubServer(chat=["ok"], refuses=["response_format"]) as stub:
        url = f"{stub.base_url}/chat/completions"
        body: dict[str, Any] = {"model": "m", "messages": []}
        refused = httpx.post(url, json={**body, "response_format": {"type": "json_object"}})
        assert refused.status_code == 400
        assert "response_format" in refused.json()["error"]["message"]
        assert httpx.post(url, json=body).json()["choices"][0]["message"]["content"] == "ok"
        exhausted = httpx.post(url, json=body)
        assert exhausted.status_code == 403
        assert "script exhausted" in exhausted.text
        assert len(stub.chat_requests) == 3


def test_stub_sends_statuses_headers_and_raw_bodies() -> None:
    replies = [Reply("later", status=429, headers={"Retry-After": "7"}), Reply(body=b"<html>")]
    with StubServer(chat=replies) as stub:
        url = f"{stub.base_url}/chat/completions"
        busy = httpx.post(url, json={})
        assert (busy.status_code, busy.headers["retry-after"]) == (429, "7")
        assert json.loads(busy.text)["error"]["message"] == "later"
        assert httpx.post(url, json={}).content == b"<html>"


def test_stub_that_stops_ends_a_delay_at_once() -> None:
    arrived = threading.Event()

    def late(_body: Any) -> Reply:
        arrived.set()
        return Reply("late", delay=60)

    with ThreadPoolExecutor(1) as pool:
        with StubServer(chat=[late]) as stub:
            waiting = pool.submit(
                httpx.post, f"{stub.base_url}/chat/completions", json={}, timeout=30
            )
            assert arrived.wait(10)
        with pytest.raises(httpx.TransportError):
            waiting.result()
