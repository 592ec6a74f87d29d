"""Chain rules 1 to 6 and 8 of the design, one behaviour a test."""

from __future__ import annotations

import threading

import pytest
from ledger_world import ANNA, BEN, DAY, NOON, World

from dualmem_graph.errors import InputError, MemoryNotFoundError, NotHeadError
from dualmem_graph.storage.ids import node_id
from dualmem_graph.storage.records import (
    CYCLE,
    IS_DELETED,
    IS_OLDER,
    IS_RAW,
    ITSELF,
    NOT_HEAD,
    UNKNOWN_ID,
    About,
    Deleted,
    Evidence,
    Hide,
    Plan,
    Supersede,
    SupersedeOutcome,
    WriteOp,
)
from dualmem_graph.types import Layer, Status, UpdateType


def test_a_newer_statement_becomes_the_head(world: World) -> None:
    old = world.keep("lives in Beijing", at=NOON - DAY)
    new = world.keep("lives in Shanghai")
    assert world.supersede(new, old) == SupersedeOutcome(new, applied=(old,))
    assert world.status(new, old) == [Status.ACTIVE, Status.SUPERSEDED]
    assert world.chain(old) == ["lives in Shanghai", "lives in Beijing"]
    assert world.node(old).known_until == NOON


def test_older_statement_imported_later_does_not_become_head(world: World) -> None:
    riga = world.keep("lives in Riga", at=NOON - DAY)
    oslo = world.keep("lives in Oslo", at=NOON - 700 * DAY)
    assert world.supersede(oslo, riga) == SupersedeOutcome(oslo, below=riga)
    assert world.status(riga, oslo) == [Status.ACTIVE, Status.SUPERSEDED]
    assert world.chain(oslo) == ["lives in Riga", "lives in Oslo"]


def test_a_late_statement_is_put_between_its_neighbours(world: World) -> None:
    first = world.keep("lives in Rome", at=NOON - 3 * DAY)
    last = world.keep("lives in Oslo", at=NOON - DAY)
    world.supersede(last, first)
    late = world.keep("lives in Bern", at=NOON - 2 * DAY)
    assert world.supersede(late, last).below == last
    chain = world.store.chains(ANNA, [last, late])
    assert [link.node.id for link in chain[last]] == [late, first]
    assert [link.node.id for link in chain[late]] == [first]
    assert [world.node(id_).known_until for id_ in (first, late)] == [NOON - 2 * DAY, NOON - DAY]


def test_turn_order_decides_between_statements_of_one_moment(world: World) -> None:
    second = world.keep("has moved to Bern", turn_index=1)
    first = world.keep("lives in Rome", turn_index=0)
    assert world.supersede(first, second).below == second
    assert world.chain(first) == ["has moved to Bern", "lives in Rome"]


def test_a_merge_has_one_head_and_all_ancestors(world: World) -> None:
    one = world.keep("plays chess", at=NOON - 3 * DAY)
    two = world.keep("plays go", at=NOON - 2 * DAY)
    both = world.keep("plays chess and go", at=NOON - DAY)
    assert world.supersede(both, one, two).applied == (one, two)
    assert world.chain(one) == ["plays chess and go", "plays go", "plays chess"]
    assert {world.store.head_of(ANNA, id_) for id_ in (one, two, both)} == {both}


def test_a_late_statement_may_stand_below_one_head_and_above_another(world: World) -> None:
    oldest = world.keep("works as a cook", at=NOON - 3 * DAY)
    newest = world.keep("works as a pilot", at=NOON - DAY)
    middle = world.keep("works as a nurse", at=NOON - 2 * DAY)
    outcome = world.supersede(middle, newest, oldest)
    assert outcome == SupersedeOutcome(middle, applied=(oldest,), below=newest)
    assert world.chain(oldest) == ["works as a pilot", "works as a nurse", "works as a cook"]


