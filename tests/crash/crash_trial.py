"""One trial: children work on a store, one is killed, and a fresh process checks what is left."""

from __future__ import annotations

import dataclasses
import json
import random
import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import crash_check
import crash_rollback
import crash_steps
from crash_child import Child, let_chroma_write_early, newest_index_write, until_told
from crash_log import Log
from crash_work import Worker

Kind = Literal["random", "step", "aimed", "several", "power", "closed"]
#: The last two are power cuts: of a process that had not closed the store, and of one that had.
KINDS: tuple[Kind, ...] = ("random", "step", "aimed", "several", "power", "closed")

_PATIENCE = 90.0
#: Calls of a child that is to die at a step: enough for all kinds of calls to come up.
_CALLS = 120
_ENDLESS = 1_000_000


@dataclass(frozen=True)
class Trial:
    """How children are killed; ``seed`` decides all that is left to chance."""

    kind: Kind
    seed: int
    #: Kills, each followed by a check, on the same store.
    rounds: int = 1
    #: The step to die at, or the variant of a power cut.
    step: str = ""
    passage: int = 1


@dataclass
class Outcome:
    """What became of a trial."""

    trial: Trial
    kills: int = 0
    acknowledged: int = 0
    lost: int = 0
    rebuilds: int = 0
    violations: list[str] = field(default_factory=list)

    def to_json(self) -> str:
        """One line."""
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Outcome:
        """Read it back."""
        values = json.loads(line)
        return cls(**{**values, "trial": Trial(**values["trial"])})


def run(trial: Trial) -> Outcome:
    """Carry out a trial on a store of its own, which is removed unless it was found broken."""
    directory = Path(tempfile.mkdtemp(prefix="dualmem-crash-"))
    outcome = Outcome(trial)
    try:
        _Trial(trial, directory, outcome).run()
    except Exception as error:  # noqa: BLE001  (a trial that breaks off is a violation, too)
        outcome.violations.append(f"{type(error).__name__}: {error}")
    if outcome.violations:
        outcome.violations.append(f"the store is in {directory}")
    else:
        shutil.rmtree(directory)
    return outcome


Run = Callable[[Trial], Outcome]


