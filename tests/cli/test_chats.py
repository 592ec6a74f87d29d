"""Chats in the forms that people have them in."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from dualmem_graph.demo.chats import Person, people_in, read_people, shipped_people
from dualmem_graph.errors import InputError
from dualmem_graph.text.language import detect_language

HELLO = {"role": "user", "content": "I live in Porto."}
REPLY = {"role": "assistant", "content": "Nice!"}


def messages_of(people: list[Person]) -> list[list[dict[str, Any]]]:
    return [list(session.messages) for person in people for session in person.sessions]


def without_ids(people: list[Person]) -> list[list[dict[str, Any]]]:
    return [[{k: v for k, v in m.items() if k != "id"} for m in s] for s in messages_of(people)]


def contents(people: list[Person]) -> list[list[tuple[str, str]]]:
    return [[(m["role"], m["content"]) for m in session] for session in messages_of(people)]


SPOKEN = [[("user", "I live in Porto."), ("assistant", "Nice!")]]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([HELLO, REPLY]),
        json.dumps([HELLO, REPLY], indent=2),
        json.dumps({"messages": [HELLO, REPLY]}),
        json.dumps(HELLO) + "\n" + json.dumps(REPLY) + "\n",
        json.dumps(HELLO) + "\r\n\r\n" + json.dumps(REPLY),
        json.dumps({"messages": [HELLO, REPLY]}) + "\n",
        "\ufeff" + json.dumps([HELLO, REPLY]),
        json.dumps(
            {
                "conversations": [
                    {"from": "human", "value": "I live in Porto."},
                    {"from": "gpt", "value": "Nice!"},
                ]
            }
        ),
        json.dumps([{**HELLO, "content": [{"type": "text", "text": "I live in Porto."}]}, REPLY]),
        json.dumps({"people": [{"user_id": "me", "sessions": [{"messages": [HELLO, REPLY]}]}]}),
    ],
    ids=[
        "list",
        "indented list",
        "messages",
        "lines of messages",
        "windows lines",
        "lines of conversations",
        "byte order mark",
        "from and value",
        "content blocks",
        "people",
    ],
)
def test_usual_forms_give_the_same_messages(tmp_path: Path, text: str) -> None:
    file = tmp_path / "chat.json"
    file.write_bytes(text.encode())

    people = read_people(file)

    assert [(person.user_id, person.messages) for person in people] == [("me", 2)]
    assert contents(people) == SPOKEN


def test_a_single_line_is_a_chat_of_one_message(tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text(json.dumps(HELLO), encoding="utf-8")

    assert contents(read_people(file)) == [[("user", "I live in Porto.")]]


def test_a_line_separator_within_a_message_does_not_end_a_json_line(tmp_path: Path) -> None:
    said = [{"role": "user", "content": "one\u2028two"}, REPLY]
    file = tmp_path / "chat.jsonl"
    file.write_text("\n".join(json.dumps(m, ensure_ascii=False) for m in said), encoding="utf-8")

    assert contents(read_people(file)) == [[("user", "one\u2028two"), ("assistant", "Nice!")]]


def test_conversations_of_several_users_are_kept_apart() -> None:
    people = people_in(
        [
            {"user_id": "ana", "messages": [HELLO]},
            {"user_id": "wei", "messages": [{"role": "user", "content": "我住在苏州。"}]},
            {"user_id": "ana", "id": "later", "messages": [REPLY]},
        ],
        name="chat.json",
    )

    assert [(p.user_id, [s.session_id for s in p.sessions]) for p in people] == [
        ("ana", ["session-1", "later"]),
        ("wei", ["session-2"]),
    ]


def test_named_speakers_are_users_with_names_and_sessions_are_told_apart() -> None:
    turns = [
        {"speaker": "Nils", "text": "I moved.", "session": 1, "at": "2025-03-01T10:00:00"},
        {"speaker": "Jo", "text": "Where to?", "session": 1},
        {"speaker": "Nils", "text": "", "session": 2},
        {"speaker": "Nils", "text": "Oslo.", "session": 2},
    ]

    people = people_in([{"id": "a", "turns": turns}, {"id": "b", "turns": turns}], name="chat")

    (person,) = people
    assert [session.session_id for session in person.sessions] == ["a/1", "a/2", "b/1", "b/2"]
    assert without_ids(people)[:2] == [
        [
            {
                "role": "user",
                "content": "I moved.",
                "name": "Nils",
                "timestamp": "2025-03-01T10:00:00",
            },
            {"role": "user", "content": "Where to?", "name": "Jo"},
        ],
        [{"role": "user", "content": "Oslo.", "name": "Nils"}],
    ]


def test_a_message_keeps_its_id_when_the_chat_grows_and_repeats_get_their_own() -> None:
    ok = {"role": "user", "content": "ok"}

    def ids(*messages: dict[str, str]) -> list[str]:
        return [m["id"] for m in messages_of(people_in(list(messages), name="chat"))[0]]

    before = ids(HELLO, ok, ok)
    after = ids(REPLY, HELLO, ok, ok, ok)

    assert len(set(after)) == 5
    assert after[1:4] == before


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        ("[]", "no message with text"),
        ('{"a": 1}', "should hold"),
        ('"just text"', "should hold"),
        ("7", "should hold"),
        ('["one", "two"]', "message 0 is 'one'"),
        ('[{"role": "user"}]', "needs a role and a content, got the keys role"),
        ('[{"content": "x"}]', "needs a role and a content, got the keys content"),
        ("[{", "line 1, column"),
        ('{"role": "user", "content": "x"}\n{"role": ', "line 2, column"),
        ('{"people": [{"name": "Ana"}]}', "needs a user_id and a list of sessions"),
        ('{"people": "Ana"}', "should hold"),
        (
            '{"people": [{"user_id": "a", "sessions": [], "questions": [7]}]}',
            "a question is a text",
        ),
        ("Hello there", "is not JSON"),
    ],
)
def test_what_is_no_chat_is_refused_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "chat.json"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(InputError) as caught:
        read_people(file)

    assert says in str(caught.value)
    assert str(file) in str(caught.value)


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "chat.json"
    file.write_bytes('[{"role": "user", "content": "你好"}]'.encode("gb18030"))

    with pytest.raises(InputError, match="not UTF-8"):
        read_people(file)


def test_the_shipped_conversation_is_a_year_of_two_people_in_two_languages() -> None:
    people = shipped_people()

    said = {
        person.user_id: [
            message
            for session in person.sessions
            for message in session.messages
            if message["role"] == "user"
        ]
        for person in people
    }
    assert [(person.name, person.messages) for person in people] == [("Mara", 70), ("林夏", 70)]
    assert {user: len(turns) for user, turns in said.items()} == {"mara": 35, "linxia": 35}
    assert detect_language(" ".join(turn["content"] for turn in said["mara"])) == "en"
    assert detect_language(" ".join(turn["content"] for turn in said["linxia"])) == "zh"
    for person in people:
        times = [
            datetime.fromisoformat(message["timestamp"])
            for session in person.sessions
            for message in session.messages
        ]
        assert times == sorted(times)
        assert {time.year for time in times} == {2025}
        assert all(time.tzinfo is not None for time in times)
        assert len(person.questions) >= 3
        assert all(question.expect for question in person.questions)
