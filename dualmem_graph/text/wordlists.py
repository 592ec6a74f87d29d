"""Writing down lists of words so that they can be read."""

from __future__ import annotations


def words(listing: str) -> frozenset[str]:
    """Make a set of the words of a listing, separated by white space.

    >>> sorted(words("tea  coffee"))
    ['coffee', 'tea']
    """
    return frozenset(listing.split())
