"""Full text over our own terms, in the database, beside the nodes and in their transactions.

The terms come from :mod:`dualmem_graph.text.tokens`; the database only keeps and finds them. Each
term is stored with its scope's number before it (``"12:coffee"``), so that a scope has posting
lists of its own: its searches and counts neither see nor pay for the other scopes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dualmem_graph.storage import schema
from dualmem_graph.storage.prepared import Prepared
from dualmem_graph.storage.records import SEARCHABLE
from dualmem_graph.text.tokens import index_terms

_TABLE = schema.FULL_TEXT_TABLE
# Terms are told apart by spaces alone: all ASCII marks belong to them (C++, v2.3.1, e-mails), and
# so does everything beyond ASCII. A term never contains a double quote.
_MARKS = "!#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_TOKENIZER = "ascii tokenchars '" + _MARKS.replace("'", "''") + "'"
# Postings to rank in one search. Ranking costs about 2 µs a posting; a term that more memories
# contain than this says little, and is left to the scoring of what the other terms find.
_MAX_POSTINGS = 4000
_REBUILD_ROWS = 1000


class Entry(NamedTuple):
    """A node's terms on their way into full text."""

    node_id: str
    terms: Sequence[str]


class Match(NamedTuple):
    """A node that has at least one of the terms asked for, and all its terms."""

    node_id: str
    terms: tuple[str, ...]


class FullText(ABC):
    """What the store asks of a database's full text; all within the caller's transaction."""

    _add: Prepared
    #: The searches, by whether they rank and whether they are narrowed to some layers.
    _searches: Mapping[tuple[bool, bool], sa.TextClause]

    @abstractmethod
    def create(self, conn: Connection) -> None:
        """Make the tables."""

    @abstractmethod
    def remove(self, conn: Connection, seqs: Sequence[int]) -> int:
        """Take nodes out by ``seq``; answers how many terms they had. Absent ones do not matter."""

    @abstractmethod
    def frequencies(self, conn: Connection, scope_id: int, terms: Sequence[str]) -> dict[str, int]:
        """Count, per term, the scope's documents that contain it; 0 for one that none does."""

    @abstractmethod
    def _any_of(self, stored: Sequence[str]) -> str:
        """Say "any of these terms" in the database's query language."""

    def add(self, conn: Connection, scope_id: int, entries: Sequence[Entry]) -> None:
        """Index nodes that are in ``nodes`` and not in full text."""
        self._add.run_many(
            conn,
            [
                {
                    "id": id_,
                    "scope_id": scope_id,
                    "terms": " ".join(_stored(scope_id, term) for term in terms),
                }
                for id_, terms in entries
            ],
        )

    def candidates(
        self,
        conn: Connection,
        scope_id: int,
        choice: Choice,
        limit: int,
        *,
        statuses: Sequence[str],
        layers: Sequence[str] | None = None,
    ) -> list[Match]:
        """Find the scope's nodes with any of the terms, in the database's order or newest first."""
        if not choice.terms:
            return []
        parameters: dict[str, Any] = {
            "query": self._any_of([_stored(scope_id, term) for term in choice.terms]),
            "scope_id": scope_id,
            "statuses": list(statuses),
            "limit": limit,
        }
        if layers is not None:
            parameters["layers"] = list(layers)
        rows = conn.execute(self._searches[choice.by_rank, layers is not None], parameters)
        return [Match(row.id, _split(row.terms)) for row in rows]


def full_text_of(conn: Connection) -> FullText:
    """The full text of the connection's dialect."""
    return _SQLITE if conn.dialect.name == "sqlite" else _POSTGRESQL


def frequency(conn: Connection, scope_id: int, term: str) -> int:
    """Count the scope's documents that contain one term."""
    return full_text_of(conn).frequencies(conn, scope_id, [term])[term]


class Choice(NamedTuple):
    """The terms to find candidates by; ``by_rank`` is false where ranking would cost too much."""

    terms: list[str]
    by_rank: bool = True


