"""What a new statement does to an old one, by the rules and by a model's word."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from dualmem_graph.config import Settings
from dualmem_graph.storage.records import Related
from dualmem_graph.system1.decisions import (
    decide_by_rules,
    read_updates,
    relation,
    says_the_same,
    specifics,
)
from dualmem_graph.types import Layer, Node, UpdateType

SETTINGS = Settings()
CONSERVATIVE = Settings(reconcile_policy="conservative")


def node(
    id: str,
    content: str,
    dimension: str | None = None,
    value: str | None = None,
    negated: bool = False,
    subject: str = "user",
) -> Node:
    return Node(
        id=id,
        layer=Layer.FACT,
        content=content,
        dimension=dimension,
        value=value,
        negated=negated,
        subject=subject,
        memory_at=datetime(2025, 1, 1, tzinfo=UTC),
    )


PORTO = node("porto", "User lives in Porto.", "home", "Porto")
OSLO = node("oslo", "User lives in Oslo.", "home", "Oslo")
NOT_PORTO = node("not", "User no longer lives in Porto.", "home", "Porto", negated=True)
NOT_RIGA = node("riga", "User no longer lives in Riga.", "home", "Riga", negated=True)
COFFEE = node("coffee", "User likes coffee.", "attitude:coffee", "like")
NO_COFFEE = node("hate", "User hates coffee.", "attitude:coffee", "dislike")
TEA = node("tea", "User likes tea.", "attitude:tea", "like")
TOBIN = node("tobin", "Tobin lives in Oslo.", "home", "Oslo", subject="Tobin")


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        (OSLO, PORTO, UpdateType.OVERRIDE),
        (NOT_PORTO, PORTO, UpdateType.NEGATE),
        (NOT_RIGA, PORTO, None),
        (PORTO, NOT_PORTO, UpdateType.OVERRIDE),
        (NO_COFFEE, COFFEE, UpdateType.OVERRIDE),
        (TEA, COFFEE, None),
        (TOBIN, PORTO, None),
        (node("again", "User is living in Porto.", "home", "porto"), PORTO, UpdateType.SUPPLEMENT),
    ],
)
def test_versions_of_one_dimension_replace_each_other_and_nothing_else_does(
    new: Node, old: Node, expected: UpdateType | None
) -> None:
    assert relation(new, old, 0.99, SETTINGS) == expected


def test_the_conservative_policy_leaves_a_restatement_beside_the_old_one() -> None:
    again = node("again", "User is living in Porto.", "home", "Porto")
    assert relation(again, PORTO, 0.99, CONSERVATIVE) is None
    assert relation(OSLO, PORTO, 0.99, CONSERVATIVE) is UpdateType.OVERRIDE


@pytest.mark.parametrize(
    ("new", "old", "similarity", "expected"),
    [
        ("User likes okra.", "user likes okra", 0.1, True),
        ("User really likes okra.", "User likes okra.", 0.98, True),
        ("User dislikes okra.", "User likes okra.", 0.99, False),
        ("用户不喜欢秋葵。", "用户喜欢秋葵。", 0.99, False),
        ("User has 3 cats.", "User has 2 cats.", 0.99, False),
        ("User met Ilka in Porto.", "User met someone in Porto.", 0.99, False),
        ("User likes okra.", "User likes soup.", 0.9, False),
    ],
)
def test_only_what_adds_nothing_says_the_same(
    new: str, old: str, similarity: float, expected: bool
) -> None:
    assert says_the_same(new, old, similarity, 0.97) is expected


def test_specifics_are_numbers_and_names_but_not_the_first_word() -> None:
    assert specifics("User met Ilka on day 12 at v2.3.") == {"ilka", "12", "v2.3", "2.3"}


def test_three_moves_said_at_once_end_in_one_head() -> None:
    first, second, third = (
        node(name, f"User lives in {name}.", "home", name) for name in ("Porto", "Oslo", "Riga")
    )
    known = {
        item.id: [Related(other, 0.8) for other in (first, second, third) if other is not item]
        for item in (first, second, third)
    }
    # only what was said before may be superseded; the store orders the rest
    decisions = decide_by_rules([first, second, third], known, SETTINGS)
    retired = [old for item in decisions.supersedes for old in item.old]
    assert len(retired) == len(set(retired))


def read(updates: Any, forget: bool = False, settings: Settings = SETTINGS) -> Any:
    return read_updates(
        {"updates": updates},
        [OSLO],
        {1: PORTO, 2: COFFEE},
        settings=settings,
        forget_requested=forget,
    )


def test_an_unknown_id_voids_that_link_only_and_is_named() -> None:
    decisions = read([{"op": "ADD", "content": OSLO.content, "supersedes": ["12", 1]}])
    assert [(item.new, item.old) for item in decisions.supersedes] == [("oslo", ("porto",))]
    assert "12" in decisions.skipped[0].reason


def test_a_bare_deletion_becomes_a_negation_by_the_new_statement() -> None:
    decisions = read([{"op": "DELETE", "id": 1}])
    assert [(i.new, i.old, i.update_type) for i in decisions.supersedes] == [
        ("oslo", ("porto",), UpdateType.NEGATE)
    ]
    assert decisions.hides == []


def test_a_deletion_that_the_user_asked_for_hides() -> None:
    decisions = read([{"op": "DELETE", "supersedes": [1]}], forget=True)
    assert [item.id for item in decisions.hides] == ["porto"]
    assert decisions.supersedes == []


def test_a_target_is_retired_once_and_the_second_update_is_reported() -> None:
    one = {"op": "ADD", "content": OSLO.content, "supersedes": [1]}
    decisions = read([one, one])
    assert len(decisions.supersedes) == 1
    assert "retired by an earlier update" in decisions.skipped[0].reason


def test_a_merge_may_not_bring_names_or_numbers_of_its_own() -> None:
    invented = {"op": "ADD", "content": "User lives in Oslo since 1999.", "supersedes": [1]}
    decisions = read([invented | {"update_type": "SUPPLEMENT"}])
    assert decisions.merges == []
    assert len(decisions.supersedes) == 1
    honest = {"op": "ADD", "content": "User lives in Oslo, before in Porto.", "supersedes": [1]}
    assert len(read([honest | {"update_type": "SUPPLEMENT"}]).merges) == 1


def test_the_conservative_policy_refuses_a_merge_and_says_so() -> None:
    update = {"op": "ADD", "content": "x", "supersedes": [1], "update_type": "SUPPLEMENT"}
    decisions = read([update], settings=CONSERVATIVE)
    assert decisions.supersedes == decisions.merges == []
    assert "conservative" in decisions.skipped[0].reason


@pytest.mark.parametrize(
    "odd", ["a string", 3, None, {"op": "EXPLODE", "supersedes": [1]}, {"op": "ADD"}]
)
def test_odd_updates_change_nothing(odd: Any) -> None:
    decisions = read([odd])
    assert decisions.supersedes == decisions.merges == decisions.hides == []


def test_an_answer_that_is_no_list_of_updates_is_refused() -> None:
    with pytest.raises(ValueError, match="updates"):
        read_updates("prose", [OSLO], {1: PORTO}, settings=SETTINGS, forget_requested=False)
