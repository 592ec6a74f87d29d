"""The ledger: creation, versions, locks, processes, and the triggers beneath everything."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ledger_world import ANNA, BEN, World, settings_in

from dualmem_graph.errors import (
    ClosedError,
    ConfigError,
    SchemaVersionError,
    StoreError,
    StoreLockedError,
)
from dualmem_graph.storage import migrations
from dualmem_graph.storage.ledger import LEDGER_FILE, Ledger
from dualmem_graph.storage.store import MemoryStore

FIXTURES = Path(__file__).parent.parent / "fixtures"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    ledger = Ledger(tmp_path / "new" / LEDGER_FILE, settings_in(tmp_path))
    yield ledger
    ledger.close()


def schema_of(path: Path) -> set[tuple[str, str, str]]:
    with sqlite3.connect(path) as conn:
        rows = {
            (kind, name, " ".join((sql or "").split()).replace("( ", "(").replace(" )", ")"))
            for kind, name, sql in conn.execute(
                "SELECT type, name, sql FROM sqlite_master WHERE tbl_name <> 'alembic_version'"
            )
        }
    conn.close()
    return rows


def test_a_ledger_is_private_and_made_on_first_use(ledger: Ledger) -> None:
    assert ledger.path is not None
    assert not ledger.path.parent.exists()
    ledger.set_meta("colour", "blue")
    assert ledger.meta("colour") == "blue"
    assert stat.S_IMODE(ledger.path.parent.stat().st_mode) == 0o700
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in ledger.path.parent.iterdir()}
    assert modes == dict.fromkeys(modes, 0o600)


def test_the_database_is_set_up_to_survive_power_loss(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / LEDGER_FILE, settings_in(tmp_path, sqlite_synchronous="FULL"))
    with ledger.read() as conn:
        found = {
            name: conn.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys", "secure_delete")
        }
    ledger.close()
    assert found == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "secure_delete": 1,
    }


def test_alembic_arrives_where_a_fresh_ledger_starts(ledger: Ledger, tmp_path: Path) -> None:
    ledger.open()
    shutil.copytree(FIXTURES / "store_v1", tmp_path / "old")
    old = Ledger(tmp_path / "old" / LEDGER_FILE, settings_in(tmp_path))
    old.open()
    with old.read() as conn:
        version = conn.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one()
    old.close()
    assert version == migrations.HEAD
    assert ledger.path is not None
    assert old.path is not None
    assert schema_of(old.path) == schema_of(ledger.path)


def test_opening_a_current_ledger_does_not_import_alembic(tmp_path: Path) -> None:
    code = (
        "import sys; from dualmem_graph.config import Settings;"
        "from dualmem_graph.storage.store import MemoryStore;"
        f"MemoryStore.open(Settings(storage_dir={str(tmp_path)!r}, vector_index='off')).close();"
        "print([name for name in ('alembic', 'chromadb', 'langchain_core') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("version", ["0003", "9999", "abc"])
def test_a_newer_schema_is_refused_by_name(ledger: Ledger, version: str) -> None:
    ledger.open()
    with ledger.write() as conn:
        conn.exec_driver_sql("UPDATE alembic_version SET version_num = ?", (version,))
    assert ledger.path is not None
    other = Ledger(ledger.path, ledger.settings)
    with pytest.raises(SchemaVersionError, match=f"'{version}'.*'{migrations.HEAD}'.*upgrade"):
        other.open()


def test_what_is_no_ledger_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / LEDGER_FILE
    path.write_text("These are my notes. " * 100)
    with pytest.raises(StoreError, match="not a database"):
        Ledger(path, settings_in(tmp_path)).open()
    assert path.read_text().startswith("These are my notes.")


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="storage_dir"):
        Ledger(tmp_path / "file" / LEDGER_FILE, settings_in(tmp_path)).open()


@pytest.mark.parametrize("url", ["mysql://localhost/x", "sqlite://", "sqlite:///:memory:"])
def test_a_database_that_cannot_be_a_ledger_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(ConfigError, match="sqlite:///path"):
        Ledger(url, settings_in(tmp_path))


def test_another_process_that_writes_too_long_is_reported(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / LEDGER_FILE, settings_in(tmp_path, lock_timeout=0.05))
    ledger.open()
    other = sqlite3.connect(tmp_path / LEDGER_FILE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(StoreLockedError, match=r"ledger\.db for more than 0\.05 s.*try again"):
            ledger.set_meta("colour", "blue")
        assert ledger.meta("colour") is None
    finally:
        other.execute("ROLLBACK")
        other.close()
    ledger.set_meta("colour", "blue")
    ledger.close()


def test_another_thread_that_writes_too_long_is_reported(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / LEDGER_FILE, settings_in(tmp_path, lock_timeout=0.05))
    caught: list[BaseException] = []

    def write() -> None:
        try:
            ledger.set_meta("colour", "red")
        except StoreLockedError as error:
            caught.append(error)

    with ledger.write() as conn:
        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
        conn.exec_driver_sql("INSERT INTO meta VALUES ('colour', 'blue')")
    assert len(caught) == 1
    assert ledger.meta("colour") == "blue"
    ledger.close()


def test_a_failed_write_leaves_nothing(ledger: Ledger) -> None:
    def fail() -> None:
        with ledger.write() as conn:
            conn.exec_driver_sql("INSERT INTO meta VALUES ('colour', 'blue')")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert ledger.meta("colour") is None
    ledger.set_meta("colour", "red")


def test_opening_does_not_wait_for_a_writer(ledger: Ledger) -> None:
    assert ledger.path is not None
    ledger.set_meta("colour", "red")
    other = Ledger(ledger.path, ledger.settings.model_copy(update={"lock_timeout": 0.05}))
    with ledger.write():
        assert other.meta("colour") == "red"
    other.close()


def test_a_reader_sees_one_moment(ledger: Ledger) -> None:
    ledger.set_meta("colour", "red")
    query = "SELECT value FROM meta WHERE key = 'colour'"
    with ledger.read() as conn:
        assert conn.exec_driver_sql(query).scalar_one() == "red"
        ledger.set_meta("colour", "blue")
        assert conn.exec_driver_sql(query).scalar_one() == "red"
    assert ledger.meta("colour") == "blue"


def test_a_closed_ledger_says_so(ledger: Ledger) -> None:
    ledger.open()
    ledger.close()
    with pytest.raises(ClosedError, match="open the store again"):
        ledger.meta("colour")


def test_triggers_hold_whoever_writes(world: World) -> None:
    mine, other = world.keep("likes tea"), world.keep("likes milk")
    foreign = world.keep("likes coffee", scope=BEN)
    info = world.store.scope_info(ANNA)
    assert info is not None
    conn = sqlite3.connect(world.settings.storage_dir / LEDGER_FILE)
    insert = "INSERT INTO edges VALUES (?, 'SUPERSEDES', ?, ?, NULL, NULL, 0)"
    for src, dst, message in (
        (mine, mine, "itself"),
        (mine, foreign, "two scopes"),
        (foreign, mine, "two scopes"),
    ):
        with pytest.raises(sqlite3.IntegrityError, match=message):
            conn.execute(insert, (src, dst, info.id))
    conn.execute(insert, (mine, other, info.id))
    with pytest.raises(sqlite3.IntegrityError, match="two scopes"):
        conn.execute("UPDATE edges SET dst = ?", (foreign,))
    conn.rollback()
    conn.close()


def test_check_names_what_is_broken(tmp_path: Path) -> None:
    world = World(tmp_path)
    id_ = world.keep("likes tea")
    with world.store.ledger.write() as conn:
        conn.exec_driver_sql("UPDATE nodes SET status = 'SUPERSEDED'")
        conn.exec_driver_sql("DELETE FROM full_text")
        conn.exec_driver_sql("DELETE FROM history")
    assert world.store.check() == [
        f"{id_}: is SUPERSEDED without a successor (rule 2)",
        f"{id_}: is current and has an end, or is not and has none (rule 8)",
        f"{id_}: has no ADD in its history",
        f"{id_}: is not in full text, or is and must not be",
    ]
    world.store.close()


# --- several processes


def _start(task: Callable[[], object]) -> int:
    """Start something in a forked child; answers its process id."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            task()
            code = 0
        finally:
            os._exit(code)
    return child


