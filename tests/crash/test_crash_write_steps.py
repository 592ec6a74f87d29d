"""SIGKILL at every named step of opening a store and writing to it."""

from __future__ import annotations

import pytest
from crash_steps import WRITE_STEPS, Step
from crash_trial import Run, Trial


@pytest.mark.parametrize("step", WRITE_STEPS, ids=lambda step: step.name)
def test_a_process_that_dies_at_a_step_loses_nothing_and_leaves_no_half(
    step: Step, run_trial: Run
) -> None:
    outcome = run_trial(Trial("step", seed=WRITE_STEPS.index(step), step=step.name))

    assert (outcome.violations, outcome.kills) == ([], 1), outcome
