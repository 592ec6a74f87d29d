"""Triggers of the ledger: the last line of defence for what must never be stored.

The writers refuse these before; a trigger holds whoever writes, and with whatever tool.
"""

from __future__ import annotations

from sqlalchemy.engine import Connection

_FOREIGN = (
    "NOT EXISTS (SELECT 1 FROM nodes WHERE id = NEW.src AND scope_id = NEW.scope_id) "
    "OR NOT EXISTS (SELECT 1 FROM nodes WHERE id = NEW.dst AND scope_id = NEW.scope_id)"
)
_RULES = (
    ("self", "NEW.src = NEW.dst", "an edge from a node to itself"),
    ("scope", _FOREIGN, "an edge between two scopes"),
)


def create_triggers(conn: Connection) -> None:
    """Forbid edges of a node to itself and edges that join two scopes."""
    if conn.dialect.name == "sqlite":
        for statement in _sqlite():
            conn.exec_driver_sql(statement)
    else:
        for statement in _postgresql():
            conn.exec_driver_sql(statement)


def _sqlite() -> list[str]:
    return [
        f"CREATE TRIGGER edges_{event.lower()}_{name} BEFORE {event} ON edges WHEN {condition} "
        f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
        for event in ("INSERT", "UPDATE")
        for name, condition, message in _RULES
    ]


def _postgresql() -> list[str]:
    checks = " ".join(
        f"IF {condition} THEN RAISE EXCEPTION '{message}'; END IF;"
        for _, condition, message in _RULES
    )
    return [
        "CREATE FUNCTION dualmem_check_edge() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN {checks} RETURN NEW; END $$",
        "CREATE TRIGGER edges_check BEFORE INSERT OR UPDATE ON edges "
        "FOR EACH ROW EXECUTE FUNCTION dualmem_check_edge()",
    ]
