"""Exceptions, one base and one name per broken precondition.

Every message says what was wrong, with ``!r`` of the value, and what to do about it.
"""

from __future__ import annotations


class DualMemError(Exception):
    """Base of every error that this package raises on purpose."""


class ConfigError(DualMemError):
    """A setting is unknown, has the wrong form, or contradicts another."""


class ScopeError(DualMemError, ValueError):
    """A ``user_id`` or ``app_id`` is missing, blank, or of the wrong type or form."""


class InputError(DualMemError, ValueError):
    """An argument of an operation is unusable: content, messages, tags, metadata, times."""


class LimitError(InputError):
    """An argument is larger than a limit that the settings name."""


class FilterError(DualMemError, ValueError):
    """A filter names an unknown key or operator, or has the wrong shape."""


class MemoryNotFoundError(DualMemError, LookupError):
    """No memory of this id exists in this scope (another scope's id gives the same answer)."""


class NotHeadError(DualMemError):
    """The version that was to be changed is no longer the head of its chain.

    Attributes:
        head_id: the id of the version that is.
    """

    def __init__(self, message: str, *, head_id: str) -> None:
        super().__init__(message)
        self.head_id = head_id


class ConflictError(DualMemError):
    """Another writer changed the same memory between reading and writing."""


class StoreError(DualMemError):
    """The ledger or the vector index could not do what was asked of it."""


class StoreLockedError(StoreError):
    """Another process holds the store longer than the configured time-out."""


class SchemaVersionError(StoreError):
    """The store was written by a newer version of this package."""


class EmbeddingError(DualMemError):
    """The embedder failed, or answered with something that is not a usable vector."""


class EmbeddingMismatchError(EmbeddingError):
    """The store was written with another embedder (name or width) than the configured one."""


class ModelError(DualMemError):
    """The chat model could not be asked, or its answer could not be used."""


class ModelOutputError(ModelError):
    """The chat model answered, but not with what was asked for."""


class ClosedError(DualMemError, RuntimeError):
    """The client was used after ``close()``."""


class DependencyError(DualMemError, ImportError):
    """An optional or broken dependency is needed for what was asked."""