class _Trial:
    def __init__(self, trial: Trial, directory: Path, outcome: Outcome) -> None:
        self._trial = trial
        self._directory = directory
        self._outcome = outcome
        self._store = directory / "store"
        self._random = random.Random(trial.seed)
        self._children = 0
        self._generation = 0

    def run(self) -> None:
        for _ in range(self._trial.rounds):
            getattr(self, f"_kill_{self._trial.kind}")()
            self._check()

    # --- the ways to die

    def _kill_random(self) -> None:
        child = self._start_worker(with_model=self._random.random() < 0.3)
        child.ends_within(self._random.uniform(0.05, 1.5))
        self._kill(child)

    def _kill_step(self) -> None:
        step = crash_steps.BY_NAME[self._trial.step]
        if step.start != "new":
            self._prepare(clean=step.start == "clean")
        child = self._start_worker(
            calls=_CALLS, step=step, passage=self._trial.passage, with_model=step.with_model
        )
        if not child.ends_within(_PATIENCE):
            self._kill(child)
            self._outcome.violations.append(f"it hung on its way to {step.name!r}")
        elif child.status() == -signal.SIGKILL:
            self._outcome.kills += 1
        else:
            self._outcome.violations.append(
                f"{step.name!r} was passed less than {self._trial.passage} times "
                f"(exit status {child.status()}: {child.said()})"
            )

    def _kill_aimed(self) -> None:
        """Kill within 15 ms after Chroma began to write its index files."""
        writes = self._random.randrange(1, 6)
        child = self._start_worker(eager=True)
        deadline = time.monotonic() + 20
        seen = newest_index_write(self._store)
        while writes and time.monotonic() < deadline and not child.ends_within(0.001):
            latest = newest_index_write(self._store)
            if latest != seen:
                seen, writes = latest, writes - 1
        child.ends_within(self._random.uniform(0, 0.015))
        self._kill(child)
        if writes:
            self._outcome.violations.append("Chroma wrote no index file to aim at")

    def _kill_several(self) -> None:
        """Kill one of several processes; the others go on, then end in order or are killed, too."""
        children = [
            self._start_worker(lane=lane, has_company=True)
            for lane in range(self._random.choice((2, 3)))
        ]
        victim = children.pop(self._random.randrange(len(children)))
        victim.ends_within(self._random.uniform(0.1, 1.5))
        self._kill(victim)
        for child in children:
            child.ends_within(self._random.uniform(0.0, 0.6))
        for child in children:
            if self._random.random() < 0.5:
                self._kill(child)
                continue
            child.signal(signal.SIGTERM)
            if not child.ends_within(_PATIENCE):
                self._kill(child)
                self._outcome.violations.append("a process hung after another was killed")
            elif child.status() != 0:
                self._outcome.violations.append(
                    f"a process failed ({child.status()}) after another was killed: {child.said()}"
                )

    def _kill_power(self) -> None:
        self._cut_power(closes=False)
        self._outcome.kills += 1

    def _kill_closed(self) -> None:
        self._cut_power(closes=True)

    def _cut_power(self, *, closes: bool) -> None:
        number = self._trial.seed
        crash_rollback.cut_power(self._directory, self._trial.step, closes=closes, number=number)
        self._generation = 1

    # --- children

    def _prepare(self, *, clean: bool) -> None:
        """Leave a store behind whose index was closed in order, or was not."""
        child = self._start_worker(calls=14, ends_in_order=clean)
        if not child.ends_within(_PATIENCE) or child.status() != (0 if clean else -signal.SIGKILL):
            raise AssertionError(f"the store could not be prepared: {child.said()}")

    def _start_worker(
        self,
        *,
        calls: int = _ENDLESS,
        lane: int = 0,
        step: crash_steps.Step | None = None,
        passage: int = 1,
        with_model: bool = False,
        eager: bool = False,
        has_company: bool = False,
        ends_in_order: bool = True,
    ) -> Child:
        self._children += 1
        number, seed = self._children, self._random.getrandbits(32)
        log = self._directory / f"{number:03}.log"

        def work() -> None:
            stop = until_told()
            if eager:
                let_chroma_write_early()
            if step is not None:
                crash_steps.kill_at(step, passage)
            begins_with = step.by if step else "thing"
            worker = Worker(
                self._store,
                Log(log),
                number,
                lane,
                seed,
                with_model=with_model,
                begins_with=begins_with,
                has_company=has_company,
            )
            worker.work(calls, stop, ends_in_order=ends_in_order)

        return Child(work, self._directory / f"{number:03}.err")

    def _kill(self, child: Child) -> None:
        child.signal(signal.SIGKILL)
        child.ends_within(_PATIENCE)
        if child.status() == -signal.SIGKILL:
            self._outcome.kills += 1
        else:
            self._outcome.violations.append(
                f"a child ended by itself ({child.status()}): {child.said()}"
            )

    def _check(self) -> None:
        answer = self._directory / "report.json"
        answer.unlink(missing_ok=True)
        logs = sorted(self._directory.glob("*.log"))
        closes = self._random.random() < 0.6

        def look() -> None:
            report = crash_check.check(self._store, logs, closes=closes)
            answer.write_text(json.dumps(dataclasses.asdict(report)))

        checker = Child(look, self._directory / "check.err")
        if not checker.ends_within(_PATIENCE):
            checker.signal(signal.SIGKILL)
            checker.ends_within(_PATIENCE)
            self._outcome.violations.append("the store could not be opened and flushed: it hangs")
            return
        if checker.status() != 0:
            self._outcome.violations.append(
                f"the check ended with {checker.status()}: {checker.said()}"
            )
            return
        report = json.loads(answer.read_text())
        self._outcome.violations += report["violations"]
        self._outcome.lost += report["lost"]
        self._outcome.acknowledged = report["acknowledged"]
        self._outcome.rebuilds += report["generation"] > self._generation > 0
        self._generation = report["generation"]
