"""What bulk writing, opening, rebuilding and moving cost, beside raw Chroma in the same run.

    python benchmarks/storage.py [--nodes 100000] [--bulk 10000] [--out benchmarks/storage.json]

* ``bulk import``: ready-made memories with their vectors, until they are durable and found, against
  raw Chroma adds of the same vectors plus raw SQLite inserts of the same texts and vectors. Bar:
  half the rate, that is, twice the time. ``indexed`` counts until the vector index has them, too.
* ``open``: a store of ``--nodes`` memories that was closed in order, from opening through the first
  query, against opening the same Chroma directory raw through its first query, each in a fresh
  process that has its imports behind it. Bar: 2 ×.
* ``rebuild``: the vector index anew from the ledger, against a raw bulk add of the same vectors
  without metadata or text. Bar: 1.3 ×.
* ``export``, ``import``: an archive of ``--nodes`` memories with vectors, the peak memory of a
  process that does nothing else. Bar: 600 MB.

Vectors are clustered, of the width of the built-in embedder. Times are seconds.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
from chromadb.config import Settings as ChromaSettings
from core import turns
from numpy.typing import NDArray

from dualmem_graph import SyncMemoryClient

Matrix = NDArray[np.float32]
_STEP = 5000
_THEMES = 500


def vectors(count: int, width: int, seed: int = 5) -> Matrix:
    """Unit vectors around some hundred centres, as real memories lie."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(_THEMES, width)).astype(np.float32)
    rows = centres[rng.integers(0, _THEMES, count)]
    rows = rows + rng.normal(0, 0.6, rows.shape).astype(np.float32)
    unit: Matrix = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def seconds(call: Callable[[], Any]) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def steps(count: int) -> Iterator[slice]:
    """Slices that raw Chroma takes in one call."""
    return (slice(start, min(count, start + _STEP)) for start in range(0, count, _STEP))


