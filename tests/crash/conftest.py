"""A process that carries out crash trials, one for all tests of a module."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from crash_trial import Outcome, Run, Trial


@pytest.fixture(scope="module")
def run_trial() -> Iterator[Run]:
    """Carry out one trial and say what became of it."""
    server = Path(__file__).parent / "crash_server.py"
    # threads of a numerical library would not survive the forks
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        [sys.executable, str(server)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def run(trial: Trial) -> Outcome:
            process.stdin.write(json.dumps(dataclasses.asdict(trial)) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
            assert line, f"the trial server ended during {trial}"
            return Outcome.from_json(line)

        yield run
        process.stdin.close()
        process.wait(30)