def test_a_late_statement_is_below_one_head_only(world: World) -> None:
    heads = [world.keep(f"statement {n}", at=NOON - n * DAY) for n in (1, 2)]
    late = world.keep("the oldest", at=NOON - 3 * DAY)
    outcome = world.supersede(late, *heads)
    assert outcome == SupersedeOutcome(late, below=heads[0], refused=((heads[1], IS_OLDER),))


def test_targets_are_refused_one_by_one_and_the_rest_is_applied(world: World) -> None:
    turn, *_ = world.say("I live in Bern now")
    old = world.keep("lives in Rome", at=NOON - 2 * DAY)
    middle = world.keep("lives in Oslo", at=NOON - DAY)
    world.supersede(middle, old)
    foreign = world.keep("lives in Lima", scope=BEN)
    new = world.keep("lives in Bern", evidence=[turn])
    outcome = world.supersede(new, "12", foreign, new, turn, old, middle)
    assert outcome == SupersedeOutcome(
        new,
        applied=(middle,),
        refused=(
            ("12", UNKNOWN_ID),
            (foreign, UNKNOWN_ID),
            (new, ITSELF),
            (turn, IS_RAW),
            (old, NOT_HEAD),
        ),
    )
    assert world.node(foreign, BEN).status is Status.ACTIVE


def test_no_cycle_can_be_asked_for(world: World) -> None:
    old = world.keep("likes tea", at=NOON - DAY)
    new = world.keep("likes coffee")
    world.supersede(new, old)
    assert world.supersede(old, new).refused == ((new, CYCLE),)
    assert world.supersede(old, new, explicit=True).refused == ((new, CYCLE),)
    assert world.chain(old) == ["likes coffee", "likes tea"]


def test_a_supersede_that_is_run_again_finds_its_own_work(world: World) -> None:
    old, new = world.keep("likes tea", at=NOON - DAY), world.keep("likes coffee")
    first = world.supersede(new, old)
    events = len(world.store.history(ANNA))
    assert world.supersede(new, old) == first
    assert len(world.store.history(ANNA)) == events


def test_a_chain_may_cross_layers(world: World) -> None:
    fact = world.keep("works at Acme", at=NOON - DAY)
    trait = world.keep("is self-employed", layer=Layer.IDENTITY)
    assert world.supersede(trait, fact).applied == (fact,)


def test_a_new_statement_supersedes_a_deleted_or_expired_head(world: World) -> None:
    gone, over = world.keep("plans a trip", at=NOON - DAY), world.keep("plans a move", at=NOON)
    world.store.delete(ANNA, gone)
    world.write(expires=[over])
    assert world.status(gone, over) == [Status.SHADOW, Status.EXPIRED]
    world.clock.forward(days=1)
    new = world.keep("has moved")
    assert world.supersede(new, gone, over).applied == (gone, over)
    assert world.status(new, gone, over) == [Status.ACTIVE, Status.SHADOW, Status.SUPERSEDED]


def test_a_deleted_statement_supersedes_nothing(world: World) -> None:
    old, new = world.keep("likes tea", at=NOON - DAY), world.keep("likes coffee")
    world.store.delete(ANNA, new)
    assert world.supersede(new, old).refused == ((old, IS_DELETED),)
    assert world.status(old) == [Status.ACTIVE]


def test_an_explicit_write_becomes_head_whatever_its_date(world: World) -> None:
    head = world.keep("lives in Oslo")
    old = world.keep("lives in Rome", at=NOON - DAY)
    assert world.supersede(old, head, explicit=True).applied == (head,)
    assert world.chain(old) == ["lives in Rome", "lives in Oslo"]
    later = world.keep("lives in Bern", at=NOON - DAY / 2)
    assert world.supersede(later, old).below == old


def test_what_is_said_again_later_stands_above_what_came_between(world: World) -> None:
    first, again = world.say("I like tea"), []
    tea = world.keep("likes tea", evidence=first)
    world.clock.forward(days=1)
    coffee = world.keep("likes coffee")
    world.clock.forward(days=1)
    again = world.say("As I said, I like tea")
    (outcome,) = world.write(world.note("likes tea", evidence=again)).nodes
    assert (outcome.op, outcome.node and outcome.node.id) == (WriteOp.DUPLICATE, tea)
    assert world.supersede(tea, coffee).applied == (coffee,)
    assert world.current() == ["likes tea"]


