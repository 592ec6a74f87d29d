"""BM25 with the statistics of the whole scope, over the candidates of full text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from rank_bm25 import BM25Okapi

from dualmem_graph.storage.records import LexicalHits

#: With k1 = 0 a document without a term would divide zero by zero.
_LEAST_K1 = 1e-6


class ScopeBM25(BM25Okapi):  # type: ignore[misc]  # rank_bm25 carries no types
    """BM25 over some documents of a scope, as if over all of them.

    Document frequencies and average length are the scope's. The idf is Lucene's
    ``ln(1 + (N - df + 0.5) / (df + 0.5))``, which is never negative, so that a word in half of two
    memories still counts and one memory alone can be found.

    Args:
        documents: index terms of each candidate, with repeats; at least one candidate.
        query: the terms to score; nothing else of a document but its length is looked at.
        size: documents in the scope.
        average: mean number of terms of a document in the scope.
        frequencies: in how many documents of the scope each term of the query is.
    """

    def __init__(
        self,
        documents: Sequence[Sequence[str]],
        query: Sequence[str],
        *,
        size: int,
        average: float,
        frequencies: Mapping[str, int],
        k1: float = 1.5,
        b: float = 0.75,
    ) -> None:
        self._wanted = frozenset(query)
        self._frequencies = frequencies
        self._size = max(size, len(documents))
        super().__init__(documents, k1=k1, b=b)
        self.avgdl = max(average, 1.0)

    def _initialize(self, corpus: Sequence[Sequence[str]]) -> Mapping[str, int]:
        wanted = self._wanted
        self.doc_freqs = [
            {term: terms.count(term) for term in wanted.intersection(terms)} for terms in corpus
        ]
        self.doc_len = [max(len(terms), 1) for terms in corpus]
        self.corpus_size = len(corpus)
        return self._frequencies

    def _calc_idf(self, nd: Mapping[str, int]) -> None:
        for term in self._wanted:
            found = min(nd.get(term, 0), self._size)
            self.idf[term] = math.log1p((self._size - found + 0.5) / (found + 0.5))

    def best_possible(self, query: Sequence[str], length: int) -> float:
        """Score a document of ``length`` terms that has each term of the query once."""
        length_share = 1 - self.b + self.b * length / self.avgdl
        weight: float = sum(self.idf[term] for term in query)
        return float(weight * (self.k1 + 1) / (1 + self.k1 * length_share))


def lexical_scores(
    terms: Sequence[str], length: int, found: LexicalHits, *, k1: float, b: float
) -> dict[str, float]:
    """Score the candidates of full text in (0, 1]; a memory of the query's own words gets 1.

    Candidates that hold none of the terms are left out.

    Args:
        terms: the query's terms, each once.
        length: how many index terms the query would have as a memory.
        found: the candidates, and the scope's statistics.

    Example:
        >>> from dualmem_graph.storage.records import LexicalHit
        >>> one = LexicalHits((LexicalHit("m1", ("own", "kayak")),), 1, 2.0, {"kayak": 1})
        >>> lexical_scores(["kayak"], 1, one, k1=1.5, b=0.75)
        {'m1': 0.775}
    """
    if not terms or not found.hits:
        return {}
    bm25 = ScopeBM25(
        [hit.terms for hit in found.hits],
        terms,
        size=found.documents,
        average=found.average_terms,
        frequencies=found.frequencies,
        k1=max(k1, _LEAST_K1),
        b=b,
    )
    best = bm25.best_possible(terms, length)
    scores = bm25.get_scores(terms)
    return {
        hit.node_id: min(float(score) / best, 1.0)
        for hit, score in zip(found.hits, scores, strict=True)
        if score > 0
    }
