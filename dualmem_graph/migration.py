"""Moving a whole store to another ledger: SQLite to PostgreSQL, or back."""

from __future__ import annotations

from dualmem_graph.config import Settings
from dualmem_graph.errors import ConfigError
from dualmem_graph.storage.copying import Copying, Progress
from dualmem_graph.storage.ledger import LEDGER_FILE, Ledger
from dualmem_graph.types import MigrationResult


def migrate(
    settings: Settings, target_url: str, *, progress: Progress | None = None
) -> MigrationResult:
    """Copy a store to another ledger and compare the two, row by row.

    The source is only read. A migration that was interrupted goes on where it stopped. Afterwards
    set ``ledger_url`` (and ``chroma_url``, for vectors on a server): the vector index is built
    there from the ledger, without embedding anything again.

    Args:
        settings: of the store to move.
        target_url: a SQLAlchemy URL, such as ``postgresql+psycopg://user@host/database`` or
            ``sqlite:///path/to/ledger.db``; an empty database.
        progress: called with a table, how many of its rows are copied, and of how many.

    Raises:
        ConfigError: the URL is of no supported database, or of the source itself.
        StoreError: the target holds something else, the source was written to meanwhile, or a
            table differs at the end.
    """
    source = Ledger(
        settings.ledger_url or settings.storage_dir.expanduser() / LEDGER_FILE, settings
    )
    target = Ledger(target_url, settings)
    if str(source) == str(target) or (source.path and source.path == target.path):
        raise ConfigError(f"{target_url!r} is where the store is already; name another database")
    if source.path is not None and not source.path.is_file():
        raise ConfigError(f"there is no store in {str(settings.storage_dir)!r} to move")
    try:
        source.open()
        target.open()
        rows = Copying(source, target).run(progress)
        return MigrationResult(str(source), str(target), rows)
    finally:
        source.close()
        target.close()
