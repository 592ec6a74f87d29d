"""Remembering a conversation exchange by exchange, then asking."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dualmem_graph.demo.chats import Person, Question, Session, read_people, shipped_people
from dualmem_graph.demo.questions import questions_from
from dualmem_graph.demo.report import (
    Answer,
    Chain,
    DemoReport,
    LayerCount,
    PersonReport,
    Version,
)
from dualmem_graph.types import CHAINED_LAYERS, Layer, MemoryItem

if TYPE_CHECKING:
    from dualmem_graph.client import SyncMemoryClient

Progress = Callable[[int, int, str], None]

#: What fits on a screen; the report is a demonstration, not an export.
CHAINS_SHOWN = 2
QUESTIONS_SHOWN = 6

_PAGE = 200
#: A layer's example is the middle one by length of its newest few: the longest would be cut,
#: the shortest says little.
_EXAMPLES_SEEN = 5


def run_demo(
    *,
    file: Path | None = None,
    asks: Sequence[str] = (),
    keep: Path | None = None,
    progress: Progress = lambda done, total, what: None,
) -> DemoReport:
    """Remember a chat and report layers, chains and answers.

    Args:
        file: a chat in one of the forms of :mod:`dualmem_graph.demo.chats`; the shipped one
            without it.
        asks: questions, instead of the chat's own or those that memory suggests.
        keep: directory of the store; a temporary one, removed at the end, without it.
        progress: told after each exchange how many messages are done, of how many, and whose.

    Raises:
        InputError: the file holds no chat.
    """
    people = read_people(file) if file else shipped_people()
    started = time.perf_counter()
    progress(0, sum(person.messages for person in people), "Opening the store")
    with _directory(keep) as directory, _open(directory) as memory:
        _remember(memory, people, progress)
        model = memory.settings.llm_model
        each = max(1, QUESTIONS_SHOWN // len(people))
        reports = [
            _report(memory, person, [Question(ask) for ask in asks], each) for person in people
        ]
    return DemoReport(
        people=tuple(_with_few_chains(reports)),
        seconds=round(time.perf_counter() - started, 2),
        model=model,
        storage_dir=str(keep) if keep else None,
    )


@contextmanager
def _directory(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="dual-mem-demo-", ignore_cleanup_errors=True) as path:
        yield Path(path)


def _open(directory: Path) -> SyncMemoryClient:
    from dualmem_graph.client import SyncMemoryClient

    return SyncMemoryClient(storage_dir=directory)


def _remember(memory: SyncMemoryClient, people: Sequence[Person], progress: Progress) -> None:
    done, total = 0, sum(person.messages for person in people)
    for person in people:
        for session in person.sessions:
            for exchange in exchanges(session):
                progress(done, total, f"Remembering {person.name}")
                memory.add(messages=exchange, user_id=person.user_id, session_id=session.session_id)
                done += len(exchange)
    progress(done, total, "Reconciling")
    memory.flush()


def exchanges(session: Session) -> Iterator[list[dict[str, Any]]]:
    """Cut a session where the next person starts to speak: what an agent would add after a reply.

    Messages that one person sends in a row stay together, and so does the assistant's answer.
    """
    exchange: list[dict[str, Any]] = []
    for message in session.messages:
        if exchange and message["role"] == "user" and _speaker(exchange[-1]) != _speaker(message):
            yield exchange
            exchange = []
        exchange.append(message)
    if exchange:
        yield exchange


def _speaker(message: dict[str, Any]) -> tuple[str, str | None]:
    return message["role"], message.get("name")


def _report(
    memory: SyncMemoryClient, person: Person, asks: Sequence[Question], each: int
) -> PersonReport:
    items = list(_items(memory, person.user_id))
    days = _local_days(person)
    questions = asks or person.questions[:each] or _own_questions(memory, person, items, each)
    return PersonReport(
        user_id=person.user_id,
        name=person.name,
        sessions=len(person.sessions),
        messages=person.messages,
        layers=tuple(_layers(memory, person.user_id)),
        chains=tuple(_chain(item, days) for item in items if item.evolution_chain),
        answers=tuple(_answer(memory, person, question, days) for question in questions),
    )


def _items(memory: SyncMemoryClient, user_id: str) -> Iterator[MemoryItem]:
    """Everything current that can have a chain."""
    cursor = None
    while True:
        page = memory.list(user_id=user_id, layers=CHAINED_LAYERS, limit=_PAGE, cursor=cursor)
        yield from page
        cursor = page.cursor
        if cursor is None:
            return


def _layers(memory: SyncMemoryClient, user_id: str) -> Iterator[LayerCount]:
    for layer in Layer:
        page = memory.list(user_id=user_id, layers=[layer], limit=_EXAMPLES_SEEN)
        if page.total:
            examples = sorted((item.content for item in page), key=len)
            yield LayerCount(layer, page.total, examples[len(examples) // 2])


def _own_questions(
    memory: SyncMemoryClient, person: Person, items: Sequence[MemoryItem], limit: int
) -> list[Question]:
    from dualmem_graph.text.language import detect_language

    said = " ".join(
        message["content"] for session in person.sessions for message in session.messages
    )
    profile = memory.profile(user_id=person.user_id)
    asked = questions_from(profile, items, language=detect_language(said), limit=limit)
    return [Question(ask) for ask in asked]


def _answer(
    memory: SyncMemoryClient, person: Person, question: Question, days: dict[datetime, str]
) -> Answer:
    found = memory.search(question.ask, user_id=person.user_id, top_k=1)
    if not found:
        return Answer(question.ask, question.expect)
    best = found[0]
    source = best.sources[0] if best.sources else None
    at = source.at if source else best.memory_at
    speaker = (source.name or source.role) if source else ""
    return Answer(
        question=question.ask,
        expect=question.expect,
        answer=best.content,
        score=round(best.score, 3),
        said=_day(at, days),
        speaker=person.name if speaker == "user" else speaker,
        quote=source.quote if source else "",
    )


def _chain(item: MemoryItem, days: dict[datetime, str]) -> Chain:
    older = [link for link in item.evolution_chain or () if link.node_id != item.memory_id]
    versions = [
        Version(
            _day(link.memory_at, days),
            link.content,
            str(link.update_type) if link.update_type else None,
        )
        for link in older
    ]
    head = Version(_day(item.memory_at, days), item.content)
    return Chain(item.tags[0] if item.tags else str(item.layer), (head, *versions))


def _with_few_chains(reports: Sequence[PersonReport]) -> list[PersonReport]:
    """Keep the longest chains, fairly shared among the people."""
    each = max(1, CHAINS_SHOWN // len(reports))
    kept = []
    for report in reports:
        longest = sorted(
            report.chains, key=lambda chain: (len(chain.versions), chain.versions[0].said)
        )
        kept.append(replace(report, chains=tuple(reversed(longest[-each:]))))
    return kept


def _local_days(person: Person) -> dict[datetime, str]:
    """The day of each instant as the speaker's own clock had it; the store keeps UTC."""
    days = {}
    for session in person.sessions:
        for message in session.messages:
            at = message.get("timestamp")
            if isinstance(at, str):
                try:
                    instant = datetime.fromisoformat(at)
                except ValueError:
                    continue
                if instant.tzinfo is not None:
                    days[instant] = instant.date().isoformat()
    return days


def _day(at: datetime | None, days: dict[datetime, str]) -> str:
    if at is None:
        return ""
    return days.get(at) or at.date().isoformat()
