"""What writing and reading cost, as ratios against raw Chroma measured in the same run.

    python benchmarks/core.py [--adds 200] [--nodes 10000] [--out benchmarks/core.json]

* ``add``: one short turn in the rules form, reconcile as a job, against one ``collection.add`` of
  the same vector in an embedded Chroma of its own, interleaved. Bar: 1.5 ×.
* ``add wait``: the same with ``wait=True`` (reconciled and indexed). Bar: 5 ×.
* ``search``: over one user's nodes, against a raw Chroma query with ``where`` on one collection of
  the same vectors. Bars: 1 ×; the first query after opening 2 ×.
* ``write then search``: a search right after a write, against a search alone, without job threads
  beside it. Bar: 1.25 ×, that is, nothing that grows with the scope is rebuilt.

Embedding time is excluded on both sides: all texts are embedded beforehand into the embedder's
cache, and what the cache still costs is part of ours. Times are medians in milliseconds.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
from chromadb.config import Settings as ChromaSettings

from dualmem_graph import SyncMemoryClient

_PLACES = ["Porto", "Lisbon", "Oslo", "Riga", "Turin", "Ghent", "Malmo", "Graz", "Cork", "Bergen"]
_THINGS = [
    "kites",
    "looms",
    "kayaks",
    "clocks",
    "maps",
    "violins",
    "stamps",
    "boats",
    "drums",
    "quilts",
]
_NAMES = ["Ilka", "Tobin", "Maren", "Jonas", "Petra", "Anouk", "Emil", "Sanne", "Ruben", "Livia"]


def turns(count: int, seed: int = 7) -> list[str]:
    """Short first-person turns, no two alike."""
    rng = random.Random(seed)
    shapes = [
        "My friend {name} moved to {place} and repairs {thing} number {n}.",
        "I visited {place} with {name} to buy {thing}, trip {n}.",
        "I bought {n} {thing} in {place} for {name}.",
        "{name} from {place} gave me a book about {thing}, volume {n}.",
    ]
    return [
        rng.choice(shapes).format(
            name=rng.choice(_NAMES), place=rng.choice(_PLACES), thing=rng.choice(_THINGS), n=n
        )
        for n in range(count)
    ]


def raw_collection(path: Path) -> Any:
    """A plain embedded Chroma collection, as a user would make it."""
    client = chromadb.PersistentClient(
        str(path), settings=ChromaSettings(anonymized_telemetry=False)
    )
    return client.get_or_create_collection(
        "raw", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )


def timed(call: Callable[[], Any]) -> float:
    """Milliseconds of one call."""
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1000


def median(values: list[float]) -> float:
    """The middle value."""
    return statistics.median(values)


def bench_add(folder: Path, count: int, wait: bool) -> dict[str, float]:
    """Interleave our adds with raw Chroma adds of the same vector."""
    texts = turns(count + 20, seed=11 if wait else 7)
    raw = raw_collection(folder / "raw")
    ours: list[float] = []
    theirs: list[float] = []
    with SyncMemoryClient(storage_dir=folder / "ours") as memory:
        embedder = memory._resources.embedder
        for number, text in enumerate(texts):
            vector = embedder.embed([text])[0]
            before = embedder.seconds
            spent = timed(lambda t=text: memory.add(t, user_id="u", session_id="s", wait=wait))
            spent -= (embedder.seconds - before) * 1000
            other = timed(
                lambda n=number, v=vector, t=text: raw.add(
                    ids=[f"{n}"], embeddings=[v], metadatas=[{"user_id": "u"}], documents=[t]
                )
            )
            if number >= 20:  # both sides warm
                ours.append(spent)
                theirs.append(other)
        memory.flush()
    ours_ms, raw_ms = median(ours), median(theirs)
    return {"ours_ms": ours_ms, "raw_ms": raw_ms, "ratio": ours_ms / raw_ms}


def bench_search(folder: Path, count: int) -> dict[str, Any]:
    """Search over one user's nodes, cold and warm, and right after a write."""
    rng = np.random.default_rng(3)
    with SyncMemoryClient(storage_dir=folder / "ours") as memory:
        embedder = memory._resources.embedder
        texts = turns(count)
        base = embedder.embed(texts[: min(count, 2000)])
        vectors = base[np.arange(count) % len(base)]
        vectors = vectors + rng.normal(0, 0.02, vectors.shape).astype(np.float32)
        nodes = [{"id": f"n{n}", "content": text} for n, text in enumerate(texts)]
        memory.import_(nodes, vectors, user_id="u")
        memory.flush()
    raw = raw_collection(folder / "raw")
    for start in range(0, count, 1000):
        stop = min(count, start + 1000)
        raw.add(
            ids=[str(n) for n in range(start, stop)],
            embeddings=list(vectors[start:stop]),
            metadatas=[{"user_id": "u"}] * (stop - start),
            documents=texts[start:stop],
        )
    queries = [f"who repairs {thing} in {place}" for thing in _THINGS for place in _PLACES][:100]
    first = _first_queries(folder, queries[0])
    with SyncMemoryClient(storage_dir=folder / "ours") as memory:
        embedder = memory._resources.embedder
        warm = _warm(memory, embedder, raw, queries)
    return {"nodes": count} | first | warm | _after_writes(folder, queries)