def raw_chroma(folder: Path, rows: Matrix) -> None:
    """Add the vectors to a plain embedded collection."""
    client = chromadb.PersistentClient(
        str(folder), settings=ChromaSettings(anonymized_telemetry=False)
    )
    raw = client.get_or_create_collection(
        "raw", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    for part in steps(len(rows)):
        raw.add(ids=[str(n) for n in range(part.start, part.stop)], embeddings=rows[part])
    client.close()


def raw_sqlite(path: Path, texts: list[str], rows: Matrix) -> None:
    """Insert texts and vectors into a plain table, each step a durable transaction."""
    conn = sqlite3.connect(path)
    conn.execute("PRAGMA journal_mode=WAL")
    conn.execute("PRAGMA synchronous=FULL")
    conn.execute("CREATE TABLE memory (id TEXT PRIMARY KEY, content TEXT, embedding BLOB)")
    for part in steps(len(rows)):
        conn.executemany(
            "INSERT INTO memory VALUES (?, ?, ?)",
            [(str(n), texts[n], rows[n].tobytes()) for n in range(part.start, part.stop)],
        )
        conn.commit()
    conn.close()


def nodes(texts: list[str]) -> list[dict[str, str]]:
    """The memories of an import."""
    return [{"id": f"n{n}", "content": text} for n, text in enumerate(texts)]


def bench_bulk(folder: Path, count: int) -> dict[str, float]:
    """Import ready-made memories, beside the same rows written raw."""
    folder.mkdir()
    texts = turns(count)
    with SyncMemoryClient(storage_dir=folder / "ours") as memory:
        rows = vectors(count, memory._resources.embedder.dim)
        memory.import_(nodes(texts[:50]), rows[:50], user_id="warm")
        memory.flush()
        raw = seconds(lambda: raw_chroma(folder / "raw", rows))
        raw += seconds(lambda: raw_sqlite(folder / "raw.db", texts, rows))
        ours = seconds(lambda: memory.import_(nodes(texts), rows, user_id="u"))
        applied = seconds(lambda: memory.flush())
    return {
        "nodes": count,
        "ours_s": ours,
        "ours_indexed_s": ours + applied,
        "raw_s": raw,
        "rate_ratio": raw / ours,
        "rate_ratio_indexed": raw / (ours + applied),
    }


_OPEN_OURS = """
import sys, time
from dualmem_graph import SyncMemoryClient
with SyncMemoryClient(storage_dir=sys.argv[2]) as warm:
    warm.search("who repairs kites", user_id="u")
import chromadb
start = time.perf_counter()
memory = SyncMemoryClient(storage_dir=sys.argv[1])
before = memory._resources.embedder.seconds
found = memory.search("who repairs kites", user_id="u")
print(time.perf_counter() - start - (memory._resources.embedder.seconds - before))
assert len(found) == 10
memory.close()
"""

_OPEN_RAW = """
import sys, time
import chromadb, numpy
from chromadb.config import Settings
vector = numpy.ones(int(sys.argv[2]), "float32")
start = time.perf_counter()
client = chromadb.PersistentClient(sys.argv[1], settings=Settings(anonymized_telemetry=False))
(name,) = [c.name for c in client.list_collections()]
raw = client.get_collection(name, embedding_function=None)
found = raw.query(query_embeddings=[vector], n_results=10)
print(time.perf_counter() - start)
assert len(found["ids"][0]) == 10
"""


def _child(code: str, *arguments: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    return float(done.stdout.splitlines()[-1])


def bench_large(folder: Path, count: int) -> dict[str, float]:
    """Build a large store; open it, and rebuild its index."""
    folder.mkdir()
    ours = folder / "ours"
    texts = turns(count)
    with SyncMemoryClient(storage_dir=ours, close_timeout=3600) as memory:
        width = memory._resources.embedder.dim
        rows = vectors(count, width)
        memory.import_(nodes(texts), rows, user_id="u")
        memory.flush()
        rebuilt = seconds(lambda: memory.index_rebuild(timeout=3600))
    added = seconds(lambda: raw_chroma(folder / "raw", rows))
    (generation,) = (ours / "index").glob("gen-*")
    shutil.copytree(generation, folder / "same")
    with SyncMemoryClient(storage_dir=folder / "small") as memory:
        memory.add("I repair kites.", user_id="u", wait=True)
    # each once to bring its files into memory, then in turns
    pairs = [
        (
            _child(_OPEN_OURS, str(ours), str(folder / "small")),
            _child(_OPEN_RAW, str(folder / "same"), str(width)),
        )
        for _ in range(4)
    ][1:]
    opened, raw_opened = (sorted(times)[1] for times in zip(*pairs, strict=True))
    return {
        "nodes": count,
        "open_s": opened,
        "raw_open_s": raw_opened,
        "open_ratio": opened / raw_opened,
        "rebuild_s": rebuilt,
        "raw_add_s": added,
        "rebuild_ratio": rebuilt / added,
    }


_PEAK = r"""
import re, sys
from pathlib import Path
from dualmem_graph import SyncMemoryClient
memory = SyncMemoryClient(storage_dir=sys.argv[1], vector_index="off")
if sys.argv[3] == "export":
    memory.export(sys.argv[2], user_id="u", include_vectors=True)
else:
    memory.import_(sys.argv[2], user_id="u")
memory.close()
# not getrusage: a process inherits the peak of the one that started it
print(int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1e3)
"""


def bench_moving(folder: Path) -> dict[str, float]:
    """Export the large store and import it into an empty one, each in a process of its own."""
    archive = str(folder / "archive.jsonl")
    start = time.perf_counter()
    exported = _child(_PEAK, str(folder / "ours"), archive, "export")
    between = time.perf_counter()
    imported = _child(_PEAK, str(folder / "copy"), archive, "import")
    return {
        "export_mb": exported,
        "export_s": between - start,
        "import_mb": imported,
        "import_s": time.perf_counter() - between,
        "archive_mb": Path(archive).stat().st_size / 1e6,
    }


def main() -> None:
    """Run all and print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--bulk", type=int, default=10_000)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    results: dict[str, Any] = {
        "python": platform.python_version(),
        "chromadb": chromadb.__version__,
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        results["bulk"] = bench_bulk(folder / "bulk", options.bulk)
        results["large"] = bench_large(folder / "large", options.nodes)
        results["moving"] = bench_moving(folder / "large")
    bars = [
        ("bulk import, raw time / ours", results["bulk"]["rate_ratio"], 0.5, True),
        ("  the same until indexed", results["bulk"]["rate_ratio_indexed"], 0.5, True),
        ("open and first query / raw", results["large"]["open_ratio"], 2.0, False),
        ("rebuild / raw bulk add", results["large"]["rebuild_ratio"], 1.3, False),
        ("export, peak MB", results["moving"]["export_mb"], 600, False),
        ("import, peak MB", results["moving"]["import_mb"], 600, False),
    ]
    for label, value, bar, at_least in bars:
        reached = value >= bar if at_least else value <= bar
        print(f"{label:32} {value:8.2f}   bar {bar:6.2f}   {'ok' if reached else 'MISSED'}")
    print(json.dumps(results, indent=2))
    if options.out:
        options.out.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
