"""Alembic's entry point: runs the steps on the connection, and in the transaction, it is given."""

from __future__ import annotations

from alembic import context

from dualmem_graph.storage import schema

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=schema.metadata,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