def test_beijing_shanghai_beijing_is_three_nodes(world: World) -> None:
    ids = []
    for city in ("Beijing", "Shanghai", "Beijing"):
        world.clock.forward(days=1)
        ids.append(world.keep(f"lives in {city}", evidence=world.say(f"I live in {city}")))
        if len(ids) > 1:
            world.supersede(ids[-1], ids[-2])
    assert len(set(ids)) == 3
    assert world.chain(ids[0]) == ["lives in Beijing", "lives in Shanghai", "lives in Beijing"]


def test_two_threads_superseding_one_head_make_one_chain(world: World) -> None:
    old = world.keep("lives in Rome", at=NOON - DAY)
    new = [world.keep(f"lives in {city}") for city in ("Oslo", "Bern")]
    outcomes: list[SupersedeOutcome] = []
    start = threading.Barrier(2)

    def race(id_: str) -> None:
        start.wait()
        outcomes.append(world.supersede(id_, old))

    threads = [threading.Thread(target=race, args=(id_,)) for id_ in new]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcome.applied for outcome in outcomes) == [(), (old,)]
    assert sorted(outcome.refused for outcome in outcomes) == [(), ((old, NOT_HEAD),)]
    winner = next(outcome.new for outcome in outcomes if outcome.applied)
    loser = next(outcome.new for outcome in outcomes if not outcome.applied)
    assert world.store.head_of(ANNA, old) == winner
    assert world.supersede(loser, winner).refused == ()
    assert len(world.chain(old)) == 3


# --- update


def test_update_writes_a_version_on_the_same_evidence(world: World) -> None:
    turn, *_ = world.say("I live in Rome")
    old = world.keep("lives in Rome", evidence=[turn], tags=("home",), dimension="home")
    world.clock.forward(hours=1)
    new = world.store.update(ANNA, old, "lives in Bern", about=About("home", "bern"))
    assert (new.content, new.tags, new.dimension, new.value) == (
        "lives in Bern",
        ("home",),
        "home",
        "bern",
    )
    assert (new.status, new.memory_at) == (Status.ACTIVE, world.clock.now)
    assert world.chain(old) == ["lives in Bern", "lives in Rome"]
    assert [item.node.id for item in world.store.sources(ANNA, [new.id])[new.id]] == [turn]


def test_update_with_the_same_content_writes_nothing(world: World) -> None:
    id_ = world.keep("plays the zither")
    before = world.store.scope_info(ANNA)
    assert world.store.update(ANNA, id_, "plays the zither") == world.node(id_)
    assert world.store.scope_info(ANNA) == before
    changed = world.store.update(ANNA, id_, "plays the zither", tags=["music"])
    assert (changed.id, changed.tags) == (id_, ("music",))


def test_update_of_an_earlier_version_names_the_head(world: World) -> None:
    old = world.keep("lives in Rome")
    head = world.store.update(ANNA, old, "lives in Bern").id
    with pytest.raises(NotHeadError, match=head) as caught:
        world.store.update(ANNA, old, "lives in Oslo")
    assert caught.value.head_id == head


@pytest.mark.parametrize("layer", [Layer.RAW, Layer.SCHEMA])
def test_turns_and_schemas_cannot_be_edited(world: World, layer: Layer) -> None:
    id_ = world.keep("when tired, walks", layer=layer)
    with pytest.raises(InputError, match="never changes"):
        world.store.update(ANNA, id_, "when tired, sleeps")


def test_update_of_a_deleted_or_blank_memory_is_refused(world: World) -> None:
    id_ = world.keep("lives in Rome")
    with pytest.raises(InputError, match="blank"):
        world.store.update(ANNA, id_, "  ")
    world.store.delete(ANNA, id_)
    with pytest.raises(MemoryNotFoundError, match="restore"):
        world.store.update(ANNA, id_, "lives in Bern")


