"""What every request to a configured endpoint has in common: address, key, waits, errors.

Nothing here reads a provider's environment variables: what leaves for an endpoint is decided by
the settings alone.
"""

from __future__ import annotations

import ipaddress
import threading
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from pydantic import SecretStr

from dualmem_graph.errors import ClosedError, ConfigError
from dualmem_graph.text.safety import redact_secrets

PLACEHOLDER_KEY: Final = "no-key-needed"
"""Sent where no key is configured: local servers ignore it, client libraries insist on one."""

RETRIED_STATUSES: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Statuses that say "not now" rather than "not like this"."""

_FIRST_WAIT: Final = 0.5
_SHOWN_CHARS: Final = 300
_SHORTEST_SECRET: Final = 6

Wait = Callable[[float], bool]
"""Waits that many seconds; true if the wait was cut short because the owner was closed."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go, and the secret that goes with them (never shown).

    Args:
        base_url: up to and including ``/v1``; trailing slashes do not matter. A user and password
            and a query (``?api-version=…``) are taken out of it and sent as such.
        setting: the prefix of the settings that describe it, ``"llm"`` or ``"embed"``.
        key: sent as a bearer token.

    Raises:
        ConfigError: if the address is not an absolute http(s) URL, or the key cannot be sent.

    >>> Endpoint("http://127.0.0.1:11434/v1/", setting="llm").base_url
    'http://127.0.0.1:11434/v1'
    """

    base_url: str
    setting: str
    key: SecretStr | None = None
    query: Mapping[str, str] = field(init=False, repr=False, default_factory=dict)
    _login: SecretStr | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        login, _, host = parts.netloc.rpartition("@")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(
                f"{self.setting}_base_url {self.base_url.rpartition('@')[2]!r} is not an http(s) "
                "address; write it like 'http://127.0.0.1:11434/v1'"
            )
        if not self.bearer.isascii() or not self.bearer.isprintable():
            raise ConfigError(
                f"{self.setting}_api_key holds characters that cannot be sent; paste it again"
            )
        address = urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
        object.__setattr__(self, "base_url", address)
        object.__setattr__(self, "query", dict(parse_qsl(parts.query)))
        object.__setattr__(self, "_login", SecretStr(unquote(login)) if login else None)

    @property
    def bearer(self) -> str:
        """The key to send, or the placeholder."""
        return self._secret or PLACEHOLDER_KEY

    @property
    def authorization(self) -> str:
        """The header that goes with every request."""
        if self._login and not self._secret:
            return f"Basic {b64encode(self._login.get_secret_value().encode()).decode()}"
        return f"Bearer {self.bearer}"

    @property
    def uses_proxy(self) -> bool:
        """Whether the machine's proxy settings apply: not to an address on this machine."""
        host = urlsplit(self.base_url).hostname or ""
        try:
            return not ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host != "localhost"

    def scrub(self, text: str) -> str:
        """Make an endpoint's words fit for an error: short, on one line, without secrets."""
        login = self._login.get_secret_value() if self._login else ""
        for secret in (self._secret, login.partition(":")[2]):
            if len(secret) >= _SHORTEST_SECRET:
                text = text.replace(secret, "[redacted]")
        return brief(text)

    @property
    def _secret(self) -> str:
        return self.key.get_secret_value().strip() if self.key else ""


def brief(text: str) -> str:
    """One line of at most 300 characters, with anything that looks like a secret taken out."""
    line = " ".join(redact_secrets(text)[0].split())
    return line if len(line) <= _SHOWN_CHARS else f"{line[:_SHOWN_CHARS]}…"


def retry_after(headers: Mapping[str, str], *, now: datetime | None = None) -> float | None:
    """Seconds that a response asks to wait: ``Retry-After-Ms``, or seconds, or an HTTP date.

    >>> retry_after({"retry-after": "2"})
    2.0
    """
    lowered = {name.lower(): value for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(lowered[name]) * unit)
        except (KeyError, ValueError):
            continue
    try:
        moment = parsedate_to_datetime(lowered["retry-after"])
    except (KeyError, ValueError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def backoff(attempt: int, asked: float | None, longest: float) -> float:
    """Seconds before the retry after failure number ``attempt`` (from 0).

    What the endpoint asked for, else half a second that doubles; never more than ``longest``.

    >>> [backoff(n, None, 1.5) for n in range(3)], backoff(0, 60.0, 30.0)
    ([0.5, 1.0, 1.5], 30.0)
    """
    wanted = _FIRST_WAIT * 2**attempt if asked is None else asked
    return min(wanted, longest)


class Waiting:
    """Waits between retries, which ``close`` ends at once.

    Args:
        wait: stands in for the real wait, so that a test need not sleep.
    """

    def __init__(self, wait: Wait | None = None) -> None:
        self._closed = threading.Event()
        self._wait = self._closed.wait if wait is None else wait

    def close(self) -> None:
        """End all waits, now and later."""
        self._closed.set()

    def __call__(self, seconds: float, what: str) -> None:
        """Wait.

        Raises:
            ClosedError: if ``close`` was called before or meanwhile.
        """
        if self._closed.is_set() or self._wait(seconds):
            raise ClosedError(f"closed while waiting to retry {what}; nothing more was sent")
