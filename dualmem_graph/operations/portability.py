"""Operations that carry memories into a store and out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from dualmem_graph import bulk
from dualmem_graph.operations.core import OperationsCore
from dualmem_graph.types import ImportResult


class PortabilityOperations(OperationsCore):
    """``import_``."""

    def import_(
        self,
        nodes: Sequence[Mapping[str, Any]],
        vectors: ArrayLike | None = None,
        *,
        user_id: str | int,
        app_id: str | None = None,
    ) -> ImportResult:
        """Load ready-made memories in bulk, without a model call.

        Args:
            nodes: mappings with ``content`` and optional ``id, layer, memory_type, subject, tags,
                metadata, session_id, agent_id, role, name, message_id, memory_at``.
            vectors: shape ``(len(nodes), embedder width)``; without it they are embedded here.

        Raises:
            InputError: a node without content or of an unknown form, or vectors of another shape.
        """
        scope = self._scope(user_id, app_id)
        resources = self._resources
        read = bulk.read_nodes(scope, nodes, resources.settings, resources.clock())
        matrix = bulk.read_vectors(vectors, len(read))
        counts = bulk.write_nodes(resources, scope, read, matrix)
        return ImportResult(added=counts["added"], skipped=counts["skipped"], scope=scope)
