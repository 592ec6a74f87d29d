from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualmem_graph.text.language import detect_language, estimate_tokens, token_quarters


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I moved to Shanghai last week.", "en"),
        ("我上周搬到了上海。", "zh"),
        ("我上週搬到了臺北。", "zh"),
        ("我用 PostgreSQL 做备份", "zh"),
        ("我喜欢 machine learning 和 deep learning", "zh"),
        ("他叫 Caroline Smith", "zh"),
        ("I met 王小明 yesterday", "en"),
        ("She said 你好 to everybody in the room", "en"),
        ("东京でラーメンを食べた", "en"),
        ("서울에 살아요", "en"),
        ("帮我看看这段代码：\n```python\nfor item in items:\n    print(item)\n```", "zh"),
        ("Why does this fail?\n```\nraise ValueError('参数不能为空，请检查输入')\n```", "en"),
        ("看这里 https://example.com/how-to-move-house-with-the-cat", "zh"),
        ("好的 ok", "zh"),
        ("", "en"),
        ("👍 123 ???", "en"),
    ],
)
def test_grammar_decides_the_language(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("我搬家了", 4), ("👍", 1), ("дом", 2)],
)
def test_tokens_are_estimated_without_a_tokenizer(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.text())
def test_estimate_is_the_rounded_sum_over_characters(text: str) -> None:
    assert estimate_tokens(text) == -(-sum(map(token_quarters, text)) // 4)


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_text_has_a_language(text: str) -> None:
    assert detect_language(text) in ("en", "zh")
