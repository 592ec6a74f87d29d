"""The examples in the docstrings of ``dualmem_graph.text`` are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import dualmem_graph.text

MODULES = [
    module.name
    for module in pkgutil.walk_packages(dualmem_graph.text.__path__, "dualmem_graph.text.")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0
