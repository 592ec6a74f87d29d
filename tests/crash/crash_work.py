"""What a child does until it is killed: every kind of write, one after the other, by a seed.

Each text is unique to its call (the place where the user lives excepted), so that a checker knows
from the log which texts must be in the ledger and in which status.
"""

from __future__ import annotations

import os
import random
import re
import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crash_log import ABSENT, Call, Effect, Log
from langchain_core.messages import BaseMessage

from dualmem_graph import SyncMemoryClient
from dualmem_graph.config import Settings
from dualmem_graph.storage.ids import node_id
from dualmem_graph.storage.ledger import LEDGER_FILE, Ledger
from dualmem_graph.storage.records import Evidence, Hide, NewNode, Plan, Supersede
from dualmem_graph.storage.scope_cache import EMBEDDER_KEY
from dualmem_graph.testing import HashEmbeddings, ScriptedChat
from dualmem_graph.types import Layer, Scope

#: Given in turn, so that none is said again while an earlier one may still be current.
CITIES = (
    *("Porto", "Braga", "Lisbon", "Madrid", "Berlin", "Vienna", "Prague", "Warsaw", "Oslo"),
    *("Helsinki", "Dublin", "Paris", "Rome", "Athens", "Cairo", "Tokyo", "Seoul", "Beijing"),
    *("Shanghai", "Sydney", "Toronto", "Boston", "Chicago", "Denver", "Seattle", "Lima"),
)
#: The scope that all children of a store write to.
SHARED = "everybody"
PLACE = "User lives in "
_BATCH = 12
_REFUSALS = 4
_MORE = 1_000_000


