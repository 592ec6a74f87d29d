"""Reading a conversation from a file, in the forms that chats usually come in.

A list of messages, ``{"messages": […]}``, a list or JSON Lines of either, or our own form with
people, sessions and questions (``data/demo_conversation.json``). A message is a mapping with a
text (``content``, ``text`` or ``value``), a speaker (``role``, ``from``, ``speaker``) and
optionally a time and a session. A speaker who is neither user nor assistant is a named user.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import Any

from dualmem_graph.errors import InputError

SHIPPED = "demo_conversation.json"
NOBODY = "me"

_TEXT_KEYS = ("content", "text", "value", "message")
_ROLE_KEYS = ("role", "from", "speaker", "author", "sender", "name")
_TIME_KEYS = ("timestamp", "time", "at", "created_at", "date")
_SESSION_KEYS = ("session_id", "session", "conversation_id")
_MESSAGES_KEYS = ("messages", "conversations", "conversation", "turns")
_ROLES = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "chatbot": "assistant",
    "gpt": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
_Sessions = dict[str, list[dict[str, Any]]]
_FORMS = (
    'a list of {"role", "content"} messages, {"messages": […]}, JSON Lines of either, '
    'or {"people": […]} as in the shipped demo_conversation.json'
)


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation: its messages as ``SyncMemoryClient.add`` takes them."""

    session_id: str
    messages: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and what a good answer mentions (empty where nobody said)."""

    ask: str
    expect: str = ""


@dataclass(frozen=True, slots=True)
class Person:
    """Whose conversations they are, in the order in which they were had."""

    user_id: str
    name: str
    sessions: tuple[Session, ...]
    questions: tuple[Question, ...] = field(default=())

    @property
    def messages(self) -> int:
        """How many messages the conversations have."""
        return sum(len(session.messages) for session in self.sessions)


def shipped_people() -> list[Person]:
    """The two people that come with the package: Mara in English, 林夏 in Chinese."""
    text = (files("dualmem_graph") / "data" / SHIPPED).read_text(encoding="utf-8")
    return people_in(json.loads(text), name=SHIPPED)


def read_people(path: Path) -> list[Person]:
    """Read the conversations of a file.

    Raises:
        InputError: the file is not JSON, or JSON of no known form, or holds no message.
        OSError: the file cannot be read.
    """
    return people_in(parse_json(read_text(path), name=str(path)), name=str(path))


def read_text(path: Path) -> str:
    """Read a UTF-8 file, with or without a byte order mark.

    Raises:
        InputError: the file is not UTF-8.
        OSError: the file cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 text ({error.reason} at byte {error.start}); save it as UTF-8"
        ) from None


def parse_json(raw: str, *, name: str) -> Any:
    """Parse JSON or JSON Lines; the lines become a list.

    Raises:
        InputError: names the file, the line and the mistake.
    """
    if not raw.strip():
        raise InputError(f"{name} is empty; it should hold {_FORMS}")
    try:
        return json.loads(raw)
    except json.JSONDecodeError as whole:
        # splitlines() would also cut at the line separators that JSON strings may hold.
        lines = [(number, line) for number, line in enumerate(raw.split("\n"), 1) if line.strip()]
        rows = []
        for number, line in lines:
            try:
                rows.append(json.loads(line))
            except json.JSONDecodeError as error:
                # The first line already fails: it was never JSON Lines.
                at = whole if not rows else error
                where = at.lineno if not rows else number
                raise InputError(
                    f"{name} is not JSON: {at.msg} at line {where}, column {at.colno}"
                ) from None
        return rows


def people_in(value: Any, *, name: str) -> list[Person]:
    """Find the people and their conversations in parsed JSON.

    Raises:
        InputError: the JSON has no known form, or holds no message.

    >>> people_in([{"role": "user", "content": "I live in Porto."}], name="chat.json")[0].messages
    1
    """
    if isinstance(value, Mapping) and isinstance(value.get("people"), list):
        people = [_person(entry, f"{name}: person {i}") for i, entry in enumerate(value["people"])]
    else:
        people = _grouped(value, name)
    people = [person for person in people if person.messages]
    if not people:
        raise InputError(f"{name} holds no message with text; it should hold {_FORMS}")
    return people


