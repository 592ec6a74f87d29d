"""What a grammar is: patterns with the readings of their matches, run over a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property

from dualmem_graph.text.times.spans import Clock, Found, Lean, Wall

#: Says which way the tense around ``text[begin:end]`` points, if it does.
Leaning = Callable[[str, int, int], Lean]


@dataclass(frozen=True, slots=True)
class Said:
    """One match, the local moment of speaking, and how to tell the tense around the match."""

    match: re.Match[str]
    now: datetime
    leaning: Leaning

    def __getitem__(self, group: str) -> str:
        """Give a group in lower case with single spaces, ``""`` where it took no part."""
        return " ".join((self.match.groupdict().get(group) or "").lower().split())

    @property
    def today(self) -> date:
        """The local day of speaking."""
        return self.now.date()

    @property
    def lean(self) -> Lean:
        """Which way the tense around the match points."""
        return self.leaning(self.match.string, self.match.start(), self.match.end())


#: A reading gives a wall span, a clock, or ``None`` where the words are no time after all. It
#: raises ``ValueError`` or ``OverflowError`` where they name a day that does not exist.
Reading = Callable[[Said], Wall | Clock | None]


@dataclass(frozen=True)
class Rule:
    """A pattern and its reading.

    ``hints`` are features of a text (words in English, characters in Chinese) without one of
    which the pattern cannot match: most texts hold few, so most rules are never tried. A group
    ``core`` marks the words of the expression where the pattern needs to see more than them. A
    ``weak`` clock counts only beside a day.
    """

    hints: frozenset[str]
    source: str
    read: Reading
    weak: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern; most rules of a short process are never tried, nor compiled."""
        return re.compile(self.source, re.IGNORECASE)


def rule(hints: Collection[str], pattern: str, read: Reading, *, weak: bool = False) -> Rule:
    """Build a rule from a pattern, which is matched in any case."""
    return Rule(frozenset(hints), pattern, read, weak)


def veto(said: Said) -> None:
    """Read nothing: what repeats or lasts is no point in time, and nor are its parts."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """The rules of a language, its sense of tense, and the hints that a text holds."""

    rules: tuple[Rule, ...]
    hints_of: Callable[[str], Collection[str]]
    leaning: Leaning

    def find(self, text: str, now: datetime) -> Iterator[Found]:
        """Yield everything in a text that some rule reads, overlaps included.

        Args:
            text: any text.
            now: the local moment of speaking, naive.
        """
        hints = self.hints_of(text)
        if not hints:
            return
        for each in self.rules:
            if not each.hints.isdisjoint(hints):
                yield from self._apply(each, text, now)

    def _apply(self, each: Rule, text: str, now: datetime) -> Iterator[Found]:
        group = "core" if "core" in each.pattern.groupindex else 0
        for match in each.pattern.finditer(text):
            try:
                read = each.read(Said(match, now, self.leaning))
            except (ValueError, OverflowError):
                read = None  # 30 February: a veto, or its parts would be read on their own
            else:
                if read is None and each.read is not veto:
                    continue
            yield Found(
                *match.span(group),
                wall=read if isinstance(read, Wall) else None,
                clock=read if isinstance(read, Clock) else None,
                weak=each.weak,
            )
