"""Giving deleted bytes back: what a database keeps of rows after they are gone.

SQLite overwrites deleted rows (``secure_delete``), but full text keeps a deleted term in its
segments until they are merged, free pages keep them until VACUUM, and the write-ahead log until it
is cut off. PostgreSQL keeps dead rows until VACUUM FULL, which locks each table while it copies it.
"""

from __future__ import annotations

from dualmem_graph.storage import schema
from dualmem_graph.storage.ledger import Ledger, read_meta, write_meta

#: Key in ``meta``: rows were deleted for good since the last compaction.
COMPACTION_KEY = "compaction"
DUE, _UNDER_WAY, _DONE = "due", "under way", "done"


def is_due(ledger: Ledger) -> bool:
    """Whether rows were deleted for good since the last compaction."""
    return ledger.meta(COMPACTION_KEY) in (DUE, _UNDER_WAY)


def compact(ledger: Ledger) -> bool:
    """Remove the bytes of deleted rows from the database's files.

    Returns:
        False where another process still reads what was there before; compact again later.

    Raises:
        StoreLockedError: another process wrote longer than ``lock_timeout``.
    """
    with ledger.write() as conn:
        # before the work: what is deleted while it is under way makes it due again
        write_meta(conn, COMPACTION_KEY, _UNDER_WAY)
    is_done = _sqlite(ledger) if ledger.dialect == "sqlite" else _postgresql(ledger)
    with ledger.write() as conn:
        is_done = is_done and read_meta(conn, COMPACTION_KEY) == _UNDER_WAY
        write_meta(conn, COMPACTION_KEY, _DONE if is_done else DUE)
    return is_done


def _sqlite(ledger: Ledger) -> bool:
    name = schema.FULL_TEXT_TABLE
    with ledger.outside_transactions() as run:
        run(f"INSERT INTO {name} ({name}) VALUES ('optimize')")
        run("VACUUM")
        (is_busy, _, _), *_ = run("PRAGMA wal_checkpoint(TRUNCATE)")
    return not is_busy


def _postgresql(ledger: Ledger) -> bool:
    tables = [*(table.name for table in schema.metadata.sorted_tables), schema.FULL_TEXT_TABLE]
    with ledger.outside_transactions() as run:
        for name in tables:
            run(f'VACUUM (FULL) "{name}"')
    return True