def choose_terms(frequencies: Mapping[str, int]) -> Choice:
    """Choose the rarest terms, until they would cost too much.

    A term that most memories contain finds candidates only where there is no other, and then the
    newest ones.
    """
    chosen: list[str] = []
    postings = 0
    for term, count in sorted(frequencies.items(), key=lambda item: (item[1], item[0])):
        if not count:
            continue
        if postings + count > _MAX_POSTINGS:
            return Choice(chosen) if chosen else Choice([term], by_rank=False)
        chosen.append(term)
        postings += count
    return Choice(chosen)


def rebuild(conn: Connection) -> None:
    """Index every current and superseded node again, and count each scope's terms anew."""
    full_text = full_text_of(conn)
    conn.execute(sa.text(f"DELETE FROM {_TABLE}"))
    counts: dict[int, list[int]] = {}
    last = 0
    while rows := conn.execute(_NEXT, {"last": last, "limit": _REBUILD_ROWS}).all():
        last = rows[-1].seq
        by_scope: dict[int, list[Entry]] = {}
        for row in rows:
            by_scope.setdefault(row.scope_id, []).append(Entry(row.id, index_terms(row.content)))
        for scope_id, entries in by_scope.items():
            full_text.add(conn, scope_id, entries)
            count = counts.setdefault(scope_id, [0, 0])
            count[0] += len(entries)
            count[1] += sum(len(entry.terms) for entry in entries)
    conn.execute(sa.update(schema.scopes).values(documents=0, terms=0))
    for scope_id, (documents, terms) in counts.items():
        conn.execute(
            sa.update(schema.scopes)
            .where(schema.scopes.c.id == scope_id)
            .values(documents=documents, terms=terms)
        )


_NEXT = (
    sa.select(
        schema.nodes.c.seq, schema.nodes.c.id, schema.nodes.c.scope_id, schema.nodes.c.content
    )
    .where(
        schema.nodes.c.seq > sa.bindparam("last"),
        schema.nodes.c.status.in_([str(status) for status in SEARCHABLE]),
    )
    .order_by(schema.nodes.c.seq)
    .limit(sa.bindparam("limit"))
)


def _stored(scope_id: int, term: str) -> str:
    return f"{scope_id}:{term}"


def _split(stored: str) -> tuple[str, ...]:
    return tuple(term.split(":", 1)[1] for term in stored.split(" ")) if stored else ()


def _text(sql: str, *lists: str) -> sa.TextClause:
    # typed, since PostgreSQL compares an empty list of no type with numbers only
    types = {name: sa.BigInteger if name == "seqs" else sa.Text for name in lists}
    return sa.text(sql).bindparams(
        *(sa.bindparam(name, expanding=True, type_=type_) for name, type_ in types.items())
    )


def _searches(select: str, rank: str, place: str) -> dict[tuple[bool, bool], sa.TextClause]:
    found = {}
    for by_rank in (True, False):
        order = f"ORDER BY {rank}, {place}" if by_rank else f"ORDER BY {place} DESC"
        for of_layers in (True, False):
            layers = "AND n.layer IN :layers" if of_layers else ""
            found[by_rank, of_layers] = _text(
                f"{select} AND n.scope_id = :scope_id AND n.status IN :statuses {layers} "
                f"{order} LIMIT :limit",
                *(("statuses", "layers") if of_layers else ("statuses",)),
            )
    return found