def test_update_with_a_clock_that_went_back_still_becomes_head(world: World) -> None:
    id_ = world.keep("lives in Rome")
    world.clock.forward(days=-30)
    new = world.store.update(ANNA, id_, "lives in Bern")
    assert world.store.head_of(ANNA, id_) == new.id


def test_a_restored_version_can_be_edited_to_the_same_text_again(world: World) -> None:
    rome = world.keep("lives in Rome")
    bern = world.store.update(ANNA, rome, "lives in Bern").id
    world.store.restore(ANNA, rome)
    again = world.store.update(ANNA, rome, "lives in Bern").id
    assert again != bern
    assert world.store.head_of(ANNA, bern) == again
    assert len(world.chain(rome)) == 3


# --- delete and restore


def test_deleting_a_head_makes_nothing_below_it_current(world: World) -> None:
    old, new = world.keep("likes tea", at=NOON - DAY), world.keep("likes coffee")
    world.supersede(new, old)
    assert world.store.delete(ANNA, new) == Deleted((new,), ())
    assert world.status(new, old) == [Status.SHADOW, Status.SUPERSEDED]
    assert world.current() == []
    assert world.store.delete(ANNA, new) == Deleted((), ())


def test_deleting_a_chain_hides_all_its_versions(world: World) -> None:
    ids = [world.keep(f"version {n}", at=NOON + n * DAY) for n in range(3)]
    world.supersede(ids[1], ids[0])
    world.supersede(ids[2], ids[1])
    deleted = world.store.delete(ANNA, ids[1], chain=True)
    assert (set(deleted.hidden), deleted.derived) == (set(ids), ())
    assert world.status(*ids) == [Status.SHADOW] * 3


def test_an_absent_memory_cannot_be_deleted_or_restored(world: World) -> None:
    foreign = world.keep("lives in Lima", scope=BEN)
    for id_ in ("nowhere", foreign):
        with pytest.raises(MemoryNotFoundError, match=id_):
            world.store.delete(ANNA, id_)
        with pytest.raises(MemoryNotFoundError, match=id_):
            world.store.restore(ANNA, id_)
    assert world.store.scope_info(ANNA) is None


def test_restoring_a_deleted_head_brings_it_back_as_it_was(world: World) -> None:
    id_ = world.keep("likes tea", embedding=None)
    before = world.node(id_)
    world.store.delete(ANNA, id_)
    world.clock.forward(days=1)
    after = world.store.restore(ANNA, id_)
    assert (after.status, after.known_from, after.known_until) == (
        Status.ACTIVE,
        before.known_from,
        None,
    )
    assert world.store.restore(ANNA, id_) == after


def test_restoring_an_earlier_version_puts_it_on_top(world: World) -> None:
    ids = [world.keep(f"version {n}", at=NOON - 3 * DAY + n * DAY) for n in range(3)]
    world.supersede(ids[1], ids[0])
    world.supersede(ids[2], ids[1])
    world.store.restore(ANNA, ids[1])
    assert world.status(*ids) == [Status.SUPERSEDED, Status.ACTIVE, Status.SUPERSEDED]
    assert {world.store.head_of(ANNA, id_) for id_ in ids} == {ids[1]}
    below_last = world.store.chains(ANNA, [ids[2]])[ids[2]]
    assert [link.node.id for link in below_last] == [ids[0]]


def test_deleting_a_turn_reaches_all_that_rests_on_it_alone(world: World) -> None:
    turn, other = world.say("I live in Rome", "and I like tea")
    fact = world.keep("lives in Rome", evidence=[turn])
    profile = world.keep("location: Rome", layer=Layer.BASIC_INFO, evidence=[fact])
    shared = world.keep("lives in Rome and likes tea", evidence=[turn, other])
    deleted = world.store.delete(ANNA, turn)
    assert (deleted.hidden, set(deleted.derived)) == ((turn,), {fact, profile})
    assert world.status(shared) == [Status.ACTIVE]
    world.store.restore(ANNA, turn)
    assert world.status(turn, fact, profile) == [Status.ACTIVE] * 3


