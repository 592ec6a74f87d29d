"""Operations that forget: hiding, bringing back, and removing for good."""

from __future__ import annotations

import logging

from dualmem_graph import validation
from dualmem_graph.errors import InputError, MemoryNotFoundError, StoreError
from dualmem_graph.operations.core import OperationsCore
from dualmem_graph.types import DeleteResult, MemoryItem, PurgeResult

logger = logging.getLogger(__name__)


class ForgettingOperations(OperationsCore):
    """``delete``, ``restore``, ``purge``, ``delete_scope``, ``compact``."""

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
            scope,
            validation.id_to_find(memory_id),
            chain=delete_chain,
            actor="user",
            reason="delete",
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
        id_ = validation.id_to_find(memory_id)
        return self._item(scope, self._resources.store.restore(scope, id_, actor="user"))

    def purge(
        self,
        memory_id: str | None = None,
        *,
        session_id: str | None = None,
        user_id: str | int,
        app_id: str | None = None,
        delete_chain: bool = False,
    ) -> PurgeResult:
        """Remove one memory, one turn, or a whole session for good: no byte of its text is kept.

        With a memory go its history, what was derived from it alone, and the turns it rests on; a
        turn that other memories rest on, too, stays as ``[purged]``. What is purged does not come
        back from a second import; saying it anew does bring it back. One user's everything is
        :meth:`delete_scope`.

        Args:
            memory_id: a version of a memory, or a turn; or
            session_id: the session whose turns go, and what was drawn from them alone.
            delete_chain: all versions of the memory, not only this one.

        Raises:
            InputError: neither or both of ``memory_id`` and ``session_id``.
            MemoryNotFoundError: no such memory or session in this scope.
        """
        scope = self._scope(user_id, app_id)
        chain = validation.flag(delete_chain, "delete_chain")
        session = validation.label(session_id, "session_id")
        if (memory_id is None) == (session is None):
            given = "both" if session is not None else "neither"
            raise InputError(f"pass memory_id or session_id=…, got {given}")
        store = self._resources.store
        if session is not None:
            done = store.purge_session(scope, session)
        else:
            done = store.purge(scope, validation.id_to_find(memory_id), chain=chain)
        if done.blanked:
            self._embed_later(scope)
        return PurgeResult(done.removed, done.blanked, self._compact_now(), scope)

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
        counts = self._resources.store.delete_scope(scope, actor="user")
        if any(counts.values()):
            self._compact_now()
        return counts

    def compact(self) -> bool:
        """Remove from the ledger's files the bytes of what was purged.

        ``purge`` and ``delete_scope`` do it themselves on SQLite. On PostgreSQL it is VACUUM FULL,
        which locks one table after the other, so it waits for this call.

        Returns:
            False where another process was still reading: call it again later.

        Raises:
            StoreLockedError: another process wrote longer than ``lock_timeout``.
        """
        self._open()
        return self._resources.store.compact()

    def _compact_now(self) -> bool:
        store = self._resources.store
        if store.ledger.dialect != "sqlite":
            return False
        try:
            return store.compact()
        except StoreError as error:
            # the rows are gone; flush() or the next purge removes their bytes
            logger.warning("the ledger was not compacted, and will be later: %s", error)
            return False
