"""Word lists of the rules, written as text."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text as a set.

    Example:
        >>> sorted(words("two words"))
        ['two', 'words']
    """
    return frozenset(text.split())
