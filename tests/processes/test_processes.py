"""Several processes on one store: no error, nothing lost, nothing stale, nothing doubled."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from uuid import uuid4

from process_child import acknowledged

from dualmem_graph import SyncMemoryClient
from dualmem_graph.testing import HashEmbeddings

CHILD = Path(__file__).with_name("process_child.py")
_PATIENCE = 120


def run(roles: list[str], seconds: float, folder: Path, settings: dict[str, Any]) -> Counter[str]:
    """Let processes work at the same time; answers how often each role did its thing."""
    command = [sys.executable, str(CHILD)]
    children = [
        subprocess.Popen(
            [*command, role, str(n), str(seconds), str(folder), _settings_of(role, settings)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for n, role in enumerate(roles)
    ]
    done: Counter[str] = Counter()
    told = []
    for role, child in zip(roles, children, strict=True):
        out, err = child.communicate(timeout=seconds + _PATIENCE)
        assert child.returncode == 0, err
        lines = [json.loads(line) for line in out.splitlines()]
        told += [line for line in lines if "wrong" in line]
        done[role] += lines[-1]["done"]
    assert told == []
    return done


def _settings_of(role: str, settings: dict[str, Any]) -> str:
    return json.dumps({"job_workers": 2 if role == "work" else 0, **settings})


def check(folder: Path, settings: dict[str, Any]) -> None:
    """All that was acknowledged is there once, in chains that hold, and found."""
    with SyncMemoryClient(
        storage_dir=folder / "store", embeddings=HashEmbeddings(), job_workers=0, **settings
    ) as memory:
        assert memory.flush(timeout=_PATIENCE) is True
        assert memory._resources.store.check() == []
        lines = acknowledged(folder)
        gone = {line["gone"] for line in lines}
        for user in {line["user"] for line in lines}:
            said = {line["text"] for line in lines if line["user"] == user}
            expected = sorted(said - gone - {None})
            page = memory.list(user_id=user, limit=1000)
            assert page.cursor is None
            assert sorted(item.content for item in page) == expected
            for text in expected[:: max(1, len(expected) // 20)]:
                found = memory.search(text, user_id=user)
                assert text in [item.content for item in found]
        (home,) = memory.list(user_id="everybody", layers=["L2"])
        assert home.head_id == home.memory_id
        assert set(memory.stats()["jobs"]) == {"done"}
        found_in_index = memory.index_check(timeout=_PATIENCE)
        assert found_in_index.ok, found_in_index


def test_four_processes_share_a_directory_for_twenty_seconds(tmp_path: Path) -> None:
    settings = {"exact_scan_limit": 50, "vector_apply_delay": 0.2, "vector_poll_interval": 0.5}
    done = run(["write", "write", "read", "work"], 20, tmp_path, settings)
    assert min(done.values()) >= 5, done
    check(tmp_path, settings)


def test_workers_and_interfaces_share_postgresql_and_a_chroma_server(
    tmp_path: Path, postgres_url: str, chroma_server: str
) -> None:
    settings = {
        "ledger_url": postgres_url,
        "chroma_url": chroma_server,
        "chroma_database": f"db-{uuid4().hex[:8]}",
        "exact_scan_limit": 50,
        "vector_apply_delay": 0.2,
        "vector_poll_interval": 0.5,
    }
    done = run(["write", "write", "work", "work", "read"], 10, tmp_path, settings)
    assert min(done.values()) >= 2, done
    check(tmp_path, settings)
