"""Cutting an English sentence into clauses that each make one statement.

"I quit my job at Siemens and moved to Lisbon" is two statements with one subject; "when I was
ten, I moved" and "my wife and I" are one. A clause that lost its subject to the one before it is
given back with the mark :data:`SAME_SUBJECT` in front.
"""

from __future__ import annotations

import re

from dualmem_graph.system1.rules.english import verbs
from dualmem_graph.system1.rules.wordlist import word_set

#: Stands for the subject of the clause before.
SAME_SUBJECT = "=="
_SUBJECT = r"(?:I|we|he|she|they|it|this|that|there|my|our|his|her|the|these|those|you)\b"
_BREAK = re.compile(
    rf"""
      (?P<hard>\s*;\s*|\s*[–—]+\s*|\s+-{{1,3}}\s+|(?<=\w)-{{1,2}}\s+|\s*\.\.\.+\s*|\s*!\s*|,?\s+so\s+(?=(?:please|do\s+not)\b)|:\s+(?=I\b|my\b)|,\s+(?:so\s+)?(?=(?:wish|thanks|thank|fingers|please|take\s+a\s+look|check|look\s+at|see\s+(?:you|the|what))\b))
    | (?P<but>,?\s+(?:but|however|yet|so|plus|whereas|and\s+so)\s+
        (?=(?:now\s+|then\s+|also\s+|lately\s+|apparently\s+|obviously\s+)?{_SUBJECT}))
    | (?P<and>,?\s+and\s+(?=(?:now\s+|then\s+|also\s+|sometimes\s+)?{_SUBJECT}))
    | (?P<comma>,\s+(?=(?:now\s+|then\s+|also\s+)?{_SUBJECT}))
    | (?P<verb>,?\s+(?:and|but|then|and\s+then)\s+(?=[a-z]))
    | (?P<because>,?\s+(?:because|since|as)\s+(?=(?:I|my|we)\b))
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SUBORDINATE = re.compile(
    r"^(?:when|whenever|while|after|before|since|because|although|though|once|until|as"
    r"|if|even though"
    r"|ever since|now that|given that|despite|instead of|besides|apart from|in order to|to)\b",
    re.IGNORECASE,
)
_OWN_SUBJECT = re.compile(rf"\b{_SUBJECT}|\b[A-Z]\w+ (?:is|has|was)\b", re.IGNORECASE)
_PAIR = re.compile(
    r"^(?:(?i:my|our)(?:\s+[\w'-]+){1,3}|[A-Z][\w'-]+(?: [A-Z][\w-]+)?|me|both \w+)\s*$"
)
_SKIPPED = re.compile(
    r"^(?:(?:then|also|now|just|finally|recently|still|even|later|never|both|always"
    r"|eventually|immediately"
    r"|ended up|currently|usually|often|mostly|sometimes|already)\s+)*"
)
#: "My grandmother, who is 90, still drives": two statements about her.
_RELATIVE = re.compile(
    r"^((?:[Mm]y|[Oo]ur) [\w' -]{2,40}?), who ((?:is|was|has|lives|works|just"
    r"|recently)\b[^,]+), (\w.+)$"
)
_BARE_PAIR = 3
_HOW_OFTEN = word_set("also always usually often mostly sometimes never still currently")
_WORD = re.compile(r"[A-Za-z']+")
_BE = word_set("am is are was were been felt feel feels seems seemed got gets")
_OBJECT_START = word_set(
    "a an the my our his her their its it them him this that these those some any all "
    "both two three four "
    "five many several to at in on up for with from into out over about by off back "
    "down around away "
    "through as new us me again home there somewhere everything everyone"
)
#: Base forms that are hardly ever nouns, so that "… and live in Porto" can be told from a list.
_PLAIN_BASES = word_set(
    "live have go take eat enjoy speak teach write sing own am keep commute volunteer "
    "spend prefer hate do "
    "make get tend try love study sell serve bake meet attend became become bring buy "
    "see hear grow raise"
)
_MARKS = re.compile(r"\s*[,:]\s*$")


def split_clauses(sentence: str) -> list[str]:
    """Cut a tidied sentence into clauses, in order.

    Example:
        >>> split_clauses("I quit my job at Siemens and moved to Lisbon")
        ['I quit my job at Siemens', '== moved to Lisbon']
    """
    relative = _RELATIVE.match(sentence)
    if relative:
        who, about, rest = relative.groups()
        return [f"{who} {about}", *split_clauses(f"{who} {rest}")]
    clauses: list[str] = []
    start = 0
    prefix = ""
    for match in _BREAK.finditer(sentence):
        if match.start() < start or _inside_quotes(sentence, match.start()):
            continue
        left, right = sentence[start : match.start()], sentence[match.end() :]
        cut = _cut(match.lastgroup or "", left, right, match[0])
        if cut is None:
            continue
        if left.strip():
            clauses.append(prefix + _MARKS.sub("", left.strip()))
        start, prefix = match.end(), cut
    rest = sentence[start:].strip()
    if rest:
        clauses.append(prefix + rest)
    return clauses


def reason_clause(clause: str) -> str:
    """The clause after "because", that may hold a fact of its own; ``""`` where there is none."""
    for match in _BREAK.finditer(clause):
        if match.lastgroup == "because" and "because" in match[0]:
            return clause[match.end() :].strip()
    return ""


def _cut(kind: str, left: str, right: str, separator: str) -> str | None:
    """The prefix of the clause that begins here; ``None`` if none does."""
    if kind == "hard":
        return ""
    if kind == "because" or not left.strip():
        return None
    if kind == "verb":
        return f"{SAME_SUBJECT} " if _shares_subject(left, right, separator) else None
    leading = bool(_SUBORDINATE.match(left.strip())) and "," not in left
    if kind == "comma":
        return "" if not leading and _has_statement(left) else None
    if kind == "and":
        return "" if not _PAIR.match(left) and not leading and _opens_statement(right) else None
    return "" if not leading and _opens_statement(right) else None


def _has_statement(left: str) -> bool:
    """Whether a piece before a comma has its own subject and verb (is no mere adverbial)."""
    subject = _OWN_SUBJECT.search(left)
    if subject is None:
        first = _WORD.match(left.strip())
        return first is not None and verbs.is_irregular_past(first[0].lower())
    following = _WORD.findall(left[subject.end() :])
    return any(
        verbs.is_finite(word.lower()) or word.lower() in verbs.BASES for word in following[:6]
    )


def _opens_statement(right: str) -> bool:
    """Whether a piece that begins with a subject goes on with a verb soon ("my dog" alone: no)."""
    words = [word.lower() for word in _WORD.findall(right)[:9]]
    if words[:1] == ["it"] or words[:1] == ["you"]:
        return True
    pronoun = bool(words) and words[0] in {"i", "we", "he", "she", "they", "now", "then", "also"}
    for word in words[1:4] if pronoun else words[2:8]:
        if verbs.is_finite(word) or (pronoun and word in verbs.BASES):
            return True
    return pronoun and len(words) > 1


def _shares_subject(left: str, right: str, separator: str) -> bool:
    """Whether "and <verb>" goes on with the subject of the left piece."""
    skipped = _SKIPPED.match(right)
    adverbs = skipped[0] if skipped else ""
    right = right[len(adverbs) :]
    words = _WORD.findall(right)
    if not words or not _has_statement(left):
        return False
    verb = words[0]
    if verb != verb.lower():
        return False
    following = words[1].lower() if len(words) > 1 else ""
    before = [word.lower() for word in _WORD.findall(left)]
    if adverbs.split()[-1:] and adverbs.split()[-1] in _HOW_OFTEN and verb in verbs.BASES:
        return True
    if verb in verbs.BASES and len(before) <= _BARE_PAIR and before[-1] in verbs.BASES:
        return False  # "I cook and bake every weekend"
    if verb in verbs.AUXILIARIES or verb in _PLAIN_BASES:
        return verb not in {"to", "ought", "need", "be"}
    if verbs.is_irregular_past(verb):
        if verb in verbs.SAME_PAST and not any(verbs.is_past(word) for word in before):
            return False
        return any(verbs.is_past(word) for word in before) or following in _OBJECT_START
    if verbs.is_past(verb):
        past = any(verbs.is_past(word) and word not in _BE for word in before)
        if separator.strip(" ,") == "but":
            return following in _OBJECT_START
        return past and (following in _OBJECT_START or words[1:2] != [following])
    return verbs.is_third(verb) and any(verbs.is_third(word) for word in before)


def _inside_quotes(sentence: str, position: int) -> bool:
    return sentence.count('"', 0, position) % 2 == 1 or sentence.count(
        "(", 0, position
    ) > sentence.count(")", 0, position)
