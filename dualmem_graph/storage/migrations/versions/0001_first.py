"""All tables of version 1, full text and triggers.

A fresh ledger is created at the newest version without this step. When version 2 arrives, it
changes what version 1 made; this step then keeps its own copy of the tables as they are here.
"""

from __future__ import annotations

from alembic import op

from dualmem_graph.storage.migrations import create

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create everything."""
    create(op.get_bind())
