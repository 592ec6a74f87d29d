"""Bad input: each is a clear error that changes nothing, or a documented result."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from answers import EX, Open, model, prompt, texts
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from dualmem_graph import SyncMemoryClient
from dualmem_graph.config import Settings
from dualmem_graph.errors import (
    ClosedError,
    ConfigError,
    DualMemError,
    FilterError,
    InputError,
    LimitError,
)

KAYAK = "User owns a kayak."
NAN, INF = float("nan"), float("inf")


class Strange:
    """What is no plain value; its name is the same in every process."""

    def __repr__(self) -> str:
        return "<strange>"


def _refused(
    memory: SyncMemoryClient, call: Callable[[], Any], *words: str, error: type = InputError
) -> None:
    """The call raises, names all of ``words``, and the store is as it was."""
    before = memory.stats()
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, DualMemError)
    message = str(caught.value)
    for word in words:
        assert word in message, message
    assert len(message) > 25
    assert memory.stats() == before


# --- content


@pytest.mark.parametrize("content", ["", "   ", "\n\t", "\x00\x00"], ids=repr)
def test_blank_content_is_refused(content: str, memory: SyncMemoryClient) -> None:
    _refused(memory, lambda: memory.add(content, user_id="u"), "content is blank", repr(content))
    _refused(memory, lambda: memory.import_([{"content": content}], user_id="u"), repr(content))
    assert memory.list_scopes() == []


def test_a_message_without_text_is_left_out_and_named(memory: SyncMemoryClient) -> None:
    result = memory.add(messages=[("user", " "), ("user", "I own a kayak.")], user_id="u")

    assert [skip.reason for skip in result.skipped] == ["message 0 holds no text"]
    assert texts(memory) == [KAYAK]


@pytest.mark.parametrize("content", ["👍👍", "🦊", "???", "a", "我", "…", "\u200b"])
def test_text_without_words_is_kept_as_a_turn(content: str, memory: SyncMemoryClient) -> None:
    result = memory.add(content, user_id="u", wait=True)

    assert result.status == "ephemeral"
    assert texts(memory) == []
    assert [item.content for item in memory.list(user_id="u", layers=["L1"])] == [content]


def test_surrogates_and_control_characters_are_cleaned(open_memory: Open) -> None:
    chat = model([EX("User owns a ka\x00yak\ud83d.")])
    memory = open_memory(chat)

    memory.add("I own\x00 a kayak \ud83d and \ud83e\udd8a.\r\n", user_id="u", wait=True)
    memory.search("kayak \ud83d\x00", user_id="u")

    (turn,) = memory.list(user_id="u", layers=["L1"])
    assert turn.content == "I own a kayak \ufffd and 🦊."
    assert texts(memory) == ["User owns a kayak\ufffd."]
    json.dumps([item.to_dict() for item in memory.list(user_id="u")]).encode()


def test_two_hundred_kilobytes_are_kept_whole_and_found(memory: SyncMemoryClient) -> None:
    filler = "The ferry crossed the grey bay without any delay at all. " * 1750
    content = f"{filler}I own a kayak. {filler}My zither is in the attic."
    assert len(content.encode()) > 199_000

    result = memory.add(content, user_id="u")

    assert result.status == "stored"
    (turn,) = memory.list(user_id="u", layers=["L1"])
    assert turn.content == content
    assert KAYAK in texts(memory)
    assert memory.search("kayak", user_id="u", top_k=1)[0].content == KAYAK
    assert len(memory.context("zither attic", user_id="u")) < 6000


def test_text_over_the_limit_is_refused_whole(memory: SyncMemoryClient) -> None:
    long = "x" * 250_001
    for call in (
        lambda: memory.add(long, user_id="u"),
        lambda: memory.add(messages=[("user", "fine"), ("user", long)], user_id="u"),
        lambda: memory.import_([{"content": "fine"}, {"content": long}], user_id="u"),
    ):
        _refused(memory, call, "250001", "max_content_chars", error=LimitError)
    _refused(memory, lambda: memory.search("x" * 16_001, user_id="u"), "16001", "max_query_chars")


@pytest.mark.parametrize(
    "content", [7, 1.5, b"text", ["text"], {"a": 1}, True, Strange()], ids=repr
)
def test_content_of_another_type_is_refused(content: Any, memory: SyncMemoryClient) -> None:
    kind = type(content).__name__
    _refused(memory, lambda: memory.add(content, user_id="u"), "content", kind)
    _refused(memory, lambda: memory.search(content, user_id="u"), "query", kind)
    _refused(memory, lambda: memory.import_([{"content": content}], user_id="u"), "node 0", kind)
    assert memory.list_scopes() == []


# --- messages


def test_content_or_messages_but_not_both_or_neither(memory: SyncMemoryClient) -> None:
    message = [("user", "I own a kayak.")]
    _refused(memory, lambda: memory.add(user_id="u"), "neither", "content=", "messages=")
    _refused(memory, lambda: memory.add("x", messages=message, user_id="u"), "both", "messages=")
    _refused(memory, lambda: memory.search(user_id="u"), "neither", "messages=")
    _refused(memory, lambda: memory.search("x", messages=message, user_id="u"), "both")


WRONG_LISTS: list[Any] = [
    "just text",
    b"bytes",
    7,
    {"role": "user", "content": "I own a kayak."},
    ({"role": "user", "content": "x"} for _ in range(1)),
    {1, 2},
]


@pytest.mark.parametrize("messages", WRONG_LISTS, ids=lambda value: type(value).__name__)
def test_messages_that_are_no_list_are_refused(messages: Any, memory: SyncMemoryClient) -> None:
    kind = type(messages).__name__
    _refused(memory, lambda: memory.add(messages=messages, user_id="u"), "messages", kind)
    _refused(memory, lambda: memory.search(messages=messages, user_id="u"), "messages", kind)
    assert memory.list_scopes() == []


WRONG_MESSAGES: list[tuple[Any, str]] = [
    ("just text", "str"),
    (None, "NoneType"),
    (7, "int"),
    ({"content": "x"}, "no role"),
    ({"role": "narrator", "content": "x"}, "'narrator'"),
    ({"role": None, "content": "x"}, "None"),
    ({"role": ["user"], "content": "x"}, "['user']"),
    ({"role": "user", "content": 7}, "int"),
    ({"role": "user", "content": b"x"}, "bytes"),
    ({"role": "user", "content": [7]}, "int"),
    ({"role": "user", "content": {"text": "x"}}, "dict"),
    (("user", "x", "y"), "tuple"),
    ({"role": "user", "content": "x", "timestamp": "soon"}, "'soon'"),
]


@pytest.mark.parametrize(("message", "named"), WRONG_MESSAGES, ids=lambda value: str(value)[:40])
def test_an_unusable_message_is_named_by_its_index_and_nothing_is_stored(
    message: Any, named: str, memory: SyncMemoryClient
) -> None:
    messages = [("user", "I own a loom."), message]

    _refused(memory, lambda: memory.add(messages=messages, user_id="u"), "message 1", named)
    assert memory.list_scopes() == []


REAL_LIST_OBJECTS: list[Any] = [
    SystemMessage("Be kind."),
    HumanMessage("I own a kayak.", name="ilka"),
    AIMessage("", tool_calls=[{"name": "look", "args": {"q": "secret-args"}, "id": "1"}]),
    ToolMessage('{"rows": "secret-rows"}', tool_call_id="1"),
    AIMessage([{"type": "text", "text": "A kayak, how nice."}]),
    HumanMessage(
        [
            {"type": "text", "text": "It is red."},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJDREVG"}},
        ]
    ),
]
REAL_LIST_DICTS: list[Any] = [
    {"role": "developer", "content": "Be kind."},
    {"role": "user", "content": "I own a kayak.", "name": "ilka"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "function": {"name": "look", "arguments": "secret-args"}}],
    },
    {"role": "tool", "content": '{"rows": "secret-rows"}', "tool_call_id": "1"},
    {"role": "assistant", "content": [{"type": "output_text", "text": "A kayak, how nice."}]},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "It is red."},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJDREVG"}},
        ],
    },
]


@pytest.mark.parametrize("messages", [REAL_LIST_OBJECTS, REAL_LIST_DICTS], ids=["objects", "dicts"])
def test_real_message_lists_are_taken(messages: list[Any], open_memory: Open) -> None:
    chat = model([EX(KAYAK)])
    memory = open_memory(chat)

    result = memory.add(messages=messages, user_id="u", session_id="s", wait=True)

    assert result.status == "stored"
    turns = memory.list(user_id="u", layers=["L1"])
    assert [item.content for item in reversed(turns)] == [
        "I own a kayak.",
        "A kayak, how nice.",
        "It is red.\n[image]",
    ]
    shown = prompt(chat.calls[0])
    assert "user ilka" in shown
    assert "It is red. [image]" in shown
    for hidden in ("Be kind", "base64", "QUJD", "secret-rows", "secret-args"):
        assert hidden not in shown
    assert [skip.reason for skip in result.skipped] == [
        f"{'system' if messages is REAL_LIST_OBJECTS else 'developer'} message 0 is not a person's "
        "words",
        "message 2 holds no text",
        "tool message 3 is not a person's words",
    ]


def test_a_turn_of_images_stores_nothing_and_says_so(memory: SyncMemoryClient) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}

    result = memory.add(messages=[{"role": "user", "content": [image]}], user_id="u")

    assert result.status == "ephemeral"
    assert [skip.reason for skip in result.skipped] == ["message 0 holds only images"]
    assert memory.list_scopes() == []


def test_no_messages_at_all_are_refused(memory: SyncMemoryClient) -> None:
    _refused(memory, lambda: memory.add(messages=[], user_id="u"), "empty list", "message")
    assert memory.list_scopes() == []


def test_too_many_messages_are_refused(memory: SyncMemoryClient) -> None:
    messages = [("user", "hi")] * 1001
    _refused(
        memory,
        lambda: memory.add(messages=messages, user_id="u"),
        "1001",
        "max_messages",
        error=LimitError,
    )


# --- metadata


GOOD_METADATA: list[dict[str, Any]] = [
    {"a": None},
    {"a": True, "b": 0, "c": -1.5, "d": "text", "e": ""},
    {"nested": {"list": [1, "two", None, [3]], "empty": {}}},
    {"钥": "值", "dotted.key": "x", "$where": "x", "l": "reserved by chroma", "u": 1},
    {"big": 2**60},
]


@pytest.mark.parametrize("metadata", GOOD_METADATA, ids=str)
def test_any_plain_json_is_kept_as_metadata(
    metadata: dict[str, Any], memory: SyncMemoryClient
) -> None:
    memory.add("I own a kayak.", user_id="u", metadata=metadata, wait=True)

    assert memory.list(user_id="u")[0].metadata == metadata
    assert memory.list(user_id="u", layers=["L1"])[0].metadata == metadata
    assert memory.search("kayak", user_id="u")[0].metadata == metadata
    assert memory.flush() is True


BAD_METADATA: list[tuple[Any, str]] = [
    ({"a": NAN}, "metadata['a'] is nan"),
    ({"a": {"b": [1, INF]}}, "metadata['a']['b'][1] is inf"),
    ({"a": datetime(2025, 1, 1, tzinfo=UTC)}, "datetime"),
    ({"a": b"x"}, "bytes"),
    ({"a": {1, 2}}, "set"),
    ({"a": Strange()}, "Strange"),
    ({1: "x"}, "key 1"),
    ({"": "x"}, "key ''"),
    ({"a": {"b": {"c": {"d": {"e": 1}}}}}, "max_metadata_depth"),
    ({"a": "x" * 20_000}, "max_metadata_bytes"),
    ("text", "str"),
    ([("a", 1)], "list"),
    (7, "int"),
]


@pytest.mark.parametrize(("metadata", "named"), BAD_METADATA, ids=lambda value: str(value)[:30])
def test_metadata_that_is_no_plain_json_is_refused_by_name(
    metadata: Any, named: str, memory: SyncMemoryClient
) -> None:
    _refused(
        memory,
        lambda: memory.add("I own a kayak.", user_id="u", metadata=metadata),
        "metadata",
        named,
    )
    _refused(
        memory,
        lambda: memory.import_([{"content": "x", "metadata": metadata}], user_id="u"),
        "node 0",
        named,
    )
    assert memory.list_scopes() == []


def test_a_metadata_that_holds_itself_is_refused(memory: SyncMemoryClient) -> None:
    endless: dict[str, Any] = {}
    endless["a"] = endless
    _refused(
        memory,
        lambda: memory.add("x", user_id="u", metadata=endless),
        "max_metadata_depth",
        error=LimitError,
    )


# --- every other argument


WRONG_CALLS: dict[str, tuple[Callable[[SyncMemoryClient], Any], tuple[str, ...]]] = {
    "memory_type": (
        lambda m: m.add("x", user_id="u", memory_type="magic"),
        ("'magic'", "episodic"),
    ),
    "session": (lambda m: m.add("x", user_id="u", session_id=["s"]), ("session_id", "list")),
    "agent": (lambda m: m.add("x", user_id="u", agent_id=1.5), ("agent_id", "float")),
    "long session": (lambda m: m.add("x", user_id="u", session_id="s" * 513), ("513", "512")),
    "key": (lambda m: m.add("x", user_id="u", idempotency_key=b"k"), ("idempotency_key", "bytes")),
    "wait": (lambda m: m.add("x", user_id="u", wait="yes"), ("wait", "'yes'")),
    "top_k zero": (lambda m: m.search("x", user_id="u", top_k=0), ("top_k", "0")),
    "top_k negative": (lambda m: m.search("x", user_id="u", top_k=-1), ("top_k", "-1")),
    "top_k huge": (lambda m: m.search("x", user_id="u", top_k=10**6), ("top_k", "1000000")),
    "top_k text": (lambda m: m.search("x", user_id="u", top_k="5"), ("top_k", "'5'")),
    "top_k bool": (lambda m: m.search("x", user_id="u", top_k=True), ("top_k", "True")),
    "threshold": (lambda m: m.search("x", user_id="u", threshold=1.5), ("threshold", "1.5")),
    "threshold nan": (lambda m: m.search("x", user_id="u", threshold=NAN), ("threshold", "nan")),
    "threshold text": (lambda m: m.search("x", user_id="u", threshold="a"), ("threshold", "'a'")),
    "layer": (lambda m: m.search("x", user_id="u", layers=["L9"]), ("'L9'", "L2_FACT")),
    "layers": (lambda m: m.list(user_id="u", layers=7), ("layer", "7")),
    "range order": (
        lambda m: m.search("x", user_id="u", time_range=("2025", "2024")),
        ("time_range", "'2025'"),
    ),
    "range shape": (
        lambda m: m.search("x", user_id="u", time_range="2024"),
        ("time_range", "'2024'"),
    ),
    "limit": (lambda m: m.list(user_id="u", limit=0), ("limit", "0")),
    "limit huge": (lambda m: m.list(user_id="u", limit=10_000), ("limit", "10000")),
    "cursor": (lambda m: m.list(user_id="u", cursor="nonsense"), ("cursor", "'nonsense'")),
    "history limit": (lambda m: m.history(user_id="u", limit="x"), ("limit", "'x'")),
    "budget": (lambda m: m.context("x", user_id="u", max_tokens=-5), ("max_tokens", "-5")),
    "budget text": (lambda m: m.context("x", user_id="u", max_tokens="9"), ("max_tokens", "'9'")),
    "language": (lambda m: m.context("x", user_id="u", language="fr"), ("language", "'fr'")),
    "as_of": (lambda m: m.search("x", user_id="u", as_of="soon"), ("as_of", "'soon'")),
    "nodes": (lambda m: m.import_("text", user_id="u"), ("nodes", "str")),
    "one node": (lambda m: m.import_({"content": "x"}, user_id="u"), ("nodes", "dict")),
    "node": (lambda m: m.import_(["text"], user_id="u"), ("node 0", "str")),
    "node key": (lambda m: m.import_([{"content": "x", "tag": 1}], user_id="u"), ("'tag'", "tags")),
    "node layer": (lambda m: m.import_([{"content": "x", "layer": "L9"}], user_id="u"), ("'L9'",)),
    "node tags": (
        lambda m: m.import_([{"content": "x", "tags": "a"}], user_id="u"),
        ("tags", "'a'"),
    ),
    "node tag": (lambda m: m.import_([{"content": "x", "tags": [7]}], user_id="u"), ("tag", "7")),
    "vectors": (lambda m: m.import_([{"content": "x"}], [1.0], user_id="u"), ("(1,)",)),
    "vectors count": (
        lambda m: m.import_([{"content": "x"}], [[1.0]] * 2, user_id="u"),
        ("(2, 1)",),
    ),
    "vectors width": (lambda m: m.import_([{"content": "x"}], [[1.0]], user_id="u"), ("1", "64")),
    "vectors nan": (lambda m: m.import_([{"content": "x"}], [[NAN] * 64], user_id="u"), ("NaN",)),
    "vectors text": (lambda m: m.import_([{"content": "x"}], [["a"]], user_id="u"), ("vectors",)),
    "vectors ragged": (
        lambda m: m.import_([{"content": "x"}] * 2, [[1.0], [1.0, 2.0]], user_id="u"),
        ("vectors",),
    ),
}


@pytest.mark.parametrize("case", WRONG_CALLS)
def test_a_wrong_argument_is_named_with_the_way_out(case: str, memory: SyncMemoryClient) -> None:
    call, named = WRONG_CALLS[case]
    memory.import_([{"content": KAYAK}], user_id="u")

    _refused(memory, lambda: call(memory), *named)


FILTERS: list[Any] = [
    {"colour": "red"},
    {"tags": {"near": "x"}},
    {"tags": {"in": "x"}},
    {"tags": {}},
    {"metadata": "red"},
    {"metadata": {"a": {"gt": 1}}},
    "tags",
    ["tags"],
]


@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_an_unknown_filter_is_refused_and_never_ignored(
    filters: Any, memory: SyncMemoryClient
) -> None:
    memory.import_([{"content": KAYAK}], user_id="u")
    for read in (memory.search, memory.context):
        _refused(
            memory, lambda read=read: read("kayak", user_id="u", filters=filters), error=FilterError
        )
        # the same for a user of whom nothing is known
        _refused(
            memory, lambda read=read: read("x", user_id="new", filters=filters), error=FilterError
        )


WRONG_UPDATES: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "blank": ({"content": "  "}, ("content", "blank")),
    "type": ({"content": 7}, ("content", "int")),
    "tags": ({"content": "x", "tags": "a"}, ("tags", "'a'")),
    "many tags": ({"content": "x", "tags": [str(n) for n in range(17)]}, ("17", "max_tags")),
    "long tag": ({"content": "x", "tags": ["t" * 65]}, ("65", "max_tag_chars")),
    "metadata": ({"content": "x", "metadata": {"a": NAN}}, ("metadata['a']", "nan")),
}


@pytest.mark.parametrize("case", WRONG_UPDATES)
def test_a_wrong_update_changes_nothing(case: str, memory: SyncMemoryClient) -> None:
    memory.import_([{"content": KAYAK}], user_id="u")
    (item,) = memory.list(user_id="u")
    given, named = WRONG_UPDATES[case]

    _refused(memory, lambda: memory.update(item.memory_id, user_id="u", **given), *named)
    assert memory.get(item.memory_id, user_id="u") == item


@pytest.mark.parametrize("layer", ["L1_RAW", "L6_SCHEMA"])
def test_what_was_said_is_never_edited(layer: str, memory: SyncMemoryClient) -> None:
    memory.import_([{"content": "I own a kayak.", "layer": layer}], user_id="u")
    (item,) = memory.list(user_id="u", layers=[layer])

    _refused(
        memory, lambda: memory.update(item.memory_id, "I own a raft.", user_id="u"), "never changes"
    )


# --- the client itself


def test_an_unknown_setting_is_refused_with_the_nearest_name(open_memory: Open) -> None:
    with pytest.raises(ConfigError, match=r"'retrieval_topk'.*'retrieval_top_k'"):
        open_memory(retrieval_topk=3)


WRONG_SETTINGS: dict[str, dict[str, Any]] = {
    "retrieval_top_k": {"retrieval_top_k": 0},
    "timezone": {"timezone": "Mars/Base"},
    "llm_model": {"llm_base_url": "http://127.0.0.1:1/v1"},
    "embed_model": {"embed_base_url": "http://127.0.0.1:1/v1"},
    "default_app_id": {"default_app_id": " "},
    "chat_model": {"chat_model": object()},
    "embeddings": {"embeddings": object()},
    "settings": {"settings": {"retrieval_top_k": 3}},
}


@pytest.mark.parametrize("name", WRONG_SETTINGS)
def test_an_unusable_setting_is_refused_by_name(name: str, open_memory: Open) -> None:
    with pytest.raises(ConfigError) as caught:
        open_memory(**WRONG_SETTINGS[name])
    assert name in str(caught.value)


def test_a_settings_object_and_keywords_go_together(open_memory: Open, tmp_path: Any) -> None:
    settings = Settings(storage_dir=tmp_path / "store", retrieval_top_k=3, job_workers=0)
    memory = open_memory(settings=settings, retrieval_top_k=4)

    assert memory.settings.retrieval_top_k == 4
    assert memory.settings.storage_dir == tmp_path / "store"


def test_a_closed_client_says_so(open_memory: Open) -> None:
    memory = open_memory()
    memory.add("I own a kayak.", user_id="u")
    memory.close()
    memory.close()

    calls: list[Callable[[], Any]] = [
        lambda: memory.add("x", user_id="u"),
        lambda: memory.search("x", user_id="u"),
        lambda: memory.list(user_id="u"),
        lambda: memory.list_scopes(),
        lambda: memory.flush(),
        lambda: memory.status(),
        lambda: memory.stats(),
    ]
    for call in calls:
        with pytest.raises(ClosedError, match="closed"):
            call()


@pytest.mark.parametrize("length", [1, 300])
def test_the_smallest_stores_answer(length: int, memory: SyncMemoryClient) -> None:
    memory.import_([{"content": "kayak"} for _ in range(length)], user_id="u")

    found = memory.search("kayak", user_id="u")

    assert [item.content for item in found] == ["kayak"]
    assert memory.list(user_id="u").total == 1
