"""SIGKILL at any moment, while Chroma writes its files, and to one of several; power cuts."""

from __future__ import annotations

import pytest
from crash_rollback import VARIANTS
from crash_trial import Kind, Run, Trial

# the long form has hundreds: python tests/crash/long_run.py
_KILLS: list[tuple[Kind, int]] = [
    *(("random", seed) for seed in range(4)),
    *(("aimed", seed) for seed in range(4)),
    *(("several", seed) for seed in range(3)),
]


@pytest.mark.parametrize(("kind", "seed"), _KILLS)
def test_a_killed_process_loses_nothing_and_leaves_no_half(
    kind: Kind, seed: int, run_trial: Run
) -> None:
    outcome = run_trial(Trial(kind, seed))

    assert outcome.violations == [], outcome
    assert outcome.kills >= 1


@pytest.mark.parametrize("variant", ["all files old", ".bin old, pickle new"])
def test_after_a_power_cut_the_index_is_built_again(variant: str, run_trial: Run) -> None:
    outcome = run_trial(Trial("power", seed=1, step=variant))

    assert outcome.violations == [], outcome
    assert (outcome.acknowledged, outcome.rebuilds) == (2, 1)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_closed_index_that_lost_writes_is_never_searched(variant: str, run_trial: Run) -> None:
    outcome = run_trial(Trial("closed", seed=1, step=variant))

    assert outcome.violations == [], outcome
    assert (outcome.acknowledged, outcome.rebuilds) == (2, 1)
