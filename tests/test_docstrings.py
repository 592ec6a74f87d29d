"""Every example in a docstring is run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import dualmem_graph


def _modules() -> Iterator[str]:
    for info in pkgutil.walk_packages(dualmem_graph.__path__, "dualmem_graph."):
        if ".migrations." not in info.name and not info.name.endswith("__main__"):
            yield info.name


def _examples(name: str) -> list[doctest.DocTest]:
    found = doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name))
    return [test for test in found if test.examples]


@pytest.mark.parametrize("name", sorted(_modules()))
def test_examples_in_docstrings_hold(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = _examples(name)
    if not examples:
        return
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    with dualmem_graph.SyncMemoryClient(storage_dir=tmp_path / "shared") as memory:
        for test in examples:
            test.globs.setdefault("memory", memory)
            runner.run(test)
    assert runner.failures == 0
