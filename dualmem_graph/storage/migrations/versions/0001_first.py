"""Where the steps begin: the tables of version 1.

No step leads here. A ledger without a version is made at the newest one, from the tables of
:mod:`dualmem_graph.storage.schema`; one that has a version has these tables already.
"""

from __future__ import annotations

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do nothing; see the module."""
