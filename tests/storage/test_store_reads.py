"""Reading: pages, history, dimensions; and scopes, which never see each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ledger_world import ANNA, BEN, DAY, FINGERPRINT, NOON, World, vector

from dualmem_graph.errors import ClosedError, InputError, MemoryNotFoundError, NotHeadError
from dualmem_graph.storage.records import (
    UNKNOWN_ID,
    Evidence,
    Hide,
    LexicalHits,
    NodePage,
    Plan,
    SemanticHits,
    Supersede,
    WriteOp,
)
from dualmem_graph.storage.store import MemoryStore
from dualmem_graph.types import Layer, Scope, Status


def test_an_empty_store_answers_everything_with_nothing(store: MemoryStore) -> None:
    assert store.get(ANNA, "x") is None
    assert store.head_of(ANNA, "x") is None
    assert store.chains(ANNA, ["x"]) == {"x": []}
    assert store.sources(ANNA, ["x"]) == {"x": []}
    assert store.list_nodes(ANNA) == NodePage((), 0, None)
    assert store.history(ANNA) == []
    assert store.lexical(ANNA, ["tea"], 5) == LexicalHits()
    assert store.semantic(ANNA, vector(1, 0, 0, 0), 5) == SemanticHits()
    assert store.heads_by_dimension(ANNA, [("user", "home")]) == {("user", "home"): []}
    assert store.list_scopes() == []
    assert store.pending_embeddings() == []


@pytest.mark.parametrize("newest_first", [True, False])
def test_pages_come_in_order_and_say_the_total(world: World, newest_first: bool) -> None:
    ids = [world.keep(f"fact {n}") for n in range(7)]
    seen: list[str] = []
    cursor = None
    while True:
        page = world.store.list_nodes(
            ANNA, limit=3, cursor=cursor, newest_first=newest_first, layers=[Layer.FACT]
        )
        assert page.total == 7
        seen += [node.id for node in page.nodes]
        cursor = page.cursor
        if cursor is None:
            break
        world.keep(f"while paging {len(seen)}", layer=Layer.IDENTITY)
    assert seen == (ids[::-1] if newest_first else ids)


def test_a_listing_is_narrowed_by_layer_status_and_session(world: World) -> None:
    (turn,) = world.say("hello", session="s2")
    old, new = world.keep("likes tea", at=NOON - DAY), world.keep("likes coffee")
    world.supersede(new, old)
    world.keep("is curious", layer=Layer.IDENTITY, session_id="s2")
    assert world.current(layers=[Layer.FACT]) == ["likes coffee"]
    assert world.current(statuses=[Status.SUPERSEDED]) == ["likes tea"]
    assert world.current(session_id="s2") == ["is curious"]
    page = world.store.list_nodes(ANNA, session_id="s2", newest_first=False)
    assert page.nodes[0].id == turn


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"cursor": "x"}, {"cursor": "s"}])
def test_a_nonsense_page_is_refused(store: MemoryStore, wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        store.list_nodes(ANNA, **wrong)


def test_heads_of_a_dimension_include_what_is_over_and_say_so(world: World) -> None:
    def at_home(content: str, at: Any, **fields: Any) -> str:
        return world.keep(content, at=at, dimension="home", value="x", **fields)

    old, new = at_home("lives in Rome", NOON - DAY), at_home("lives in Bern", NOON)
    world.supersede(new, old)
    gone = at_home("lives in Oslo", NOON - 2 * DAY)
    world.store.delete(ANNA, gone)
    tobin = at_home("Tobin lives in Lima", NOON, subject="Tobin")
    world.keep("works", dimension="employer")
    keys = [("user", "home"), ("Tobin", "home"), ("Tobin", "employer")]
    found = world.store.heads_by_dimension(ANNA, keys)
    assert {key: [(node.id, node.status) for node in nodes] for key, nodes in found.items()} == {
        ("user", "home"): [(new, Status.ACTIVE), (gone, Status.SHADOW)],
        ("Tobin", "home"): [(tobin, Status.ACTIVE)],
        ("Tobin", "employer"): [],
    }


def test_sources_lead_down_to_the_turns(world: World) -> None:
    turns = world.say("I live in Rome", "I love Rome")
    fact = world.note("lives in Rome")
    fact = world.note("lives in Rome", id=fact.id, evidence=())
    world.write(fact)
    world.write(evidence=[(fact.id, Evidence(turns[0], "live in Rome"))])
    schema = world.keep("is settled", layer=Layer.SCHEMA, evidence=[fact.id, turns[1]])
    found = world.store.sources(ANNA, [schema, fact.id])
    assert [(item.node.id, item.quote) for item in found[schema]] == [
        (turns[0], "live in Rome"),
        (turns[1], ""),
    ]
    assert [item.node.id for item in found[fact.id]] == [turns[0]]
    assert [node.id for node in world.store.derived_from(ANNA, turns)[turns[0]]] == [fact.id]


def test_history_is_narrowed_by_memory_and_time(world: World) -> None:
    one = world.keep("likes tea")
    world.clock.forward(hours=1)
    two = world.keep("likes coffee")
    world.store.delete(ANNA, one, actor="anna", reason="no longer true")
    (deletion,) = world.store.history(ANNA, one, since=world.clock.now)
    assert deletion.to_dict() == {
        "event": "DELETE",
        "memory_id": one,
        "at": world.clock.now.isoformat(),
        "actor": "anna",
        "reason": "no longer true",
        "old": {"status": "ACTIVE", "known_until": None},
        "new": {"status": "SHADOW", "known_until": world.clock.now.isoformat()},
    }
    assert [(event.event, event.memory_id) for event in world.store.history(ANNA)] == [
        ("ADD", one),
        ("ADD", two),
        ("DELETE", one),
    ]
    assert [event.event for event in world.store.history(ANNA, limit=1)] == ["DELETE"]


def test_scopes_are_listed_with_what_they_hold(world: World) -> None:
    other = Scope("app2", "anna")
    world.say("hello")
    world.keep("likes tea")
    world.keep("likes tea", scope=other)
    assert world.store.list_scopes() == [
        (other, {"L2_FACT": 1}),
        (ANNA, {"L1_RAW": 1, "L2_FACT": 1}),
    ]
    assert world.store.list_scopes("app2") == [(other, {"L2_FACT": 1})]
    assert world.store.stats()["scopes"] == 2


# --- isolation


def _answer(ask: Callable[[MemoryStore, str], object], store: MemoryStore, id_: str) -> str:
    """What a call says, be it a result or a refusal, with the id left out."""
    try:
        answer = repr(ask(store, id_))
    except (MemoryNotFoundError, NotHeadError) as error:
        answer = repr(error)
    return answer.replace(id_, "…")


@pytest.mark.parametrize(
    "ask",
    [
        lambda store, id_: store.get(ANNA, id_),
        lambda store, id_: store.get_many(ANNA, [id_]),
        lambda store, id_: store.head_of(ANNA, id_),
        lambda store, id_: list(store.chains(ANNA, [id_]).values()),
        lambda store, id_: list(store.sources(ANNA, [id_]).values()),
        lambda store, id_: list(store.grounds(ANNA, [id_]).values()),
        lambda store, id_: list(store.derived_from(ANNA, [id_]).values()),
        lambda store, id_: store.history(ANNA, id_),
        lambda store, id_: store.similarities(ANNA, [id_], vector(1, 0, 0, 0), FINGERPRINT),
        lambda store, id_: store.update(ANNA, id_, "likes milk"),
        lambda store, id_: store.delete(ANNA, id_),
        lambda store, id_: store.delete(ANNA, id_, chain=True),
        lambda store, id_: store.restore(ANNA, id_),
        lambda store, id_: store.set_embeddings(ANNA, {id_: vector(1, 0, 0, 0)}, FINGERPRINT),
        lambda store, id_: store.apply(ANNA, Plan(hides=[Hide(id_)]), actor="x").hidden,
        lambda store, id_: store.apply(ANNA, Plan(expires=[id_]), actor="x").hidden,
    ],
)
def test_a_foreign_id_is_answered_like_an_absent_one(
    world: World, ask: Callable[[MemoryStore, str], object]
) -> None:
    (turn,) = world.say("I like tea", scope=BEN)
    old = world.keep("likes tea", scope=BEN, at=NOON - DAY, evidence=[turn])
    new = world.keep(
        "likes coffee", scope=BEN, embedding=vector(1, 0, 0, 0), fingerprint=FINGERPRINT
    )
    world.supersede(new, old, scope=BEN)
    world.keep("is calm")
    before = [world.store.get(BEN, id_) for id_ in (turn, old, new)]
    absent = _answer(ask, world.store, "absent")
    for foreign in (turn, old, new):
        assert _answer(ask, world.store, foreign) == absent
    assert [world.store.get(BEN, id_) for id_ in (turn, old, new)] == before


def test_a_foreign_memory_is_neither_superseded_nor_evidence(world: World) -> None:
    foreign = world.keep("likes tea", scope=BEN)
    mine = world.keep("likes coffee")
    outcome = world.supersede(mine, foreign, "absent")
    assert outcome.refused == ((foreign, UNKNOWN_ID), ("absent", UNKNOWN_ID))
    assert world.supersede(foreign, mine).refused == ((mine, UNKNOWN_ID),)
    world.write(evidence=[(mine, Evidence(foreign)), (foreign, Evidence(mine))])
    assert world.store.grounds(ANNA, [mine]) == {mine: []}
    assert world.store.grounds(BEN, [foreign]) == {foreign: []}


def test_words_are_counted_within_the_scope(world: World) -> None:
    world.keep("zither lessons")
    for n in range(5):
        world.keep(f"zither lesson {n}", scope=BEN)
    found = world.store.lexical(ANNA, ["zither"], 10)
    assert (len(found.hits), found.documents, found.frequencies) == (1, 1, {"zither": 1})


def test_deleting_a_scope_leaves_the_others_untouched(world: World) -> None:
    turns = {}
    for scope in (ANNA, BEN):
        turns[scope] = world.say("I like tea", scope=scope)
        world.keep(
            "likes tea",
            scope=scope,
            evidence=turns[scope],
            embedding=vector(1, 0, 0, 0),
            fingerprint=FINGERPRINT,
        )
    before = [world.store.list_nodes(BEN), world.store.history(BEN), world.store.scope_info(BEN)]
    assert world.store.delete_scope(ANNA) == {
        "edges": 1,
        "nodes": 2,
        "history": 2,
        "tombstones": 0,
        "jobs": 0,
        "usage": 0,
    }
    after = [world.store.list_nodes(BEN), world.store.history(BEN), world.store.scope_info(BEN)]
    assert after == before
    assert world.store.scope_info(ANNA) is None
    assert world.store.list_nodes(ANNA) == NodePage((), 0, None)
    assert world.store.list_scopes() == [(BEN, {"L1_RAW": 1, "L2_FACT": 1})]
    assert set(world.store.delete_scope(ANNA).values()) == {0}
    assert world.say("I like tea") == turns[ANNA]
    assert world.store.list_scopes("default")[0] == (ANNA, {"L1_RAW": 1})


# --- import, embeddings, usage


def test_an_import_keeps_ids_and_skips_what_is_there(world: World) -> None:
    notes = [world.note(f"fact {n}", id=f"n{n}") for n in range(5)]
    assert world.store.import_nodes(ANNA, iter(notes), batch=2) == {"ADDED": 5}
    assert world.store.import_nodes(ANNA, notes) == {"EXISTS": 5}
    assert world.node("n3").content == "fact 3"


def test_an_import_whose_ids_another_scope_has_gets_its_own(world: World) -> None:
    notes = [
        world.note("I live in Rome", id="t1", layer=Layer.RAW, role="user"),
        world.note("lives in Rome", id="n1", evidence=["t1"]),
    ]
    assert world.store.import_nodes(BEN, notes) == {"ADDED": 2}
    assert world.store.import_nodes(ANNA, notes) == {"ADDED": 2}
    assert world.store.import_nodes(ANNA, notes) == {"EXISTS": 2}
    assert world.store.get(ANNA, "n1") is None
    (fact,) = world.store.list_nodes(ANNA, layers=[Layer.FACT]).nodes
    (source,) = world.store.sources(ANNA, [fact.id])[fact.id]
    assert source.node.content == "I live in Rome"


def test_a_plan_may_meet_an_id_of_another_scope(world: World) -> None:
    world.write(world.note("likes tea", id="n1"), scope=BEN)
    (outcome,) = world.write(
        world.note("likes coffee", id="n1"), supersedes=[Supersede("n1", ("absent",))]
    ).nodes
    assert outcome.op is WriteOp.ADDED
    assert world.current() == ["likes coffee"]
    assert world.store.get(BEN, "n1") == world.node("n1", BEN)


def test_memories_without_a_vector_can_be_given_one(world: World) -> None:
    one, two = world.keep("likes tea"), world.keep("likes coffee")
    other = world.keep("likes milk", scope=BEN)
    world.store.delete(ANNA, two)
    assert world.store.pending_embeddings() == [
        (ANNA, one, "likes tea"),
        (BEN, other, "likes milk"),
    ]
    vectors = {one: vector(1, 0, 0, 0), "absent": vector(0, 1, 0, 0), other: vector(0, 0, 1, 0)}
    assert world.store.set_embeddings(ANNA, vectors, FINGERPRINT) == 1
    query = vector(1, 1, 0, 0)
    cosines = world.store.similarities(ANNA, [one], query, FINGERPRINT)
    assert cosines[one] == pytest.approx(0.5**0.5)
    assert world.store.similarities(ANNA, [one], query, "other:4") == {}
    assert world.store.pending_embeddings(1) == [(BEN, other, "likes milk")]


def test_a_restored_memory_is_a_new_record_of_the_index(world: World) -> None:
    id_ = world.keep("likes tea", embedding=vector(1, 0, 0, 0), fingerprint=FINGERPRINT)
    world.store.delete(ANNA, id_)
    world.store.restore(ANNA, id_)
    with world.store.ledger.read() as conn:
        vids = conn.exec_driver_sql("SELECT vid FROM outbox ORDER BY seq").scalars().all()
    assert vids == [f"{id_}:1", f"{id_}:1", f"{id_}:3"]


def test_a_closed_store_says_so(world: World, tmp_path: Any) -> None:
    other = World(tmp_path)
    other.store.close()
    other.store.close()
    with pytest.raises(ClosedError, match="closed"):
        other.store.get(ANNA, "x")
    world.keep("the first one still works")


def test_stores_on_one_directory_share_one_ledger(world: World, tmp_path: Any) -> None:
    other = World(tmp_path / ".." / tmp_path.name, ledger_url=world.settings.ledger_url)
    assert other.store.ledger is world.store.ledger
    id_ = other.keep("likes tea")
    assert world.node(id_).content == "likes tea"
    other.store.close()
    assert world.node(id_).content == "likes tea"