class Embedder(HashEmbeddings):
    """Hashed embeddings that can be switched off."""

    is_down = False
    model = "one"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed each text, unless it is down."""
        if self.is_down:
            raise ConnectionError("the embedder is down")
        return super().embed_documents(texts)


class OtherEmbedder(Embedder):
    """As wide as the first, and of another meaning."""

    model = "two"

    def embed_query(self, text: str) -> list[float]:
        """Embed one text."""
        return super().embed_query(text)[::-1]


def embedder_of(store: Path) -> Embedder:
    """The embedder that a store is of by now."""
    if (store / LEDGER_FILE).exists():
        ledger = Ledger(store / LEDGER_FILE, Settings(storage_dir=store))
        try:
            if "two" in (ledger.meta(EMBEDDER_KEY) or ""):
                return OtherEmbedder()
        finally:
            ledger.close()
    return Embedder()


def open_memory(
    store: Path, embedder: Embedder, *, with_model: bool = False, **settings: Any
) -> SyncMemoryClient:
    """A client as every process of a trial opens it: the index follows at once, however small."""
    given: dict[str, Any] = {
        "storage_dir": store,
        "embeddings": embedder,
        "vector_apply_delay": 0.0,
        "exact_scan_limit": 0,
        "embed_max_retries": 0,
        # statements that resemble each other are all news here
        "gate_threshold": 0.0,
        "job_backoff": 0.0,
        "job_max_attempts": 50,
        "vector_poll_interval": 0.2,
    }
    chat = ScriptedChat(script=[_Model()], repeat_last=True) if with_model else None
    return SyncMemoryClient(chat_model=chat, **{**given, **settings})


@dataclass
class _Model:
    """Extracts the statement of the last turn, and merges nothing.

    Of some statements it wants to hear several times before it answers, so that their extraction
    fails, is made up for by rules, and becomes a job that fails at first.
    """

    asked: Counter[str] = field(default_factory=Counter)

    def __call__(self, messages: list[BaseMessage]) -> Any:
        """Answer one question."""
        question = str(messages[1].content)
        if "<dialogue>" not in question:
            return {"updates": []}
        thing = re.findall(r"I own (kayak \d+)\.", question)[-1]
        self.asked[thing] += 1
        if thing[-1] in "147" and self.asked[thing] <= _REFUSALS:
            return "I would rather not."
        fact = {"content": f"User owns {thing}.", "subject": "user", "source_turn": 1, "tags": []}
        gate = {
            "novelty": 0.9,
            "biographical_relevance": 0.9,
            "emotional_arousal": 0.2,
            "reason": "scripted",
        }
        return {
            "gate_decision": gate,
            "is_ephemeral": False,
            "identity": [],
            "facts": [fact],
            "intentions": [],
            "basic_info": [],
        }


@dataclass
class _Thing:
    """A statement of this child that is known to be there."""

    id: str
    text: str
    turn: str
    is_edited: bool = False


@dataclass
class Worker:
    """The calls of one child.

    Args:
        store: the directory.
        log: where it says what it does.
        number: unique among the children of a store; its scope's name rests on ``lane``.
        lane: children of one lane follow each other and share a scope.
        seed: decides what is called, and in which order.
        with_model: extract with a scripted model instead of rules.
        begins_with: the kind of the first call.
        has_company: other processes work on the store at the same time.
    """

    store: Path
    log: Log
    number: int
    lane: int
    seed: int
    with_model: bool = False
    begins_with: str = "thing"
    has_company: bool = False

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._next = self.number * _MORE
        self._embedder = embedder_of(self.store)
        self._user = user_of(self.lane)
        self._things: list[_Thing] = []
        self._hidden: list[_Thing] = []
        self._batches: list[list[str]] = []
        self._city = self._random.randrange(len(CITIES))
        self._memory = self._open()

    def work(
        self, calls: int, is_told_to_stop: Callable[[], bool], *, ends_in_order: bool = True
    ) -> None:
        """Go on for ``calls`` calls, or until told to stop; then close in order, or die."""
        kinds = [kind for kind, weight in _WEIGHTS.items() for _ in range(weight)]
        # the first calls are one of each kind, so that every step is passed early on
        first = list(_WEIGHTS)
        self._random.shuffle(first)
        first.append(self.begins_with)
        for _ in range(calls):
            if is_told_to_stop():
                break
            kind = first.pop() if first else self._random.choice(kinds)
            if self.with_model and kind == "place":
                continue  # the model ties nothing together
            getattr(self, f"_{kind}")()
        self._flush()
        if not ends_in_order:
            os.kill(os.getpid(), signal.SIGKILL)
        self._memory.close()

    def _open(self) -> SyncMemoryClient:
        return open_memory(self.store, self._embedder, with_model=self.with_model, job_workers=1)

    def _call(
        self, kind: str, effect: Effect, do: Callable[[], Any], *, user: str = "", **again: Any
    ) -> Any:
        call = Call(self._next, kind, user or self._user, effect, again)
        self.log.begin(call)
        answer = do()
        self.log.acknowledge(call.number)
        return answer

    def _number(self) -> int:
        self._next += 1
        return self._next

    # --- the kinds of calls

    def _thing(self, user: str = "") -> None:
        said = f"I own kayak {self._number()}."
        known = said.replace("I own", "User owns")
        arguments = {
            "user_id": user or self._user,
            "session_id": f"s{self._next}",
            "idempotency_key": str(self._next),
        }
        result = self._call(
            "add",
            {said: "ACTIVE", known: "ACTIVE"},
            lambda: self._memory.add(said, **arguments),
            user=user,
            content=said,
            **arguments,
        )
        written = [event.memory_id for event in result.events if event.content == known]
        if written and not user:
            self._things.append(_Thing(written[0], known, said))
            self._expect_found(known)

    def _shared(self) -> None:
        self._thing(SHARED)

    def _place(self) -> None:
        self._city = (self._city + 1) % len(CITIES)
        said = f"I live in {CITIES[self._city]}."
        self._number()
        self._call(
            "place",
            {said: "ACTIVE"},
            lambda: self._memory.add(
                said, user_id=self._user, session_id=f"s{self._next}", wait=self._next % 4 == 0
            ),
        )

    def _down(self) -> None:
        self._embedder.is_down = True
        try:
            self._thing()
        finally:
            self._embedder.is_down = False
        self._flush()

    def _update(self) -> None:
        thing = self._pick()
        text = f"User owns canoe {self._number()}."
        item = self._call(
            "update",
            {thing.text: "SUPERSEDED", text: "ACTIVE"},
            lambda: self._memory.update(thing.id, text, user_id=self._user),
        )
        self._things.remove(thing)
        self._things.append(_Thing(item.memory_id, text, thing.turn, is_edited=True))

    def _delete(self) -> None:
        thing = self._pick()
        self._number()
        self._call(
            "delete",
            {thing.text: "SHADOW"},
            lambda: self._memory.delete(thing.id, user_id=self._user),
        )
        self._things.remove(thing)
        self._hidden.append(thing)

    def _restore(self) -> None:
        if not self._hidden:
            self._delete()
        thing = self._hidden.pop()
        self._number()
        self._call(
            "restore",
            {thing.text: "ACTIVE"},
            lambda: self._memory.restore(thing.id, user_id=self._user),
        )
        self._things.append(thing)

    def _purge(self) -> None:
        thing = self._pick(edited=False)
        self._number()
        self._call(
            "purge",
            {thing.text: ABSENT, thing.turn: ABSENT},
            lambda: self._memory.purge(thing.id, user_id=self._user),
        )
        self._things.remove(thing)

    def _import_(self) -> None:
        number = self._number()
        nodes = [
            {"content": f"User keeps stamp {number}-{place}.", "id": f"{number}-{place}"}
            for place in range(_BATCH)
        ]
        self._call(
            "import_",
            {node["content"]: "ACTIVE" for node in nodes},
            lambda: self._memory.import_(nodes, user_id=self._user),
            nodes=nodes,
        )

    def _plan(self) -> None:
        """A plan as a digest makes it: nodes, evidence, a chain, a deletion."""
        if not self._batches:
            self._carry_out(None)
        self._carry_out(self._batches[-1])

    def _carry_out(self, earlier: list[str] | None) -> None:
        number = self._number()
        texts = [plan_text(number, place) for place in range(5)]
        effect = dict.fromkeys(texts, "ACTIVE")
        if earlier:
            effect |= {earlier[0]: "SUPERSEDED", earlier[4]: "SHADOW"}
        self._call(
            "plan",
            effect,
            lambda: carry_out_plan(self._memory, self._user, number, earlier),
            number=number,
            earlier=earlier,
        )
        self._batches.append(texts)

    def _archive(self) -> None:
        """Export a scope, and import it as another one's."""
        number = self._number()
        texts = [f"User keeps badge {number}-{place}." for place in range(_BATCH)]
        path = self.store.parent / f"archive-{number}.jsonl"
        source = f"from {number}"
        self._call(
            "import_",
            dict.fromkeys(texts, "ACTIVE"),
            lambda: self._memory.import_([{"content": text} for text in texts], user_id=source),
            user=source,
        )
        self._memory.export(path, user_id=source, include_vectors=True)
        self._number()
        self._call(
            "archive",
            dict.fromkeys(texts, "ACTIVE"),
            lambda: self._memory.import_(path, user_id=f"to {number}"),
            user=f"to {number}",
        )

    def _reembed(self) -> None:
        """Change over to the other embedder; only a child that is alone may do so."""
        while len(self._things) < _BATCH:
            self._thing()
        new = OtherEmbedder() if self._embedder.model == "one" else Embedder()
        self._number()
        self._call("reembed", {}, lambda: self._memory.reembed(new))
        self._embedder = new

    def _scope(self) -> None:
        """Fill another scope and delete it as a whole."""
        number = self._number()
        user = f"gone {number}"
        text = f"User keeps coin {number}."
        self._call(
            "import_",
            {text: "ACTIVE"},
            lambda: self._memory.import_([{"content": text}], user_id=user),
            user=user,
        )
        self._number()
        self._call(
            "delete_scope",
            {text: ABSENT},
            lambda: self._memory.delete_scope(user_id=user, confirm=True),
            user=user,
        )

    def _flush(self) -> None:
        if self._memory.flush(user_id=self._user, timeout=60):
            return
        # after a purge the ledger is compacted, which waits for the readers of other processes
        if not self.has_company:
            left = [job for job in self._memory.jobs() if job.state != "done"]
            self.log.wrong(f"flush() left {left} undone: {self._memory.status()['index']}")

    def _reopen(self) -> None:
        self._thing()
        self._flush()  # so that there is an index to close
        self._memory.close()
        self._memory = self._open()

    def _pick(self, *, edited: bool = True) -> _Thing:
        while True:
            usable = [thing for thing in self._things if edited or not thing.is_edited]
            if usable:
                return self._random.choice(usable)
            self._thing()  # more than once where the model refuses

    def _expect_found(self, text: str) -> None:
        """What was acknowledged is found at once, by its words and by its meaning."""
        found = self._memory.search(text, user_id=self._user, top_k=3)
        if text not in [item.content for item in found]:
            self.log.wrong(f"{text!r} was not found right after it was added, but {found}")


