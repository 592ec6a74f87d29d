"""The archive of a scope: JSON Lines, one record a line, from header to footer.

====================  =============================================================================
``header`` (first)    ``format`` ``dualmem-archive``, ``version``, ``app_id``, ``user_id``,
                      ``exported_at``, ``embedder`` (name and width of the vectors, if any)
``node``              a memory or a turn (``layer`` ``L1_RAW``) with all its fields, its ``status``
                      and ``rev``; with vectors, ``embedding``: base64 of little-endian float32
``edge``              ``type`` ``SUPERSEDES`` (``src`` replaced ``dst``: the chains) or
                      ``DERIVED_FROM`` (``src`` rests on ``dst``: the evidence, with its ``quote``)
``history``           one event of a memory
``tombstone``         what was deleted on purpose and is not to come back from ``turn_id``
``footer`` (last)     ``counts`` of each kind, ``checksum``: BLAKE2b of all lines before it
====================  =============================================================================

Instants are ISO 8601 with their offset. Nodes stand in the order of arrival, so an archive can be
read in one pass; a reader leaves fields out that it does not know. A file that was cut or changed
does not match its footer.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO
from uuid import uuid4

from dualmem_graph.errors import InputError
from dualmem_graph.storage.archive import Record, read_record
from dualmem_graph.types import Scope

FORMAT = "dualmem-archive"
VERSION = 1


def write_archive(
    file: TextIO,
    scope: Scope,
    records: Iterable[Record],
    *,
    embedder: str | None,
    vectors: bool,
    now: datetime,
) -> dict[str, int]:
    """Write an archive line by line; answers how many records of each kind."""
    counts: Counter[str] = Counter()
    digest = hashlib.blake2b(digest_size=16)

    def put(record: dict[str, Any]) -> None:
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":"), default=_plain) + "\n"
        digest.update(line.encode())
        file.write(line)

    put(
        {
            "kind": "header",
            "format": FORMAT,
            "version": VERSION,
            "app_id": scope.app_id,
            "user_id": scope.user_id,
            "exported_at": now,
            "embedder": embedder if vectors else None,
        }
    )
    for record in records:
        counts[record["kind"]] += 1
        if record["kind"] == "node" and not vectors:
            record = {k: v for k, v in record.items() if k not in ("embedding", "fingerprint")}
        put(record)
    found = dict(sorted(counts.items()))
    put({"kind": "footer", "counts": found, "checksum": digest.hexdigest()})
    return found


@contextmanager
def private_file(path: Path) -> Iterator[TextIO]:
    """Open a file that appears under its name only once it is complete; its owner alone reads it.

    Raises:
        InputError: it cannot be written there.
    """
    beside = path.with_name(f".{path.name}.{uuid4().hex[:8]}")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise InputError(
            f"cannot write {str(path)!r}: {error.strerror}; name a file in a directory that is "
            "there and that you may write"
        ) from error
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def check_archive(lines: Iterable[str]) -> dict[str, Any]:
    """Read an archive once from end to end without keeping it; answers its header.

    Raises:
        InputError: it is no archive, of a newer version, cut, changed, or a record is unusable;
            names the line.
    """
    digest = hashlib.blake2b(digest_size=16)
    header: dict[str, Any] | None = None
    footer: dict[str, Any] | None = None
    counts: Counter[str] = Counter()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if footer is not None:
            raise InputError(f"line {number}: the archive goes on after its footer; export again")
        fields = _parsed(line, number)
        if header is None:
            header = _header(fields)
        elif fields.get("kind") == "footer":
            footer = fields
            continue
        else:
            counts[str(fields.get("kind"))] += 1
            _record(fields, number)
        digest.update(line.encode())
    if header is None:
        raise InputError(f"the archive is empty; its first line must be a header of {FORMAT!r}")
    if footer is None:
        raise InputError("the archive has no footer: it was cut short; export it again")
    if footer.get("checksum") != digest.hexdigest() or footer.get("counts") != dict(counts):
        raise InputError("the archive does not match its footer: it was changed; export it again")
    return header


def records_in(lines: Iterable[str]) -> Iterator[Record]:
    """Read the records of an archive that was checked."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            fields = _parsed(line, number)
            if fields.get("kind") not in ("header", "footer"):
                yield _record(fields, number)


def _parsed(line: str, number: int) -> dict[str, Any]:
    try:
        fields = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"line {number} is not JSON: {error.msg} ({line[:60]!r})") from None
    if not isinstance(fields, dict):
        raise InputError(f"line {number} is no JSON object ({line[:60]!r})")
    return fields


def _header(fields: dict[str, Any]) -> dict[str, Any]:
    if fields.get("kind") != "header" or fields.get("format") != FORMAT:
        raise InputError(
            f"the first line is no header of {FORMAT!r} ({str(fields)[:80]}); an archive is what "
            "export() writes"
        )
    version = fields.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise InputError(
            f"the archive is of version {version!r}, this package reads versions up to {VERSION}; "
            "upgrade dualmem-graph"
        )
    return fields


def _record(fields: dict[str, Any], number: int) -> Record:
    try:
        packed = fields.get("embedding")
        if isinstance(packed, str):
            fields = {**fields, "embedding": base64.b64decode(packed, validate=True)}
            if len(fields["embedding"]) % 4:
                raise InputError("its embedding is no row of float32 numbers")
        return read_record(fields)
    except binascii.Error:
        raise InputError(f"line {number}: its embedding is not base64") from None
    except InputError as error:
        raise InputError(f"line {number}: {error}") from None


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(value).decode("ascii")
    raise TypeError(f"{type(value).__name__} has no place in an archive")
