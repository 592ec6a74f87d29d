"""Statements of the write path, compiled once.

SQLAlchemy looks up a statement in its cache and prepares a result on every execution, which costs
several times what SQLite takes to run it; with a dozen statements in a transaction that is more
than the fsync. Here a Core statement is compiled on first use in each dialect and then handed to
the driver as text, through the same connection and with the same types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection, Dialect

Row = dict[str, Any]
_Processor = Callable[[Any], Any] | None
# a list is padded to one of these sizes, so that a handful of texts serves all lengths
LONGEST_LIST = 1024


class _Compiled(NamedTuple):
    sql: str
    binds: tuple[tuple[str, Any, _Processor], ...]
    columns: tuple[tuple[str, _Processor], ...]
    is_positional: bool


class Prepared:
    """One statement, for any dialect.

    Args:
        build: makes it, given the dialect's name and, per name in ``lists``, how many parameters
            ``<name>_0``, ``<name>_1``, … stand for that list (see :func:`any_of`).
        lists: parameters that are lists.
        returns: columns of the result, where it is not a SELECT.
    """

    def __init__(
        self,
        build: Callable[..., Any],
        *,
        lists: Sequence[str] = (),
        returns: Sequence[sa.ColumnElement[Any]] = (),
    ) -> None:
        self._build = build
        self._lists = tuple(lists)
        self._returns = tuple(returns)
        self._compiled: dict[tuple[str, ...], _Compiled] = {}

    def run(self, conn: Connection, parameters: Mapping[str, Any]) -> int:
        """Execute it once; answers how many rows it changed."""
        compiled, parameters = self._prepare(conn, parameters)
        return conn.exec_driver_sql(compiled.sql, _bound(compiled, parameters)).rowcount

    def run_many(self, conn: Connection, rows: Iterable[Mapping[str, Any]]) -> None:
        """Execute it for each of the rows; nothing happens without any."""
        compiled = self._for(conn.dialect, {})
        bound = [_bound(compiled, row) for row in rows]
        if bound:
            conn.exec_driver_sql(compiled.sql, bound)

    def rows(self, conn: Connection, parameters: Mapping[str, Any]) -> list[Row]:
        """Execute it within a transaction that has begun, and read its result, by column name."""
        compiled, parameters = self._prepare(conn, parameters)
        cursor = conn.connection.cursor()
        try:
            cursor.execute(compiled.sql, _bound(compiled, parameters))
            found = cursor.fetchall()
        finally:
            cursor.close()
        return [
            {
                name: _processed(process, value)
                for (name, process), value in zip(compiled.columns, row, strict=True)
            }
            for row in found
        ]

    def _prepare(
        self, conn: Connection, parameters: Mapping[str, Any]
    ) -> tuple[_Compiled, Mapping[str, Any]]:
        if not self._lists:
            return self._for(conn.dialect, {}), parameters
        spread = dict(parameters)
        sizes = {}
        for name in self._lists:
            padded = _padded(spread.pop(name))
            sizes[name] = len(padded)
            spread.update((f"{name}_{place}", item) for place, item in enumerate(padded))
        return self._for(conn.dialect, sizes), spread

    def _for(self, dialect: Dialect, sizes: Mapping[str, int]) -> _Compiled:
        key = (dialect.name, *map(str, sizes.values()))
        compiled = self._compiled.get(key)
        if compiled is None:
            statement = self._build(dialect.name, **sizes)
            compiled = self._compiled[key] = self._compile(statement, dialect)
        return compiled

    def _compile(self, statement: Any, dialect: Dialect) -> _Compiled:
        compiled = statement.compile(dialect=dialect)
        binds = {name: bind for bind, name in compiled.bind_names.items()}
        defaults = compiled.params  # made anew at every look
        names = compiled.positiontup if compiled.positional else tuple(binds)
        columns = self._returns or getattr(statement, "selected_columns", ())
        return _Compiled(
            sql=compiled.string,
            binds=tuple(
                (
                    name,
                    defaults[name],
                    binds[name].type.dialect_impl(dialect).bind_processor(dialect),
                )
                for name in names
            ),
            columns=tuple(
                (str(column.key), column.type.dialect_impl(dialect).result_processor(dialect, None))
                for column in columns
            ),
            is_positional=compiled.positional,
        )


def any_of(column: sa.ColumnElement[Any], name: str, size: int) -> sa.ColumnElement[bool]:
    """``column IN`` the list parameter ``name``, of ``size`` items."""
    return column.in_([sa.bindparam(f"{name}_{place}", type_=column.type) for place in range(size)])


def insert(
    table: sa.Table, *, skip_existing: bool = False, without: Sequence[str] = ()
) -> Prepared:
    """``INSERT`` of a row with all columns but some; ``skip_existing`` lets what is there stand."""
    names = [column.name for column in table.c if column.name not in without]

    def build(dialect: str) -> Any:
        values = {name: sa.bindparam(name, type_=table.c[name].type) for name in names}
        statement = upsert(dialect, table).values(values)
        return statement.on_conflict_do_nothing() if skip_existing else statement

    return Prepared(build)


def upsert(dialect: str, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
    """Start an INSERT that can say ON CONFLICT, in a dialect."""
    return sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)


def _bound(compiled: _Compiled, parameters: Mapping[str, Any]) -> Any:
    values = [
        _processed(process, parameters.get(name, default))
        for name, default, process in compiled.binds
    ]
    if compiled.is_positional:
        return tuple(values)
    return dict(zip((bind[0] for bind in compiled.binds), values, strict=True))


def _processed(process: _Processor, value: Any) -> Any:
    return value if process is None else process(value)


def _padded(items: Iterable[Any]) -> list[Any]:
    """Repeat the last item up to a power of two: a list of it is the same set."""
    listed = list(items)
    if len(listed) > LONGEST_LIST:
        raise ValueError(f"{len(listed)} items in one list; cut it into parts of {LONGEST_LIST}")
    if not listed:
        return [None]  # equal to nothing
    return listed + [listed[-1]] * ((1 << (len(listed) - 1).bit_length()) - len(listed))
