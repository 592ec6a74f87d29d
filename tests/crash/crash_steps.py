"""The named steps of the write protocol, and how a process is killed at one of them.

A step is a function of the package, named by module and attribute: killing at it means that the
n-th passage through it ends the process with SIGKILL, before it is called or after it returned.
The functions are replaced in the child alone; a step whose function no longer exists, or is never
passed, fails the test, so the table follows the code.
"""

from __future__ import annotations

import importlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Literal

Given = Callable[..., bool]


@dataclass(frozen=True)
class Step:
    """One place to die at.

    ``target`` is ``module:attribute`` below ``dualmem_graph``, or ``module:Class.method``.
    ``given`` is asked, with the call's arguments, whether this passage counts.
    """

    name: str
    target: str
    when: Literal["before", "after"] = "after"
    given: Given | None = None
    #: The kind of call that leads there; the child begins with it.
    by: str = "thing"
    #: Passages that a child is sure to reach.
    often: int = 4
    #: What the store has to be like when the child opens it.
    start: Literal["new", "clean", "dirty"] = "new"
    #: Whether the model of the child refuses to extract now and then.
    with_model: bool = False


def _is_link_new(unit: Any) -> bool:
    return any(link != unit.stored_links[dst] for dst, link in unit.links.items())


#: Opening, and all that one transaction consists of.
WRITE_STEPS = (
    # opening
    Step("tables made", "storage.migrations:create", often=1),
    Step("tables stamped", "storage.migrations:_stamp", often=1),
    Step("embedder named", "storage.store:MemoryStore.bind_embedder"),
    # one transaction of the write path
    Step("scope touched", "storage.writer:touch_scope"),
    Step("turns kept", "storage.writes:keep_turns"),
    Step("job queued with the turns", "storage.writes:enqueue"),
    Step("nodes inserted", "storage.flush:_insert_nodes", given=lambda unit: bool(unit.added)),
    Step(
        "nodes updated",
        "storage.flush:_update_nodes",
        given=lambda _, changed: bool(changed),
        by="update",
    ),
    Step("chain written", "storage.flush:_write_links", given=_is_link_new, by="update"),
    Step(
        "evidence written",
        "storage.flush:_write_evidence",
        given=lambda unit: bool(unit.new_evidence),
    ),
    Step("full text written", "storage.flush:_write_full_text"),
    Step("history written", "storage.flush:_RECORD.run_many", given=lambda _, events: bool(events)),
    Step(
        "outbox about to be written",
        "storage.flush:_TELL_INDEX.run_many",
        "before",
        given=lambda _, rows: bool(rows),
    ),
    Step("outbox written", "storage.flush:_TELL_INDEX.run_many", given=lambda _, rows: bool(rows)),
    Step("before commit", "storage.ledger:Ledger.write", "before"),
    Step("after commit, before the answer", "storage.ledger:Ledger.write"),
    # plans and forgetting
    Step("job finished within a plan", "storage.plans:finish"),
    Step("job queued within a plan", "storage.plans:enqueue", given=lambda *given: bool(given[4])),
    Step("memories hidden", "storage.writes:hide", by="delete"),
    Step("memories hidden by a plan", "storage.plans:hide", by="plan"),
    Step("tombstones set", "storage.forgetting:_SET_STONES.run_many", by="delete"),
    Step("memory brought back", "storage.writes:bring_back", by="restore"),
    Step("tombstones lifted", "storage.forgetting:_UNSTONE.run_many", by="restore"),
    Step("rows purged", "storage.purging:_delete", by="purge"),
    Step("erasure noted", "storage.purging:_note_erasure", by="purge"),
    Step("ledger about to be compacted", "storage.compaction:compact", "before", by="purge"),
    Step("ledger compacted", "storage.compaction:compact", by="purge"),
    Step("scope erased", "storage.purging:_erase_scope", by="scope"),
    Step("archive rows written", "storage.archive:_write_terms", by="archive"),
    Step(
        "archive edges about to be written",
        "storage.archive:_ADD_EDGES.run_many",
        "before",
        by="archive",
    ),
    Step("new vectors kept", "storage.reembedding:Reembedding.keep", by="reembed", often=1),
    Step("changed over", "storage.reembedding:Reembedding.switch", by="reembed", often=1),
    Step(
        "about to change over",
        "storage.reembedding:Reembedding.switch",
        "before",
        by="reembed",
        often=1,
    ),
    Step("vectors given later", "storage.writes:_SET_EMBEDDING.run_many", by="down", often=2),
)
#: Jobs, and what happens in the thread of the vector index.
BACKGROUND_STEPS = (
    # jobs
    Step("job claimed", "storage.jobs:JobQueue._take"),
    Step("job about to be done", "background:JobRunner._do", "before"),
    Step("job done", "background:JobRunner._do"),
    Step("job handed back", "storage.jobs:JobQueue.fail", with_model=True),
    Step("decisions written", "system1.reconcile:current_statements"),
    Step("profile about to be written", "system1.profile:update_profile", "before"),
    # the index
    Step("generation claimed", "storage.generation:GenerationLedger.claim"),
    Step("seal about to be broken", "storage.homes:break_seal", "before", start="clean", often=1),
    Step("seal broken", "storage.homes:break_seal", start="clean", often=1),
    Step("index opened", "storage.chroma:ChromaIndex.__init__"),
    Step("index checked", "storage.generation:GenerationLedger.verify", start="clean", often=1),
    Step(
        "rebuild begun", "storage.generation:GenerationLedger.active_seqs", start="dirty", often=1
    ),
    Step(
        "rebuild under way",
        "storage.generation:GenerationLedger.records_at",
        start="dirty",
        often=1,
    ),
    Step("vectors about to be written", "storage.chroma:ChromaIndex.upsert", "before"),
    Step("vectors written", "storage.chroma:ChromaIndex.upsert"),
    Step("vectors about to be deleted", "storage.chroma:ChromaIndex.delete", "before", by="update"),
    Step("vectors deleted", "storage.chroma:ChromaIndex.delete", by="update"),
    Step("outbox about to be emptied", "storage.generation:GenerationLedger.forget", "before"),
    Step("outbox emptied", "storage.generation:GenerationLedger.forget"),
    Step("old generations about to go", "storage.homes:remove_generations", "before"),
    Step("old generations gone", "storage.homes:remove_generations"),
    Step("index closed", "storage.embedded:EmbeddedIndex.close", by="reopen"),
    Step("generation about to be sealed", "storage.homes:seal", "before", by="reopen"),
    Step("generation sealed", "storage.homes:seal", by="reopen"),
    Step("generation marked clean", "storage.generation:GenerationLedger.mark_clean", by="reopen"),
)
STEPS = (*WRITE_STEPS, *BACKGROUND_STEPS)
BY_NAME = {step.name: step for step in STEPS}