#: How often each kind of call comes; the first round has one of each.
_WEIGHTS = {
    "thing": 6,
    "shared": 2,
    "place": 3,
    "down": 1,
    "update": 3,
    "delete": 2,
    "restore": 1,
    "purge": 1,
    "import_": 2,
    "plan": 3,
    "archive": 1,
    "scope": 1,
    "flush": 1,
    "reopen": 1,
}


def user_of(lane: int) -> str:
    """The user whose memories the children of a lane write."""
    return f"user {lane}"


def plan_text(number: int, place: int) -> str:
    """What the nodes of a plan say."""
    return f"Batch {number} part {place}."


def carry_out_plan(
    memory: SyncMemoryClient, user: str, number: int, earlier: list[str] | None
) -> None:
    """Four facts, a schema that rests on them, and what that does to the plan before."""
    resources = memory._resources
    scope = Scope("default", user)
    texts = [plan_text(number, place) for place in range(5)]
    ids = [_id_of(scope, text) for text in texts]
    vectors = resources.embedder.embed(texts)
    nodes = [
        NewNode(
            id=id_,
            layer=Layer.SCHEMA if place == 3 else Layer.FACT,
            content=text,
            evidence=tuple(Evidence(other) for other in ids[:3]) if place == 3 else (),
            embedding=vector,
            fingerprint=resources.embedder.fingerprint,
        )
        for place, (id_, text, vector) in enumerate(zip(ids, texts, vectors, strict=True))
    ]
    before = [_id_of(scope, text) for text in earlier or ()]
    plan = Plan(
        nodes=nodes,
        supersedes=[Supersede(ids[0], (before[0],), explicit=True)] if before else [],
        hides=[Hide(before[4])] if before else [],
        evidence=[(before[3], Evidence(ids[1]))] if before else [],
    )
    resources.store.apply(scope, plan, actor="system2", reason="a plan")


def _id_of(scope: Scope, text: str) -> str:
    return node_id(scope, "plan", Layer.FACT, text)
