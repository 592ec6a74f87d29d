"""The long form of the crash tests: hundreds of trials of every kind, and a table.

    python tests/crash/long_run.py --trials 300 [--seed N] [--kind random]

Ends with 1 where anything was found; the seed of each trial is printed then, and its store kept.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_THREADS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
if not _THREADS.items() <= os.environ.items():
    # threads of a numerical library would not survive the forks; it reads this when it is loaded
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **_THREADS})

from crash_child import import_everything  # noqa: E402
from crash_rollback import VARIANTS  # noqa: E402
from crash_steps import STEPS  # noqa: E402
from crash_trial import KINDS, Kind, Outcome, Trial, run  # noqa: E402

#: Of twenty trials, how many are of a kind.
_SHARES: dict[Kind, int] = {
    "random": 5,
    "step": 5,
    "aimed": 4,
    "several": 4,
    "power": 1,
    "closed": 1,
}
_ROUNDS = 3


@dataclass
class Row:
    """The sums of one kind of trial."""

    trials: int = 0
    kills: int = 0
    acknowledged: int = 0
    lost: int = 0
    violations: int = 0
    rebuilds: int = 0

    def add(self, outcome: Outcome) -> None:
        """Count one more trial."""
        self.trials += 1
        self.kills += outcome.kills
        self.acknowledged += outcome.acknowledged
        self.lost += outcome.lost
        self.violations += len(outcome.violations)
        self.rebuilds += outcome.rebuilds


def main() -> int:
    """Run the trials; answers the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=300)
    parser.add_argument("--seed", type=int, default=None, help="default: another each time")
    parser.add_argument("--kind", choices=KINDS, help="default: all kinds")
    given = parser.parse_args()
    seed = random.randrange(1_000_000) if given.seed is None else given.seed
    _say(f"{given.trials} trials, seed {seed}")
    import_everything()
    table = {kind: Row() for kind in KINDS}
    began = time.monotonic()
    for number, trial in enumerate(_trials(given.trials, seed, given.kind), start=1):
        outcome = run(trial)
        table[trial.kind].add(outcome)
        for violation in outcome.violations:
            _say(f"trial {number}: {violation}\n    {trial}")
    _show(table, time.monotonic() - began)
    return int(any(row.violations for row in table.values()))


def _trials(count: int, seed: int, kind: Kind | None) -> Iterator[Trial]:
    chance = random.Random(seed)
    kinds: Sequence[Kind] = [kind] if kind else list(_SHARES)
    weights = [_SHARES[one] for one in kinds]
    for _ in range(count):
        (chosen,) = chance.choices(kinds, weights)
        own = chance.getrandbits(31)
        if chosen == "step":
            step = chance.choice(STEPS)
            yield Trial("step", own, step=step.name, passage=chance.randint(1, step.often))
        elif chosen in ("power", "closed"):
            yield Trial(chosen, own, step=chance.choice(list(VARIANTS)))
        else:
            # a kill after a kill meets what the recovery from the first one left
            yield Trial(chosen, own, rounds=chance.randint(1, _ROUNDS))


def _show(table: dict[Kind, Row], seconds: float) -> None:
    titles = ("kind", "trials", "kills", "acknowledged", "lost", "violations", "rebuilds")
    total = Row()
    for row in table.values():
        for name in titles[1:]:
            setattr(total, name, getattr(total, name) + getattr(row, name))
    _say(" ".join(f"{title:>12}" for title in titles))
    for kind, row in [*table.items(), ("total", total)]:
        _say(" ".join(f"{cell:>12}" for cell in (kind, *(getattr(row, t) for t in titles[1:]))))
    _say(f"{seconds:.0f} s")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
