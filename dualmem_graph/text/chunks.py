"""Cutting text into sentences and into pieces of a bounded size."""

from __future__ import annotations

import re
from collections.abc import Callable

from dualmem_graph.errors import InputError
from dualmem_graph.text.language import token_quarters
from dualmem_graph.text.scripts import HAN, KANA
from dualmem_graph.text.wordlists import words

_CODE_BLOCK = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_CLOSERS = "\"'”’」』）)]】》*"
# What may end a sentence, with the quotes and brackets that close after it.
_MARK = re.compile(rf"[.!?。！？；…]+[{re.escape(_CLOSERS)}]*")
_WIDE_MARK = re.compile("[。！？；…]")
_WIDE_LETTER = re.compile(f"[{HAN}{KANA}]")
_LAST_WORD = re.compile(r"[A-Za-z][A-Za-z.]*\Z")
_INITIALS = re.compile(r"(?:[a-z]\.)+[a-z]")
_NEXT_WORD = re.compile(r"\s*([A-Za-z']+)")

# Always followed by more of the same sentence.
_TITLES = words(
    "mr mrs ms dr prof st mt ft gen col sgt capt lt rev hon sen rep gov vs cf e.g i.e eg ie viz"
    " fig no nos vol pp approx ca al jan feb mar apr jun jul aug sep sept oct nov dec"
    " mon tue tues wed thu thur thurs fri"
)
# May end a sentence too: the next word tells.
_MAYBE_LAST = words(
    "etc inc ltd co corp jr sr a.m p.m am pm u.s u.k u.n e.u d.c ph.d m.d b.a m.a b.sc m.sc"
    " dept apt ave blvd rd"
)
_OPENERS = words(
    "i i'm i've i'd i'll he she we they it it's you the this that these those there my our his her"
    " their but and then so now when what where why how who because if after before also anyway"
    " yes no please do did is are was in on at for a an"
)


def sentences(text: str) -> list[str]:
    """Split a text into sentences, stripped, in order; no visible character is lost.

    A newline always ends one. Abbreviations, initials, decimals and addresses do not. A fenced
    code block is one piece.

    >>> sentences("Dr. Lee paid 3.50. Then she left! 我搬家了。你呢？")
    ['Dr. Lee paid 3.50.', 'Then she left!', '我搬家了。', '你呢？']
    """
    pieces: list[str] = []
    at = 0
    for block in _CODE_BLOCK.finditer(text) if "```" in text else ():
        pieces += _prose_sentences(text[at : block.start()])
        pieces.append(block[0].strip())
        at = block.end()
    return pieces + _prose_sentences(text[at:])


def _prose_sentences(text: str) -> list[str]:
    found: list[str] = []
    for line in text.splitlines():
        at = 0
        for mark in _MARK.finditer(line):
            if _ends_sentence(line, at, mark):
                found.append(line[at : mark.end()].strip())
                at = mark.end()
        found.append(line[at:].strip())
    return [sentence for sentence in found if sentence]


def _ends_sentence(line: str, start: int, mark: re.Match[str]) -> bool:
    if _WIDE_MARK.search(mark[0]):
        return True
    if mark.end() < len(line) and not line[mark.end()].isspace():
        return _ends_before_wide_letter(line, mark)
    following = _NEXT_WORD.match(line, mark.end())
    if "..." in mark[0] and following and following[1][0].islower():
        return False  # a pause, not an end: "well... maybe"
    if mark[0].rstrip(_CLOSERS) != ".":
        return True
    return _full_stop_ends(line, start, mark.start(), following)


def _ends_before_wide_letter(line: str, mark: re.Match[str]) -> bool:
    """Tell "你好!我是小王" and "北京.我" from "3.50" and "a.b"."""
    if not _WIDE_LETTER.match(line, mark.end()):
        return False
    is_wide_before = mark.start() > 0 and bool(_WIDE_LETTER.match(line, mark.start() - 1))
    return mark[0][0] in "!?" or is_wide_before


