"""What must be true of a store after its processes were killed, asked by a process of its own."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa
from crash_log import ABSENT, Call, Effect, Log, read_log
from crash_work import PLACE, carry_out_plan, embedder_of, open_memory

from dualmem_graph import SyncMemoryClient
from dualmem_graph.storage.embedded import generation_folder, generations_on_disk
from dualmem_graph.storage.homes import INDEX_FOLDER
from dualmem_graph.storage.schema import nodes, scopes
from dualmem_graph.text.tokens import index_terms
from dualmem_graph.types import Scope, Status

_PATIENCE = 60.0
_SAID_PLACE = "I live in "


@dataclass
class Report:
    """What a check found."""

    violations: list[str] = field(default_factory=list)
    acknowledged: int = 0
    lost: int = 0
    generation: int = 0

    def expect(self, holds: bool, otherwise: str) -> None:
        """Note a violation unless something holds."""
        if not holds:
            self.violations.append(otherwise)


def check(store: Path, logs: Iterable[Path], *, closes: bool, with_model: bool = False) -> Report:
    """Open a store again, look at everything, do what is left to do, and look again.

    Args:
        closes: end in order; else the process ends with the index open, as a killed one does.
    """
    report = Report()
    memory = open_memory(store, embedder_of(store), with_model=with_model, job_workers=0)
    expected = _Expected.read(logs, report)
    _check_rules(memory, report, "when opened")
    expected.compare(_texts(memory), report, settled=False)
    report.expect(memory.flush(timeout=_PATIENCE), "flush() left work undone")
    _check_work(memory, report)
    expected.resolve(_texts(memory))
    expected.compare(_texts(memory), report, settled=True)
    expected.call_again(memory)
    report.expect(memory.flush(timeout=_PATIENCE), "the second flush() left work undone")
    expected.compare(_texts(memory), report, settled=True)
    _check_places(memory, expected, report)
    _check_rules(memory, report, "after the flush")
    _check_found(memory, report)
    report.generation = memory.status()["index"]["generation"] or 0
    if closes:
        active = _active(memory)
        memory.close()
        _check_index_files(store, active, report)
    return report


@dataclass
class _Expected:
    """What the logs say of the texts of each scope."""

    status: dict[str, Effect]
    #: Calls that were under way when their process was killed.
    open_calls: list[tuple[Log, Call]]
    #: The places that a user was said to live in, in order.
    places: dict[str, list[str]]

    @classmethod
    def read(cls, paths: Iterable[Path], report: Report) -> _Expected:
        expected = cls(defaultdict(dict), [], defaultdict(list))
        for path in paths:
            calls, wrong = read_log(path)
            report.violations += wrong
            for call in calls:
                report.acknowledged += call.is_acknowledged
                if call.is_acknowledged or call.was_found:
                    expected._take(call)
                elif call.was_found is None:
                    expected.open_calls.append((Log(path), call))
        return expected

    def _take(self, call: Call) -> None:
        if call.kind == "place":
            self.places[call.user] += [
                text.removeprefix(_SAID_PLACE).removesuffix(".") for text in call.effect
            ]
        else:
            self.status[call.user] |= call.effect

    def compare(
        self, found: Mapping[str, Mapping[str, list[str]]], report: Report, *, settled: bool
    ) -> None:
        """Find texts of another status than the logs say.

        Before the jobs are done (``settled=False``) what follows from an ``add`` may be missing,
        and a call that was not acknowledged may have taken place or not.
        """
        for user, texts in self.status.items():
            allowed = {text: {status} for text, status in texts.items()}
            for _, call in self.open_calls:
                if call.user == user:
                    for text, status in call.effect.items():
                        allowed.setdefault(text, {ABSENT}).add(status)
            here = found.get(user, {})
            for text, statuses in allowed.items():
                is_drawn = text.startswith("User owns kayak") and not settled
                are = here.get(text, [ABSENT])
                if len(are) != 1 or are[0] not in statuses | ({ABSENT} if is_drawn else set()):
                    report.lost += ABSENT in are
                    report.violations.append(
                        f"{user}: {text!r} is {are}, not {sorted(statuses)} (settled: {settled})"
                    )
            known = {*allowed, *(text for _, call in self.open_calls for text in call.effect)}
            for text in here.keys() - known:
                report.expect(
                    text.startswith((PLACE, _SAID_PLACE, "location: ")),
                    f"{user}: {text!r} was never written",
                )

    def resolve(self, found: Mapping[str, Mapping[str, list[str]]]) -> None:
        """Decide of each call that was under way whether it took place: wholly, or not at all."""
        for log, call in self.open_calls:
            here = found.get(call.user, {})
            if call.kind == "place":
                said = sum(len(here.get(text, ())) for text in _places_of(here))
                call.was_found = said > len(self.places[call.user])
            else:
                # any text that is as it should be afterwards: compare() then wants all of them
                before = self.status[call.user]
                call.was_found = any(
                    here.get(text, [ABSENT]) == [status] != [before.get(text, ABSENT)]
                    for text, status in call.effect.items()
                )
            log.found(call.number, call.was_found)
            if call.was_found:
                self._take(call)
            elif call.kind != "place":
                for text in call.effect:
                    self.status[call.user].setdefault(text, ABSENT)

    def call_again(self, memory: SyncMemoryClient) -> None:
        """Repeat what was under way, as a client does that got no answer: it is there once."""
        for log, call in self.open_calls:
            again = dict(call.again)
            if call.kind == "add":
                memory.add(again.pop("content"), **again)
            elif call.kind == "import_" and "nodes" in again:
                memory.import_(again["nodes"], user_id=call.user)
            elif call.kind == "plan":
                carry_out_plan(memory, call.user, again["number"], again["earlier"])
            else:
                continue
            log.found(call.number, True)
            self._take(call)
        self.open_calls = []


def _check_rules(memory: SyncMemoryClient, report: Report, when: str) -> None:
    report.violations += [f"{when}: {rule}" for rule in memory._resources.store.check()]


def _check_work(memory: SyncMemoryClient, report: Report) -> None:
    counts = memory.status()["jobs"]
    report.expect(set(counts) <= {"done"}, f"jobs are left: {counts}")
    waiting = memory._resources.store.pending_embeddings()
    report.expect(not waiting, f"memories have no vector: {waiting}")


def _check_places(memory: SyncMemoryClient, expected: _Expected, report: Report) -> None:
    """Where a user lives is one chain, whose head is what was said last, and so is the profile."""
    found = _texts(memory)
    for user, places in expected.places.items():
        here = found.get(user, {})
        said = sum(len(here[text]) for text in _places_of(here))
        drawn = {text: here[text] for text in here if text.startswith(PLACE)}
        heads = [text for text, statuses in drawn.items() if "ACTIVE" in statuses]
        profile = [item.metadata["value"] for item in memory.profile(user_id=user).values()]
        last = places[-1:]
        report.expect(
            (said, sum(map(len, drawn.values())), heads, profile)
            == (len(places), len(places), [f"{PLACE}{place}." for place in last], last),
            f"{user} said to live in {places}, the ledger has {drawn} and profile {profile}",
        )


def _check_found(memory: SyncMemoryClient, report: Report) -> None:
    """Each current memory is found through the index by its own vector, and by its words."""
    store = memory._resources.store
    active = _active(memory).values()
    sizes = Counter(scope for scope, *_ in active)
    if active:
        _wait_for_index(memory, next(iter(active)), report)
    for scope, id_, vector, content in active:
        found = store.semantic(scope, vector, min(3, sizes[scope]))
        near = [hit for hit, cosine in found.hits if cosine > 0.9999]
        report.expect(
            id_ in near and found.from_index and not found.degraded,
            f"{content!r} ({id_}) is not found by its vector: {found}",
        )
        words = {hit.node_id for hit in store.lexical(scope, index_terms(content), 5).hits}
        report.expect(
            id_ in words or content.startswith((PLACE, _SAID_PLACE)),
            f"{content!r} is not found by its words: {words}",
        )


def _wait_for_index(
    memory: SyncMemoryClient, one: tuple[Scope, str, Any, str], report: Report
) -> None:
    """Search once, so that the index is opened even where nothing waits to be applied."""
    memory._resources.store.semantic(one[0], one[2], 1)
    deadline = time.monotonic() + _PATIENCE
    tick = threading.Event()
    while (status := memory.status()["index"])["state"] != "ready":
        if time.monotonic() > deadline:
            break
        tick.wait(0.005)
    report.expect((status["state"], status["lag"]) == ("ready", 0), f"the index is {status}")


def _check_index_files(
    store: Path, active: Mapping[str, tuple[Scope, str, Any, str]], report: Report
) -> None:
    """Ask Chroma itself, on a copy: it holds the current memories and nothing else."""
    import chromadb
    from chromadb.config import Settings

    folder = store / INDEX_FOLDER
    generations = generations_on_disk(folder)
    if not generations:
        report.expect(not active, "there is no index")
        return
    with tempfile.TemporaryDirectory() as copy:
        source = generation_folder(folder, generations[-1])
        shutil.copytree(source, copy, dirs_exist_ok=True)
        client = chromadb.PersistentClient(copy, settings=Settings(anonymized_telemetry=False))
        held: dict[str, Any] = {}
        for collection in client.list_collections():
            rows = collection.get(include=["embeddings"])
            held |= dict(zip(rows["ids"], rows["embeddings"], strict=True))
            for vid, vector in zip(rows["ids"], rows["embeddings"], strict=True):
                nearest = collection.query(query_embeddings=[vector], n_results=5, include=[])
                report.expect(vid in nearest["ids"][0], f"Chroma has {vid!r} and does not find it")
    report.expect(
        held.keys() == active.keys(),
        f"Chroma lacks {sorted(active.keys() - held.keys())}, "
        f"and holds {sorted(held.keys() - active.keys())} that are not current",
    )
    for vid, (_, _, vector, content) in active.items():
        same = vid in held and float(np.dot(held[vid], vector)) > 0.999
        report.expect(same, f"Chroma has another vector of {content!r}")


def _texts(memory: SyncMemoryClient) -> dict[str, dict[str, list[str]]]:
    """By user, the status of every node that has this text."""
    found: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    statement = sa.select(scopes.c.user_id, nodes.c.content, nodes.c.status).join(
        scopes, scopes.c.id == nodes.c.scope_id
    )
    with memory._resources.store.ledger.read() as conn:
        for user, content, status in conn.execute(statement):
            found[user][content].append(status)
    return {user: dict(texts) for user, texts in found.items()}


def _places_of(texts: Mapping[str, list[str]]) -> Iterator[str]:
    return (text for text in texts if text.startswith(_SAID_PLACE))


def _active(memory: SyncMemoryClient) -> dict[str, tuple[Scope, str, Any, str]]:
    """By vid, what the index must hold: scope, id, vector and content."""
    statement = (
        sa.select(nodes.c.vid, scopes.c.user_id, nodes.c.id, nodes.c.embedding, nodes.c.content)
        .join(scopes, scopes.c.id == nodes.c.scope_id)
        .where(nodes.c.status == str(Status.ACTIVE))
    )
    with memory._resources.store.ledger.read() as conn:
        return {
            vid: (Scope("default", user), id_, np.frombuffer(blob, "<f4"), content)
            for vid, user, id_, blob, content in conn.execute(statement)
        }