def test_a_schema_stays_while_any_of_its_evidence_does(world: World) -> None:
    facts = [world.keep(f"fact {n}") for n in range(3)]
    schema = world.keep("when tired, walks", layer=Layer.SCHEMA, evidence=facts)
    world.store.delete(ANNA, facts[0])
    assert world.status(schema) == [Status.ACTIVE]
    world.write(hides=[Hide(facts[1]), Hide(facts[2])])
    assert world.status(schema) == [Status.SHADOW]


def test_restoring_a_source_does_not_undo_a_deletion_by_will(world: World) -> None:
    turn, *_ = world.say("I like tea and coffee")
    tea = world.keep("likes tea", evidence=[turn])
    coffee = world.keep("likes coffee", evidence=[turn])
    world.store.delete(ANNA, tea)
    world.store.delete(ANNA, turn)
    world.store.restore(ANNA, turn)
    assert world.status(tea, coffee) == [Status.SHADOW, Status.ACTIVE]


def test_what_rests_on_deleted_things_alone_is_not_restored(world: World) -> None:
    turn, *_ = world.say("I like tea")
    tea = world.keep("likes tea", evidence=[turn])
    world.store.delete(ANNA, turn)
    with pytest.raises(InputError, match=turn):
        world.store.restore(ANNA, tea)


def test_a_retired_version_comes_back_below_its_successor(world: World) -> None:
    turn, *_ = world.say("I like tea")
    tea = world.keep("likes tea", evidence=[turn])
    world.store.delete(ANNA, turn)
    world.clock.forward(days=1)
    coffee = world.keep("likes coffee")
    world.supersede(coffee, tea)
    world.store.restore(ANNA, turn)
    assert world.status(tea, coffee) == [Status.SUPERSEDED, Status.ACTIVE]


# --- tombstones


def test_a_deleted_statement_does_not_return_by_reading_its_turn_again(world: World) -> None:
    turn, *_ = world.say("I live in Rome")
    fact = world.note("lives in Rome", evidence=[turn])
    profile = world.note("location: Rome", layer=Layer.BASIC_INFO, evidence=[fact.id])
    world.write(fact, profile)
    world.store.delete(ANNA, fact.id)
    again = world.write(fact, world.note("location: Rome", layer=Layer.BASIC_INFO, evidence=[turn]))
    assert [(outcome.op, outcome.node) for outcome in again.nodes] == [
        (WriteOp.TOMBSTONED, None),
        (WriteOp.TOMBSTONED, None),
    ]
    assert world.current() == []


def test_a_deleted_statement_returns_when_it_is_said_anew(world: World) -> None:
    turn, *_ = world.say("I live in Rome")
    world.store.delete(ANNA, world.keep("lives in Rome", evidence=[turn]))
    world.clock.forward(days=1)
    (anew,) = world.say("I do live in Rome")
    (outcome,) = world.write(world.note("lives in Rome", evidence=[anew])).nodes
    assert outcome.op is WriteOp.ADDED


def test_restoring_lifts_the_tombstone(world: World) -> None:
    turn, *_ = world.say("I live in Rome")
    fact = world.note("lives in Rome", evidence=[turn])
    world.write(fact)
    world.store.delete(ANNA, fact.id)
    world.store.restore(ANNA, fact.id)
    assert [outcome.op for outcome in world.write(fact).nodes] == [WriteOp.EXISTS]


# --- writing nodes


def test_a_plan_that_is_carried_out_twice_writes_once(world: World) -> None:
    turn, *_ = world.say("I live in Rome")
    note = world.note("lives in Rome", evidence=[turn])
    first, second = world.write(note).nodes[0], world.write(note).nodes[0]
    assert (first.op, second.op) == (WriteOp.ADDED, WriteOp.EXISTS)
    assert first.node == second.node


