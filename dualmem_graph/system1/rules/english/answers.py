"""Short answers and corrections, which only mean something beside what was said before.

"Porto." after "Where do you live?" is a home; "it's Ghent, not Antwerp" corrects whatever named
Antwerp.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from dualmem_graph.system1.rules.dimensions import same_value
from dualmem_graph.types import Candidate

_QUESTIONS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), template)
    for pattern, template in (
        (r"\b(?:what(?:'s| is) your name|who am i (?:talking|speaking) (?:to|with)"
            r"|may i (?:ask|have|know) your name|what (?:should|can|shall"
                r"|may) i call you)\b", "my name is {}"),
        (r"\bhow old are you\b|\bwhat(?:'s| is) your age\b", "I am {}"),
        (r"\bwhere (?:do|are) you (?:live|living|based|located|staying)\b"
            r"|\bwhich city (?:do|are) you\b|\bwhat city (?:do|are) you\b", "I live in {}"),
        (r"\bwhere (?:are|do) you (?:come )?(?:originally )?from\b"
            r"|\bwhere did you grow up\b", "I am originally from {}"),
        (r"\bwhat do you do\b(?! (?:when|to|on|with|if|after|before|about))|\bwhat(?:'s"
            r"| is) your (?:job|profession|occupation)\b", "I am {}"),
        (r"\b(?:where|who) do you work(?: for| at)?\b|\bwhat company do you\b", "I work at {}"),
        (r"\bwhen(?:'s| is) your birthday\b|\bwhen were you born\b", "my birthday is {}"),
        (r"\b(?:do|have) you (?:have|got|own) (?:any )?(?:pets?|animals|kids|children"
            r"|siblings|brothers|sisters|a (?:dog|cat|pet|car|bike|partner|girlfriend"
            r"|boyfriend|husband|wife))\b", "I have {}"),
        (r"\bwhat (?:do|are) you (?:study|studying)\b|\bwhat(?:'s| is) your major\b", "I study {}"),
        (r"\bwhich (?:school|university|college) do you\b|\bwhere (?:do"
            r"|did) you (?:go to (?:school|college|university)|study)\b", "I study at {}"),
        (r"\b(?:are you allergic to (?:any|some)|(?:do you have"
            r"|any) (?:any )?(?:food )?allerg)", "I am allergic to {}"),
        (r"\b(?:what|which) languages? do you speak\b", "I speak {}"),
        (r"\bwhat(?:'s| is) your (?:all-time )?(?P<k>favou?rite [\w ]+?)\?", "my {k} is {}"),
        (r"\b(?:what|which) (?P<k>[\w ]+?) do you (?:like|love|enjoy)(?: the)?(?: most"
            r"| best)?\?", "I like {}"),
    )
)  # fmt: skip
_YES_NO = re.compile(
    r"\b(?:do|have|are|did) you\s+(?P<v>(?:like|love|enjoy|eat|drink|smoke|own|play"
    r"|speak|live|work|married|allergic to|afraid of|from|a|an|vegan"
    r"|vegetarian)\b[^?]*)\?",
    re.IGNORECASE,
)
_YES = re.compile(
    r"^(?:yes|yeah|yep|yup|sure do|of course|absolutely|definitely)\b[\s,.!]*"
    r"(?:i (?:do|am)[\s.!]*)?"
    r"|^i (?:do|am)$",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\b(?:do|have|are|did) you\s+(?P<v>(?:like|love|enjoy|eat|drink|smoke|own|play"
    r"|speak|live|work|married|allergic to|afraid of|from|a|an|vegan"
    r"|vegetarian)\b[^?]*)\?",
    re.IGNORECASE,
)
_YES = re.compile(
    r"^(?:yes|yeah|yep|yup|i do|i am|sure do|of course|absolutely"
    r"|definitely)\b[\s,.!]*(?:i (?:do|am)[\s.!]*)?",
    re.IGNORECASE,
)
_NO = re.compile(
    r"^(?:no|nope|nah|not really|i don't|i do not|i am not)\b[\s,.!]*(?:i (?:do not|am not"
    r"|don't)[\s.!]*)?",
    re.IGNORECASE,
)
_STATEMENT = re.compile(
    r"^(?:I|my|we|our|he|she|they|you|it|who|what|why|where|how|when|can|could|do|does|is"
    r"|are|thanks|none|nothing|no|not|ok|okay|hm+|well|idk|maybe|secret|guess|why)\b"
    r"|\?\s*$",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r"^(?:no[,.]?\s+|actually[,.]?\s+|sorry[,.]?\s+|wait[,.]?\s+|correction[:,.]?\s+"
    r"|nope[,.]?\s+|i mean[,.]?\s+|well[,.]?\s+)*"
    r"(?:(?:it|that)(?:'s| is| was)|i meant"
    r"|make that)\s+(?:actually\s+)?(?P<new>[^,;.]+?),?\s+(?:and "
    r")?not\s+(?P<old>[^,;.!]+?)\s*(?:any ?more)?[.!]*$",
    re.IGNORECASE,
)
_ASKED_STATEMENT = re.compile(
    r"\b(?:so|and|then|ah|oh|right|okay|got it|i see)?[,:]?\s*(you(?:r| are|'re|'ve"
    r"| \w+)?\b[^?.!]*)",
    re.IGNORECASE,
)
_TO_FIRST = {
    "you": "I",
    "your": "my",
    "you're": "I am",
    "you've": "I have",
    "yours": "mine",
    "are": "am",
}
_LONGEST_ANSWER = 12


def full_answer(answer: str, asked: str) -> str | None:
    """The statement that a short answer stands for, ``None`` where it is none.

    Example:
        >>> full_answer("Porto.", "Where do you live these days?")
        'I live in Porto'
    """
    answer = answer.strip().rstrip(".!")
    if not asked or not answer or len(answer.split()) > _LONGEST_ANSWER:
        return None
    content = _YES.sub("", answer).strip(" ,")
    for pattern, template in _QUESTIONS:
        match = pattern.search(asked)
        if match is None:
            continue
        if (
            not content
            or _STATEMENT.search(content)
            or re.search(r"\b(?:is|are|was|has|have)\b", content)
        ):
            return None
        content = (
            re.sub(r"^(?:in|at|from|as|on|it's|its)\s+", "", content)
            if "{k}" not in template
            else content
        )
        filled = template.replace("{k}", match.groupdict().get("k") or "").replace("{}", content)
        return _as_trade(filled, content) if template == "I am {}" else filled
    return _yes_or_no(answer, asked)


def _as_trade(filled: str, content: str) -> str:
    return (
        filled
        if re.match(r"(?:an?|the|\d|retired|self)\b", content)
        else f"I am a {content}"
        if not content[:1].isdigit()
        else filled
    )


def _yes_or_no(answer: str, asked: str) -> str | None:
    match = _YES_NO.search(asked)
    if match is None:
        return None
    verb = match["v"].strip()
    state = re.match(
        r"(?:married|allergic to|afraid of|from|an?|vegan|vegetarian)\b", verb, re.IGNORECASE
    )
    if _YES.fullmatch(answer):
        return f"I am {verb}" if state else f"I {verb}"
    if _NO.fullmatch(answer):
        return f"I am not {verb}" if state else f"I do not {verb}"
    return None


def asked_statement(asked: str) -> str:
    """What the other side took for true: "So you live in Antwerp, right?" → "I live in Antwerp"."""
    match = _ASKED_STATEMENT.search(asked)
    if match is None:
        return ""
    words = re.sub(r",?\s*(?:right|correct|yes|no|don't you|aren't you)\s*$", "", match[1]).split()
    turned = [
        _TO_FIRST.get(word.lower(), word) if at < 2 or word.lower() != "are" else word
        for at, word in enumerate(words)
    ]
    return " ".join(turned)


def correction(sentence: str) -> tuple[str, str] | None:
    """The new and the old value of "it's Ghent, not Antwerp"."""
    match = _CORRECTION.match(sentence.strip())
    return (match["new"].strip(), match["old"].strip()) if match else None


def corrected(new: str, old: str, said: Callable[[], tuple[Candidate, ...]]) -> Candidate | None:
    """The latest statement whose value is ``old``, said anew with ``new``."""
    for candidate in reversed(said()):
        if (
            candidate.dimension
            and same_value(candidate.value, old)
            and old.lower() in candidate.content.lower()
        ):
            return candidate
    return None
