"""Finding the JSON that a model meant, in whatever it wrapped it in.

Light damage is mended (missing commas, bad escapes, single quotes, full-width punctuation). What
was cut off in the middle is refused: its missing part would be lost without a word.
"""

from __future__ import annotations

import json
import re
from typing import Any

_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning)>.*?</\1\s*>", re.DOTALL | re.I)
_THOUGHT_END = re.compile(r"^.*</(?:think|thinking|thought|reasoning)\s*>", re.DOTALL | re.I)
_THOUGHT_START = re.compile(r"<(?:think|thinking|thought|reasoning)>.*\Z", re.DOTALL | re.I)
_FENCE = re.compile(r"(?:```+|~~~+)[ \t]*(?:json[c5]?|JSON)?[ \t]*\n?(.*?)(?:```+|~~~+)", re.DOTALL)
_STARTS_OBJECT = re.compile(r"""\{\s*(?:["'“‘}{/]|\\"|[A-Za-z_]\w*\s*["']?\s*[:：])""")
_STARTS_ARRAY = re.compile(
    r"""\[\s*(?:["'“‘\]{\[]|\\"|-?\d+(?:\.\d+)?\s*[,\]]|true\b|false\b|null\b)"""
)
_WIDE_COLON = re.compile(r"""(?<=["'”])\s*：\s*""")
_WIDE_COMMA = re.compile(r"""(?<=["'”\]}\d])\s*，\s*(?=["'“{\[])""")
_SURROGATE = re.compile("[\ud800-\udfff]")

_decoder = json.JSONDecoder(strict=False, parse_constant=lambda _name: None)


def first_json(text: str) -> Any:
    """Find the first complete JSON object of a model's answer, or else its first array.

    Thoughts (``<think>…</think>``), code fences and prose around it do not matter. ``NaN`` and
    the infinities become ``None``, lone surrogates U+FFFD.

    Raises:
        ValueError: if there is none, or it was cut off before its end; the message says which,
            in words that a model can act on.

    >>> first_json('Sure, here it is: {"facts": ["Ilka keeps bees"]} Anything else?')
    {'facts': ['Ilka keeps bees']}
    """
    try:
        whole = _decoder.decode(text.strip())
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict | list):
        return _clean(whole)
    answer = strip_thoughts(text)
    if not answer.strip():
        raise ValueError("the answer is empty; answer with the JSON object")
    pieces = [piece for piece in _FENCE.findall(answer) if piece.strip()]
    problem = ValueError("the answer holds no JSON; answer with the JSON object and nothing else")
    for piece in [*pieces, answer]:
        try:
            return _clean(_search(piece))
        except ValueError as error:
            problem = error
    raise problem


def strip_thoughts(text: str) -> str:
    """Take away what a reasoning model thought aloud, closed or not.

    >>> strip_thoughts("<think>hm {}</think>yes")
    'yes'
    """
    text = _THOUGHT.sub("", text)
    text = _THOUGHT_END.sub("", text)  # some templates put the opening mark into the prompt
    return _THOUGHT_START.sub("", text)


def _search(text: str) -> Any:
    """Take the complete values of ``text`` in order: the first filled object, else the first."""
    found: list[Any] = []
    position = 0
    while (start := _next_start(text, position)) is not None:
        value, position = _value_at(text, start)
        if isinstance(value, dict) and value:
            return value
        found.append(value)
    if found:
        return found[0]
    return _inside_string(text)


def _next_start(text: str, position: int) -> int | None:
    """Where the next thing begins that looks like JSON rather than like prose in brackets."""
    for match in re.compile(r"[{\[]").finditer(text, position):
        shape = _STARTS_OBJECT if match[0] == "{" else _STARTS_ARRAY
        if shape.match(text, match.start()):
            return match.start()
    return None


def _value_at(text: str, start: int) -> tuple[Any, int]:
    try:
        value, end = _decoder.raw_decode(text, start)
    except ValueError:
        end = _end_of(text, start)
        return _mended(text[start:end]), end
    except RecursionError:
        raise ValueError(
            "the JSON is nested too deeply; answer with the object asked for"
        ) from None
    return value, end


def _end_of(text: str, start: int) -> int:
    """Where a damaged value ends.

    Brackets inside strings do not count. Where damaged quotes hide the end, the last closing
    bracket is taken, provided that as many are closed as were opened.
    """
    depth = 0
    for match in re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL).finditer(text, start):
        if match[0] in "{[":
            depth += 1
        elif match[0] in "}]":
            depth -= 1
            if depth == 0:
                return match.end()
    end = max(text.rfind("}"), text.rfind("]")) + 1
    whole = text[start:end]
    if end <= start or any(whole.count(a) != whole.count(b) for a, b in ("{}", "[]")):
        raise ValueError(
            "the JSON was cut off before its end; answer again with the whole object, shorter"
        )
    return end


def _mended(damaged: str) -> Any:
    import json_repair

    plain = _WIDE_COMMA.sub(", ", _WIDE_COLON.sub(": ", damaged))
    try:
        value = json_repair.loads(plain, skip_json_loads=True)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict | list) or not value:
        raise ValueError(f"the JSON is malformed ({_fault(damaged)}); answer with valid JSON")
    return value


def _fault(damaged: str) -> str:
    try:
        _decoder.decode(damaged)
    except json.JSONDecodeError as error:
        return f"{error.msg} at character {error.pos}"
    return "not an object"


def _inside_string(text: str) -> Any:
    """Some models send the object as one JSON string."""
    try:
        inner = json.loads(text.strip())
    except ValueError:
        inner = None
    if isinstance(inner, str) and _next_start(inner, 0) is not None:
        return _search(inner)
    raise ValueError("the answer holds no JSON; answer with the JSON object and nothing else")


def _clean(value: Any) -> Any:
    """Replace lone surrogates, and numbers that JSON does not have."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return value