def test_the_same_statement_of_another_turn_lends_its_evidence(world: World) -> None:
    one, two = world.say("I like tea", "I really like tea")
    first = world.keep("likes tea", evidence=[one])
    plan = Plan(
        nodes=[world.note("Likes tea.", evidence=[two])],
        supersedes=[Supersede(node_id(ANNA, two, Layer.FACT, "Likes tea."), (first,))],
    )
    applied = world.store.apply(ANNA, plan, actor="test")
    assert [(outcome.op, outcome.node and outcome.node.id) for outcome in applied.nodes] == [
        (WriteOp.DUPLICATE, first)
    ]
    assert applied.supersedes == (SupersedeOutcome(first, refused=((first, ITSELF),)),)
    assert [item.node.id for item in world.store.sources(ANNA, [first])[first]] == [one, two]


def test_one_plan_does_not_write_one_statement_twice(world: World) -> None:
    turns = world.say("I like tea", "tea is what I like")
    notes = [world.note("likes tea", evidence=[turn]) for turn in turns]
    assert [outcome.op for outcome in world.write(*notes).nodes] == [
        WriteOp.ADDED,
        WriteOp.DUPLICATE,
    ]


def test_the_same_words_of_another_layer_or_subject_are_another_memory(world: World) -> None:
    world.keep("likes tea")
    world.keep("likes tea", layer=Layer.IDENTITY)
    world.keep("likes tea", subject="Tobin", id="tobin")
    assert world.current() == ["likes tea"] * 3


def test_a_statement_whose_evidence_is_gone_is_refused(world: World) -> None:
    turn, *_ = world.say("I like tea")
    world.store.delete(ANNA, turn)
    foreign = world.say("I like tea", scope=BEN)
    applied = world.write(
        world.note("likes tea", evidence=[turn]),
        world.note("likes coffee", evidence=foreign),
        world.note("likes milk", evidence=["nowhere"]),
    )
    assert [outcome.op for outcome in applied.nodes] == [WriteOp.REFUSED] * 3
    assert world.current() == []


def test_evidence_is_added_to_what_is_there(world: World) -> None:
    facts = [world.keep(f"fact {n}") for n in range(2)]
    schema = world.keep("when tired, walks", layer=Layer.SCHEMA, evidence=facts[:1])
    world.write(evidence=[(schema, Evidence(facts[1])), (schema, Evidence("nowhere"))])
    assert [node.id for node in world.store.grounds(ANNA, [schema])[schema]] == facts
    assert [event.event for event in world.store.history(ANNA, schema)] == ["ADD", "EVIDENCE"]


def test_memories_do_not_hold_up_each_other(world: World) -> None:
    (turn,) = world.say("I like tea")
    fact = world.keep("likes tea", evidence=[turn])
    schema = world.keep("when tired, drinks tea", layer=Layer.SCHEMA, evidence=[fact])
    world.write(evidence=[(fact, Evidence(schema)), (fact, Evidence(fact))])
    (outcome,) = world.write(world.note("likes tea", evidence=[schema], id="again")).nodes
    assert outcome.op is WriteOp.DUPLICATE
    assert [node.id for node in world.store.grounds(ANNA, [fact])[fact]] == [turn]
    assert set(world.store.delete(ANNA, turn).derived) == {fact, schema}


def test_why_a_version_was_superseded_is_in_its_chain_and_history(world: World) -> None:
    old, new = world.keep("likes okra", at=NOON - DAY), world.keep("dislikes okra")
    world.write(supersedes=[Supersede(new, (old,), UpdateType.NEGATE)])
    (link,) = world.store.chains(ANNA, [new])[new]
    assert (link.node.id, link.update_type) == (old, UpdateType.NEGATE)
    added, buried = world.store.history(ANNA, old)
    assert added.new == {"status": "ACTIVE", "layer": "L2_FACT", "content": "likes okra"}
    assert (buried.event, buried.reason) == ("SUPERSEDE", f"NEGATE by {new}")
