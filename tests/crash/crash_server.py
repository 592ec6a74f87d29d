"""Carries out trials that it is told on its input, one a line; answers each with a line.

Pytest's own processes have threads and must not be forked; this one is single-threaded.
"""

from __future__ import annotations

import json
import sys

import crash_trial
from crash_child import import_everything


def main() -> None:
    """Answer until the input ends."""
    import_everything()
    for line in sys.stdin:
        outcome = crash_trial.run(crash_trial.Trial(**json.loads(line)))
        sys.stdout.write(outcome.to_json() + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
