"""Group A: whatever the model sends back, the turn is kept and nothing is made up of it."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

import pytest
from answers import EX, Open, extract_calls, fact, model, prompt, routed, texts

from dualmem_graph.testing import Reply, ScriptedChat, StubServer

BEES = "Ilka keeps bees"
SAID = "My neighbour Ilka keeps bees."
GOOD = EX(fact(BEES, "Ilka"))


def _fence(answer: str) -> str:
    return f"```json\n{answer}\n```"


WRAPPINGS: dict[str, Callable[[str], str]] = {
    "fence": _fence,
    "prose and fence": lambda answer: f"Sure, this is what I found:\n\n{_fence(answer)}\nDone.",
    "fence closing on the line": lambda answer: f"```json {answer}```",
    "prose on both sides": lambda answer: f"Here you are: {answer} I hope it helps.",
    "thinking aloud": lambda answer: f'<think>maybe {{"facts": []}}?</think>{answer}',
}


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_json_is_found_whatever_surrounds_it(wrapping: str, open_memory: Open) -> None:
    chat = model(extract=[WRAPPINGS[wrapping](json.dumps(GOOD))])
    memory = open_memory(chat)

    result = memory.add(SAID, user_id="u")

    assert (result.status, result.extractor, result.degraded) == ("stored", "llm", ())
    assert texts(memory) == [BEES]
    assert len(chat.calls) == 1


NOTHING = {
    "empty": Reply(""),
    "refusal": Reply(None, message={"refusal": "I cannot help with that."}),
    "only reasoning": Reply(None, message={"reasoning_content": "The user mentions Ilka."}),
    "empty object": Reply("{}"),
    "prose": Reply("I am sorry, there is nothing I could do with this."),
}


@pytest.mark.parametrize("form", NOTHING)
def test_an_answer_with_nothing_in_it_is_a_failure_that_is_told(
    form: str, open_memory: Open, capfd: pytest.CaptureFixture[str]
) -> None:
    def answer(body: Any) -> Any:
        return NOTHING[form] if "Ilka" in prompt(body) else EX("User plays the zither.")

    with StubServer(chat=[answer], repeat_last=True) as stub:
        memory = open_memory(
            llm_base_url=stub.base_url, llm_model=f"nothing-{form}", llm_structured_output="text"
        )
        failed = memory.add("Ilka is a beekeeper by heart.", user_id="u1")
        asked = len(stub.chat_requests)
        stored = memory.add("I play the zither.", user_id="u2")

    assert (failed.status, failed.extractor) == ("partial", "rules")
    assert [reason.split(":")[0] for reason in failed.degraded] == ["extract"]
    assert asked == 2  # the question and one repair
    assert (stored.status, stored.extractor) == ("stored", "llm")
    assert texts(memory, "u2") == ["User plays the zither."]
    assert "Traceback" not in capfd.readouterr().err


SHAPES: dict[str, Any] = {
    "one string": {"fact": BEES},
    "a list of strings": [BEES],
    "a string for the list": {"facts": BEES},
    "another key for the text": {"facts": [{"text": BEES}]},
    "the fact as the key": {"facts": [{BEES: {}}]},
    "wrapped": {"result": {"facts": [{"content": BEES}]}},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_right_facts_in_a_wrong_shape_are_taken(shape: str, open_memory: Open) -> None:
    memory = open_memory(model(extract=[SHAPES[shape]]))

    result = memory.add(SAID, user_id="u")

    assert (result.status, result.extractor, result.skipped) == ("stored", "llm", ())
    assert texts(memory) == [BEES]


def test_bad_items_of_a_batch_are_reported_and_the_rest_is_kept(open_memory: Open) -> None:
    good = ["User owns a kayak.", "User owns a loom.", "User keeps bees."]
    batch = EX(good[0], {"subject": "user", "tags": []}, good[1], None, good[2])  # type: ignore[arg-type]
    batch["facts"][3] = None
    memory = open_memory(model(extract=[batch]))

    result = memory.add("I own a kayak and a loom, and I keep bees.", user_id="u")

    assert result.status == "stored"
    assert texts(memory) == good
    assert [(skip.reason, skip.content) for skip in result.skipped] == [
        ("an item without text", "{'subject': 'user', 'tags': []}"),
        ("an item without text", "None"),
    ]


def test_a_broken_answer_is_sent_back_once_with_what_is_wrong_with_it(open_memory: Open) -> None:
    broken = '{"facts": [{"content": "Ilka \\uD8'
    chat = model(extract=[broken, GOOD])
    memory = open_memory(chat, llm_structured_output="text")

    result = memory.add(SAID, user_id="u")

    assert (result.status, result.degraded) == ("stored", ())
    assert texts(memory) == [BEES]
    first, second = chat.calls
    assert [message.type for message in second] == ["system", "human", "ai", "human"]
    assert second[:2] == first
    assert "cannot be used" in second[3].content


def test_a_turn_whose_answers_stay_broken_is_kept_and_read_again_without_being_sent_again(
    open_memory: Open,
) -> None:
    chat = model(extract=["no json here", "no json here", "no json here", GOOD])
    memory = open_memory(chat, llm_structured_output="text", extract_retry_on_failure=2)

    result = memory.add("Ilka, next door, and her bees!", user_id="u")

    assert result.status == "partial"
    assert result.job_id is not None
    assert len(result.degraded) == 1
    assert "no usable answer for 'extract'" in result.degraded[0]
    assert [job.kind for job in memory._resources.store.jobs.list(state="queued")] == ["extract"]

    assert memory.flush() is True

    assert texts(memory) == [BEES]
    assert memory.list(user_id="u")[0].sources[0].turn_id == result.turn_ids[0]


def test_what_the_rules_found_meanwhile_is_superseded_by_the_model_not_doubled(
    open_memory: Open,
) -> None:
    chat = model(extract=["broken", "broken", EX("User resides in Porto.")])
    memory = open_memory(chat, llm_structured_output="text")

    failed = memory.add("I live in Porto.", user_id="u")
    by_rules = [item for item in memory.list(user_id="u") if item.layer == "L2_FACT"]
    memory.flush()
    current = [item for item in memory.list(user_id="u") if item.layer == "L2_FACT"]

    assert (failed.status, failed.extractor) == ("partial", "rules")
    assert [item.content for item in by_rules] == ["User lives in Porto."]
    assert [item.content for item in current] == ["User resides in Porto."]
    assert [version.node_id for version in current[0].evolution_chain or ()] == [
        current[0].memory_id,
        by_rules[0].memory_id,
    ]


@pytest.mark.parametrize(
    "refused", [{"response_format"}, {"tools"}, {"response_format", "tools"}, {"json_schema"}]
)
def test_an_endpoint_without_structured_output_is_asked_as_it_can_be_and_remembered(
    refused: set[str], open_memory: Open
) -> None:
    with StubServer(chat=[routed([GOOD])], repeat_last=True, refuses=refused) as stub:
        memory = open_memory(llm_base_url=stub.base_url, llm_model="plain")

        first = memory.add(SAID, user_id="u1")
        asked = len(stub.chat_requests)
        second = memory.add(SAID, user_id="u2")

        assert [first.status, second.status] == ["stored", "stored"]
        assert [first.extractor, second.extractor] == ["llm", "llm"]
        assert texts(memory, "u1") == texts(memory, "u2") == [BEES]
        assert len(stub.chat_requests) == asked + 1
        assert not refused & set(stub.chat_requests[-1])
        assert {request.path for request in stub.requests} == {"/v1/chat/completions"}


def test_a_rate_limit_half_way_is_waited_out(open_memory: Open) -> None:
    busy = Reply("slow down", status=429, headers={"Retry-After": "0"})
    script: list[Any] = [_echo, _echo, busy, busy, *[_echo] * 8]
    with StubServer(chat=script) as stub:
        memory = open_memory(llm_base_url=stub.base_url, llm_model="busy")

        results = [memory.add(f"I own kayak {n}.", user_id="u", session_id="s") for n in range(10)]

        assert [result.status for result in results] == ["stored"] * 10
        assert len(stub.chat_requests) == 12
    assert texts(memory) == [f"User owns kayak {n}." for n in range(10)]


def test_a_rate_limit_for_good_ends_within_its_bound_and_is_made_up_for_later(
    open_memory: Open,
) -> None:
    turns = [
        {"role": "user", "content": f"The chapter club debated book {n}.", "id": f"m{n}"}
        for n in range(4)
    ]
    busy = Reply("slow down", status=429, headers={"Retry-After": "0"})
    with StubServer(chat=[busy], repeat_last=True) as stub:
        memory = open_memory(llm_base_url=stub.base_url, llm_model="busy", llm_max_retries=1)
        failed = [memory.add(messages=[turn], user_id="u", session_id="s") for turn in turns]
        assert len(stub.chat_requests) == 2 * len(turns)
        memory.close()

    assert [result.status for result in failed] == ["partial"] * 4
    assert all("429" in result.degraded[0] for result in failed)

    again = open_memory(model(extract=[_echo_club]))
    repeated = [again.add(messages=[turn], user_id="u", session_id="s") for turn in turns]

    assert [result.status for result in repeated] == ["duplicate"] * 4
    assert again.flush() is True
    assert sorted(texts(again)) == [f"User's club debated book {n}." for n in range(4)]


def test_a_model_that_breaks_off_never_loses_the_turn(open_memory: Open) -> None:
    chat = ScriptedChat(script=[ConnectionError("gone")], repeat_last=True)
    memory = open_memory(chat, llm_max_retries=0)

    result = memory.add("I live in Porto.", user_id="u")

    assert (result.status, result.extractor) == ("partial", "rules")
    assert "User lives in Porto." in texts(memory)
    assert [turn.content for turn in memory.list(user_id="u", layers=["L1_RAW"])] == [
        "I live in Porto."
    ]


def test_a_fallback_is_in_the_log_without_the_users_words(
    open_memory: Open, caplog: pytest.LogCaptureFixture
) -> None:
    memory = open_memory(model(extract=["broken"]), llm_structured_output="text")

    with caplog.at_level(logging.INFO, logger="dualmem_graph"):
        memory.add("My marmalade secret is cardamom.", user_id="u")

    assert "the rules do" in caplog.text
    assert "cardamom" not in caplog.text


def test_an_exhausted_script_is_a_fault_of_the_test_and_not_swallowed(open_memory: Open) -> None:
    memory = open_memory(ScriptedChat(script=[]))

    with pytest.raises(AssertionError, match="script exhausted"):
        memory.add("I live in Porto.", user_id="u")


def test_extraction_is_one_call(open_memory: Open) -> None:
    chat = model(extract=[GOOD])
    memory = open_memory(chat)

    memory.add(SAID, user_id="u", wait=True)

    assert len(extract_calls(chat)) == len(chat.calls) == 1


def _echo(body: Any) -> dict[str, Any]:
    number = str(body["messages"][1]["content"]).rsplit("kayak ", 1)[1][0]
    return EX(f"User owns kayak {number}.")


def _echo_club(sent: Any) -> dict[str, Any]:
    shown = str(sent[1].content).rsplit("book ", 1)[1][0]
    return EX(f"User's club debated book {shown}.")
