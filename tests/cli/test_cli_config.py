"""``config show`` and ``config init``."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
import yaml

from dualmem_graph.cli import main
from dualmem_graph.config import Settings


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DUAL_MEM_STORAGE_DIR", str(tmp_path / "store"))
    return tmp_path / "store"


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, dict[str, object]]:
    assert main(["config", "show", "--json", *arguments]) == 0
    settings: dict[str, dict[str, object]] = json.loads(capsys.readouterr().out)["settings"]
    return settings


def test_every_setting_is_shown_with_where_it_comes_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "config.yaml").write_text("retrieval_top_k: 7\n", encoding="utf-8")
    monkeypatch.setenv("DUAL_MEM_BM25_B", "0.5")

    rows = shown(capsys, "--storage-dir", str(other))

    assert list(rows) == list(Settings.model_fields)
    assert rows["storage_dir"] == {"value": str(other), "source": "argument"}
    assert rows["bm25_b"] == {"value": 0.5, "source": "environment"}
    assert rows["retrieval_top_k"] == {"value": 7, "source": "file"}
    assert rows["bm25_k1"] == {"value": 1.5, "source": "default"}
    assert rows["llm_max_output_tokens"] == {"value": 2048, "source": "default"}


def test_no_secret_is_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DUAL_MEM_LLM_API_KEY", "marked-key")
    monkeypatch.setenv("DUAL_MEM_EMBED_API_KEY", "marked-key")
    monkeypatch.setenv("DUAL_MEM_LEDGER_URL", "postgresql+psycopg://me:marked-key@db:5432/memory")
    monkeypatch.setenv("DUAL_MEM_LLM_BASE_URL", "https://host/v1?key=marked-key&v=marked-key")
    monkeypatch.setenv("DUAL_MEM_LLM_MODEL", "m")
    monkeypatch.setenv(
        "DUAL_MEM_LLM_EXTRA_BODY",
        '{"headers": {"Authorization": "marked-key"}, "think": false, "my_token": ["marked-key"]}',
    )

    rows = shown(capsys)

    assert "marked-key" not in json.dumps(rows)
    assert rows["llm_api_key"] == {"value": "********", "source": "environment"}
    assert rows["ledger_url"]["value"] == "postgresql+psycopg://********@db:5432/memory"
    assert rows["llm_base_url"]["value"] == "https://host/v1?key=********&v=********"
    assert rows["llm_extra_body"]["value"] == {
        "headers": {"Authorization": "********"},
        "think": False,
        "my_token": ["********"],
    }
    assert main(["config", "show"]) == 0
    assert "marked-key" not in capsys.readouterr().out


def test_unset_secrets_are_shown_as_unset(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys)["llm_api_key"] == {"value": None, "source": "default"}


def test_a_mistyped_setting_is_named_with_the_nearest(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DUAL_MEM_LLM_MODLE", "m")

    assert main(["config", "show"]) == 2

    err = capsys.readouterr().err
    assert "'llm_modle'" in err
    assert "did you mean 'llm_model'?" in err


def test_init_writes_a_private_file_with_every_key(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config", "init"]) == 0

    path = store / "config.yaml"
    text = path.read_text(encoding="utf-8")
    assert capsys.readouterr().out == f"wrote {path}\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(store.stat().st_mode) == 0o700
    assert yaml.safe_load(text) is None
    assert all(f"#{key}:" in text for key in Settings.model_fields)
    assert main(["config", "init", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"path": str(path)}


def test_init_does_not_write_over_a_changed_file_unless_told(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.mkdir()
    path = store / "config.yaml"
    path.write_text("retrieval_top_k: 7\n", encoding="utf-8")

    assert main(["config", "init"]) == 1
    assert "--force" in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == "retrieval_top_k: 7\n"

    assert main(["config", "init", "--force"]) == 0
    assert yaml.safe_load(path.read_text(encoding="utf-8")) is None
