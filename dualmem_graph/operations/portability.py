"""Operations that carry memories into a store and out of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TextIO

from numpy.typing import ArrayLike

from dualmem_graph import validation
from dualmem_graph.errors import InputError
from dualmem_graph.operations.writing import WritingOperations
from dualmem_graph.portability import archive_file, chats, nodes, sources
from dualmem_graph.storage.records import NewNode
from dualmem_graph.system1.messages import read_messages
from dualmem_graph.types import ExportResult, ImportResult, Scope

# messages of a conversation that go through one add
_PER_ADD = 50


class PortabilityOperations(WritingOperations):
    """``import_`` and ``export``."""

    def export(
        self,
        target: str | Path | TextIO,
        *,
        user_id: str | int,
        app_id: str | None = None,
        include_vectors: bool = False,
    ) -> ExportResult:
        """Write everything of one user to an archive: a file of JSON Lines.

        Memories with their chains and evidence, turns, history, tombstones; the form is documented
        in :mod:`dualmem_graph.portability.archive_file`. It is one snapshot, and however large it
        is, it is written line by line.

        Args:
            target: a path, under which the file appears once it is complete; or an open text file.
            include_vectors: with the vectors, so that an import need not embed anew.

        Raises:
            InputError: the file cannot be written.
        """
        scope = self._scope(user_id, app_id)
        vectors = validation.flag(include_vectors, "include_vectors")
        resources = self._resources
        path = Path(target).expanduser() if isinstance(target, str | Path) else None
        opened = archive_file.private_file(path) if path else nullcontext(target)
        with opened as file, resources.store.read_archive(scope) as (embedder, records):
            counts = archive_file.write_archive(
                file,  # type: ignore[arg-type]
                scope,
                records,
                embedder=embedder,
                vectors=vectors,
                now=resources.clock(),
            )
        return ExportResult(counts, None if path is None else str(path), scope)

    def import_(
        self,
        nodes: Iterable[Mapping[str, Any]] | str | Path | Any,
        vectors: ArrayLike | None = None,
        *,
        user_id: str | int,
        app_id: str | None = None,
        format: str = "auto",
        session_id: str | None = None,
        namespace: Sequence[str] = (),
        dry_run: bool = False,
    ) -> ImportResult:
        """Load memories in bulk. Importing the same again adds nothing.

        ===========  ==========================================================================
        format       what ``nodes`` is
        ===========  ==========================================================================
        ``nodes``    mappings with ``content`` and optional ``id, layer, memory_type, subject,
                     tags, metadata, session_id, agent_id, role, name, message_id, memory_at``
        ``archive``  the path of what :meth:`export` wrote; all of it or nothing is imported
        ``mem0``     what mem0's ``get_all`` returned
        ``langgraph``  a LangGraph ``BaseStore`` with the user's memories below ``namespace``
        ``chat``     conversations: OpenAI or LangChain messages, lists of them, LangGraph
                     thread states; they go through :meth:`add`
        ===========  ==========================================================================

        A path may lead to JSON or JSON Lines of any of them. Dates of the source stay. All but
        chats are stored without a model call. What was deleted or purged here stays out.

        Args:
            nodes: what to import; see above.
            vectors: shape ``(len(nodes), embedder width)``, for ready-made memories; without it
                they are embedded here, or wait for the embedder where it is down.
            format: which of the formats; ``auto`` tells by the shape.
            session_id: the session of a conversation that names none.
            namespace: where the user's memories are in a LangGraph store.
            dry_run: check and count everything, and write nothing.

        Raises:
            InputError: an item is unusable (names its place), or the form is none of these.
        """
        scope = self._scope(user_id, app_id)
        is_rehearsal = validation.flag(dry_run, "dry_run")
        source = sources.as_path(nodes)
        chosen = sources.format_of(source, validation.text(format, "format"))
        if chosen == sources.ARCHIVE:
            return self._import_archive(scope, source, is_rehearsal)
        value = sources.read_json(source) if isinstance(source, Path) else source
        if chosen == sources.CHAT:
            session = validation.label(session_id, "session_id")
            return self._import_chats(scope, chats.chats_in(value), session, is_rehearsal)
        return self._import_nodes(
            scope, sources.nodes_of(value, chosen, namespace), vectors, is_rehearsal
        )

    def _import_nodes(
        self, scope: Scope, items: Any, vectors: ArrayLike | None, is_rehearsal: bool
    ) -> ImportResult:
        resources = self._resources
        now = resources.clock()
        if not isinstance(items, Iterable):
            raise InputError(
                f"nodes must be a list of mappings, got {items!r:.80} ({type(items).__name__})"
            )
        matrix = None
        if isinstance(items, Sequence) or vectors is not None:
            # all of it is checked before anything is written
            given = items if isinstance(items, Sequence) else list(items)
            read: Iterable[NewNode] = nodes.read_nodes(scope, given, resources.settings, now)
            matrix = nodes.read_vectors(vectors, len(given))
        else:
            read = nodes.read_stream(scope, items, resources.settings, now)
        if is_rehearsal:
            counts = nodes.rehearse(resources, scope, read)
        else:
            counts = nodes.write_nodes(resources, scope, read, matrix)
        if counts.pending and not is_rehearsal:
            self._embed_later(scope)
        return ImportResult(
            counts.added, counts.skipped, scope, pending=counts.pending, dry_run=is_rehearsal
        )

    def _import_archive(self, scope: Scope, source: Any, is_rehearsal: bool) -> ImportResult:
        if not isinstance(source, Path):
            raise InputError(f"an archive is a file; pass its path, not {type(source).__name__}")
        resources = self._resources
        fingerprint = resources.embedder.fingerprint
        header = archive_file.check_archive(sources.lines_of(source))
        resources.store.check_embedder(fingerprint)
        done = resources.store.restore_archive(
            scope,
            archive_file.records_in(sources.lines_of(source)),
            fingerprint=fingerprint if header.get("embedder") == fingerprint else None,
            dry_run=is_rehearsal,
        )
        if done.pending and not is_rehearsal:
            self._embed_later(scope)
        return ImportResult(
            done.added, done.skipped, scope, pending=done.pending, dry_run=is_rehearsal
        )

    def _import_chats(
        self,
        scope: Scope,
        found: Sequence[chats.Chat],
        session_id: str | None,
        is_rehearsal: bool,
    ) -> ImportResult:
        settings, now = self._resources.settings, self._resources.clock()
        for chat in found:  # all of it is checked before anything is written
            for part in _parts(chat.messages):
                read_messages(part, settings=settings, default_at=now, explicit_at=False)
        added = total = 0
        for chat in found:
            session = session_id or chat.session_id or _session_of(chat.messages)
            for place, part in enumerate(_parts(chat.messages)):
                total += len(part)
                if is_rehearsal:
                    added += len(
                        read_messages(
                            part, settings=settings, default_at=now, explicit_at=False
                        ).kept
                    )
                    continue
                result = self.add(
                    messages=part,
                    user_id=scope.user_id,
                    app_id=scope.app_id,
                    session_id=session,
                    idempotency_key=f"import:{place}",
                )
                added += len(result.turn_ids) if result.status != "duplicate" else 0
        return ImportResult(added, total - added, scope, dry_run=is_rehearsal)


def _parts(messages: Sequence[Any]) -> list[Sequence[Any]]:
    return [messages[start : start + _PER_ADD] for start in range(0, len(messages), _PER_ADD)]


def _session_of(messages: Sequence[Any]) -> str:
    """Name a conversation that has no name, the same each time: by how it begins."""
    first = messages[0]
    if not isinstance(first, Mapping):
        first = {"type": first.type, "content": first.content}
    told = repr(sorted((str(key), str(value)) for key, value in first.items()))
    return f"import-{hashlib.blake2b(told.encode(), digest_size=8).hexdigest()}"
