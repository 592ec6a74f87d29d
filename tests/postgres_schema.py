"""PostgreSQL of the tests: each gets a schema of its own, which is dropped afterwards."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from urllib.parse import quote
from uuid import uuid4

import psycopg
import pytest

from dualmem_graph.storage import schema

VARIABLE = "DUAL_MEM_TEST_POSTGRES"
# as whoever runs the tests, or as the user that every server has
_DEFAULTS = ("postgresql://127.0.0.1:5432/test", "postgresql://postgres@127.0.0.1:5432/test")


@contextmanager
def fresh_schema() -> Iterator[str]:
    """A URL of an empty schema; the test fails where there is no server."""
    name = f"dualmem_{uuid4().hex}"
    execute(f"CREATE SCHEMA {name}")
    options = quote(f"-csearch_path={name} -csynchronous_commit=off")
    yield f"{server_url()}?options={options}".replace("postgresql://", "postgresql+psycopg://")
    # a test that failed may have left connections that hold locks
    execute(
        "SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation "
        f"JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '{name}'"
    )
    execute(f"DROP SCHEMA {name} CASCADE")


def execute(sql: str) -> None:
    """Run a statement on the server."""
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute(sql.encode())


def empty(url: str) -> None:
    """Take all rows out of a schema that has the ledger's tables, or has none yet."""
    name = url.partition("search_path%3D")[2].partition("%20")[0]
    with psycopg.connect(server_url(), autocommit=True) as connection:
        found = connection.execute(
            "SELECT count(*) FROM pg_tables WHERE schemaname = %s AND tablename = 'meta'", [name]
        ).fetchone()
    if found == (1,):
        tables = [table.name for table in reversed(schema.metadata.sorted_tables)]
        rows = " ".join(f"DELETE FROM {name}.{table};" for table in tables if table != "meta")
        execute(
            f"{rows} DELETE FROM {name}.meta WHERE key NOT IN ('store_id', 'tokenizer_version')"
        )


@cache
def server_url() -> str:
    """The server that the environment names, or the usual one.

    Where none answers, tests fail on CI, and are skipped on a machine of one's own.
    """
    given = os.environ.get(VARIABLE)
    candidates = _DEFAULTS if given is None else (given.replace("+psycopg://", "://"),)
    refusals = []
    for url in candidates:
        try:
            psycopg.connect(url, connect_timeout=10).close()
        except psycopg.Error as error:
            refusals.append(f"{url}: {' '.join(str(error).split())}")
        else:
            return url
    said = (
        f"these tests need PostgreSQL, and there is none ({'; '.join(refusals)}); start one, or "
        f"name it in {VARIABLE}=postgresql://user@host:port/database"
    )
    if os.environ.get("CI"):
        pytest.fail(said, pytrace=False)
    pytest.skip(said)
