"""The vector index on a Chroma server: collections whose names begin with the store's id.

The server has no authentication of its own; a token is for the proxy before it.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlsplit

from typing_extensions import override

from dualmem_graph.config import Settings
from dualmem_graph.storage.chroma import ChromaIndex, IndexFailure, guarded, require_chromadb
from dualmem_graph.storage.embedded import explicit_settings
from dualmem_graph.storage.homes import IndexHome

_CONFLICT, _ABSENT = 409, 404


class ServerIndex(ChromaIndex):
    """A generation on a server, through connections of its own.

    Chroma's client waits for an answer for ever and never closes its connections, and has no public
    way to either; so this reaches for its HTTP sessions.
    """

    def __init__(self, client: Any, timeout: float, **values: Any) -> None:
        super().__init__(client, **values)
        self._sessions = [one._server._session for one in (client, client._admin_client)]
        for session in self._sessions:
            session.timeout = timeout

    @override
    def close(self) -> None:
        super().close()
        with guarded("close"):
            for session in self._sessions:
                session.close()


class ServerHome(IndexHome):
    """A database of a Chroma server, which several stores may share."""

    is_shared = True

    def __init__(self, settings: Settings, store_id: str) -> None:
        self._settings = settings
        self._prefix = f"dualmem-{store_id[:16]}-"
        place = f"{settings.chroma_url} {settings.chroma_tenant} {settings.chroma_database}"
        self.name = f"server-{hashlib.blake2b(place.encode(), digest_size=8).hexdigest()}"
        token = settings.chroma_token
        self._headers = (
            {} if token is None else {"Authorization": f"Bearer {token.get_secret_value()}"}
        )

    def __str__(self) -> str:
        return f"the Chroma server {self._settings.chroma_url}"

    @override
    def open(self, generation: int, buckets: int) -> ChromaIndex:
        chromadb = require_chromadb()
        url = urlsplit(str(self._settings.chroma_url))
        port = url.port or (443 if url.scheme == "https" else 80)
        with guarded(f"reach the server {self._settings.chroma_url}"):
            self._make_database()
            client = chromadb.HttpClient(
                host=url.hostname,
                port=port,
                ssl=url.scheme == "https",
                headers=dict(self._headers),
                # named here, too, so that no variable of the environment says otherwise
                settings=explicit_settings(
                    chroma_server_host=url.hostname, chroma_server_http_port=port
                ),
                tenant=self._settings.chroma_tenant,
                database=self._settings.chroma_database,
            )
        timeout = self._settings.chroma_timeout
        return ServerIndex(
            client, timeout, prefix=self._prefix, generation=generation, buckets=buckets
        )

    @override
    def distrusts(self, generation: int, closed_at: datetime) -> str | None:
        return None

    @override
    def next_generation(self, last: int) -> int:
        return last + 1

    @override
    def unseal(self, generation: int) -> None:
        return None

    @override
    def seal(self, generation: int, closed_at: datetime) -> None:
        return None

    @override
    def remove_others(self, index: ChromaIndex) -> None:
        kept = {index.name_of(bucket) for bucket in range(index.buckets)}
        index.drop_named(self._prefix, keep=kept)

    def _make_database(self) -> None:
        """Make tenant and database where they are not there yet."""
        import httpx

        settings = self._settings
        tenants = "/api/v2/tenants"
        databases = f"{tenants}/{quote(settings.chroma_tenant, safe='')}/databases"
        wanted = f"{databases}/{quote(settings.chroma_database, safe='')}"
        with httpx.Client(
            base_url=str(settings.chroma_url),
            headers=self._headers,
            timeout=settings.chroma_timeout,
            trust_env=False,
        ) as http:
            found = http.get(wanted)
            if found.status_code == _ABSENT:
                http.post(tenants, json={"name": settings.chroma_tenant})
                made = http.post(databases, json={"name": settings.chroma_database})
                # another process may have been faster
                if made.is_error and made.status_code != _CONFLICT:
                    raise IndexFailure(
                        f"the Chroma server {settings.chroma_url} has no database "
                        f"{settings.chroma_database!r} of tenant {settings.chroma_tenant!r} and "
                        f"does not make one ({made.status_code} {made.text:.200}); make it, or set "
                        "chroma_tenant and chroma_database to what is there"
                    )
            else:
                found.raise_for_status()
