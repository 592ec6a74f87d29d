"""First person → third person: verbs agree and pronouns follow the subject."""

from __future__ import annotations

import re

from dualmem_graph.system1.rules.english import verbs
from dualmem_graph.system1.rules.english.types import Kind, Subject, display_of
from dualmem_graph.system1.rules.english.words import FILLERS, LIGHT_ADVERBS
from dualmem_graph.system1.rules.wordlist import word_set

#: Verbs before a list of nouns, some of which look like verbs ("I love music, dance and art").
_TAKES_LIST = word_set("am are have like love enjoy prefer hate want need dislike adore")
_OWN = {
    "i": "they",
    "we": "they",
    "my": "their",
    "our": "their",
    "mine": "theirs",
    "ours": "theirs",
    "me": "them",
    "us": "them",
    "myself": "themselves",
    "ourselves": "themselves",
}
_FIRST_PERSON = re.compile(
    r"(?<![-'])\b(?:(I|we)( (?:\w+ly|just|also|really|still|never|always))? (am|was|are|were)\b"
    r"|(?:I|we|my|our|mine|ours|me|us|myself|ourselves)\b(?!-))",
    re.IGNORECASE,
)
_I_VERB = re.compile(r"\b(?:I|we)((?: (?:just|also|really|still|never|always))*) ([a-z]+)\b")
_PRESENT_MARK = re.compile(
    r"\b(?:every|each|usually|often|always|never|sometimes|a lot|daily|weekly"
    r"|on weekends|most|regularly"
    r"|twice|once a|times a|before bed)\b",
    re.IGNORECASE,
)
#: Of the verbs whose past looks like the base, those that chat mostly uses in the present.
_MOSTLY_PRESENT = word_set("read knit fit cost bet")
_PAST_MARK = re.compile(
    r"\b(?:yesterday|ago|last|just|finally|already|recently|when I was|this morning"
    r"|in (?:19|20)\d\d)\b",
    re.IGNORECASE,
)


_FILLED = re.compile(r"^(has|is|was|had|are|have) (?:actually|basically|literally|honestly) ")


def third_person(rest: str, subject: Subject, speaker: str) -> str:
    """Put a predicate as spoken into the third person of its subject.

    Example:
        >>> third_person("have lost my keys", Subject("user", "User", Kind.SELF), "user")
        'has lost their keys'
    """
    words = rest.split()
    at = _main_verb(words)
    if at is None:
        return ""
    if subject.is_self and not subject.plural:
        spoken, words[at] = words[at], _conjugated(words[at], rest)
        paired = at + 2 < len(words) and words[at + 1] in {"and", "or"}
        if paired and words[at] != spoken and words[at + 2] in verbs.BASES:
            words[at + 2] = _conjugated(words[at + 2], rest)
        if words[at] != spoken and spoken not in _TAKES_LIST:
            _conjugate_listed(words, at, rest)
    elif subject.plural and words[at].lower() == "am":
        words[at] = "are"
    head = [word for word in words[:at] if word.lower() not in FILLERS | {"both", "all"}]
    tail = " ".join(words[at:])
    if subject.is_self:
        tail = _own_pronouns(tail)
    elif subject.kind in (Kind.WORLD, Kind.THING):
        tail = _later_pronouns(tail, speaker, named=subject.display.startswith(display_of(speaker)))
    else:
        tail = _others_pronouns(tail, speaker)
    return " ".join([*head, _FILLED.sub(r"\1 ", tail)])


def _conjugate_listed(words: list[str], at: int, rest: str) -> None:
    """ "roast marshmallows, tell stories": each verb after a comma agrees as well."""
    for place in range(at + 2, len(words)):
        if words[place - 1].endswith(",") and words[place] in verbs.BASES:
            words[place] = _conjugated(words[place], rest)


def _main_verb(words: list[str]) -> int | None:
    for at, word in enumerate(words):
        lowered = word.lower().strip(",")
        if lowered in {"no", "longer"} and "longer" in words[: at + 2]:
            continue
        if lowered in LIGHT_ADVERBS or (lowered.endswith("ly") and lowered not in verbs.BASES):
            continue
        return at if lowered.replace("'", "").isalpha() else None
    return None


def _conjugated(word: str, rest: str) -> str:
    verb = word.lower()
    if verb in {"am", "are"}:
        return "is"
    if verb in verbs.MODALS or verb in {"is", "was", "has", "does", "had", "did"}:
        return verb
    if verb in verbs.SAME_PAST:
        habitual = bool(_PRESENT_MARK.search(rest))
        past = bool(_PAST_MARK.search(rest))
        present = habitual or (verb in _MOSTLY_PRESENT and not past)
        return verbs.third_singular(verb) if present else verb
    if verb in {"were"}:
        return "was"
    if verbs.is_past(verb) and verb not in verbs.BASES:
        return verb
    return verbs.third_singular(verb)


def _own_pronouns(text: str) -> str:
    def replace(match: re.Match[str]) -> str:
        if match[1]:
            return f"they{match[2] or ''} {'are' if match[3].lower() in {'am', 'are'} else 'were'}"
        return _OWN[match[0].lower()]

    return _FIRST_PERSON.sub(replace, text)


def _later_pronouns(text: str, speaker: str, *, named: bool) -> str:
    """First person beside a thing: the name once, then pronouns."""
    if named:
        return _own_pronouns(text)
    first = _FIRST_PERSON.search(text)
    if first is None:
        return text
    named_to = first.end()
    return _others_pronouns(text[:named_to], speaker) + _own_pronouns(text[named_to:])


def _others_pronouns(text: str, speaker: str) -> str:
    """First person inside a clause about another: always by name, "they" would be ambiguous."""
    me = display_of(speaker)

    def verb(match: re.Match[str]) -> str:
        spoken = match[2]
        form = (
            spoken
            if verbs.is_past(spoken) and spoken not in verbs.BASES
            else _conjugated(spoken, "")
        )
        return f"{me}{match[1]} {form}"

    text = _I_VERB.sub(verb, text)
    forms = {"my": f"{me}'s", "our": f"{me}'s", "mine": f"{me}'s", "ours": f"{me}'s"}
    return _FIRST_PERSON.sub(lambda match: forms.get(match[0].lower(), me), text)
