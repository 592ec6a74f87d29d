"""All settings, their defaults and what they mean: one place.

Order of precedence: keyword arguments, environment (``DUAL_MEM_*``), ``config.yaml`` in the
storage directory, defaults. An unknown key is refused with the nearest known name.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from dualmem_graph.errors import ConfigError

ENV_PREFIX = "DUAL_MEM_"
CONFIG_FILE = "config.yaml"
#: Written at first start: every key, its meaning and its default.
DEFAULTS_FILE = "config.default.yaml"


class Settings(BaseSettings):
    """Every number and switch that a user may turn.

    Raises:
        ConfigError: for an unknown key or a value of the wrong form.

    >>> Settings(retrieval_top_k=5).retrieval_top_k
    5
    """

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX, extra="forbid", frozen=True, validate_default=True
    )

    # --- where
    mode: Literal["system1", "dual"] = Field(
        "dual", description="dual: System1 and System2; system1: the write path alone"
    )
    storage_dir: Path = Field(Path(".dual_mem_data"), description="directory of the embedded store")
    ledger_url: str | None = Field(
        None, description="SQLAlchemy URL of the ledger; default: SQLite in storage_dir"
    )
    chroma_url: str | None = Field(
        None,
        description="http(s)://host:port of a Chroma server; unset: embedded, in storage_dir. It "
        "has no authentication of its own: put a proxy before it",
    )
    chroma_tenant: str = Field("default_tenant", description="tenant at that server")
    chroma_database: str = Field("default_database", description="database of that tenant")
    chroma_token: SecretStr | None = Field(
        None, description="sent to that server as a bearer token, for the proxy before it"
    )
    chroma_timeout: float = Field(30.0, gt=0, description="seconds for one request to that server")
    default_app_id: str = Field("default", description="app_id of calls that name none")

    # --- chat model
    llm_base_url: str | None = Field(None, description="OpenAI-compatible endpoint")
    llm_api_key: SecretStr | None = Field(None, description="key of that endpoint, if it wants one")
    llm_model: str | None = Field(None, description="model name; unset: the rules form, no model")
    llm_temperature: float = Field(0.0, ge=0, le=2, description="sampling temperature")
    llm_structured_output: Literal[
        "auto", "json_schema", "function_calling", "json_mode", "text"
    ] = Field("auto", description="first step of the structured-output ladder")
    llm_timeout: float = Field(120.0, gt=0, description="seconds for one model call")
    llm_max_retries: int = Field(
        2, ge=0, le=10, description="retries of a call that met 408, 429, 5xx or no connection"
    )
    llm_max_retry_wait: float = Field(
        30.0, ge=0, description="longest seconds to honour of a Retry-After"
    )
    llm_context_window: int = Field(
        8192, ge=1024, description="tokens the model takes, prompt and answer"
    )
    llm_max_output_tokens: int = Field(2048, ge=64, description="tokens of one answer")
    llm_extra_body: dict[str, Any] = Field(
        default_factory=dict,
        description="sent along with each request, e.g. to switch thinking off",
    )

    # --- embedder
    embed_base_url: str | None = Field(
        None, description="OpenAI-compatible embeddings endpoint; unset: the embedded embedder"
    )
    embed_api_key: SecretStr | None = Field(None, description="key of that endpoint")
    embed_model: str | None = Field(None, description="model name at that endpoint")
    embed_dim: int | None = Field(None, ge=1, description="width of its vectors; unset: asked once")
    embed_batch_size: int = Field(16, ge=1, description="texts in one request")
    embed_max_chars: int = Field(
        2000,
        ge=64,
        description="characters in one text; longer ones are embedded in parts and averaged",
    )
    embed_timeout: float = Field(60.0, gt=0, description="seconds for one request")
    embed_max_retries: int = Field(3, ge=0, le=10, description="retries of a refused request")
    embed_max_retry_wait: float = Field(
        30.0, ge=0, description="longest seconds to honour of the embedder's Retry-After"
    )
    embed_cache_size: int = Field(4096, ge=0, description="texts whose vectors are kept in memory")

    # --- limits (bad input is refused, never cut)
    max_content_chars: int = Field(250_000, ge=1, description="characters of one message")
    max_messages: int = Field(1000, ge=1, description="messages in one add")
    max_tags: int = Field(16, ge=0, description="tags of one memory")
    max_tag_chars: int = Field(64, ge=1, description="characters of one tag")
    max_metadata_bytes: int = Field(16_384, ge=2, description="JSON bytes of one memory's metadata")
    max_metadata_depth: int = Field(4, ge=1, description="nesting of one memory's metadata")
    max_query_chars: int = Field(16_000, ge=1, description="characters of a query")
    max_top_k: int = Field(200, ge=1, description="largest top_k")

    # --- System1
    gate_threshold: float = Field(
        0.3, ge=0, le=1, description="weighted gate score a turn must exceed to be drawn from"
    )
    recent_messages_k: int = Field(
        6, ge=0, description="earlier turns of the session shown to the extractor as context"
    )
    dedup_window: float = Field(
        300.0, ge=0, description="seconds within which the same text in a session is a retry"
    )
    duplicate_similarity: float = Field(
        0.97, ge=0, le=1, description="cosine from which two statements may be the same one"
    )
    extract_max_items: int = Field(
        20, ge=1, description="most statements drawn from one user turn; the rest is reported"
    )
    extract_assistant_chars: int = Field(
        1200, ge=0, description="characters kept of an assistant turn in the prompt"
    )
    extract_history_context_ratio: float = Field(
        0.25, ge=0, le=0.9, description="share of the prompt that earlier turns may take"
    )
    extract_retry_on_failure: int = Field(
        1, ge=0, le=5, description="repair tries of an unusable answer, with the error fed back"
    )
    remember_assistant: bool = Field(
        True, description="keep the assistant's own commitments, marked as the assistant's"
    )
    language: Literal["auto", "en", "zh"] = Field(
        "auto", description="language of memories; auto: that of the user's turns"
    )
    timezone: str | None = Field(
        None, description="IANA zone for words like today; unset: the message's offset, then UTC"
    )
    redact_secrets: bool = Field(
        True, description="replace keys, tokens and passwords before anything is stored"
    )
    reconcile_sync: bool = Field(False, description="reconcile within add instead of as a job")
    reconcile_policy: Literal["balanced", "conservative"] = Field(
        "balanced", description="conservative never merges two statements into one"
    )
    reconcile_candidates: int = Field(
        8, ge=1, le=50, description="current memories shown per new statement"
    )
    reconcile_min_similarity: float = Field(
        0.40,
        ge=0,
        le=1,
        description="cosine from which a memory is a candidate (ENDPOINTS: recall first)",
    )

    # --- recall
    reader_mode: Literal["hybrid", "semantic", "lexical"] = Field(
        "hybrid", description="which anchors score"
    )
    retrieval_top_k: int = Field(10, ge=1, description="results of a search that names no top_k")
    hybrid_w_sem: float = Field(0.6, ge=0, le=1, description="weight of the semantic score")
    hybrid_w_bm25: float = Field(0.4, ge=0, le=1, description="weight of the lexical score")
    hybrid_overfetch_multiplier: int = Field(
        5, ge=1, description="candidates per anchor as a multiple of top_k (at least 50)"
    )
    hybrid_evidence_boost_max: float = Field(0.3, ge=0, description="largest boost of a schema")
    hybrid_evidence_saturate: int = Field(5, ge=1, description="evidence count of that boost")
    bm25_k1: float = Field(1.5, ge=0, description="BM25 term saturation")
    bm25_b: float = Field(0.75, ge=0, le=1, description="BM25 length normalisation")
    recall_min_similarity: float = Field(
        0.12, ge=0, le=1, description="cosine below which a match by meaning alone is no answer"
    )
    recall_min_score: float = Field(
        0.15,
        ge=0,
        le=1,
        description="score that the best match must reach where a query names nobody known",
    )
    recall_tail_share: float = Field(
        0.4,
        ge=0,
        le=1,
        description="share of the best score below which a match by meaning alone is left out",
    )
    recall_boost_slot: float = Field(
        0.15,
        ge=0,
        le=1,
        description="added to a statement about what is asked for, e.g. home for 'where do I live'",
    )
    recall_boost_time: float = Field(
        0.2, ge=0, le=1, description="added to what happened, or was said, when the query says"
    )
    recall_boost_speaker: float = Field(
        0.07, ge=0, le=1, description="added to what was said by, or of, the one the query names"
    )
    recall_boost_plan: float = Field(
        0.3, ge=0, le=1, description="added to an intention where plans are asked for"
    )
    recall_question_factor: float = Field(
        0.7,
        ge=0,
        le=1,
        description="what a turn that only asks keeps of its score where a question is asked",
    )
    recall_statement_share: float = Field(
        0.5,
        ge=0,
        le=1,
        description="share of a turn's score from which a statement drawn from it stands for it",
    )
    recall_same_turn_factor: float = Field(
        0.85, ge=0, le=1, description="what a turn's second statement keeps of its score"
    )
    recall_conversation_chars: int = Field(
        4000,
        ge=1,
        description="characters of a conversation that are its query, latest turns first",
    )
    recall_focus_tokens: int = Field(
        80, ge=1, description="tokens from which only the last question of a long query counts"
    )
    context_max_tokens: int = Field(1000, ge=50, description="token budget of the context block")

    # --- storage
    sqlite_synchronous: Literal["FULL", "NORMAL"] = Field(
        "FULL", description="FULL survives power loss; NORMAL may lose the last commits then"
    )
    lock_timeout: float = Field(30.0, gt=0, description="seconds to wait for another writer")
    ledger_connections: int = Field(
        20,
        ge=2,
        description="connections of one process to the ledger; a server takes a limited number",
    )
    vector_index: Literal["auto", "off"] = Field(
        "auto", description="off: no Chroma at all, exact scans only"
    )
    vector_buckets: int = Field(64, ge=1, le=1024, description="hash buckets of scopes in Chroma")
    exact_scan_limit: int = Field(
        20_000,
        ge=0,
        description="vectors of a scope up to which an exact product is cheaper than Chroma",
    )
    vector_timeout: float = Field(
        2.0, gt=0, description="seconds before a query falls back to the scan"
    )
    vector_apply_delay: float = Field(
        2.0, ge=0, description="seconds that writes gather before they are applied to Chroma"
    )
    vector_poll_interval: float = Field(
        5.0,
        gt=0,
        description="seconds between looks at what other processes wrote and who owns the index",
    )
    vector_renew_delay: float = Field(
        60.0,
        ge=0,
        description="seconds after a purge before a large index is built anew without its vectors",
    )
    index_check_interval: float = Field(
        24.0, ge=0, description="hours between comparisons of the index with the ledger; 0: never"
    )
    vector_cache_mb: int = Field(
        256, ge=0, description="memory for the vectors of recently read scopes"
    )
    job_lease: float = Field(120.0, gt=0, description="seconds a running job may stay silent")
    job_max_attempts: int = Field(5, ge=1, description="attempts before a job is parked")
    job_backoff: float = Field(2.0, ge=0, description="seconds before the first retry; doubles")
    job_workers: int = Field(2, ge=0, description="threads for background jobs; 0: only on flush")
    close_timeout: float = Field(
        10.0, ge=0, description="seconds that close() waits for work under way"
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, then environment; the file is merged in :func:`load_settings`."""
        return init_settings, env_settings

    @field_validator("default_app_id")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("must not be blank")
        return value

    @field_validator("chroma_url")
    @classmethod
    def _server_address(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"https?://[^/?#@\s:]+(:\d+)?/?", value):
            raise ValueError(
                "write http://host:port or https://host:port, without a user or a token "
                "(that goes into chroma_token)"
            )
        return None if value is None else value.rstrip("/")

    @field_validator("chroma_tenant", "chroma_database")
    @classmethod
    def _name_on_server(cls, value: str) -> str:
        if not re.fullmatch(r"[A-Za-z0-9._-]{3,512}", value):
            raise ValueError("takes 3 to 512 of A-Z, a-z, 0-9, dot, hyphen and underscore")
        return value

    @field_validator("chroma_token")
    @classmethod
    def _fits_a_header(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not re.fullmatch(r"[!-~]+", value.get_secret_value()):
            raise ValueError("may hold neither blanks nor other than ASCII characters")
        return value

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str | None) -> str | None:
        if value is not None:
            from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

            try:
                ZoneInfo(value)
            except (ZoneInfoNotFoundError, ValueError) as error:
                raise ValueError(
                    f"unknown time zone {value!r}; use a name like Asia/Shanghai"
                ) from error
        return value

    @model_validator(mode="after")
    def _models_are_named(self) -> Settings:
        if self.llm_base_url and not self.llm_model:
            raise ValueError("llm_base_url is set but llm_model is not; name the model")
        if self.embed_base_url and not self.embed_model:
            raise ValueError("embed_base_url is set but embed_model is not; name the model")
        if self.hybrid_w_sem + self.hybrid_w_bm25 <= 0:
            raise ValueError("hybrid_w_sem and hybrid_w_bm25 are both 0; give one a weight")
        return self