def _full_stop_ends(line: str, start: int, stop: int, following: re.Match[str] | None) -> bool:
    """Tell a full stop from the point of an abbreviation, an initial or a list number."""
    word = _LAST_WORD.search(line, max(start, stop - 12), stop)
    if not word:
        return not (stop - start < 8 and line[start:stop].strip().isdigit())
    last = word[0].lower()
    if last in _TITLES or (len(last) == 1 and word[0].isupper() and last != "i"):
        return False
    if last in _MAYBE_LAST or _INITIALS.fullmatch(last):
        return following is None or (following[1][0].isupper() and following[1].lower() in _OPENERS)
    return True


# From the best place to cut to the worst: paragraph, line, sentence, clause, space.
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n\s*")
_LINE_END = re.compile(r"\n\s*")
_SENTENCE_END = re.compile(
    rf"[。！？；…][{re.escape(_CLOSERS)}]*|(?<![.!?])[.!?]++[{re.escape(_CLOSERS)}]*+\s++"
)
_CLAUSE_END = re.compile(r"[，、：,;:]\s+|[，、：]")
_SPACE = re.compile(r"\s+")
# The first three are taken only if the piece is then at least this share of the limit full:
# half-empty pieces would cost more calls than a cut inside a paragraph does harm.
_MIN_FILL = 0.5


def split_to_chars(text: str, limit: int) -> list[str]:
    """Split a text into pieces of at most ``limit`` characters at the best places.

    Paragraphs, lines, sentences, clauses and words are kept whole where they fit, in this order.
    Only white space at the cuts is lost.

    Raises:
        InputError: if ``limit`` is less than 1.

    >>> split_to_chars("one two three", 8)
    ['one two', 'three']
    """
    _check_limit(limit)
    return _split(text, lambda start: start + limit)


def split_to_tokens(text: str, limit: int) -> list[str]:
    """Split as :func:`split_to_chars`, into pieces of at most ``limit`` estimated tokens.

    Raises:
        InputError: if ``limit`` is less than 1.
    """
    _check_limit(limit)

    def reach(start: int) -> int:
        left = 4 * limit
        for position in range(start, len(text)):
            left -= token_quarters(text[position])
            if left < 0:
                return position
        return len(text)

    return _split(text, reach)


def _check_limit(limit: int) -> None:
    if limit < 1:
        raise InputError(f"limit is {limit!r}; a piece must be allowed at least 1")


def _split(text: str, reach: Callable[[int], int]) -> list[str]:
    """Cut off pieces from the left; ``reach(start)`` says how far one may go."""
    pieces: list[str] = []
    start = 0
    while start < len(text):
        if text[start].isspace():
            start += 1
            continue
        end = reach(start)
        if end < len(text):
            end = _best_cut(text, start, end)
        pieces.append(text[start:end].rstrip())
        start = end
    return pieces


def _best_cut(text: str, start: int, end: int) -> int:
    # Where a word ends at the limit, that is the last resort before a cut at an earlier space.
    after = end if text[end].isspace() else 0
    floor = start + int((end - start) * _MIN_FILL)
    for boundary in (_PARAGRAPH_END, _LINE_END, _SENTENCE_END, _CLAUSE_END):
        cut = _last_end(boundary, text, floor, end)
        if cut > start:
            return cut
    return after or _last_end(_SPACE, text, start, end) or _whole_character(text, start, end)


def _last_end(boundary: re.Pattern[str], text: str, floor: int, end: int) -> int:
    last = 0
    for match in boundary.finditer(text, floor, end):
        last = match.end()
    return last


def _whole_character(text: str, start: int, end: int) -> int:
    """Move a forced cut back so that it does not part an emoji or letter from its marks."""
    cut = end
    while cut > start + 1 and _joins(text, cut):
        cut -= 1
    return cut if cut > start + 1 or not _joins(text, cut) else end


_EXTENDS = re.compile("[\u0300-\u036f\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]")


def _joins(text: str, cut: int) -> bool:
    return bool(_EXTENDS.match(text[cut])) or text[cut - 1] == "\u200d"
