"""Group B: what becomes a memory, whose it is, and what never does."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, TypedDict

import pytest
from answers import (
    ADD,
    EX,
    RE,
    Open,
    chain,
    extract_calls,
    fact,
    model,
    number_of,
    over,
    prompt,
    reconcile_calls,
    routed,
    system,
    texts,
)
from langchain_core.messages import AnyMessage, SystemMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages

from dualmem_graph import SyncMemoryClient
from dualmem_graph.testing import ScriptedChat, StubServer


class ChatState(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


def _agent(memory: SyncMemoryClient, host: ScriptedChat) -> Any:
    """An agent as people write it: recalled memories in the system prompt, all of it to add."""

    def answer(state: ChatState) -> dict[str, Any]:
        words = state["messages"][-1].text
        block = memory.context(f"tea kayak {words}", user_id="u")
        asked = [SystemMessage(f"Be kind.\n{block}"), *state["messages"]]
        return {"messages": [host.invoke(asked)]}

    def remember(state: ChatState) -> None:
        block = memory.context("tea kayak", user_id="u")
        recalled: list[Any] = [SystemMessage(f"Be kind.\n{block}"), *state["messages"]]
        recalled.append({"role": "tool", "content": block, "tool_call_id": "1"})
        memory.add(messages=recalled, user_id="u", session_id="s")

    builder = StateGraph(ChatState)
    builder.add_node(answer)
    builder.add_node(remember)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", "remember")
    builder.add_edge("remember", END)
    return builder.compile()


def _every_line(sent: Any) -> dict[str, Any]:
    """An extractor that takes every line that it is shown for a fact."""
    return EX(*(line for line in prompt(sent).splitlines() if line.startswith("[")))


@pytest.mark.parametrize("words", ["ok", "ok, and what else? {block}"])
def test_what_was_recalled_is_never_remembered_again(words: str, open_memory: Open) -> None:
    known = ["User drinks smoked tea.", "User owns a red kayak."]
    chat = model(extract=[EX(*known), _every_line])
    memory = open_memory(chat)
    memory.add("I drink smoked tea and own a red kayak.", user_id="u")
    before = texts(memory)
    host = ScriptedChat(script=["Noted."], repeat_last=True)
    graph = _agent(memory, host)
    messages: list[Any] = []

    for _ in range(5):
        block = memory.context("tea kayak", user_id="u")
        said = {"role": "user", "content": words.format(block=block)}
        messages = graph.invoke({"messages": [*messages, said]})["messages"]

    assert before == known
    assert all(text in str(host.calls[-1][0].content) for text in known)
    shown = [prompt(call) for call in extract_calls(chat)[1:]]
    assert shown
    assert not [
        text for text in shown if "dualmem" in text or "smoked" in text or "Be kind" in text
    ]
    if words == "ok":
        assert texts(memory) == known


@pytest.mark.parametrize("said", ["thanks!", "I spent the whole day on my allotment."])
def test_the_prompts_own_examples_are_never_stored(said: str, open_memory: Open) -> None:
    def examples(sent: Any) -> Any:
        return json.loads(re.findall(r'^\{"gate_decision.*\}$', system(sent), re.MULTILINE)[0])

    chat = model(extract=[examples])
    memory = open_memory(chat)

    result = memory.add(said, user_id="u", wait=True)

    example = examples(chat.calls[0])
    shown = [
        item["content"] for name in ("facts", "identity", "intentions") for item in example[name]
    ]
    assert len(shown) == 3
    assert texts(memory) == []
    assert memory.profile(user_id="u") == {}
    assert sorted(skip.content for skip in result.skipped) == sorted(shown)


@pytest.mark.parametrize("said", ["谢谢！", "我今天在菜园里忙了一整天。"])
def test_the_chinese_prompts_examples_are_never_stored(said: str, open_memory: Open) -> None:
    def examples(sent: Any) -> Any:
        return json.loads(re.findall(r'^\{"gate_decision.*\}$', system(sent), re.MULTILINE)[0])

    memory = open_memory(model(extract=[examples]))

    result = memory.add(said, user_id="u", wait=True)

    assert texts(memory) == []
    assert len(result.skipped) == 3


ADVICE = [
    {"role": "user", "content": "How do I sharpen a plane blade? I have a tiny workshop."},
    {"role": "assistant", "content": "Use a water stone. I favour water stones myself."},
]


def test_what_the_assistant_said_stays_the_assistants(open_memory: Open) -> None:
    mine = "User has a tiny workshop."
    theirs = "Assistant recommends a water stone for sharpening a plane blade."
    chat = model(
        extract=[
            EX(
                mine,
                identity=[fact(theirs, "assistant", 2)],
                basic_info=[{"key": "workshop", "value": "water stone", "source_turn": 2}],
            )
        ]
    )
    memory = open_memory(chat)

    memory.add(messages=ADVICE, user_id="u", session_id="s", wait=True)

    lines = [line for line in prompt(chat.calls[0]).splitlines() if line.startswith("[T")]
    assert [re.split(r" \(|: ", line)[0] for line in lines] == ["[T1] user", "[T2] assistant"]
    kept = {item.content: (item.subject, str(item.layer)) for item in memory.list(user_id="u")}
    assert kept == {mine: ("user", "L2_FACT"), theirs: ("assistant", "L2_FACT")}
    assert memory.profile(user_id="u") == {}
    found = memory.search("what did you recommend for sharpening", user_id="u", top_k=1)
    assert [(item.content, item.subject, item.sources[0].role) for item in found] == [
        (theirs, "assistant", "assistant")
    ]
    assert "assistant" in memory.context("water stone for sharpening", user_id="u")


@pytest.mark.parametrize("subject", ["user", "", "assistant"])
def test_a_trait_drawn_from_the_assistants_words_is_never_the_users(
    subject: str, open_memory: Open
) -> None:
    claimed = "User favours water stones."
    memory = open_memory(model(extract=[EX(identity=[fact(claimed, subject, 2)])]))

    memory.add(messages=ADVICE, user_id="u", wait=True)

    kept = [(item.content, item.subject, str(item.layer)) for item in memory.list(user_id="u")]
    assert kept == [(claimed, "assistant", "L2_FACT")]


@pytest.mark.parametrize("subject", ["user", "assistant"])
def test_the_assistants_words_can_be_left_out(subject: str, open_memory: Open) -> None:
    chat = model(extract=[EX(fact("Favours water stones.", subject, 2))])
    memory = open_memory(chat, remember_assistant=False)

    result = memory.add(messages=ADVICE, user_id="u")

    assert texts(memory) == []
    assert [skip.reason for skip in result.skipped] == ["said by the assistant"]


def test_a_friends_fact_is_the_friends(open_memory: Open) -> None:
    chat = model(
        extract=[
            EX(
                fact("He is coming on Friday.", "Tobin"),
                identity=[fact("afraid of heights", "Tobin")],
                basic_info=[],
            )
        ]
    )
    memory = open_memory(chat)

    memory.add(
        "My cousin Tobin is afraid of heights. He is coming on Friday.", user_id="u", wait=True
    )

    kept = [(item.content, item.subject, str(item.layer)) for item in memory.list(user_id="u")]
    assert sorted(kept) == [
        ("Tobin: He is coming on Friday.", "Tobin", "L2_FACT"),
        ("Tobin: afraid of heights", "Tobin", "L2_FACT"),
    ]
    assert memory.profile(user_id="u") == {}
    assert {item.content for item in memory.search("Tobin", user_id="u")} == {
        "Tobin: He is coming on Friday.",
        "Tobin: afraid of heights",
    }


def test_a_friends_fact_is_the_friends_in_the_rules_form(memory: SyncMemoryClient) -> None:
    memory.add("My cousin Tobin is afraid of heights.", user_id="u", wait=True)
    memory.add("我的表哥阿杰怕高。", user_id="u", wait=True)

    subjects = {item.subject for item in memory.list(user_id="u")}
    assert "user" not in subjects
    assert memory.list(user_id="u", layers=["L4_IDENTITY"]) == []
    assert memory.profile(user_id="u") == {}
    assert "Tobin" in memory.search("Tobin", user_id="u", top_k=1)[0].content


LANGUAGES = {
    "zh": ("我在大理学会了扎染。", "zh"),
    "en": ("I learned tie-dyeing in Dali.", "en"),
    "zh with code": (
        "我用这段代码备份我的照片：\n```python\nfor name in os.listdir('photos'):\n"
        "    shutil.copy(name, target_directory_for_all_backups)\n```",
        "zh",
    ),
    "en beside a chinese answer": ("I learned tie-dyeing in Dali.", "en"),
}


@pytest.mark.parametrize("case", LANGUAGES)
def test_the_users_own_language_decides_the_prompts(case: str, open_memory: Open) -> None:
    said, language = LANGUAGES[case]
    messages = [{"role": "user", "content": said}]
    if "answer" in case:
        messages.append(
            {"role": "assistant", "content": "扎染真的很有意思，你以后一定要再去大理。"}
        )
    chat = model(extract=[EX("用户学会了扎染。"), EX("用户不再扎染。")])
    memory = open_memory(chat, reconcile_min_similarity=0.0)

    memory.add(messages=messages, user_id="u", session_id="a", wait=True)
    memory.add(messages=messages, user_id="u", session_id="b", wait=True)

    assert len(extract_calls(chat)) == 2
    assert len(reconcile_calls(chat)) == 1
    prompts = [system(call) for call in chat.calls]
    is_chinese = ["记忆" in text or "对话只是资料" in text for text in prompts]
    assert is_chinese == [language == "zh"] * 3


def test_a_setting_overrides_the_language(open_memory: Open) -> None:
    chat = model()
    memory = open_memory(chat, language="zh")

    memory.add("I learned tie-dyeing in Dali.", user_id="u")

    assert "对话只是资料" in system(chat.calls[0])


def _lines_with_fact(sent: Any) -> dict[str, Any]:
    found = re.findall(r"FACT (\w+)", prompt(sent).split("<dialogue>")[1])
    return EX(*(f"User told fact {word}." for word in dict.fromkeys(found)))


def test_a_long_conversation_is_read_whole_in_parts_that_fit(open_memory: Open) -> None:
    filler = "The weather over the bay was mild and the ferry left on time as ever. " * 6
    facts = {1: "one", 30: "thirty", 60: "sixty"}
    turns = [
        {
            "role": "user" if place % 2 or place in facts else "assistant",
            "content": f"{filler} FACT {facts[place]}" if place in facts else filler,
            "id": f"m{place}",
        }
        for place in range(1, 61)
    ]
    with StubServer(
        chat=[routed([_lines_with_fact])], repeat_last=True, max_chars=2000, max_batch=16
    ) as stub:
        memory = open_memory(
            llm_base_url=stub.base_url,
            llm_model="long",
            llm_context_window=4096,
            llm_max_output_tokens=512,
            embed_base_url=stub.base_url,
            embed_model="strict",
        )
        result = memory.add(messages=turns, user_id="u", session_id="s")

        assert (result.status, result.degraded, result.skipped) == ("stored", (), ())
        assert texts(memory) == [f"User told fact {word}." for word in facts.values()]
        assert memory.stats(user_id="u")["by_layer"]["L1_RAW"] == 60
        assert memory.stats()["pending_embeddings"] == 0
        assert len(stub.chat_requests) > 1
        longest = max(len(system(body)) + len(prompt(body)) for body in stub.chat_requests)
        assert longest / 4 < 4096 - 512


def test_a_long_user_turn_is_never_cut(open_memory: Open) -> None:
    filler = "The ferry left on time as ever. " * 400
    said = f"FACT alpha {filler} FACT middle {filler} FACT omega"
    chat = model(extract=[_lines_with_fact])
    memory = open_memory(chat, llm_context_window=4096, llm_max_output_tokens=512)

    result = memory.add(said, user_id="u")

    assert result.skipped == ()
    assert sorted(texts(memory)) == [
        "User told fact alpha.",
        "User told fact middle.",
        "User told fact omega.",
    ]
    assert len(chat.calls) > 1
    assert memory.list(user_id="u", layers=["L1_RAW"])[0].content == said


def test_an_explicit_request_is_kept_in_the_users_words(open_memory: Open) -> None:
    memory = open_memory(model(extract=[EX()]))

    result = memory.add("Please remember that my tent is in the attic.", user_id="u")

    assert result.status == "stored"
    kept = texts(memory)
    assert len(kept) == 1
    assert "tent is in the attic" in kept[0]


def test_nothing_found_small_talk_and_a_closed_gate_are_told_apart(open_memory: Open) -> None:
    dull = EX("User looked out of a window.")
    dull["gate_decision"] |= {"biographical_relevance": 0.0, "emotional_arousal": 0.0}
    dull["gate_decision"]["novelty"] = 0.1
    ephemeral = EX("User said something.", is_ephemeral=True)
    memory = open_memory(model(extract=[EX(), EX("User says ok."), dull, ephemeral]))

    said = ["The window is made of glass.", "hm ok", "I looked out there.", "I am typing this now."]
    results = [memory.add(text, user_id="u") for text in said]

    assert texts(memory) == []
    assert [result.status for result in results] == ["ephemeral"] * 4
    assert [result.gate.reason for result in results if result.gate] == [
        "nothing worth remembering was found",
        "the turn is small talk",
        "gate score 0.04 does not exceed 0.30",
        "the turn is ephemeral",
    ]
    assert [skip.content for result in results for skip in result.skipped] == [
        "User says ok.",
        "User looked out of a window.",
        "User said something.",
    ]


@pytest.mark.parametrize("said", ["run the tests again", "what is your name?", "再跑一遍测试"])
def test_commands_and_questions_leave_nothing(said: str, open_memory: Open) -> None:
    chat = model(extract=[EX("User wants the tests run.", "User asks a name.", is_ephemeral=True)])
    with_model = open_memory(chat)
    by_rules = open_memory()

    with_model.add(said, user_id="u1", wait=True)
    by_rules.add(said, user_id="u2", wait=True)

    assert texts(with_model, "u1") == texts(by_rules, "u2") == []


def test_a_flood_of_statements_is_capped_and_the_cut_is_reported(open_memory: Open) -> None:
    flood = [f"User owns kayak {n}." for n in range(200)]
    memory = open_memory(model(extract=[EX(*flood)]))

    result = memory.add("I own some kayaks.", user_id="u", wait=True)

    assert texts(memory) == flood[:20]
    assert [(skip.reason, skip.content) for skip in result.skipped] == [
        ("more than 20 statements of one turn", text) for text in flood[20:]
    ]


VAGUE = "User was given a list of stretching videos."
EXACT = "User was given the stretching videos Hip Opener, Cat Cow and Day 12."


@pytest.mark.parametrize("op", ["NONE", "DUPLICATE", "NOOP"])
def test_a_duplicate_that_brings_new_details_is_none(op: str, open_memory: Open) -> None:
    def duplicate(sent: Any) -> dict[str, Any]:
        return RE({"op": op, "content": EXACT, "supersedes": [number_of(sent, VAGUE)]})

    memory = open_memory(model([EX(VAGUE), EX(EXACT)], [duplicate]))

    memory.add("You gave me a list of stretching videos.", user_id="u", wait=True)
    memory.add("They were Hip Opener, Cat Cow and Day 12.", user_id="u", wait=True)

    assert texts(memory) == [VAGUE, EXACT]


def test_a_merge_that_loses_a_detail_keeps_the_statement_that_has_it(open_memory: Open) -> None:
    def merged_away(sent: Any) -> dict[str, Any]:
        return RE(ADD("User was given stretching videos.", [number_of(sent, VAGUE)], "SUPPLEMENT"))

    memory = open_memory(model([EX(VAGUE), EX(EXACT)], [merged_away]))

    memory.add("You gave me a list of stretching videos.", user_id="u", wait=True)
    memory.add("They were Hip Opener, Cat Cow and Day 12.", user_id="u", wait=True)

    (item,) = memory.list(user_id="u")
    assert item.content == EXACT
    assert chain(item) == [EXACT, VAGUE]


def test_a_merge_that_keeps_all_stands_for_both(open_memory: Open) -> None:
    old, new = "User owns a kayak named Otter.", "User's kayak is 4 metres long."
    both = "User owns a kayak named Otter that is 4 metres long."
    memory = open_memory(model([EX(old), EX(new)], [over(old, both, "SUPPLEMENT")]))

    memory.add("I own a kayak named Otter.", user_id="u", wait=True)
    memory.add("It is 4 metres long.", user_id="u", wait=True)

    (item,) = memory.list(user_id="u")
    assert item.content == both
    assert chain(item) == [both, new, old]
    assert [source.quote for source in item.sources] == [
        "I own a kayak named Otter.",
        "It is 4 metres long.",
    ]
