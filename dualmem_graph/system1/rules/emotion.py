"""The feeling of a turn and the gate scores, by word lists, for both languages.

Coarse on purpose: arousal lends salience in recall and has the smallest weight of the gate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from dualmem_graph.system1.rules.dimensions import base
from dualmem_graph.types import Candidate, Emotion, Gate

#: DESIGN §5: weights of novelty, biographical relevance and arousal, and what must be exceeded.
WEIGHTS = (0.40, 0.40, 0.20)
THRESHOLD = 0.3

# feeling: (valence, arousal, English stems, Chinese words)
_FEELINGS: dict[str, tuple[float, float, str, str]] = {
    "joy": (
        0.8,
        0.6,
        "happy|glad|delighted|thrilled|excit|awesome|amazing|wonderful|over the moon|yay|joy"
        "|celebrat|blessed|so fun",
        "开心|高兴|兴奋|激动|太棒|幸福|快乐|喜悦",
    ),
    "pride": (
        0.7,
        0.5,
        "proud|accomplish|finally (?:did|finished|passed)|nailed|powerful|inspir",
        "自豪|骄傲|成就感|终于",
    ),
    "gratitude": (0.6, 0.3, "grateful|thankful|appreciate", "感激|感谢|感恩"),
    "sadness": (
        -0.7,
        0.4,
        "sad|heartbroken|devastat|cry|cried|grief|griev|miss (?:him|her|them)|passed away|died"
        "|lonely|depress",
        "难过|伤心|悲伤|去世|想哭|孤独|失落|痛苦",
    ),
    "anger": (
        -0.7,
        0.8,
        "angry|furious|annoyed|hate|pissed|outrag|frustrat",
        "生气|愤怒|气死|烦死|讨厌|恼火",
    ),
    "fear": (
        -0.6,
        0.7,
        "afraid|scared|terrified|anxious|anxiety|nervous|worried|panic|stress",
        "害怕|担心|焦虑|紧张|恐惧|压力",
    ),
    "surprise": (
        0.2,
        0.7,
        "surpris|shocked|unbelievable|can't believe|cannot believe|wow",
        "惊讶|震惊|没想到|居然|竟然",
    ),
    "fatigue": (
        -0.3,
        0.2,
        "tired|exhaust|swamped|burn(?:ed|t) out|overwhelm",
        "好累|疲惫|累死|筋疲力尽",
    ),
}
_PATTERNS = tuple(
    (name, valence, arousal, re.compile(rf"\b(?:{english})|(?:{chinese})", re.IGNORECASE))
    for name, (valence, arousal, english, chinese) in _FEELINGS.items()
)
_NEGATION = re.compile(r"(?:\bnot|n't|\bnever|不|没)\s*(?:\w+\s+)?$", re.IGNORECASE)
_EXCLAIMED = re.compile(r"[!！]")
_INTENSE = re.compile(r"\b(?:so|really|very|super|extremely)\b|非常|特别|太|超级", re.IGNORECASE)

# How much a dimension tells of a life; what carries no dimension is an event.
_RELEVANCE = {
    "attitude": 0.7,
    "favourite": 0.7,
    "habit": 0.7,
    "possession": 0.6,
    "skill": 0.7,
    "trait": 0.8,
    "plan": 0.7,
    "diet": 0.8,
}
_EVENT_RELEVANCE = 0.6
_SLOT_RELEVANCE = 0.9


def feel(text: str) -> Emotion | None:
    """The strongest feeling that the words of a text name; ``None`` where they name none.

    Example:
        >>> feel("I'm so proud of my daughter!").dominant
        'pride'
    """
    best: tuple[float, str, float] | None = None
    for name, valence, arousal, pattern in _PATTERNS:
        match = pattern.search(text)
        if match is None or _NEGATION.search(text[: match.start()]):
            continue
        if best is None or arousal > best[0]:
            best = (arousal, name, valence)
    if best is None:
        return None
    arousal, name, valence = best
    louder = 0.1 * min(2, len(_EXCLAIMED.findall(text))) + 0.1 * bool(_INTENSE.search(text))
    return Emotion(valence, round(min(1.0, arousal + louder), 2), name)


def weigh(candidates: Iterable[Candidate], emotion: Emotion | None, *, idle: bool) -> Gate:
    """Score the turns by what was found in them.

    Args:
        idle: the turns are small talk only.
    """
    relevance = max((_relevance(candidate) for candidate in candidates), default=0.0)
    arousal = emotion.arousal if emotion else 0.0
    novelty = 1.0 if relevance else 0.0
    score = round(
        sum(w * v for w, v in zip(WEIGHTS, (novelty, relevance, arousal), strict=True)), 4
    )
    reason = "small talk" if idle else "" if relevance else "no rule found a statement"
    return Gate(novelty, relevance, arousal, score, score > THRESHOLD, reason)


def _relevance(candidate: Candidate) -> float:
    if candidate.dimension is None:
        return _EVENT_RELEVANCE
    return _RELEVANCE.get(base(candidate.dimension), _SLOT_RELEVANCE)
