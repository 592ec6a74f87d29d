"""A place for the vectors of another embedder while a store changes over to it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create ``new_vectors``."""
    op.create_table(
        "new_vectors",
        sa.Column("node_id", sa.Text(), sa.ForeignKey("nodes.id"), nullable=False),
        sa.Column(
            "scope_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            sa.ForeignKey("scopes.id"),
            nullable=False,
        ),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("embedding", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("node_id", name="pk_new_vectors"),
    )
    op.create_index("ix_new_vectors_scope_id", "new_vectors", ["scope_id"])
