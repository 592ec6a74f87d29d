"""Word lists of the rules, written as text."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a text as a set.

    Example:
        >>> sorted(word_set("two words"))
        ['two', 'words']
    """
    return frozenset(text.split())
