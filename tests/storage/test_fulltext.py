"""Full text: any script, any mark, the scope's own words only."""

from __future__ import annotations

import pytest
from ledger_world import ANNA, BEN, DAY, NOON, World

from dualmem_graph.storage import fulltext
from dualmem_graph.storage.fulltext import Choice, choose_terms, frequency, full_text_of
from dualmem_graph.storage.ledger import read_meta, write_meta
from dualmem_graph.storage.records import LexicalHit, LexicalHits
from dualmem_graph.text.tokens import TOKENIZER_VERSION, index_terms, query_terms
from dualmem_graph.types import Layer, Status


def found(world: World, query: str, **choice: object) -> list[str]:
    hits = world.store.lexical(ANNA, query_terms(query), 10, **choice).hits  # type: ignore[arg-type]
    return [world.node(hit.node_id).content for hit in hits]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("我去年在大理学会了扎染", "扎染"),
        ("我每天早上喝咖啡", "咖啡"),
        ("用户住在浦东新区", "浦东"),
        ("日本語を勉強している", "日本語"),
        ("writes C++ and C#", "C++"),
        ("uses v2.3.1 of foo_bar", "v2.3.1"),
        ("keeps NOTES.rst up to date", "NOTES.rst"),
        ("mail me at ilka.b@example.org", "ilka.b@example.org"),
        ("likes 👍🏽 and 🧶", "🧶"),
        ('knows O\'Brien ("quoted"): a*b^c', "o'brien"),
        ("café in Zürich", "zürich"),
    ],
)
def test_terms_of_all_kinds_are_found_whole(world: World, text: str, query: str) -> None:
    world.keep("something else entirely")
    world.keep(text)
    assert found(world, query) == [text]


@pytest.mark.parametrize("query", ["", "???", '"', "AND OR NOT", "terms:tea", "tea*", "NEAR(a b)"])
def test_no_query_is_a_syntax_error(world: World, query: str) -> None:
    world.keep("drinks water")
    assert found(world, query) == []


def test_terms_that_are_operators_elsewhere_are_only_terms(world: World) -> None:
    world.keep("drinks water")
    for term in ('a"b', "and", "*", "-", "^tea", "{terms}", "tea)", "'", "\\", "%s", "?", ":x"):
        assert world.store.lexical(ANNA, [term], 5).frequencies == {term: 0}


def test_an_answer_carries_what_bm25_needs(world: World) -> None:
    one, two = world.keep("likes green tea"), world.keep("likes tea with tea")
    answer = world.store.lexical(ANNA, ["tea", "green", "milk"], 10)
    terms = {id_: tuple(index_terms(world.node(id_).content)) for id_ in (one, two)}
    assert answer == LexicalHits(
        hits=(LexicalHit(one, terms[one]), LexicalHit(two, terms[two])),
        documents=2,
        average_terms=sum(map(len, terms.values())) / 2,
        frequencies={"tea": 2, "green": 1, "milk": 0},
    )


def test_current_and_superseded_memories_are_indexed_and_told_apart(world: World) -> None:
    old, new = world.keep("likes tea", at=NOON - DAY), world.keep("likes tea no longer")
    world.supersede(new, old)
    gone = world.keep("likes tea in bed")
    world.store.delete(ANNA, gone)
    over = world.keep("plans a tea party")
    world.write(expires=[over])
    assert found(world, "tea") == ["likes tea no longer"]
    assert found(world, "tea", statuses=[Status.SUPERSEDED]) == ["likes tea"]
    assert found(world, "tea", statuses=[Status.SHADOW, Status.EXPIRED]) == []
    assert world.store.lexical(ANNA, ["tea"], 5).documents == 2
    world.store.restore(ANNA, gone)
    assert set(found(world, "tea")) == {"likes tea no longer", "likes tea in bed"}


def test_a_search_is_narrowed_by_layer(world: World) -> None:
    world.say("I like tea")
    world.keep("likes tea")
    assert found(world, "tea", layers=[Layer.FACT]) == ["likes tea"]
    assert found(world, "tea", layers=[Layer.RAW]) == ["I like tea"]
    assert found(world, "tea", layers=[]) == []


def test_other_scopes_change_neither_rank_nor_count(world: World) -> None:
    world.keep("likes rare tea")
    world.keep("likes common coffee")
    alone = world.store.lexical(ANNA, ["rare", "common"], 10)
    for n in range(50):
        world.keep(f"rare thing {n}", scope=BEN)
    assert world.store.lexical(ANNA, ["rare", "common"], 10) == alone


def test_the_rarest_terms_find_the_candidates() -> None:
    counts = {"zither": 2, "user": 9000, "no": 0, "tea": 40}
    assert choose_terms(counts) == Choice(["zither", "tea"])
    assert choose_terms({"user": 9000, "we": 9001}) == Choice(["user"], by_rank=False)
    assert choose_terms({}) == Choice([])


def test_a_word_that_most_memories_have_finds_the_newest(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fulltext, "_MAX_POSTINGS", 2)
    for n in range(5):
        world.keep(f"tea {n}")
    assert found(world, "tea") == [f"tea {n}" for n in (4, 3, 2, 1, 0)]
    assert found(world, "tea", layers=[Layer.FACT])[:1] == ["tea 4"]


def test_the_frequency_of_one_term(world: World) -> None:
    world.keep("likes tea")
    info = world.store.scope_info(ANNA)
    assert info is not None
    with world.store.ledger.read() as conn:
        assert [frequency(conn, info.id, term) for term in ("tea", "milk")] == [1, 0]


def test_taking_out_what_is_not_there_changes_nothing(world: World) -> None:
    world.keep("likes tea")
    with world.store.ledger.write() as conn:
        assert full_text_of(conn).remove(conn, [4711]) == 0


def test_another_tokeniser_indexes_everything_again_at_opening(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = world.keep("likes tea", at=NOON - DAY), world.keep("likes Coffee")
    world.supersede(new, old)
    world.store.delete(ANNA, world.keep("likes milk"))
    before = world.store.scope_info(ANNA)
    monkeypatch.setattr(fulltext, "_REBUILD_ROWS", 1)
    monkeypatch.setattr(fulltext, "index_terms", lambda text: [*index_terms(text), "marked"])
    with world.store.ledger.write() as conn:
        write_meta(conn, "tokenizer_version", "0")
    world.store.close()
    world.store = world.store.open(world.settings, clock=world.clock)
    answer = world.store.lexical(ANNA, ["marked"], 5, statuses=list(Status))
    assert {hit.node_id for hit in answer.hits} == {old, new}
    after = world.store.scope_info(ANNA)
    assert before is not None
    assert after is not None
    assert (after.documents, after.terms) == (2, before.terms + 2)
    with world.store.ledger.read() as conn:
        assert read_meta(conn, "tokenizer_version") == TOKENIZER_VERSION
