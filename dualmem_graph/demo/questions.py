"""What to ask of a chat that brings no questions: what its own memory has dimensions for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from dualmem_graph.types import MemoryItem

#: Profile key → question in English and Chinese, the most telling first.
_PROFILE = {
    "location": ("Where do I live?", "我住在哪里？"),
    "employer": ("Who do I work for?", "我在哪里工作？"),
    "occupation": ("What is my job?", "我的职业是什么？"),
    "school": ("Where do I study?", "我在哪里上学？"),
    "major": ("What do I study?", "我学什么专业？"),
    "relationship": ("Am I in a relationship?", "我的感情状况怎么样？"),
    "birthday": ("When is my birthday?", "我的生日是哪天？"),
    "origin": ("Where do I come from?", "我是哪里人？"),
    "age": ("How old am I?", "我多大了？"),
    "name": ("What is my name?", "我叫什么名字？"),
}
_ABOUT_SOMEBODY = ("What do you know about {}?", "关于{}你知道什么？")
_ABOUT_TOPIC = ("What have I said about {}?", "关于{}我说过什么？")
#: Tags that say what kind of statement it is, not what it is about.
_KINDS = frozenset({"event", "plan", "habit", "preference", "identity", "fact"})


def questions_from(
    profile: Mapping[str, MemoryItem], items: Iterable[MemoryItem], *, language: str, limit: int
) -> list[str]:
    """Up to ``limit`` questions: profile keys first, then people, then topics.

    Args:
        profile: the person's profile by key.
        items: the person's current memories.
        language: ``en`` or ``zh``.
        limit: how many questions at most.
    """
    form = 1 if language == "zh" else 0
    kept = list(items)
    subjects = _frequent(item.subject for item in kept if item.subject not in ("user", "assistant"))
    topics = _frequent(tag for item in kept for tag in item.tags if tag not in _KINDS)
    asked = [texts[form] for key, texts in _PROFILE.items() if key in profile]
    asked += [_ABOUT_SOMEBODY[form].format(_as_asked(subject)) for subject in subjects]
    asked += [_ABOUT_TOPIC[form].format(topic) for topic in topics]
    return asked[:limit]


def _as_asked(subject: str) -> str:
    """Turn "User's cousin" into "my cousin": it is the person who asks."""
    for theirs, mine in (("User's ", "my "), ("用户的", "我的")):
        if subject.startswith(theirs):
            return mine + subject.removeprefix(theirs)
    return subject


def _frequent(words: Iterable[str]) -> list[str]:
    """Words by how often they come; once-only ones only where there are no others."""
    counted = Counter(words).most_common()
    repeated = [word for word, count in counted if count > 1]
    return repeated or [word for word, _ in counted]
