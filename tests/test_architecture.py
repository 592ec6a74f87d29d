"""Arrows between modules point down only, and importing the package costs next to nothing."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "dualmem_graph"

#: From the ground up; a module may import from its own level and from those above it in this list.
LEVELS = [
    ["errors", "_version"],
    ["types"],
    ["config", "scope"],
    ["text"],
    ["providers", "storage", "testing"],
    ["resources"],
    ["storage.tools"],
    ["system1", "recall"],
    ["validation"],
    ["background", "portability", "pending"],
    ["operations"],
    ["client", "contracts", "migration"],
    ["demo"],
    ["cli"],
]
_LEVEL = {name: level for level, names in enumerate(LEVELS) for name in names}
#: Siblings of one level that know nothing of each other.
_APART = [{"providers", "storage"}, {"system1", "recall"}]


def _unit(module: str) -> str:
    parts = module.split(".")
    return ".".join(parts[:2]) if ".".join(parts[:2]) in _LEVEL else parts[0]


def _module(path: Path) -> str:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(path: Path) -> set[str]:
    """Modules of the package that a file imports when it runs (not for type checking alone)."""
    found = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for child in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dualmem_graph"):
            base = (node.module or "").removeprefix("dualmem_graph").lstrip(".")
            for alias in node.names:
                full = f"{base}.{alias.name}".lstrip(".")
                is_module = (ROOT / full.replace(".", "/")).with_suffix(".py").exists()
                is_package = (ROOT / full.replace(".", "/")).is_dir()
                found.add(full if is_module or is_package else base)
        elif isinstance(node, ast.Import):
            found |= {
                alias.name.removeprefix("dualmem_graph.")
                for alias in node.names
                if alias.name.startswith("dualmem_graph.")
            }
    return {name for name in found if name}


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=_module)
def test_arrows_between_modules_point_down(path: Path) -> None:
    module = _module(path)
    if not module or "migrations" in module:
        return
    unit = _unit(module)
    assert unit in _LEVEL, f"{unit} has no level yet: give it a place in LEVELS"
    for target in _imports(path):
        other = _unit(target)
        if other == unit:
            continue
        assert _LEVEL[other] <= _LEVEL[unit], f"{module} imports {target}, which is above it"
        assert not any({unit, other} <= pair for pair in _APART), f"{module} imports {target}"


def test_importing_the_package_imports_nothing_heavy() -> None:
    heavy = ["chromadb", "sklearn", "openai", "langchain_openai", "langgraph", "numpy", "pydantic"]
    code = f"import sys, dualmem_graph\nprint([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_opening_and_writing_imports_no_index_model_or_clustering_on_the_way(
    tmp_path: Path,
) -> None:
    code = (
        "import sys\n"
        "from dualmem_graph import SyncMemoryClient\n"
        "from dualmem_graph.testing import HashEmbeddings\n"
        f"m = SyncMemoryClient(storage_dir={str(tmp_path)!r}, embeddings=HashEmbeddings(),"
        " job_workers=0, vector_index='off')\n"
        "m.add('I keep bees.', user_id='u')\n"
        "m.search('bees', user_id='u')\n"
        "print([n for n in ('chromadb','sklearn','openai','langchain_openai','dateparser')"
        " if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_graphs_keep_their_names_whatever_was_imported_first() -> None:
    code = (
        "import dualmem_graph.system1.state, dualmem_graph.recall.request, dualmem_graph.client\n"
        "from dualmem_graph import recall, system1\n"
        "import dualmem_graph.system1.graph\n"
        "from dualmem_graph.system1 import messages\n"
        "print(type(recall).__name__, type(system1).__name__, dualmem_graph.system1.name)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["CompiledStateGraph", "CompiledStateGraph", "system1"]