def load_settings(**given: Any) -> Settings:
    """Build :class:`Settings` from arguments, environment and the store's ``config.yaml``.

    Raises:
        ConfigError: for an unknown key (with the nearest known one), a value of the wrong form,
            or a file that is not a YAML mapping.
    """
    _refuse_unknown(given, "argument")
    _refuse_unknown(
        {
            name[len(ENV_PREFIX) :].lower()
            for name in os.environ
            if name.startswith(ENV_PREFIX) and not name.startswith(f"{ENV_PREFIX}TEST_")
        },
        "environment variable",
    )
    directory = Path(
        given.get("storage_dir") or os.environ.get(f"{ENV_PREFIX}STORAGE_DIR") or ".dual_mem_data"
    ).expanduser()
    from_file = _read_file(directory / CONFIG_FILE)
    env_keys = {
        name[len(ENV_PREFIX) :].lower() for name in os.environ if name.startswith(ENV_PREFIX)
    }
    merged = {key: value for key, value in from_file.items() if key not in env_keys} | given
    merged.setdefault("storage_dir", directory)
    try:
        return Settings(**merged)
    except ValidationError as error:
        raise ConfigError(_explain(error)) from None


def setting_sources(**given: Any) -> dict[str, str]:
    """Say for each setting where its value comes from: argument, environment, file or default."""
    settings = load_settings(**given)
    from_file = _read_file(settings.storage_dir / CONFIG_FILE)
    sources = {}
    for key in Settings.model_fields:
        if key in given:
            sources[key] = "argument"
        elif f"{ENV_PREFIX}{key.upper()}" in os.environ:
            sources[key] = "environment"
        elif key in from_file:
            sources[key] = "file"
        else:
            sources[key] = "default"
    return sources