def _warm(memory: Any, embedder: Any, raw: Any, queries: list[str]) -> dict[str, float]:
    ours: list[float] = []
    theirs: list[float] = []
    memory.search(queries[0], user_id="u")
    for query in queries:
        memory.search(query, user_id="u")  # fills the embedder's cache
        vector = embedder.embed([query])[0]
        before = embedder.seconds
        spent = timed(lambda q=query: memory.search(q, user_id="u", top_k=10))
        ours.append(spent - (embedder.seconds - before) * 1000)
        theirs.append(
            timed(
                lambda v=vector: raw.query(
                    query_embeddings=[v], n_results=10, where={"user_id": "u"}
                )
            )
        )
    return {
        "ours_ms": median(ours),
        "raw_ms": median(theirs),
        "ratio": median(ours) / median(theirs),
    }


def _after_writes(folder: Path, queries: list[str]) -> dict[str, float]:
    """Search alone, and right after a write; without job threads, which would run beside it."""
    with SyncMemoryClient(storage_dir=folder / "ours", job_workers=0) as memory:
        return _interleaved(memory, memory._resources.embedder, queries)


def _interleaved(memory: Any, embedder: Any, queries: list[str]) -> dict[str, float]:
    for query in queries[:30]:
        memory.search(query, user_id="u")
    alone: list[float] = []
    writes: list[float] = []
    after: list[float] = []
    for number, query in enumerate(queries[:30]):
        alone.append(timed(lambda q=query: memory.search(q, user_id="u")))
        text = f"I bought a lamp number {number} in Graz."
        embedder.embed([text, f"User bought a lamp number {number} in Graz."])
        writes.append(timed(lambda t=text: memory.add(t, user_id="u", session_id="s")))
        after.append(timed(lambda q=query: memory.search(q, user_id="u")))
    return {
        "search_alone_ms": median(alone),
        "write_ms": median(writes),
        "search_after_write_ms": median(after),
        "after_write_ratio": median(after) / median(alone),
    }


_FIRST_OURS = """
import sys, time
from dualmem_graph import SyncMemoryClient
memory = SyncMemoryClient(storage_dir=sys.argv[1])
embedder = memory._resources.embedder
memory.search("warm up the imports", user_id="nobody")
embedder.embed([sys.argv[2]])
memory.search(sys.argv[2], user_id="nobody")
before = embedder.seconds
start = time.perf_counter()
memory.search(sys.argv[2], user_id="u")
print((time.perf_counter() - start - (embedder.seconds - before)) * 1000)
memory.close()
"""

_FIRST_RAW = """
import sys, time
import chromadb
from chromadb.config import Settings
from dualmem_graph.config import load_settings
from dualmem_graph.providers.embeddings import make_embedder
vector = make_embedder(load_settings(), None).embed([sys.argv[2]])[0]
client = chromadb.PersistentClient(sys.argv[1], settings=Settings(anonymized_telemetry=False))
raw = client.get_collection("raw", embedding_function=None)
start = time.perf_counter()
raw.query(query_embeddings=[vector], n_results=10, where={"user_id": "u"})
print((time.perf_counter() - start) * 1000)
"""


def _first_queries(folder: Path, query: str) -> dict[str, float]:
    """The first query of a fresh process, store open, on either side; best of three."""

    def run(code: str, path: Path) -> float:
        times = [
            float(
                subprocess.run(
                    [sys.executable, "-c", code, str(path), query],
                    capture_output=True,
                    text=True,
                    check=True,
                ).stdout
            )
            for _ in range(3)
        ]
        return median(times)

    ours = run(_FIRST_OURS, folder / "ours")
    theirs = run(_FIRST_RAW, folder / "raw")
    return {"first_ours_ms": ours, "first_raw_ms": theirs, "first_ratio": ours / theirs}


def bench_import() -> dict[str, float]:
    """``import dualmem_graph`` in a fresh interpreter, beside an empty one."""

    def run(code: str) -> float:
        return min(
            timed(lambda: subprocess.run([sys.executable, "-c", code], check=True))
            for _ in range(5)
        )

    return {"import_ms": run("import dualmem_graph") - run("pass")}


def main() -> None:
    """Run all and print one table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--adds", type=int, default=200)
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    versions = {"python": platform.python_version(), "chromadb": chromadb.__version__}
    results: dict[str, Any] = dict(versions)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        results["import"] = bench_import()
        results["add"] = bench_add(folder / "add", options.adds, wait=False)
        results["add_wait"] = bench_add(folder / "wait", options.adds, wait=True)
        results["search"] = bench_search(folder / "search", options.nodes)
    bars = [
        ("import dualmem_graph, ms", results["import"]["import_ms"], 100),
        ("add / raw add", results["add"]["ratio"], 1.5),
        ("add(wait=True) / raw add", results["add_wait"]["ratio"], 5.0),
        ("search / raw query", results["search"]["ratio"], 1.0),
        ("first search / raw first query", results["search"]["first_ratio"], 2.0),
        ("search after a write / search", results["search"]["after_write_ratio"], 1.25),
    ]
    for name, value, bar in bars:
        print(f"{name:34} {value:8.2f}   bar {bar:6.2f}   {'ok' if value <= bar else 'MISSED'}")
    print(json.dumps(results, indent=2))
    if options.out:
        options.out.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
