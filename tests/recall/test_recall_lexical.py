"""BM25 with a scope's statistics: never negative, never NaN, sound with one memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualmem_graph.recall.lexical import lexical_scores
from dualmem_graph.storage.records import LexicalHit, LexicalHits
from dualmem_graph.text.tokens import index_terms, query_terms


def found(texts: list[str]) -> LexicalHits:
    """A scope that holds exactly these texts, all of them candidates."""
    hits = tuple(LexicalHit(f"m{n}", tuple(index_terms(text))) for n, text in enumerate(texts))
    lengths = [len(hit.terms) for hit in hits]
    frequencies: dict[str, int] = {}
    for hit in hits:
        for term in set(hit.terms):
            frequencies[term] = frequencies.get(term, 0) + 1
    return LexicalHits(hits, len(hits), sum(lengths) / max(len(lengths), 1), frequencies)


def scores(query: str, texts: list[str]) -> dict[str, float]:
    return lexical_scores(query_terms(query), len(index_terms(query)), found(texts), k1=1.5, b=0.75)


def test_one_memory_alone_is_found_by_its_word():
    assert scores("kayak", ["owns a kayak"])["m0"] > 0.3


def test_a_word_of_half_the_memories_still_counts():
    result = scores("owns", ["owns a kayak", "owns a loom"])
    assert result["m0"] == pytest.approx(result["m1"])
    assert result["m0"] > 0


def test_the_memory_with_the_rare_word_is_first():
    result = scores("owns kayak", ["owns a kayak", "owns a loom", "owns a boat"])
    assert max(result, key=result.__getitem__) == "m0"


def test_the_same_words_score_one():
    texts = ["Ilka owns a red kayak", "Tobin plays chess every Sunday", "用户住在上海"]
    assert scores("Ilka owns a red kayak", texts)["m0"] == pytest.approx(1)
    assert scores("用户住在上海", texts)["m2"] == pytest.approx(1)


def test_a_memory_without_any_of_the_words_is_no_hit():
    assert scores("kayak", ["owns a loom"]) == {}


def test_no_terms_or_no_candidates_is_no_hit():
    assert lexical_scores([], 0, found(["owns a loom"]), k1=1.5, b=0.75) == {}
    assert lexical_scores(["kayak"], 1, LexicalHits(), k1=1.5, b=0.75) == {}


def test_a_chinese_word_of_two_characters_finds_its_memory():
    texts = [
        "我去年在大理学会了扎染",
        "我在大阪学会了做寿司",
        "我喜欢在周末染头发",
        "他扎了一个风筝",
    ]
    result = scores("扎染", texts)
    assert max(result, key=result.__getitem__) == "m0"


def test_statistics_are_those_of_the_scope_and_not_of_the_candidates():
    hits = (LexicalHit("m0", ("common",)), LexicalHit("m1", ("rare",)))
    scope = LexicalHits(hits, 1000, 1.0, {"common": 900, "rare": 1})
    result = lexical_scores(["common", "rare"], 2, scope, k1=1.5, b=0.75)
    assert result["m1"] > 10 * result["m0"]


WORDS = st.lists(st.sampled_from(["kayak", "loom", "tea", "茶", "own"]), max_size=6)


@given(st.lists(WORDS, max_size=6), WORDS, st.floats(0, 3), st.floats(0, 1))
def test_scores_lie_between_zero_and_one(texts, query, k1, b):
    frequencies = {term: sum(term in text for text in texts) for text in texts for term in text}
    hits = tuple(LexicalHit(f"m{n}", tuple(text)) for n, text in enumerate(texts))
    average = sum(map(len, texts)) / max(len(texts), 1)
    terms = list(dict.fromkeys(query))
    result = lexical_scores(
        terms, len(query), LexicalHits(hits, len(texts), average, frequencies), k1=k1, b=b
    )
    assert all(0 < score <= 1 for score in result.values())
    assert set(result) == {f"m{n}" for n, text in enumerate(texts) if set(text) & set(terms)}
