"""What a scripted model answers, in the shapes that the prompts ask for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.messages import BaseMessage

from dualmem_graph import SyncMemoryClient
from dualmem_graph.testing import ScriptedChat

Answer = Any
Open = Callable[..., SyncMemoryClient]


def texts(memory: SyncMemoryClient, user: Any = "u") -> list[str]:
    """All current memories of a user, oldest first; the words that were said excluded."""
    return [item.content for item in reversed(memory.list(user_id=user, limit=1000))]


def chain(item: Any) -> list[str]:
    """The texts of a memory's chain, newest first; none where it has no earlier version."""
    return [version.content for version in item.evolution_chain or ()]


def fact(content: str, subject: str = "user", source_turn: int = 1, **more: Any) -> dict[str, Any]:
    """One extracted statement."""
    return {
        "content": content,
        "subject": subject,
        "source_turn": source_turn,
        "tags": ["test"],
    } | more


def EX(*facts: str | dict[str, Any], **lists: Any) -> dict[str, Any]:  # noqa: N802
    """A correct extraction that holds ``facts``; ``lists`` sets identity, basic_info, …"""
    return {
        "gate_decision": {
            "novelty": 0.9,
            "biographical_relevance": 0.9,
            "emotional_arousal": 0.2,
            "reason": "scripted",
        },
        "is_ephemeral": False,
        "identity": [],
        "facts": [fact(item) if isinstance(item, str) else item for item in facts],
        "intentions": [],
        "basic_info": [],
    } | lists


def ADD(content: str, supersedes: Sequence[Any] = (), kind: str = "OVERRIDE") -> dict[str, Any]:  # noqa: N802
    """One update that ties ``content`` above the memories of these numbers."""
    return {
        "op": "ADD",
        "content": content,
        "supersedes": list(supersedes),
        "update_type": kind,
    }


def DELETE(*numbers: Any) -> dict[str, Any]:  # noqa: N802
    """One bare deletion."""
    return {"op": "DELETE", "supersedes": list(numbers)}


def RE(*updates: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
    """A correct reconciliation."""
    return {"updates": list(updates)}


def over(old: str, new: str, kind: str = "OVERRIDE") -> Callable[[Any], dict[str, Any]]:
    """Answer that ``new`` supersedes the shown memory ``old``, by the number in the prompt."""
    return lambda sent: RE(ADD(new, [number_of(sent, old)], kind))


def forget(old: str) -> Callable[[Any], dict[str, Any]]:
    """Answer with a bare DELETE of the shown memory ``old``."""
    return lambda sent: RE(DELETE(number_of(sent, old)))


def number_of(sent: Any, content: str) -> int:
    """The number under which a reconcile prompt shows a memory."""
    found = re.search(rf"^\[(\d+)\] {re.escape(content)}", prompt(sent), re.MULTILINE)
    assert found is not None, f"{content!r} is not among the candidates of {prompt(sent)!r}"
    return int(found[1])


def prompt(sent: Any) -> str:
    """The user's part of a recorded call: LangChain messages, or a request's body."""
    if isinstance(sent, dict):
        return str(sent["messages"][1]["content"])
    assert isinstance(sent[1], BaseMessage)
    return str(sent[1].content)


def system(sent: Any) -> str:
    """The system part of a recorded call."""
    if isinstance(sent, dict):
        return str(sent["messages"][0]["content"])
    return str(sent[0].content)


def is_reconcile(sent: Any) -> bool:
    """Tell a reconcile call from an extract call."""
    return "<dialogue>" not in prompt(sent)


def routed(
    extract: Sequence[Answer] = (), reconcile: Sequence[Answer] = ()
) -> Callable[[Any], Answer]:
    """One script for each of the two steps; the last entry of each is repeated.

    With none given, nothing is extracted, and nothing is reconciled.
    """
    scripts = {False: list(extract) or [EX()], True: list(reconcile) or [RE()]}

    def answer(sent: Any) -> Answer:
        script = scripts[is_reconcile(sent)]
        entry = script.pop(0) if len(script) > 1 else script[0]
        return entry(sent) if callable(entry) and not isinstance(entry, type) else entry

    return answer


def model(
    extract: Sequence[Answer] = (), reconcile: Sequence[Answer] = (), **options: Any
) -> ScriptedChat:
    """A chat model with one script for each of the two steps."""
    return ScriptedChat(script=[routed(extract, reconcile)], repeat_last=True, **options)


def extract_calls(chat: ScriptedChat) -> list[Any]:
    """The calls that asked for an extraction."""
    return [call for call in chat.calls if not is_reconcile(call)]


def reconcile_calls(chat: ScriptedChat) -> list[Any]:
    """The calls that asked for a reconciliation."""
    return [call for call in chat.calls if is_reconcile(call)]
