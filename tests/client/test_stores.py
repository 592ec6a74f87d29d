"""Group H: two processes, two clients, another embedder, a wrecked index, filters, no network."""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from answers import Open, texts

from dualmem_graph.errors import EmbeddingMismatchError, FilterError
from dualmem_graph.testing import HashEmbeddings


def _run(code: str, *args: str, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
        **options,
    )


_ADD_TWENTY = """
import sys
from dualmem_graph import SyncMemoryClient
from dualmem_graph.testing import HashEmbeddings

with SyncMemoryClient(storage_dir=sys.argv[1], embeddings=HashEmbeddings()) as memory:
    print("open", flush=True)
    for n in range(20):
        result = memory.add(f"I own a red kayak {n}.", user_id="u", session_id=f"s{n}", wait=True)
        print(result.status, flush=True)
"""


def test_two_processes_write_and_read_one_directory(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    memory.add("I own a loom.", user_id="u", wait=True)
    child = _run(_ADD_TWENTY, str(tmp_path / "store"))
    assert child.stdout is not None
    assert child.stdout.readline() == "open\n"

    for n in range(20):
        memory.add(f"I own a blue canoe {n}.", user_id="u", session_id=f"c{n}")
        assert memory.search("loom", user_id="u", top_k=1)[0].content == "User owns a loom."
    out, errors = child.communicate(timeout=120)

    assert child.returncode == 0, errors
    assert out.split() == ["stored"] * 20
    assert memory.flush() is True
    kept = texts(memory)
    assert sorted(text for text in kept if "kayak" in text) == sorted(
        f"User owns a red kayak {n}." for n in range(20)
    )
    assert len([text for text in kept if "canoe" in text]) == 20
    assert "kayak 7" in memory.search("red kayak 7", user_id="u", top_k=1)[0].content


def test_two_clients_on_one_directory_see_each_other(open_memory: Open) -> None:
    one, other = open_memory(), open_memory(retrieval_top_k=3)

    one.add("I own a kayak.", user_id="u", wait=True)
    assert [item.content for item in other.search("kayak", user_id="u")] == ["User owns a kayak."]
    other.delete(other.list(user_id="u")[0].memory_id, user_id="u")
    assert one.search("kayak", user_id="u") == []
    one.close()

    assert other.add("I own a loom.", user_id="u", wait=True).status == "stored"
    assert texts(other) == ["User owns a loom."]


def test_two_directories_share_nothing(open_memory: Open, tmp_path: Path) -> None:
    one, other = open_memory(), open_memory(storage_dir=tmp_path / "other")

    one.add("I own a kayak.", user_id="u", wait=True)

    assert other.list_scopes() == []
    assert other.search("kayak", user_id="u").known_user is False


class OtherEmbeddings(HashEmbeddings):
    """Another model of the same width."""


@pytest.mark.parametrize(
    "embeddings", [HashEmbeddings(32), OtherEmbeddings(64)], ids=["width", "name"]
)
def test_another_embedder_is_refused_by_name_and_loses_nothing(
    embeddings: HashEmbeddings, open_memory: Open
) -> None:
    memory = open_memory()
    memory.add("I own a kayak.", user_id="u", wait=True)
    memory.close()

    other = open_memory(embeddings=embeddings)
    for call in (
        lambda: other.add("I own a loom.", user_id="u"),
        lambda: other.search("kayak", user_id="u"),
        lambda: other.import_([{"content": "User owns a loom."}], user_id="u"),
        lambda: other.update(other.list(user_id="u")[0].memory_id, "User sails.", user_id="u"),
    ):
        with pytest.raises(EmbeddingMismatchError) as caught:
            call()
        assert "HashEmbeddings:64" in str(caught.value)
        assert f"{type(embeddings).__name__}:{embeddings.dim}" in str(caught.value)
    assert texts(other) == ["User owns a kayak."]
    other.close()

    by_word = open_memory(embeddings=embeddings, reader_mode="lexical")
    assert [item.content for item in by_word.search("kayak", user_id="u")] == ["User owns a kayak."]
    by_word.close()

    again = open_memory()
    assert [item.content for item in again.search("kayak", user_id="u")] == ["User owns a kayak."]
    assert again.stats(user_id="u")["nodes"] == 2


_IMPORT_MANY = """
import sys
from dualmem_graph import SyncMemoryClient
from dualmem_graph.testing import HashEmbeddings

memory = SyncMemoryClient(
    storage_dir=sys.argv[1], embeddings=HashEmbeddings(), vector_apply_delay=0.0
)
for start in range(0, 3000, 150):
    nodes = [{"content": f"User owns kayak number {n}."} for n in range(start, start + 150)]
    memory.import_(nodes, user_id="u")
    if start == 450:
        assert memory.flush()
    print(start + 150, flush=True)
"""
_LOOK_AGAIN = """
import json, sys
from dualmem_graph import SyncMemoryClient
from dualmem_graph.testing import HashEmbeddings

memory = SyncMemoryClient(
    storage_dir=sys.argv[1], embeddings=HashEmbeddings(), exact_scan_limit=0, vector_apply_delay=0.0
)
by_word = memory.search("kayak number 77", user_id="u", top_k=1)[0].content
flushed = memory.flush(timeout=100)
found = memory.search("User owns kayak number 33.", user_id="u", top_k=1)
status = memory.status()["index"]
total = memory.list(user_id="u", limit=1).total
memory.close()
print(json.dumps([by_word, flushed, found[0].content, status["state"], status["lag"],
                  status["searches"]["index"] > 0, total]))
"""


def test_a_wrecked_index_is_rebuilt_and_no_memory_is_lost(tmp_path: Path) -> None:
    store = tmp_path / "store"
    child = _run(_IMPORT_MANY, str(store))
    assert child.stdout is not None
    acknowledged = 0
    while acknowledged < 900:
        acknowledged = int(child.stdout.readline())
    child.send_signal(signal.SIGKILL)
    rest, _ = child.communicate(timeout=60)
    acknowledged = max([acknowledged, *(int(line) for line in rest.split() if line.isdecimal())])
    index_files = [path for path in store.rglob("*") if path.is_file() and path.parent != store]
    largest = max(index_files, key=lambda path: path.stat().st_size)
    largest.write_bytes(b"\x00" * largest.stat().st_size)

    looked = _run(_LOOK_AGAIN, str(store))
    out, errors = looked.communicate(timeout=150)

    assert looked.returncode == 0, errors
    by_word, flushed, found, state, lag, from_index, total = json.loads(out)
    assert (by_word, found) == ("User owns kayak number 77.", "User owns kayak number 33.")
    assert (flushed, state, lag, from_index) == (True, "ready", 0, True)
    assert total >= acknowledged
    assert total % 150 == 0


TWELVE: list[dict[str, Any]] = [
    {
        "content": f"kayak {n}",
        "session_id": f"s{n % 3}",
        "agent_id": f"a{n % 2}",
        "subject": ["user", "Ilka", "Tobin"][n % 3],
        "memory_type": ["semantic", "episodic", "procedural"][n % 3],
        "tags": [["red"], ["red", "old"], ["old", "石"], []][n % 4],
        "metadata": {"n": n, "even": n % 2 == 0, "kind": ["x", "y"][n % 2], "nil": None},
    }
    for n in range(12)
]
Oracle = Callable[[dict[str, Any]], bool]
FILTERS: list[tuple[dict[str, Any] | None, Oracle]] = [
    (None, lambda m: True),
    ({}, lambda m: True),
    ({"session_id": "s1"}, lambda m: m["session_id"] == "s1"),
    ({"session_id": ["s1"]}, lambda m: m["session_id"] == "s1"),
    ({"session_id": ["s0", "s2"]}, lambda m: m["session_id"] in ("s0", "s2")),
    ({"session_id": {"eq": "s1"}}, lambda m: m["session_id"] == "s1"),
    ({"session_id": {"in": ["s0", "s9"]}}, lambda m: m["session_id"] == "s0"),
    ({"session_id": {"in": []}}, lambda m: False),
    ({"session_id": []}, lambda m: False),
    ({"session_id": "nope"}, lambda m: False),
    ({"session_id": ""}, lambda m: True),
    ({"session_id": None}, lambda m: True),
    ({"agent_id": "a1"}, lambda m: m["agent_id"] == "a1"),
    (
        {"agent_id": "a1", "session_id": "s1"},
        lambda m: (m["agent_id"], m["session_id"]) == ("a1", "s1"),
    ),
    ({"subject": "Ilka"}, lambda m: m["subject"] == "Ilka"),
    ({"subject": ["Ilka", "Tobin"]}, lambda m: m["subject"] != "user"),
    ({"memory_type": "episodic"}, lambda m: m["memory_type"] == "episodic"),
    ({"memory_type": ["episodic", "semantic"]}, lambda m: m["memory_type"] != "procedural"),
    ({"tags": "red"}, lambda m: "red" in m["tags"]),
    ({"tags": ["red", "石"]}, lambda m: bool({"red", "石"} & set(m["tags"]))),
    ({"tags": []}, lambda m: False),
    ({"tags": ""}, lambda m: True),
    ({"tags": {"in": ["old"]}}, lambda m: "old" in m["tags"]),
    ({"metadata": {"n": 7}}, lambda m: m["metadata"]["n"] == 7),
    ({"metadata": {"n": [1, 2, 3]}}, lambda m: m["metadata"]["n"] in (1, 2, 3)),
    ({"metadata": {"even": True}}, lambda m: m["metadata"]["even"]),
    ({"metadata": {"even": False, "kind": "y"}}, lambda m: not m["metadata"]["even"]),
    ({"metadata": {"absent": 1}}, lambda m: False),
    ({"metadata": {"kind": {"in": []}}}, lambda m: False),
    (
        {"tags": "old", "agent_id": "a1", "metadata": {"kind": "y"}},
        lambda m: "old" in m["tags"] and m["agent_id"] == "a1",
    ),
    (
        {"tags": "old", "session_id": ["s0", "s1"], "subject": "user", "memory_type": "semantic"},
        lambda m: "old" in m["tags"] and m["session_id"] == "s0",
    ),
    ({"metadata": {}}, lambda m: True),
]


def test_filters_agree_with_plain_python(open_memory: Open) -> None:
    memory = open_memory()
    memory.import_(TWELVE, user_id="u")
    memory.import_([{"content": "kayak of another"}], user_id="other")

    for filters, oracle in FILTERS:
        found = memory.search("kayak", user_id="u", filters=filters, top_k=50)
        expected = sorted(item["content"] for item in TWELVE if oracle(item))
        assert sorted(item.content for item in found) == expected, filters


def test_filters_and_layers_and_times_go_together(open_memory: Open) -> None:
    memory = open_memory()
    for year, layer, tag in itertools.product((2023, 2024), ("L2_FACT", "L4_IDENTITY"), "ab"):
        node = {"content": f"kayak {year} {layer} {tag}", "layer": layer, "tags": [tag]}
        memory.import_([node | {"memory_at": f"{year}-06-01"}], user_id="u")

    found = memory.search(
        "kayak",
        user_id="u",
        layers=["L4"],
        filters={"tags": "b"},
        time_range=("2024-01-01", None),
    )

    assert [item.content for item in found] == ["kayak 2024 L4_IDENTITY b"]


def test_a_filter_finds_the_one_among_many(open_memory: Open) -> None:
    memory = open_memory()
    nodes: list[dict[str, Any]] = [{"content": f"kayak kayak {n}"} for n in range(400)]
    memory.import_([*nodes, {"content": "an old kayak", "tags": ["rare"]}], user_id="u")

    found = memory.search("kayak", user_id="u", filters={"tags": "rare"}, top_k=5)

    assert [item.content for item in found] == ["an old kayak"]


@pytest.mark.parametrize("filters", [{"$or": []}, {"tags": {"$in": ["a"]}}, {"content": "kayak"}])
def test_an_operator_that_does_not_exist_raises(filters: Any, open_memory: Open) -> None:
    with pytest.raises(FilterError, match=r"unknown|operators"):
        open_memory().search("kayak", user_id="u", filters=filters)


_NO_CHROMA = """
import json, sys
import dualmem_graph
assert "chromadb" not in sys.modules
from dualmem_graph import SyncMemoryClient
from dualmem_graph.testing import HashEmbeddings

with SyncMemoryClient(storage_dir=sys.argv[1], embeddings=HashEmbeddings()) as memory:
    added = memory.add("I own a kayak.", user_id="u", wait=True)
    found = memory.search("kayak", user_id="u")
    status = memory.status()["index"]
    print(json.dumps([added.status, found[0].content, status["state"], status["error"]]))
"""
_NO_NETWORK = """
import json, socket, sys
asked = []
real_lookup, real_connect = socket.getaddrinfo, socket.socket.connect
def lookup(host, *rest, **more):
    asked.append(str(host))
    return real_lookup(host, *rest, **more)
def connect(self, address):
    asked.append(str(address))
    return real_connect(self, address)
socket.getaddrinfo, socket.socket.connect = lookup, connect
from dualmem_graph import SyncMemoryClient

with SyncMemoryClient(storage_dir=sys.argv[1]) as memory:
    memory.add("I own a kayak.", user_id="u", wait=True)
    found = memory.search("which boat do I own?", user_id="u")
    print(json.dumps([found[0].content, memory.status()["index"]["state"], asked]))
"""


def test_a_broken_chromadb_costs_the_index_alone_and_says_what_to_do(tmp_path: Path) -> None:
    stub = tmp_path / "path" / "chromadb"
    stub.mkdir(parents=True)
    (stub / "__init__.py").write_text(
        "raise RuntimeError('Your system has an unsupported version of sqlite3')"
    )

    child = _run(_NO_CHROMA, str(tmp_path / "store"), env={"PYTHONPATH": str(stub.parent)})
    out, errors = child.communicate(timeout=120)

    assert child.returncode == 0, errors
    status, found, state, error = json.loads(out)
    assert (status, found, state) == ("stored", "User owns a kayak.", "unavailable")
    assert "unsupported version of sqlite3" in error
    assert "chromadb" in error
    assert "Traceback" not in errors


def test_nothing_leaves_the_machine_and_nothing_is_said_of_telemetry(tmp_path: Path) -> None:
    child = _run(_NO_NETWORK, str(tmp_path / "store"))
    out, errors = child.communicate(timeout=120)

    assert child.returncode == 0, errors
    content, state, asked = json.loads(out)
    assert (content, state) == ("User owns a kayak.", "ready")
    assert asked == []
    assert errors == ""
