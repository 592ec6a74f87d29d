"""Public fakes, so that code that uses this package can be tested without a model or a network.

``ScriptedChat`` and ``HashEmbeddings`` stand in for a model in process; ``StubServer`` is an
OpenAI-compatible endpoint on this machine, for tests in which the wire should be real.
"""

from __future__ import annotations

from dualmem_graph.testing.models import HashEmbeddings, ScriptedChat
from dualmem_graph.testing.stub_server import Reply, StubServer

__all__ = ["HashEmbeddings", "Reply", "ScriptedChat", "StubServer"]
