from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualmem_graph.errors import InputError
from dualmem_graph.text.chunks import sentences, split_to_chars, split_to_tokens
from dualmem_graph.text.language import estimate_tokens

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))
PROSE = st.text(alphabet="ab 。，？!.\n`北京👍🏽\u200d\u0301")


def visible(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved. I like it!", ["I moved.", "I like it!"]),
        ("i moved. i like it", ["i moved.", "i like it"]),
        ("Dr. Lee met Mr. Wu at 5 p.m. on Monday.", ["Dr. Lee met Mr. Wu at 5 p.m. on Monday."]),
        ("We met at 5 p.m. Then we ate.", ["We met at 5 p.m.", "Then we ate."]),
        ("It costs 3.50. See https://a.b/c.d for more.", None),
        ("J. K. Rowling wrote it. I read it.", ["J. K. Rowling wrote it.", "I read it."]),
        ("Pets, e.g. cats, are fun.", ["Pets, e.g. cats, are fun."]),
        ("I live in the U.S. Army base.", ["I live in the U.S. Army base."]),
        ("I live in the U.S. My cat too.", ["I live in the U.S.", "My cat too."]),
        ('She said "Stop!" Then she left.', ['She said "Stop!"', "Then she left."]),
        ("Really?! Yes.", ["Really?!", "Yes."]),
        ("well... maybe tomorrow", ["well... maybe tomorrow"]),
        ("Well... Maybe tomorrow", ["Well...", "Maybe tomorrow"]),
        ("我搬家了。你呢？好的！", ["我搬家了。", "你呢？", "好的！"]),
        ("他说：“走吧。”我就走了。", ["他说：“走吧。”", "我就走了。"]),
        ("你好!我是小王", ["你好!", "我是小王"]),
        ("我住在北京.我喜欢猫", ["我住在北京.", "我喜欢猫"]),
        ("第一；第二……完", ["第一；", "第二……", "完"]),
        ("版本是3.5，价格是2.80元。", ["版本是3.5，价格是2.80元。"]),
        ("one\ntwo\r\nthree", ["one", "two", "three"]),
        ("1. Buy milk\n2. Call mum", ["1. Buy milk", "2. Call mum"]),
        ("So:\n```\na. b.\n\nc! d?\n```\nDone.", ["So:", "```\na. b.\n\nc! d?\n```", "Done."]),
        ("", []),
        (" \n ", []),
    ],
)
def test_text_is_cut_into_sentences(text: str, expected: list[str] | None) -> None:
    if expected is None:
        expected = ["It costs 3.50.", "See https://a.b/c.d for more."]
    assert sentences(text) == expected


@given(ANY_TEXT | PROSE)
def test_sentences_lose_nothing_visible(text: str) -> None:
    assert visible("".join(sentences(text))) == visible(text)


@given(ANY_TEXT | PROSE, st.integers(1, 40))
def test_pieces_by_characters_lose_nothing_and_keep_the_limit(text: str, limit: int) -> None:
    pieces = split_to_chars(text, limit)
    assert visible("".join(pieces)) == visible(text)
    assert all(0 < len(piece) <= limit for piece in pieces)


@given(ANY_TEXT | PROSE, st.integers(1, 20))
def test_pieces_by_tokens_lose_nothing_and_keep_the_limit(text: str, limit: int) -> None:
    pieces = split_to_tokens(text, limit)
    assert visible("".join(pieces)) == visible(text)
    assert all(piece and estimate_tokens(piece) <= limit for piece in pieces)


def test_pieces_end_at_the_best_place_there_is() -> None:
    text = "First one here. Second one is there.\n\nThird, in its own paragraph. Fourth."
    assert split_to_chars(text, 40) == [
        "First one here. Second one is there.",
        "Third, in its own paragraph. Fourth.",
    ]
    assert split_to_chars("我住在上海，喜欢猫。他住在北京，喜欢狗。", 12) == [
        "我住在上海，喜欢猫。",
        "他住在北京，喜欢狗。",
    ]


def test_words_are_cut_only_where_they_must_be() -> None:
    assert split_to_chars("alpha beta gamma", 7) == ["alpha", "beta", "gamma"]
    assert split_to_chars("incomprehensible", 6) == ["incomp", "rehens", "ible"]


def test_emoji_stay_in_one_piece_with_their_modifiers() -> None:
    assert split_to_chars("ab👍🏽cd", 3) == ["ab", "👍🏽c", "d"]


def test_text_that_fits_is_one_piece() -> None:
    assert split_to_chars("short text", 10) == ["short text"]
    assert split_to_tokens("short text", 3) == ["short text"]


@pytest.mark.parametrize("split", [split_to_chars, split_to_tokens])
def test_limit_below_one_is_refused(split: object) -> None:
    assert callable(split)
    with pytest.raises(InputError, match="limit is 0"):
        split("text", 0)


def test_long_input_is_split_in_linear_time() -> None:
    text = "I moved to Shanghai in May. 我喜欢猫。\n" * 8000
    pieces = split_to_chars(text, 2000)
    assert visible("".join(pieces)) == visible(text)
    assert len(pieces) < 2 * len(text) / 2000