def _end(child: int) -> int:
    """Wait for a forked child; answers its exit code."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _fork(task: Callable[[], object]) -> int:
    return _end(_start(task))


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_processes_that_start_at_once_make_one_ledger(tmp_path: Path) -> None:
    def add(name: str) -> None:
        world = World(tmp_path / "store")
        for n in range(5):
            world.keep(f"fact {n} of {name}")
        assert world.store.check() == []

    children = [_start(lambda name=name: add(name)) for name in "abcd"]  # type: ignore[misc]
    assert [_end(child) for child in children] == [0] * 4
    world = World(tmp_path / "store")
    assert len(world.current()) == 20
    world.store.close()


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_writes_through_connections_of_its_own(world: World) -> None:
    world.keep("before the fork")
    assert _fork(lambda: world.keep("from the child")) == 0
    world.keep("after the fork")
    assert world.current() == ["before the fork", "from the child", "after the fork"]


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_while_another_thread_writes_hurts_neither(world: World) -> None:
    def write() -> None:
        started.set()
        for n in range(30):
            world.keep(f"parent {n}")

    started = threading.Event()
    thread = threading.Thread(target=write)
    thread.start()
    started.wait()
    codes = [_fork(lambda n=n: world.keep(f"child {n}")) for n in range(5)]  # type: ignore[misc]
    thread.join()
    assert codes == [0] * 5
    assert len(world.current()) == 35


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_within_a_write_can_still_read(ledger: Ledger) -> None:
    def read() -> None:
        assert ledger.meta("colour") is None

    with ledger.write() as conn:
        conn.exec_driver_sql("INSERT INTO meta VALUES ('colour', 'blue')")
        code = _fork(read)
    assert code == 0
    assert ledger.meta("colour") == "blue"


def test_a_version_1_store_opens(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "store_v1", tmp_path / "store")
    store = MemoryStore.open(settings_in(tmp_path / "store"))
    assert store.check() == []
    page = store.list_nodes(ANNA, newest_first=False)
    assert [node.content for node in page.nodes] == [
        "I moved from Beijing to Shanghai last week.",
        "我喜欢喝咖啡 👍",
        "User lives in Shanghai.",
        "用户喜欢喝咖啡。",
    ]
    shanghai = page.nodes[2].id
    (link,) = store.chains(ANNA, [shanghai])[shanghai]
    assert link.node.content == "User lives in Beijing."
    assert [hit.node_id for hit in store.lexical(ANNA, ["咖啡"], 5).hits]
    assert [(job.kind, job.state) for job in store.jobs.list()] == [("reconcile", "queued")]
    assert store.update(ANNA, shanghai, "User lives in Hangzhou.").content
    assert store.check() == []
    store.close()