def default_yaml() -> str:
    """Document every key: its meaning and its default, commented out."""
    lines = [
        "# Settings of dualmem_graph. Take away the '#' before a key to change it here.",
        f"# Environment variables ({ENV_PREFIX}<KEY>) and arguments win over this file.",
        "",
    ]
    defaults = Settings.model_construct()
    for key, info in Settings.model_fields.items():
        value = getattr(defaults, key)
        value = str(value) if isinstance(value, Path) else value
        rendered = yaml.safe_dump(
            {key: value}, default_flow_style=False, allow_unicode=True
        ).strip()
        lines += [f"# {info.description}", f"#{rendered}", ""]
    return "\n".join(lines)


def _read_file(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"cannot read the settings in {path}: {error}; mend or remove the file"
        ) from None
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise ConfigError(
            f"{path} holds {type(loaded).__name__}, not a mapping of settings; "
            "write 'key: value' lines"
        )
    _refuse_unknown(loaded, f"key in {path}")
    return loaded


def _refuse_unknown(keys: Mapping[Any, Any] | set[str], where: str) -> None:
    known = list(Settings.model_fields)
    for key in keys:
        if key not in Settings.model_fields:
            near = difflib.get_close_matches(str(key), known, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else "'dual-mem config show' lists all"
            raise ConfigError(f"unknown setting {key!r} ({where}); {hint}")


def _explain(error: ValidationError) -> str:
    parts = []
    for item in error.errors():
        name = ".".join(str(part) for part in item["loc"]) or "settings"
        given = (
            "" if item["type"] == "value_error" and not item["loc"] else f", got {item['input']!r}"
        )
        parts.append(f"{name}: {item['msg'].removeprefix('Value error, ')}{given}")
    return "; ".join(parts)
