"""Terms for full text and BM25: one tokeniser for both sides, English and Chinese alike.

Spaced scripts give stemmed words; Chinese, Japanese, Korean and other unspaced scripts give
character unigrams and bigrams, which found three points more than a word segmenter on Chinese
conversations and need no dictionary. Identifiers are kept whole and split.
"""

from __future__ import annotations

import itertools
import re
import threading
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from dualmem_graph.text import stopwords
from dualmem_graph.text.scripts import EMOJI, FLAG_LETTERS, MARKS, UNSPACED

if TYPE_CHECKING:
    from snowballstemmer.english_stemmer import EnglishStemmer

#: Stored with an index; another value means that the index must be built anew.
TOKENIZER_VERSION = "1"

# A longer word is noise (base64, a pasted blob): it is indexed by its beginning only.
MAX_TERM_CHARS = 64

_PART = rf"(?:(?![{UNSPACED}])\w(?:(?![{UNSPACED}])[\w{MARKS}])*)"
_SCAN = re.compile(
    rf"(?P<run>[{UNSPACED}]+)"
    # Parts joined by one mark each (v2.3.1, foo_bar, a@b.c, don't), with the tails of C++ and C#.
    rf"|(?P<word>\.?{_PART}(?:[.@:/\\&'+\-]{_PART})*(?:\+\+|\#(?!\w))?)"
    rf"|(?P<flag>[{FLAG_LETTERS}]{{2}})"
    rf"|(?P<emoji>[{EMOJI}])"
)
_THOUSANDS = re.compile(r"(?<![\d,.])\d{1,3}(?:,\d{3})+(?![\d,])")
_PARTS = re.compile(r"[^._@:/\\&'+\-#]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)?\Z")
_PHRASES = re.compile(
    "|".join(sorted(map(re.escape, stopwords.CHINESE_PHRASES), key=len, reverse=True))
)


def index_terms(text: str) -> list[str]:
    """List the terms of a stored text in order, with repeats.

    Terms contain no white space and no double quote. Words that only join or ask are left out,
    unless the text has nothing else.

    >>> index_terms("She was painting sunrises with NumPy 2.1")
    ['paint', 'sunris', 'numpi', '2.1']
    >>> index_terms("住在上海")
    ['住', '在', '上', '海', '住在', '在上', '上海']
    """
    everything: list[str] = []
    kept: list[str] = []
    for kind, token in _scan(text):
        if kind == "word":
            terms, is_stop = _index_word(token)
        elif kind == "run":
            terms, is_stop = _ngrams(token), len(token) == 1 and token in stopwords.LONE_CHARACTERS
        else:
            terms, is_stop = (token,), False
        everything += terms
        if not is_stop:
            kept += terms
    return kept or everything


def query_terms(text: str, *, repeats: bool = False) -> list[str]:
    """List the terms of a question: as :func:`index_terms`, without what only asks.

    Question words, pronouns, auxiliaries and particles go in both languages; if nothing else is
    there, they stay. Each term is listed once, or with ``repeats`` as often as it was said: what a
    whole dialogue comes back to is what it is about.

    >>> query_terms("When did Caroline go to the museum?")
    ['carolin', 'museum']
    >>> query_terms("用户住在哪里？")
    ['用', '户', '住', '用户', '户住', '住在']
    """
    everything: list[str] = []
    kept: list[str] = []
    for position, (kind, token) in enumerate(_scan(text)):
        if kind == "word":
            terms, is_stop = _query_word(token, at_start=position == 0)
            everything += terms
            if not is_stop:
                kept += terms
        elif kind == "run":
            everything += _ngrams(token)
            kept += _query_ngrams(token)
        else:
            everything.append(token)
            kept.append(token)
    chosen = kept or everything
    return chosen if repeats else list(dict.fromkeys(chosen))


def _scan(text: str) -> list[tuple[str, str]]:
    """Cut normalised text into words, unspaced runs, flags and emoji, in order."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).replace("’", "'")
    if "," in text:
        text = _THOUSANDS.sub(lambda match: match[0].replace(",", ""), text)
    return [(match.lastgroup or "", match[0]) for match in _SCAN.finditer(text)]


@lru_cache(maxsize=65536)
def _index_word(token: str) -> tuple[tuple[str, ...], bool]:
    folded = _fold(token)
    is_stop = folded in stopwords.ENGLISH and folded not in stopwords.ENGLISH_AMBIGUOUS
    return _word_terms(folded), is_stop


def _query_word(token: str, *, at_start: bool) -> tuple[tuple[str, ...], bool]:
    folded = _fold(token)
    is_stop = folded in stopwords.ENGLISH
    if is_stop and folded in stopwords.ENGLISH_AMBIGUOUS:
        is_named = token[0].isupper() and not at_start
        is_acronym = len(token) > 1 and token.isupper()
        is_stop = not (is_named or is_acronym)
    return _word_terms(folded), is_stop


@lru_cache(maxsize=65536)
def _word_terms(folded: str) -> tuple[str, ...]:
    """Give the terms of one folded word: its stem, or the whole and the parts of an identifier."""
    parts = _PARTS.findall(folded)
    if not parts:
        return ()  # a rule of underscores
    if len(parts) == 1 and parts[0] == folded:
        return (_stem(folded),)
    if _is_contraction(folded):
        return (_stem(folded),)
    whole = folded[:MAX_TERM_CHARS]
    if _NUMBER.match(folded):
        return (whole,)
    # A single digit out of "v2.3.1" would match every other number in the store.
    pieces = [_stem(part) for part in parts if len(part) > 1 or part.isalpha()]
    return tuple(dict.fromkeys([whole, *pieces]))


def _is_contraction(folded: str) -> bool:
    """Tell "don't" and "Caroline's", which the stemmer knows, from identifiers with marks."""
    return folded.count("'") == 1 and folded.replace("'", "").isalpha()


def _fold(token: str) -> str:
    """Casefold, and take the accents off Latin letters: "José" is also found as "jose"."""
    if token.isascii():
        return token.lower()
    folded = unicodedata.normalize("NFKC", token.casefold())
    stripped = "".join(
        char for char in unicodedata.normalize("NFD", folded) if not "\u0300" <= char <= "\u036f"
    )
    return stripped if stripped.isascii() else folded


_stem_lock = threading.Lock()
_stemmer: EnglishStemmer | None = None


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    """Stem an English word (Snowball); words of other alphabets come back as they are."""
    global _stemmer
    word = word[:MAX_TERM_CHARS]
    if not word.isascii() or word.isdigit():
        return word
    with _stem_lock:  # a stemmer object keeps its word in itself
        if _stemmer is None:
            from snowballstemmer.english_stemmer import EnglishStemmer

            _stemmer = EnglishStemmer()
        stem: str = _stemmer.stemWord(word)
    return stem


def _ngrams(run: str) -> tuple[str, ...]:
    """Give the characters of an unspaced run, then each two neighbours."""
    return (*run, *map("".join, itertools.pairwise(run)))


def _query_ngrams(run: str) -> list[str]:
    """Give the n-grams of a query run without what asks; none cross a removed phrase."""
    lone = stopwords.LONE_CHARACTERS
    terms: list[str] = []
    for piece in _PHRASES.split(run):
        terms += [char for char in piece if char not in lone]
        terms += [
            first + second
            for first, second in itertools.pairwise(piece)
            if first not in lone or second not in lone
        ]
    return terms
