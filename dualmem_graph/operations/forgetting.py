"""Operations that forget: hiding, bringing back, and removing for good."""

from __future__ import annotations

from dualmem_graph.errors import InputError, MemoryNotFoundError
from dualmem_graph.operations.core import OperationsCore
from dualmem_graph.types import DeleteResult, MemoryItem


class ForgettingOperations(OperationsCore):
    """``delete``, ``restore``, ``delete_scope``."""

    def delete(
        self,
        memory_id: str,
        *,
        user_id: str | int,
        app_id: str | None = None,
        delete_chain: bool = False,
    ) -> DeleteResult:
        """Hide one version (or its whole chain); nothing below it becomes current again.

        What was derived from it alone is retired with it. :meth:`restore` brings it back.

        Raises:
            MemoryNotFoundError: no such memory in this scope, or it is deleted already.
        """
        scope = self._scope(user_id, app_id)
        done = self._resources.store.delete(
            scope, memory_id, chain=delete_chain, actor="user", reason="delete"
        )
        if not done.hidden:
            raise MemoryNotFoundError(
                f"memory {memory_id!r} is deleted already; restore() brings it back"
            )
        return DeleteResult(done.hidden, done.derived, scope)

    def restore(
        self, memory_id: str, *, user_id: str | int, app_id: str | None = None
    ) -> MemoryItem:
        """Make a deleted or superseded version the head of its chain again.

        Raises:
            MemoryNotFoundError: no such memory in this scope.
        """
        scope = self._scope(user_id, app_id)
        return self._item(scope, self._resources.store.restore(scope, memory_id, actor="user"))

    def delete_scope(
        self, *, user_id: str | int, app_id: str | None = None, confirm: bool = False
    ) -> dict[str, int]:
        """Remove everything of one user in one app for good; returns counts per kind.

        Raises:
            InputError: ``confirm`` is not true.
        """
        scope = self._scope(user_id, app_id)
        if confirm is not True:
            raise InputError(
                f"delete_scope removes everything of {scope} for good; pass confirm=True to do it"
            )
        return self._resources.store.delete_scope(scope, actor="user")