class _Sqlite(FullText):
    """FTS5: table ``full_text(terms)``, ``rowid = nodes.seq``, and a view of its vocabulary."""

    _add = Prepared(
        lambda _: sa.text(
            f"INSERT INTO {_TABLE} (rowid, terms) SELECT seq, :terms FROM nodes "
            "WHERE id = :id AND scope_id + 0 = :scope_id"
        )
    )
    _terms = _text(f"SELECT terms FROM {_TABLE} WHERE rowid IN :seqs", "seqs")
    _remove = _text(f"DELETE FROM {_TABLE} WHERE rowid IN :seqs", "seqs")
    _frequencies = _text(f"SELECT term, doc FROM {_TABLE}_vocabulary WHERE term IN :terms", "terms")
    _searches = _searches(
        f"SELECT n.id, f.terms FROM {_TABLE} f JOIN nodes n ON n.seq = f.rowid "
        f"WHERE {_TABLE} MATCH :query",
        rank=f"bm25({_TABLE})",
        place="f.rowid",
    )

    def create(self, conn: Connection) -> None:
        conn.exec_driver_sql(
            f'CREATE VIRTUAL TABLE {_TABLE} USING fts5(terms, tokenize="{_TOKENIZER}")'
        )
        conn.exec_driver_sql(
            f"CREATE VIRTUAL TABLE {_TABLE}_vocabulary USING fts5vocab({_TABLE}, row)"
        )

    def remove(self, conn: Connection, seqs: Sequence[int]) -> int:
        rows = conn.execute(self._terms, {"seqs": list(seqs)}).scalars()
        gone = sum(len(terms.split()) for terms in rows)
        conn.execute(self._remove, {"seqs": list(seqs)})
        return gone

    def frequencies(self, conn: Connection, scope_id: int, terms: Sequence[str]) -> dict[str, int]:
        stored = {_stored(scope_id, term): term for term in terms}
        rows = conn.execute(self._frequencies, {"terms": list(stored)})
        found = {stored[row.term]: int(row.doc) for row in rows}
        return {term: found.get(term, 0) for term in terms}

    def _any_of(self, stored: Sequence[str]) -> str:
        return " OR ".join(f'"{term}"' for term in stored)


class _Postgresql(FullText):
    """Table ``full_text(seq, terms, vector)``; lexemes are our terms as they are."""

    _add = Prepared(
        lambda _: sa.text(
            f"INSERT INTO {_TABLE} (seq, terms, vector) "
            "SELECT seq, CAST(:terms AS text), array_to_tsvector(array_remove("
            "string_to_array(CAST(:terms AS text), ' '), '')) FROM nodes "
            "WHERE id = :id AND scope_id = :scope_id"
        )
    )
    _remove = _text(f"DELETE FROM {_TABLE} WHERE seq IN :seqs RETURNING terms", "seqs")
    _frequency = _text(f"SELECT count(*) FROM {_TABLE} WHERE vector @@ CAST(:query AS tsquery)")
    _searches = _searches(
        f"SELECT n.id, f.terms FROM {_TABLE} f JOIN nodes n ON n.seq = f.seq "
        "WHERE f.vector @@ CAST(:query AS tsquery)",
        rank="ts_rank(f.vector, CAST(:query AS tsquery)) DESC",
        place="f.seq",
    )

    def create(self, conn: Connection) -> None:
        conn.exec_driver_sql(
            f"CREATE TABLE {_TABLE} (seq bigint PRIMARY KEY REFERENCES nodes (seq) "
            "ON DELETE CASCADE, terms text NOT NULL, vector tsvector NOT NULL)"
        )
        conn.exec_driver_sql(f"CREATE INDEX ix_full_text_vector ON {_TABLE} USING gin (vector)")

    def remove(self, conn: Connection, seqs: Sequence[int]) -> int:
        rows = conn.execute(self._remove, {"seqs": list(seqs)}).scalars()
        return sum(len(terms.split()) for terms in rows)

    def frequencies(self, conn: Connection, scope_id: int, terms: Sequence[str]) -> dict[str, int]:
        return {
            term: conn.execute(
                self._frequency, {"query": self._any_of([_stored(scope_id, term)])}
            ).scalar_one()
            for term in dict.fromkeys(terms)
        }

    def _any_of(self, stored: Sequence[str]) -> str:
        escaped = (term.replace("\\", "\\\\").replace("'", "''") for term in stored)
        return " | ".join(f"'{term}'" for term in escaped)


_SQLITE: FullText = _Sqlite()
_POSTGRESQL: FullText = _Postgresql()
