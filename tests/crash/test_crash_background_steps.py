"""SIGKILL at every named step of the jobs and of the vector index."""

from __future__ import annotations

import pytest
from crash_steps import BACKGROUND_STEPS, STEPS, Step
from crash_trial import Run, Trial


@pytest.mark.parametrize("step", BACKGROUND_STEPS, ids=lambda step: step.name)
def test_a_process_that_dies_in_the_background_loses_nothing_and_leaves_no_half(
    step: Step, run_trial: Run
) -> None:
    outcome = run_trial(Trial("step", seed=BACKGROUND_STEPS.index(step), step=step.name))

    assert (outcome.violations, outcome.kills) == ([], 1), outcome


def test_every_step_has_a_name_of_its_own() -> None:
    assert len({step.name for step in STEPS}) == len(STEPS)
