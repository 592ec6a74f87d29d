from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualmem_graph.text.tokens import MAX_TERM_CHARS, index_terms, query_terms

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("She was painting sunrises", ["paint", "sunris"]),
        ("Running, runs; RUN!", ["run", "run", "run"]),
        ("Caroline's caroline’s CAROLINE", ["carolin", "carolin", "carolin"]),
        ("José drinks café", ["jose", "drink", "cafe"]),
        ("1,000 users and 3.5 stars", ["1000", "user", "3.5", "star"]),
        ("全角ＡＢＣ１２３", ["全", "角", "全角", "abc123"]),
        ("", []),
        ("???", []),
    ],
)
def test_words_are_folded_and_stemmed(text: str, terms: list[str]) -> None:
    assert index_terms(text) == terms


@pytest.mark.parametrize(
    ("text", "whole", "parts"),
    [
        ("v2.3.1", "v2.3.1", ["v2"]),
        ("C++", "c++", ["c"]),
        ("C#", "c#", ["c"]),
        ("NOTES.rst", "notes.rst", ["note", "rst"]),
        ("foo_bar", "foo_bar", ["foo", "bar"]),
        ("bob.lee@example.com", "bob.lee@example.com", ["bob", "lee", "exampl", "com"]),
        (".NET", ".net", ["net"]),
        ("2023-05-08", "2023-05-08", ["2023", "05", "08"]),
        ("AT&T", "at&t", ["at", "t"]),
        ("src/app/main.py", "src/app/main.py", ["src", "app", "main", "py"]),
    ],
)
def test_identifiers_are_kept_whole_and_split(text: str, whole: str, parts: list[str]) -> None:
    assert index_terms(text) == [whole, *parts]
    assert query_terms(text.lower()) == index_terms(text)


@pytest.mark.parametrize(
    ("stored", "query"),
    [
        ("我去年在大理学会了扎染", "扎染"),
        ("用PostgreSQL做备份", "postgresql"),
        ("東京でラーメンを食べた", "ラーメン"),
        ("서울에서 김치를 먹었다", "김치"),
        ("ฉันชอบแมว", "แมว"),
        ("मुझे चाय पसंद है", "चाय"),
        ("他養了一隻貓", "貓"),
        ("read NOTES.rst first", "notes.rst"),
        ("she owns a kayak", "Kayaks"),
        ("👍🏽 great", "👍"),
    ],
)
def test_query_finds_what_was_stored(stored: str, query: str) -> None:
    assert set(query_terms(query)) <= set(index_terms(stored))


def test_chinese_gives_characters_and_their_pairs() -> None:
    assert index_terms("住在上海") == ["住", "在", "上", "海", "住在", "在上", "上海"]


def test_emoji_are_terms_without_their_modifiers() -> None:
    assert index_terms("👍👍🏽 👨‍👩‍👧 🇨🇳 ☕️") == ["👍", "👍", "👨", "👩", "👧", "🇨🇳", "☕"]


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("When did Caroline go to the museum?", ["carolin", "museum"]),
        ("What is the name of my dog?", ["name", "dog"]),
        ("他什么时候搬到北京的？", ["搬", "北", "京", "搬到", "到北", "北京", "京的"]),
        ("喜欢吃什么水果呢", ["喜", "欢", "吃", "喜欢", "欢吃", "水", "果", "水果", "果呢"]),
        ("请问我住在哪里？", ["住", "我住", "住在"]),
        ("dog dog dog", ["dog"]),
        ("", []),
        ("   ", []),
        ("?!", []),
    ],
)
def test_query_drops_what_only_asks(question: str, terms: list[str]) -> None:
    assert query_terms(question) == terms


def test_query_of_stop_words_alone_keeps_them() -> None:
    assert query_terms("who are you") == ["who", "are", "you"]
    assert query_terms("我是谁") == ["我", "是", "谁", "我是", "是谁"]


def test_query_may_count_what_a_dialogue_comes_back_to() -> None:
    assert query_terms("my dog. Your dog?", repeats=True) == ["dog", "dog"]


def test_names_that_are_stop_words_survive_by_their_capital() -> None:
    assert query_terms("When did Will arrive?") == ["will", "arriv"]
    assert query_terms("when will he arrive?") == ["arriv"]
    assert query_terms("Does she work in IT?") == ["work", "it"]
    assert "will" in index_terms("Will arrived late")


def test_text_of_stop_words_alone_is_still_indexed() -> None:
    assert index_terms("you and me") == ["you", "and", "me"]


@given(ANY_TEXT)
def test_terms_are_fit_for_any_full_text_engine(text: str) -> None:
    for term in index_terms(text) + query_terms(text):
        assert term
        assert not any(char.isspace() or char in '"\0' for char in term)
        assert len(term) <= MAX_TERM_CHARS
        term.encode()  # no surrogates


@given(ANY_TEXT)
def test_case_does_not_decide(text: str) -> None:
    assert sorted(index_terms(text.casefold())) == sorted(index_terms(text.casefold().casefold()))


@given(st.text(alphabet="abcdefghijklmnop 北京上海", min_size=1))
def test_query_terms_are_index_terms(text: str) -> None:
    assert set(query_terms(text)) <= set(index_terms(text)) | set("北京上海")


def test_long_blob_is_indexed_by_its_beginning() -> None:
    assert index_terms("x" * 5000) == ["x" * MAX_TERM_CHARS]


def test_threads_do_not_disturb_each_other() -> None:
    texts = [f"running{n} painting{n} beautifully{n}s" for n in range(300)]
    results: list[list[list[str]]] = [[] for _ in range(4)]

    def work(slot: int) -> None:
        results[slot] = [index_terms(text) for text in texts]

    threads = [threading.Thread(target=work, args=(slot,)) for slot in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results[1:] == results[:1] * 3


def test_a_sentence_is_cut_within_its_time_budget() -> None:
    sentence = "I went to the support group with Caroline and her friends and it was powerful " * 2
    index_terms(sentence)
    best = min(_time(sentence) for _ in range(20))
    assert best < 400e-6  # 100 µs on a quiet machine


def _time(sentence: str) -> float:
    start = time.perf_counter()
    index_terms(sentence)
    return time.perf_counter() - start
