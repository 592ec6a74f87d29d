"""What the demo asks of a chat that brings no questions."""

from __future__ import annotations

import pytest

from dualmem_graph.demo.questions import questions_from
from dualmem_graph.types import Layer, MemoryItem, MemoryType


def item(content: str, subject: str = "user", tags: tuple[str, ...] = ()) -> MemoryItem:
    return MemoryItem(
        memory_id=content,
        content=content,
        layer=Layer.FACT,
        category="fact",
        memory_type=MemoryType.SEMANTIC,
        subject=subject,
        tags=tags,
    )


@pytest.mark.parametrize(
    ("language", "asked"),
    [
        (
            "en",
            [
                "Where do I live?",
                "What is my job?",
                "What do you know about my sister?",
                "What have I said about music?",
            ],
        ),
        (
            "zh",
            [
                "我住在哪里？",
                "我的职业是什么？",
                "关于my sister你知道什么？",
                "关于music我说过什么？",
            ],
        ),
    ],
)
def test_profile_comes_first_then_people_then_topics(language: str, asked: list[str]) -> None:
    profile = {"occupation": item("baker"), "location": item("Porto"), "shoe_size": item("38")}
    items = [
        item("a", "User's sister", ("event", "music")),
        item("b", "User's sister", ("event",)),
        item("c", "Rui", ("music", "food")),
        item("d", "assistant"),
    ]

    assert questions_from(profile, items, language=language, limit=9) == asked
    assert questions_from(profile, items, language=language, limit=2) == asked[:2]


def test_people_named_once_are_asked_about_where_nobody_is_named_twice() -> None:
    items = [item("a", "Rui"), item("b", "用户的妈妈")]

    assert questions_from({}, items, language="zh", limit=9) == [
        "关于Rui你知道什么？",
        "关于我的妈妈你知道什么？",
    ]


def test_nothing_remembered_is_nothing_to_ask() -> None:
    assert questions_from({}, [], language="en", limit=3) == []
