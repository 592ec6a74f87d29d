"""Understanding a query without a model: language, route, terms, and the text to embed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from dualmem_graph.config import Settings
from dualmem_graph.recall.hints import dimensions_asked, is_about_user
from dualmem_graph.recall.request import RecallRequest
from dualmem_graph.recall.wording import (
    asks_for_plans,
    asks_of_own_life,
    is_question,
    is_self_query,
    is_small_talk,
    strip_question,
)
from dualmem_graph.text.chunks import sentences
from dualmem_graph.text.language import Language, detect_language, estimate_tokens
from dualmem_graph.text.safety import clean_text, strip_memory_blocks
from dualmem_graph.text.times import find_times, zone_of
from dualmem_graph.text.tokens import index_terms, query_terms
from dualmem_graph.types import TimeSpan, Turn

NORMAL = "normal"
PROFILE = "profile"
PROACTIVE = "proactive"


@dataclass(frozen=True, slots=True)
class Understanding:
    """What a query is after.

    Attributes:
        text: the query as one text.
        language: the language it is in.
        route: ``normal``, ``profile`` (what is known about the asker) or ``proactive`` (what is
            planned).
        is_empty: it asks memory nothing (blank, or small talk).
        is_question: it is worded as a question.
        is_conversation: it is a conversation rather than one question.
        is_own_life: it asks for a fact of the user's life, rather than for advice.
        about_user: it speaks of the user, in the first person or as "the user".
        terms: its terms for BM25.
        length: how many index terms it would have as a memory.
        focus: the part of it that is embedded; ``""`` where there are no words to embed.
        dimensions: the slots of a life that it may ask about.
        times: when it says the thing happened.
    """

    text: str
    language: Language = "en"
    route: str = NORMAL
    is_empty: bool = False
    is_question: bool = False
    is_conversation: bool = False
    is_own_life: bool = False
    about_user: bool = False
    terms: tuple[str, ...] = ()
    length: int = 0
    focus: str = ""
    dimensions: frozenset[str] = frozenset()
    times: tuple[TimeSpan, ...] = ()

    def dense_text(self, names: tuple[str, ...] = ()) -> str:
        """The text to embed: a question without what only asks and without ``names``."""
        if self.is_question and not self.is_conversation:
            return strip_question(self.focus, self.language, names)
        return self.focus


def understand(request: RecallRequest, settings: Settings, now: datetime) -> Understanding:
    """Read a request.

    Args:
        request: a query, or a conversation; a query beside a conversation is what counts.
        settings: the zone for words like "yesterday", and how much of a conversation counts.
        now: what such words are relative to, unless the request names a ``reference_time``.
    """
    reference = request.reference_time or now
    if request.messages and not request.query.strip():
        return _understand_conversation(request.messages, reference, settings)
    return _understand_query(_clean(request.query), reference, settings)


def _understand_query(text: str, reference: datetime, settings: Settings) -> Understanding:
    if not text or is_small_talk(text):
        return Understanding(text, is_empty=True)
    language = detect_language(text)
    focus = _focus(text, language, settings.recall_focus_tokens)
    asks = is_question(focus, language) and estimate_tokens(focus) <= settings.recall_focus_tokens
    return Understanding(
        text,
        language=language,
        route=_route(text),
        is_question=asks,
        is_own_life=asks_of_own_life(focus, language),
        about_user=is_about_user(focus),
        terms=tuple(query_terms(focus)),
        length=len(index_terms(focus)),
        focus=focus if _has_words(focus) else "",
        dimensions=dimensions_asked(focus) if asks else frozenset(),
        times=_times(focus, reference, settings),
    )


def _understand_conversation(
    turns: tuple[Turn, ...], reference: datetime, settings: Settings
) -> Understanding:
    """Take the recent conversation as the query; its last turns alone bring back less.

    A question about the user's own life is asked of memory itself: then it alone is the query.
    """
    spoken = [_clean(turn.text) for turn in turns]
    said = [text for turn, text in zip(turns, spoken, strict=True) if turn.role == "user" and text]
    if not said or all(map(is_small_talk, said)):
        return Understanding("\n".join(spoken), is_empty=True)
    last = _understand_query(said[-1], reference, settings)
    if last.route != NORMAL or len(spoken) == 1 or last.is_own_life:
        return last
    text = _recent(spoken, settings.recall_conversation_chars)
    return Understanding(
        text,
        language=detect_language(text),
        is_conversation=True,
        about_user=True,
        terms=tuple(query_terms(text)),
        length=len(index_terms(text)),
        focus=text if _has_words(text) else "",
    )


def _clean(text: str) -> str:
    return strip_memory_blocks(clean_text(text)).strip()


def _has_words(text: str) -> bool:
    return any(char.isalnum() for char in text)


def _route(text: str) -> str:
    if is_self_query(text):
        return PROFILE
    return PROACTIVE if asks_for_plans(text) else NORMAL


def _times(text: str, reference: datetime, settings: Settings) -> tuple[TimeSpan, ...]:
    return tuple(find_times(text, reference, zone=zone_of(settings.timezone, reference)))


def _focus(text: str, language: Language, limit: int) -> str:
    """Find what a long query is after: the closing question about the asker's life, if any.

    Small talk leads up to such a question; a long task or argument is a query as a whole.
    """
    if estimate_tokens(text) <= limit:
        return text
    last = sentences(text)[-1]
    return last if asks_of_own_life(last, language) else text


def _recent(spoken: list[str], limit: int) -> str:
    """Join the last turns that fit ``limit`` characters; the last one is always there."""
    kept: list[str] = []
    room = limit
    for text in reversed(spoken):
        if kept and len(text) > room:
            break
        kept.append(text[-limit:])
        room -= len(text)
    return "\n".join(reversed(kept))