def kill_at(step: Step, passage: int) -> None:
    """Let the ``passage``-th passage of a step be the end of this process."""
    counter = _Counter(passage)
    owner, name, original = _find(step.target)
    if step.target == "storage.ledger:Ledger.write":
        replacement: Any = _commit(original, step, counter)
    else:
        replacement = _wrapped(original, step, counter)
    setattr(owner, name, replacement)


class _Counter:
    """Counts passages, from whatever thread, and kills at the last one."""

    def __init__(self, passage: int) -> None:
        self._left = passage
        self._lock = threading.Lock()

    def pass_(self) -> None:
        with self._lock:
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
                signal.pause()  # the signal is on its way; nothing more is to happen


def _wrapped(original: Callable[..., Any], step: Step, counter: _Counter) -> Callable[..., Any]:
    def at_the_step(*args: Any, **kwargs: Any) -> Any:
        counts = step.given is None or step.given(*args)
        if counts and step.when == "before":
            counter.pass_()
        result = original(*args, **kwargs)
        if counts and step.when == "after":
            counter.pass_()
        return result

    return at_the_step


def _commit(original: Callable[..., Any], step: Step, counter: _Counter) -> Callable[..., Any]:
    """A write transaction: the body has run and COMMIT comes next, or COMMIT has returned."""

    @contextmanager
    def write(self: Any) -> Iterator[Any]:
        with original(self) as conn:
            yield conn
            if step.when == "before":
                counter.pass_()
        if step.when == "after":
            counter.pass_()

    return write


def _find(target: str) -> tuple[Any, str, Any]:
    """The object that holds a step's function, the function's name there, and itself."""
    module_name, _, path = target.partition(":")
    owner: Any = importlib.import_module(f"dualmem_graph.{module_name}")
    *holders, name = path.split(".")
    for holder in holders:
        found = getattr(owner, holder)
        if not isinstance(found, type):
            # a shared statement object: this module gets one of its own
            found = SimpleNamespace(**{name: getattr(found, name)})
            setattr(owner, holder, found)
        owner = found
    return owner, name, getattr(owner, name)