def _person(entry: Any, where: str) -> Person:
    form = entry if isinstance(entry, Mapping) else {}
    if not form.get("user_id") or not isinstance(form.get("sessions"), list):
        raise InputError(f"{where} needs a user_id and a list of sessions, got {_short(entry)}")
    said: _Sessions = {}
    for i, part in enumerate(entry["sessions"]):
        _collect(said, part, f"{where}, session {i}", default=f"session-{i + 1}")
    return Person(
        user_id=str(entry["user_id"]),
        name=str(entry.get("name") or entry["user_id"]),
        sessions=_with_ids(said),
        questions=tuple(_question(item, where) for item in entry.get("questions") or ()),
    )


def _question(item: Any, where: str) -> Question:
    if isinstance(item, Mapping) and item.get("ask"):
        return Question(str(item["ask"]), str(item.get("expect", "")))
    if isinstance(item, str):
        return Question(item)
    raise InputError(f'{where}: a question is a text or {{"ask", "expect"}}, got {_short(item)}')


def _grouped(value: Any, name: str) -> list[Person]:
    """Conversations without people: one person, or as many as ``user_id`` tells apart."""
    if isinstance(value, Mapping) and _messages_of(value) is None and _first(value, _ROLE_KEYS):
        value = [value]  # one message, such as JSON Lines of one line
    conversations = [value]
    if isinstance(value, list) and value and all(_messages_of(part) is not None for part in value):
        conversations = value
    by_user: dict[str, _Sessions] = {}
    for i, part in enumerate(conversations):
        user = part.get("user_id") if isinstance(part, Mapping) else None
        said = by_user.setdefault(str(user or NOBODY), {})
        _collect(said, part, name, default=f"session-{i + 1}")
    return [Person(user, user, _with_ids(said)) for user, said in by_user.items()]


def _messages_of(part: Any) -> Any:
    if not isinstance(part, Mapping):
        return None
    return next((part[key] for key in _MESSAGES_KEYS if isinstance(part.get(key), list)), None)


def _collect(said: _Sessions, part: Any, where: str, *, default: str) -> None:
    """Add one conversation's messages to ``said``, split where they name their session."""
    messages = part if isinstance(part, list) else _messages_of(part)
    if messages is None:
        raise InputError(f"{where} holds {_short(part)}; it should hold {_FORMS}")
    # Session 1 of one conversation is not session 1 of another.
    prefix = ""
    if isinstance(part, Mapping):
        default = str(_first(part, (*_SESSION_KEYS, "id")) or default)
        prefix = f"{default}/"
    for i, entry in enumerate(messages):
        message = _message(entry, f"{where}: message {i}")
        own = _first(entry, _SESSION_KEYS)
        if message is not None:
            said.setdefault(default if own is None else f"{prefix}{own}", []).append(message)


def _with_ids(said: _Sessions) -> tuple[Session, ...]:
    """Give each message an id from what it says, so that a chat read twice is stored once.

    The place in the file would not do: a message put in before it would change it.
    """
    sessions = []
    for session_id, messages in said.items():
        seen: Counter[tuple[str, str]] = Counter()
        numbered = []
        for message in messages:
            words = (message["role"], message["content"])
            seen[words] += 1
            text = "\x1f".join((*words, str(seen[words])))
            numbered.append(
                {
                    "id": blake2b(text.encode(errors="surrogatepass"), digest_size=8).hexdigest(),
                    **message,
                }
            )
        sessions.append(Session(session_id, tuple(numbered)))
    return tuple(sessions)


def _message(entry: Any, where: str) -> dict[str, Any] | None:
    """One message in the client's form; ``None`` where it has no text."""
    if not isinstance(entry, Mapping):
        raise InputError(
            f"{where} is {_short(entry)}; it should be an object with role and content"
        )
    content, speaker = _first(entry, _TEXT_KEYS), _first(entry, _ROLE_KEYS)
    if isinstance(speaker, Mapping):
        speaker = _first(speaker, ("role", "name"))
    if speaker is None or not any(key in entry for key in _TEXT_KEYS):
        raise InputError(
            f"{where} needs a role and a content, got the keys {', '.join(map(str, entry))}"
        )
    text = _plain_text(content)
    if not text.strip():
        return None
    role = _ROLES.get(str(speaker).strip().lower())
    message: dict[str, Any] = {"role": role or "user", "content": text}
    name = entry.get("name") if role else speaker
    if name:
        message["name"] = str(name)
    time = _first(entry, _TIME_KEYS)
    if time not in (None, ""):
        message["timestamp"] = time
    return message


def _plain_text(content: Any) -> str:
    """The text of a message, whose content may be a list of typed blocks."""
    if isinstance(content, list):
        texts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
        return "\n".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _first(entry: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((entry[key] for key in keys if entry.get(key) is not None), None)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
